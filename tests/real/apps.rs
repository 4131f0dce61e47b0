//! The programs that are debugged: a Java application, a Java class that other languages call, a PySpark application.
//! They are compiled in the test, and where to stop is found by a mark in their source.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::job::{JOB_LIMIT, Job};
use crate::lab::Lab;

/// The status with which the applications end: neither one of sparkdbg's nor one that Spark or a shell would choose.
pub const STATUS: i32 = 37;

/// What the applications' Spark job computes: the sum of 1 to 1000.
pub const SUM: i64 = 500_500;

const MARK: &str = "// breakpoint";

/// A Java application: `main(word)`. At the breakpoint `token` is [`token`] of the word and `sum` the job's result.
const APP: &str = r#"package demo;

import org.apache.spark.sql.SparkSession;

public final class App {
    public static void main(String[] args) {
        SparkSession spark = SparkSession.builder().appName("demo").getOrCreate();
        String token = new StringBuilder(args[0]).reverse() + "/" + args.length;
        long sum = spark.range(1, 1001).selectExpr("sum(id)").first().getLong(0);
        System.out.println(token + " " + sum); // breakpoint
        spark.stop();
        System.exit(37);
    }
}
"#;

/// A Java application that stays until it is ended: `main()`. It stands on its breakpoint before that.
const WAITER: &str = r#"package demo;

import org.apache.spark.sql.SparkSession;

public final class Waiter {
    public static void main(String[] args) throws InterruptedException {
        SparkSession.builder().appName("demo").getOrCreate();
        System.out.println("waiting"); // breakpoint
        Thread.sleep(600_000);
        System.out.println("waited");
    }
}
"#;

/// A class without Spark, for those who call Java: `demo.Probe.mark(word)`, whose result is [`token`] of the word.
const PROBE: &str = r#"package demo;

public final class Probe {
    public static String mark(String word) {
        String token = new StringBuilder(word).reverse() + "/1";
        return token; // breakpoint
    }
}
"#;

/// A PySpark application: `app.py word`. Its breakpoint is in [`PROBE`].
const APP_PY: &str = r#"import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("demo").getOrCreate()
total = spark.range(1, 1001).selectExpr("sum(id)").first()[0]
print(spark._jvm.demo.Probe.mark(sys.argv[1]), total)
spark.stop()
sys.exit(37)
"#;

/// What the variable `token` holds for that word. It is computed in the job, so that it stands in no command line.
pub fn token(word: &str) -> String {
    format!("{}/1", word.chars().rev().collect::<String>())
}

/// A compiled Java program.
pub struct JavaProgram {
    /// The class to stop in.
    pub class: &'static str,
    /// The line to stop at, from 1.
    pub line: usize,
    /// The jar that holds it.
    pub jar: PathBuf,
}

/// Compiles [`APP`] against the lab's Spark.
pub fn java_app(lab: &Lab) -> JavaProgram {
    compile(lab, "demo.App", APP)
}

/// Compiles [`WAITER`] against the lab's Spark.
pub fn java_waiter(lab: &Lab) -> JavaProgram {
    compile(lab, "demo.Waiter", WAITER)
}

/// Compiles [`PROBE`].
pub fn probe(lab: &Lab) -> JavaProgram {
    compile(lab, "demo.Probe", PROBE)
}

/// Writes [`APP_PY`].
pub fn python_app(lab: &Lab) -> PathBuf {
    lab.file("app.py", APP_PY)
}

fn compile(lab: &Lab, class: &'static str, source: &str) -> JavaProgram {
    JavaProgram { class, line: line_of(source, MARK), jar: jar(lab, class, source) }
}

/// The number of the first line with that mark, from 1.
pub fn line_of(source: &str, mark: &str) -> usize {
    1 + source.lines().position(|line| line.contains(mark)).expect("a marked line")
}

/// Compiles a class against the lab's Spark or Flink into a jar.
pub fn jar(lab: &Lab, class: &str, source: &str) -> PathBuf {
    let classes = compile_to_classes(lab, class, source, &lab.class_path());
    let jar = lab.dir().join("program.jar");
    run(lab, lab.jdk("jar").arg("--create").arg("--file").arg(&jar).arg("-C").arg(&classes).arg("."));
    jar
}

/// Compiles a class; returns the directory of its class files.
pub fn compile_to_classes(lab: &Lab, class: &str, source: &str, class_path: &Path) -> PathBuf {
    let file = lab.file(&format!("source/{}.java", class.replace('.', "/")), source);
    let classes = lab.subdir(&format!("classes/{class}"));
    let mut javac = lab.jdk("javac");
    // -g: local variables have no names in the class file otherwise. The jars' annotations lint about themselves.
    javac.args(["-g", "-Xlint:none", "-proc:none", "-classpath"]).arg(class_path);
    run(lab, javac.arg("-d").arg(&classes).arg(file));
    classes
}

/// Runs a tool that must succeed.
fn run(lab: &Lab, command: &mut Command) {
    let ended = Job::start(command, lab.dir(), None).end(JOB_LIMIT).expect("a tool of the JDK");
    assert!(ended.status.success(), "{command:?} failed: {ended:#?}");
}
