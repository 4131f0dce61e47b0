package demo;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A Flink job whose tasks take a number ten times a second until a file is there, and the rest at once, so that a
 * breakpoint that is set at any time is hit: {@code Numbers WORD FILE CHECKPOINTS STATUS}. Between two checkpoints are
 * so many milliseconds, none with 0. What the tasks print is {@code token TOKEN pid PID}; a status that is not 0 ends
 * the JVM of {@code main} with it.
 */
public final class Numbers {
    /** Twenty minutes of numbers: nobody writes the file any more. Time on a breakpoint does not count. */
    private static final long NUMBERS = 12_000;

    public static void main(String[] args) throws Exception {
        String word = args[0];
        String file = args[1];
        long checkpoints = Long.parseLong(args[2]);
        int status = Integer.parseInt(args[3]);
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        if (checkpoints > 0) {
            flink.enableCheckpointing(checkpoints);
        }
        String token = reversed(word) + "/main";
        flink.fromSequence(1, NUMBERS).map(new Mark(word, file)).name("mark").print(); // breakpoint: main
        flink.execute("numbers");
        System.out.println("ended " + token);
        if (status != 0) {
            System.exit(status);
        }
    }

    static String reversed(String word) {
        return new StringBuilder(word).reverse().toString();
    }

    /** What the tasks do. A class with a name: a breakpoint in a lambda has none that a debugger could be told. */
    public static final class Mark implements MapFunction<Long, String> {
        private final String word;
        private final String file;

        Mark(String word, String file) {
            this.word = word;
            this.file = file;
        }

        @Override
        public String map(Long number) throws Exception {
            String token = reversed(word) + "/task";
            long square = number * number;
            long pid = ProcessHandle.current().pid();
            if (!Files.exists(Path.of(file))) {
                Thread.sleep(100);
            }
            return "token " + token + " square " + square + " pid " + pid; // breakpoint: task
        }
    }
}
