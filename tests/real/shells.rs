//! The interactive commands: `spark-shell`, typed at through a pipe, and `spark-sql`, whose standard output is data.

use std::path::Path;
use std::process::Command;

use crate::apps::{SUM, probe, token};
use crate::distribution::SPARK_4;
use crate::job::{JOB_LIMIT, Job};
use crate::lab::{Lab, random_word};
use crate::session::{Breakpoint, Connected, Dial, connect, stop_once};

#[test]
fn spark_shell() {
    let lab = Lab::new(SPARK_4);
    let program = probe(&lab);
    let word = random_word();
    let typed = format!(
        "val sum = spark.range(1, 1001).selectExpr(\"sum(id)\").first().getLong(0)\n\
         println(demo.Probe.mark(\"{word}\") + \" \" + sum)\n\
         :quit\n"
    );
    let typed = lab.file("typed.scala", &typed);
    let breakpoint = Breakpoint { class: program.class, line: program.line, variables: &["word", "token"] };
    let seen = stop_once(&lab, Dial::Attach, breakpoint, Some(&typed), |endpoint| {
        let mut command = lab.sparkdbg();
        command
            .args(["shell", &format!("--driver={endpoint}"), "--", "--master", "local[1]"])
            .args(["--conf", "spark.ui.enabled=false", "--driver-memory", "512m", "--driver-class-path"])
            .arg(&program.jar);
        command
    });
    let seen = seen.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen.values, [format!("\"{word}\""), format!("\"{}\"", token(&word))]);
    assert_eq!(seen.ended.code(), 0, "{:#?}", seen.ended);
    assert!(seen.ended.stdout.contains(&format!("{} {SUM}\n", token(&word))), "{:#?}", seen.ended);
}

/// Not one byte on standard output may come from sparkdbg or the agent.
#[test]
fn sql_prints_what_spark_sql_prints() {
    let lab = Lab::new(SPARK_4);
    // A database of its own for each: Derby lets one JVM at a time in.
    let dir = lab.subdir("plain");
    let mut plain = query(&lab, lab.script("spark-sql"), &dir);
    let plain = Job::start(&mut plain, &dir, None).end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((plain.code(), plain.stdout.as_str()), (0, "1\ttwo\n"), "{plain:#?}");

    let connected = connect(&lab, Dial::Attach, None, |endpoint| {
        let mut command = lab.sparkdbg();
        command.args(["sql", &format!("--driver={endpoint}"), "--"]);
        query(&lab, command, &lab.subdir("debugged"))
    });
    let Connected { job, mut jdb, .. } = connected.unwrap_or_else(|error| panic!("{error}"));
    jdb.cont().expect("jdb lets the JVM go on");
    let debugged = job.end(JOB_LIMIT).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((debugged.code(), &debugged.stdout), (plain.code(), &plain.stdout), "{debugged:#?}");
}

/// The query, run in `dir`: the catalog is a database in the working directory.
fn query(lab: &Lab, mut command: Command, dir: &Path) -> Command {
    command
        .current_dir(dir)
        .args(["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--driver-memory", "512m", "--conf"])
        .arg(format!("spark.sql.warehouse.dir={}", lab.dir().join("warehouse").display()))
        .args(["-e", "select 1, 'two'"]);
    command
}
