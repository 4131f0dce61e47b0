//! sparkdbg against Spark's own launcher, through the real exec and the distribution's real scripts.
//!
//! `JAVA_HOME` is a stand-in whose `java` runs `org.apache.spark.launcher.Main` for real and records the argument list
//! and the environment of any other class. Each case is run twice, without sparkdbg and with it; the second record has
//! to equal the first plus exactly one agent. Cases are random (`generate`) and hand-made (`handmade`).
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SPARKDBG_DIFF_CASES` | how many random cases | 5000 |
//! | `SPARKDBG_DIFF_SEED` | the seed, which every run prints | random |
//! | `SPARKDBG_DIFF_ONLY` | the number of the one case to run | all |

#[path = "../support/distribution.rs"]
mod distribution;

mod agents;
mod case;
mod check;
mod compare;
#[cfg(feature = "seeded-faults")]
mod faults;
mod generate;
mod handmade;
mod model;
mod option_string;
mod properties;
mod run;
mod shrink;
mod stage;

use std::env;
use std::time::Instant;

use check::Checker;
use compare::Coverage;

/// How many random cases a run has.
const CASES: u64 = 5000;

/// How many of them each kind of coverage needs.
const COVERED: usize = 200;

#[test]
fn the_jvm_gets_what_spark_gives_it_plus_one_agent() {
    let seed = number("SPARKDBG_DIFF_SEED").unwrap_or_else(rand::random);
    let cases = number("SPARKDBG_DIFF_CASES").unwrap_or(CASES);
    println!("SPARKDBG_DIFF_SEED={seed} SPARKDBG_DIFF_CASES={cases}");
    let checker = Checker::new();
    let started = Instant::now();
    let numbers: Vec<u64> = number("SPARKDBG_DIFF_ONLY").map_or_else(|| (0..cases).collect(), |only| vec![only]);
    let summary = checker.check_all(numbers.len(), |index| {
        let number = numbers[index];
        (format!("SPARKDBG_DIFF_SEED={seed} SPARKDBG_DIFF_ONLY={number}"), generate::case(seed, number))
    });
    println!("{} cases in {:.0?}\n{summary}", numbers.len(), started.elapsed());
    summary.assert_no_failure();
    if numbers.len() as u64 >= CASES {
        for coverage in Coverage::ALL {
            let count = summary.covered(coverage);
            assert!(count >= COVERED, "{coverage:?} is covered by {count} cases only, not by {COVERED}");
        }
    }
}

#[test]
fn hand_made_cases() {
    let cases = handmade::cases();
    let checker = Checker::new();
    let summary = checker.check_all(cases.len(), |index| cases[index].clone());
    println!("{} hand-made cases\n{summary}", cases.len());
    summary.assert_no_failure();
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}
