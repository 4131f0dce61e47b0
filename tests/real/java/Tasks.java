package demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A Spark job whose tasks, and whose driver, go round until a file is there, so that a breakpoint that is set at any
 * time is hit: {@code Tasks WORD TASKS FILE STATUS}. It prints what each task returned and ends with that status.
 */
public final class Tasks {
    /** Twenty minutes of going round: nobody writes the file any more. Time on a breakpoint does not count. */
    private static final int MOST_ROUNDS = 12_000;

    public static void main(String[] args) throws Exception {
        String word = args[0];
        int tasks = Integer.parseInt(args[1]);
        String file = args[2];
        int status = Integer.parseInt(args[3]);
        SparkConf conf = new SparkConf();
        // What applications do, and what a command line cannot see.
        if (conf.contains("spark.demo.executorOptions")) {
            conf.set("spark.executor.extraJavaOptions", conf.get("spark.demo.executorOptions"));
        }
        JavaSparkContext spark = new JavaSparkContext(conf);
        List<Integer> numbers = IntStream.range(0, tasks).boxed().collect(Collectors.toList());
        JavaFutureAction<List<String>> results =
            spark.parallelize(numbers, tasks).map(number -> task(word, number, file)).collectAsync();
        String token = reversed(word) + "/driver";
        for (int rounds = 0; !results.isDone(); rounds = driverRound(token, rounds)) {
            Thread.sleep(100);
        }
        for (String result : results.get()) {
            System.out.println(result);
        }
        spark.stop();
        if (status != 0) {
            // Not with 0: YARN's cluster mode takes any early end for a failure.
            System.exit(status);
        }
    }

    static String task(String word, int number, String file) throws InterruptedException {
        String token = reversed(word) + "/" + number;
        String executor = SparkEnv.get().executorId();
        long pid = ProcessHandle.current().pid();
        System.out.println("going round");
        for (int rounds = 0; !Files.exists(Path.of(file)); rounds = taskRound(token, executor, pid, rounds)) {
            if (rounds > MOST_ROUNDS) {
                throw new IllegalStateException("nobody wrote " + file);
            }
            Thread.sleep(100);
        }
        return "task " + token + " executor " + executor + " pid " + pid + " attempt "
            + TaskContext.get().attemptNumber();
    }

    static int taskRound(String token, String executor, long pid, int rounds) {
        return rounds + 1; // breakpoint: task
    }

    static int driverRound(String token, int rounds) {
        return rounds + 1; // breakpoint: driver
    }

    static String reversed(String word) {
        return new StringBuilder(word).reverse().toString();
    }
}
