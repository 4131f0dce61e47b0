//! The executors of an application: which key carries their agent, where they meet their debugger, and what cannot work.

use crate::scene::{NO_PAUSE, Scene};

/// The key that carries it on Spark 3.0 and later.
pub const DEFAULT: &str = "spark.executor.defaultJavaOptions";

/// What `--executor` puts in front.
pub const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0";

/// What [`LISTEN`] puts in front.
const DIALS: &str = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=10.0.0.171:5005";
const LISTEN: &str = "--executor=listen:10.0.0.171:5005";

const PS: &str = "; if executors come and go, `sparkdbg ps` says why\n";

pub const NO_MASTER: &str = "warning: no master is named: unless the application names one, Spark takes local[*], which \
                         starts no executors\n";

/// Runs `submit` with these options of ours and these words.
pub fn submit<'a>(scene: &'a Scene, options: &[&str], words: &[&str]) -> crate::scene::Outcome<'a> {
    scene.run(&[&["submit", NO_PAUSE], options, &["--"], words].concat())
}

/// Spark gets `conf` as one `--conf` each, then the words.
pub fn with_conf(conf: &[&str], words: &[&str]) -> Vec<String> {
    let conf = conf.iter().flat_map(|entry| ["--conf", *entry]);
    conf.chain(words.iter().copied()).map(str::to_owned).collect()
}

fn hint(what: &str) -> String {
    format!("sparkdbg: {what}{PS}")
}

mod listen {
    use super::*;

    const YARN: [&str; 3] = ["--master", "yarn", "app.jar"];

    #[test]
    fn one_executor_dials_the_debugger() {
        let scene = Scene::spark("4.3.0");
        let expected =
            ["spark.dynamicAllocation.enabled=false", &format!("{DEFAULT}={DIALS}"), "spark.executor.instances=1"];
        let said =
            hint("the one executor dials the debugger at 10.0.0.171:5005 (IDE: \"Listen to remote JVM\", port 5005)");
        for options in [[LISTEN].as_slice(), &["--executor", "--listen", "10.0.0.171:5005"]] {
            let run = submit(&scene, options, &YARN);
            run.expect(Some(0), &said).starts("spark/bin/spark-submit", &with_conf(&expected, &YARN));
        }
    }

    #[test]
    fn all_of_them_where_the_user_says_so() {
        let scene = Scene::spark("4.3.0");
        let run = submit(&scene, &[LISTEN, "--all-executors"], &YARN);
        let said =
            hint("every executor dials the debugger at 10.0.0.171:5005 (IDE: \"Listen to remote JVM\", port 5005)");
        run.expect(
            Some(0),
            &format!(
                "warning: every executor dials 10.0.0.171:5005: those that the debugger does not take die at their start \
                 and are started again (--one-executor)\n{said}"
            ),
        );
        run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={DIALS}")], &YARN));
    }

    /// They would look for the debugger on their own hosts.
    #[test]
    fn a_loopback_address_is_refused_where_executors_run_elsewhere() {
        let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nexecutor = \"listen:@port\"\n");
        let message = |master: &str, host: &str, origin: &str| {
            format!(
                "with the master `{master}` ({origin}) the executors would dial `{host}` on their own hosts, where no \
                 debugger listens\n"
            )
        };
        let help = "help: name this machine as the executors see it: --executor=listen:HOST:PORT\n";
        for master in ["yarn", "k8s://https://h:6443", "spark://h:7077", "spark://127.0.0.1:7077,h:7077", "mesos://h"] {
            for (host, endpoint) in [
                ("127.0.0.1", "listen:@port"),
                ("localhost", "listen:localhost:@port"),
                ("[::1]", "listen:[::1]:@port"),
            ] {
                let error = format!("error: {}{help}", message(master, host, "--master, argument 2"));
                submit(&scene, &[&format!("--executor={endpoint}")], &["--master", master, "a"]).fails(2, &error);
            }
        }
        // A file has its part in it.
        let error = format!("error: {}{help}", message("yarn", "127.0.0.1", "--master, argument 2"));
        scene.run(&["-p", "p", "submit", "--", "--master", "yarn", "a"]).fails(125, &error);
        let file = scene.file("spark/conf/spark-defaults.conf", "spark.master yarn\n");
        let origin = "@root/spark/conf/spark-defaults.conf line 1";
        let error = format!("error: {}{help}", message("yarn", "127.0.0.1", origin));
        submit(&file, &["--executor=listen:@port"], &["a"]).fails(125, &error);
        // A forward on each host may bring them here.
        let run = submit(&file, &["-q", "--no-preflight", "--executor=listen:@port"], &["a"]);
        run.expect(Some(0), &format!("warning: {}", message("yarn", "127.0.0.1", origin)));
        let run = submit(&file, &["-q", "--dry-run", "--executor=listen:@port"], &["a"]);
        run.expect(Some(0), &format!("note: {}", message("yarn", "127.0.0.1", origin)));
    }

    /// And no debugger there is said before they die, again and again.
    #[test]
    fn nobody_listening_here_is_an_error_before_the_start() {
        if !cfg!(target_os = "linux") {
            return crate::scene::not_run("what needs a socket table");
        }
        let error = "error: nobody listens on 127.0.0.1:@port: the executors would die at their start, and be started \
                     again, hundreds of times\n\
                     help: start the debugger in its listen mode first, or wait for it: --wait-for-debugger 5m\n";
        let scene = Scene::spark("4.3.0");
        for master in
            ["local-cluster[1,1,1024]", "spark://localhost:7077", "spark://127.0.0.1:7077", "spark://[::1]:7077"]
        {
            submit(&scene, &["--executor=listen:@port"], &["--master", master, "a"]).fails(125, error);
        }
        submit(&scene, &["--executor=listen:@port"], &["a"]).fails(125, error);
        let listener = std::net::TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
        let words = ["--master", "spark://localhost:7077", "a"];
        submit(&scene, &["-q", "--executor=listen:@port"], &words).expect(Some(0), "");
        drop(listener);
        // Where the debugger is on another machine, nobody can see it from here.
        submit(&scene, &["-q", "--executor=listen:203.0.113.9:5005"], &words).expect(Some(0), "");
    }

    #[test]
    fn where_no_address_can_be_dialled() {
        let scene = Scene::spark("4.3.0");
        submit(&scene, &["--executor=listen:0.0.0.0:5005"], &YARN).fails(
            2,
            "error: `0.0.0.0` (--executor) is no address that a JVM can dial\n\
             help: with `listen`, the host is the machine on which the debugger listens\n",
        );
    }
}

mod attach {
    use super::*;

    const NAMES_PORTS: &str = "(IDE: \"Attach to remote JVM\"); `sparkdbg ps` names";

    /// X3: each its own port, wherever it runs; none is picked here.
    #[test]
    fn any_number_each_on_a_port_of_its_own() {
        let scene = Scene::spark("4.3.0");
        let listens =
            format!("each executor listens for a debugger on a port of its own on 127.0.0.1 of its host {NAMES_PORTS}");
        for (master, find) in [
            ("local-cluster[2,1,1024]", "the ports"),
            ("spark://h:7077", "hosts, ports and tunnels"),
            ("yarn", "hosts, ports and tunnels; so does yarn logs -applicationId ID -log_files stdout"),
            (
                "k8s://https://h:6443",
                "pods and ports; kubectl get pods -l spark-role=executor, kubectl port-forward POD PORT:PORT",
            ),
        ] {
            let words = ["--master", master, "app.jar"];
            let expected = with_conf(&[&format!("{DEFAULT}={AGENT}")], &words);
            for option in ["--executor", "--executor=attach", "--executor=attach:0"] {
                let run = submit(&scene, &[option], &words);
                run.expect(Some(0), &hint(&format!("{listens} {find}"))).starts("spark/bin/spark-submit", &expected);
            }
        }
    }

    /// X1: the first would take it, the others die.
    #[test]
    fn a_fixed_port_needs_one_executor_on_a_host() {
        let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nexecutor = \"attach:5005\"\n");
        let error = "error: all executors on one host would use port 5005: the first takes it, the others die at their \
                     start and are started again\n\
                     help: let each JVM choose its port: --executor=attach:0; or hold the application to one: \
                     --one-executor\n";
        for master in ["yarn", "spark://h:7077", "local-cluster[2,1,1024]", "mesos://h"] {
            submit(&scene, &["--executor=attach:5005"], &["--master", master, "a"]).fails(2, error);
        }
        submit(&scene, &["--executor=attach:5005"], &["a"]).fails(2, error);
        scene.run(&["-p", "p", "submit", "--", "--master", "yarn", "a"]).fails(125, error);
    }

    #[test]
    fn one_executor_may_have_a_fixed_port() {
        let scene = Scene::spark("4.3.0");
        let agent = AGENT.replace(":0", ":@port");
        let fixed = format!("{DEFAULT}={agent}");
        let run = submit(&scene, &["-q", "--executor=attach:@port", "--one-executor"], &["--master", "yarn", "a"]);
        let expected = ["spark.dynamicAllocation.enabled=false", &fixed, "spark.executor.instances=1"];
        run.expect(Some(0), "");
        run.starts("spark/bin/spark-submit", &with_conf(&expected, &["--master", "yarn", "a"]));
        // So it may where the user holds it to one.
        for words in [
            ["--master", "yarn", "--num-executors", "1", "a"].as_slice(),
            &["--master", "local-cluster[1,2,1024]", "a"],
            &["--master", "spark://h:1", "--executor-cores", "2", "--total-executor-cores", "2", "a"],
            &["--master", "local-cluster[2,2,1024]", "-c", "spark.cores.max=2", "-c", "spark.executor.cores=2", "a"],
            &[
                "--master",
                "yarn",
                "-c",
                "spark.dynamicAllocation.enabled=true",
                "-c",
                "spark.dynamicAllocation.maxExecutors=1",
                "a",
            ],
        ] {
            let run = submit(&scene, &["-q", "--executor=attach:@port"], words);
            run.expect(Some(0), "").starts("spark/bin/spark-submit", &with_conf(&[&fixed], words));
        }
        // An option that Spark does not take for this master holds nothing.
        for words in [
            ["--master", "local-cluster[2,2,1024]", "--total-executor-cores", "1", "--executor-cores", "1", "a"]
                .as_slice(),
            &["--master", "spark://h:1", "--num-executors", "1", "a"],
            &["--master", "yarn", "--num-executors", "1", "-c", "spark.dynamicAllocation.enabled=true", "a"],
        ] {
            assert_eq!(submit(&scene, &["--executor=attach:@port"], words).status.code(), Some(2), "{words:?}");
        }
    }

    /// Each pod is a host of its own.
    #[test]
    fn on_kubernetes_every_executor_may_have_the_same_port() {
        let scene = Scene::spark("4.3.0");
        let words = ["--master", "k8s://https://h:6443", "app.jar"];
        let run = submit(&scene, &["--executor=attach:5005"], &words);
        run.expect(
            Some(0),
            &hint(&format!(
                "each executor listens for a debugger on 127.0.0.1:5005 of its host {NAMES_PORTS} pods and ports; kubectl \
                 get pods -l spark-role=executor, kubectl port-forward POD 5005:5005"
            )),
        );
        let agent = AGENT.replace(":0", ":5005");
        run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={agent}")], &words));
    }

    /// X7.
    #[test]
    fn executors_that_wait_are_what_spark_complains_of() {
        let scene = Scene::spark("4.3.0");
        let words = ["--master", "spark://h:7077", "a"];
        for options in [["--executor=attach:0,suspend"].as_slice(), &["--executor", "--suspend"]] {
            let run = submit(&scene, options, &words);
            run.expect(
                Some(0),
                &hint(&format!(
                    "each executor waits for the debugger on a port of its own on 127.0.0.1 of its host {NAMES_PORTS} \
                     hosts, ports and tunnels; until a debugger comes Spark prints `Initial job has not accepted any \
                     resources`"
                )),
            );
            let agent = AGENT.replace("suspend=n", "suspend=y");
            run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={agent}")], &words));
        }
    }

    #[test]
    fn a_port_that_others_reach() {
        let scene = Scene::spark("4.3.0");
        let words = ["--master", "yarn", "a"];
        let warning = "warning: whoever reaches the port that it picks on `0.0.0.0` can run any code in the executor\n";
        submit(&scene, &["-q", "--executor=attach:0.0.0.0:0"], &words).expect(Some(0), warning);
        let run = submit(&scene, &["-q", "--executor=attach:0", "--allow", "10.0.0.0/8"], &words);
        let agent = format!("{AGENT},allow=10.0.0.0/8");
        run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={agent}")], &words));
        // Which Java runs there, nobody here knows.
        run.expect(
            Some(0),
            "warning: the executor's Java is not known; before 10 its debug agent does not know `allow`, and the JVM \
             ends at its start\n",
        );
    }

    #[test]
    fn a_taken_port_is_seen_where_the_executors_run_here() {
        let scene = Scene::spark("4.3.0");
        let _taken = std::net::TcpListener::bind(("127.0.0.1", scene.port())).unwrap();
        let words = ["--master", "local-cluster[1,1,1024]", "a"];
        let run = submit(&scene, &["--executor=attach:@port"], &words);
        assert_eq!(run.status.code(), Some(125), "{run}");
        assert!(run.stderr.starts_with(&scene.fill("error: port @port on 127.0.0.1 is in use by ")), "{run}");
        assert!(run.stderr.ends_with("let a free one be picked: --executor=attach:0\n"), "{run}");
        submit(&scene, &["-q", "--executor=attach:@port"], &["--master", "k8s://h", "a"]).expect(Some(0), "");
    }
}

/// X5: the tasks run in the driver.
#[test]
fn a_local_master_has_no_executors() {
    let scene = Scene::spark("4.3.0").file("work/sparkdbg.toml", "[profile.p]\nexecutor = \"attach:0\"\n");
    let error = |master: &str, origin: &str| {
        format!(
            "error: the master is `{master}` ({origin}): it starts no executors, the tasks run in the driver\n\
             help: debug the driver: --driver; for executors on this machine: --master 'local-cluster[2,1,1024]'\n"
        )
    };
    for options in [["--executor"].as_slice(), &["--driver", "--executor"], &[LISTEN]] {
        for master in ["local", "local[*]", "local[2,3]"] {
            let error = error(master, "--master, argument 2");
            submit(&scene, options, &["--master", master, "a"]).fails(2, &error);
        }
    }
    let words = ["--conf", "spark.master=local[4]", "a"];
    submit(&scene, &["--executor"], &words).fails(2, &error("local[4]", "--conf, argument 2"));
    // What a file or a variable decides.
    scene
        .run(&["-p", "p", "submit", "--", "--master", "local", "a"])
        .fails(125, &error("local", "--master, argument 2"));
    let variable = Scene::spark("4.3.0").env("MASTER", "local[*]");
    submit(&variable, &["--executor"], &["a"]).fails(125, &error("local[*]", "MASTER in the environment"));
    let file = scene.file("spark/conf/spark-defaults.conf", "spark.master local[*]\n");
    let place = "@root/spark/conf/spark-defaults.conf line 1";
    submit(&file, &["--executor"], &["a"]).fails(125, &error("local[*]", place));
    // Spark takes the option over the file.
    submit(&file, &["-q", "--executor"], &["--master", "yarn", "a"]).expect(Some(0), "");
}

/// Unless the application names one.
#[test]
fn no_master_is_a_warning() {
    let scene = Scene::spark("4.3.0");
    let run = submit(&scene, &["-q", "--executor"], &["a"]);
    run.expect(Some(0), NO_MASTER);
    run.starts("spark/bin/spark-submit", &with_conf(&[&format!("{DEFAULT}={AGENT}")], &["a"]));
}
