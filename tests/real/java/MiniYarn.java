import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.log4j.BasicConfigurator;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * A YARN in one JVM, on loopback, without HDFS: {@code MiniYarn NODES CONF_DIR}. It works in the working directory,
 * writes the configuration of its clients to CONF_DIR, prints one line {@code ready HOST:PORT} with the address of the
 * ResourceManager's REST interface, and ends, with its containers, when its standard input does: also when whoever started it is killed.
 */
public final class MiniYarn {
    public static void main(String[] args) throws Exception {
        BasicConfigurator.configure();
        Logger.getRootLogger().setLevel(Level.WARN);
        int nodes = Integer.parseInt(args[0]);
        File confDir = new File(args[1]);

        Configuration conf = new YarnConfiguration();
        conf.set("fs.defaultFS", "file:///");
        loopback(conf);
        limits(conf);
        // The capacity scheduler wants a file that is not among the jars.
        conf.set("yarn.resourcemanager.scheduler.class",
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler");
        // A container has only those variables of ours that are named here.
        conf.set("yarn.nodemanager.env-whitelist", "JAVA_HOME,SPARK_LOCAL_IP,SPARK_LOCAL_HOSTNAME");

        MiniYARNCluster cluster = new MiniYARNCluster("yarn", nodes, 1, 1);
        cluster.init(conf);
        cluster.start();
        if (!cluster.waitForNodeManagersToConnect(60_000)) {
            throw new IllegalStateException("the NodeManagers did not register");
        }
        Configuration ready = cluster.getConfig();
        write(ready, new File(confDir, "core-site.xml"));
        write(ready, new File(confDir, "yarn-site.xml"));
        System.out.println("ready " + ready.get("yarn.resourcemanager.webapp.address"));

        while (System.in.read() != -1) {
            // Nothing is said there: only its end counts.
        }
        // Not cluster.stop(): each NodeManager would wait ten seconds for its logs to come of age.
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(0);
    }

    /** Left to itself, the cluster takes the host's name for its addresses, which others may reach. */
    private static void loopback(Configuration conf) throws IOException {
        conf.setBoolean("yarn.minicluster.fixed.ports", true);
        conf.set("yarn.resourcemanager.hostname", "127.0.0.1");
        conf.set("yarn.resourcemanager.bind-host", "127.0.0.1");
        for (String service : new String[] {"", ".scheduler", ".resource-tracker", ".admin", ".webapp"}) {
            conf.set("yarn.resourcemanager" + service + ".address", "127.0.0.1:" + freePort());
        }
        conf.set("yarn.nodemanager.bind-host", "127.0.0.1");
        // Several on one host: each takes ports of its own.
        for (String service : new String[] {"", ".localizer", ".webapp", ".collector-service"}) {
            conf.set("yarn.nodemanager" + service + ".address", "127.0.0.1:0");
        }
    }

    private static void limits(Configuration conf) {
        conf.setInt("yarn.nodemanager.resource.memory-mb", 4_096);
        conf.setInt("yarn.minicluster.yarn.nodemanager.resource.memory-mb", 4_096);
        conf.setInt("yarn.scheduler.minimum-allocation-mb", 64);
        // A JVM reserves more than it uses, and a full disk of the machine is not what is tested.
        conf.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
        conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
        conf.setFloat("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", 100f);
        conf.setInt("yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb", 0);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void write(Configuration conf, File file) throws IOException {
        try (OutputStream out = new FileOutputStream(file)) {
            conf.writeXml(out);
        }
    }
}
