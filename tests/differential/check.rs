//! Running many cases on all processors, and the report of what disagrees.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::case::Case;
use crate::compare::{Coverage, Verdict, compare, coverage, show};
use crate::run::{Outcome, run};
use crate::shrink::shrink;
use crate::stage::Stage;

/// Failures after which a run stops: more of them say little more.
const ENOUGH_FAILURES: usize = 5;

/// Runs cases in a directory of its own.
pub struct Checker {
    stage: Stage,
    root: PathBuf,
}

/// What came out of many cases.
#[derive(Default)]
pub struct Summary {
    verdicts: BTreeMap<Verdict, usize>,
    coverage: BTreeMap<Coverage, usize>,
    pub failures: Vec<String>,
}

impl Checker {
    pub fn new() -> Checker {
        // kept when a case fails, so that its command can be pasted
        let root = tempfile::Builder::new().prefix("differential-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let root = root.keep();
        Checker { stage: Stage::new(&root), root }
    }

    /// Runs the cases that `case` makes from 0 to `count`, with the name of each.
    pub fn check_all(&self, count: usize, case: impl Fn(usize) -> (String, Case) + Sync) -> Summary {
        let next = AtomicUsize::new(0);
        let summary = Mutex::new(Summary::default());
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count || summary.lock().unwrap().failures.len() >= ENOUGH_FAILURES {
                    return;
                }
                let (name, case) = case(index);
                let dir = self.root.join(format!("case-{index}"));
                match self.attempt(&case, &dir) {
                    Ok((verdict, direct)) => summary.lock().unwrap().add(verdict, &case, &direct),
                    Err(difference) => {
                        let report = self.report(&name, case, &difference, &dir);
                        println!("{report}");
                        summary.lock().unwrap().failures.push(report);
                        continue;
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(work);
            }
        });
        let summary = summary.into_inner().unwrap();
        if summary.failures.is_empty() {
            self.clean_up();
        }
        summary
    }

    /// Removes what the cases have left.
    pub fn clean_up(&self) {
        let _ = fs::remove_dir_all(&self.root);
    }

    /// Whether a wrong merge is what makes a case disagree: it agrees without the fault.
    #[cfg(feature = "seeded-faults")]
    pub fn is_turned_red(&self, case: &Case, fault: &str) -> bool {
        let dir = self.root.join("fault");
        let red = self.attempt_with(case, &dir, Some(fault)).is_err() && self.attempt(case, &dir).is_ok();
        let _ = fs::remove_dir_all(dir);
        red
    }

    fn attempt(&self, case: &Case, dir: &Path) -> Result<(Verdict, Outcome), String> {
        self.attempt_with(case, dir, None)
    }

    /// Both runs of a case, the one with sparkdbg with a wrong merge if there is a `fault`. The directory goes when
    /// they agree.
    fn attempt_with(&self, case: &Case, dir: &Path, fault: Option<&str>) -> Result<(Verdict, Outcome), String> {
        let _ = fs::remove_dir_all(dir);
        let staged = case.stage(&self.stage, dir);
        let direct = run(&staged, &staged.direct, &[]);
        let fault = fault.map(|fault| ("SPARKDBG_SEEDED_FAULT", fault));
        let wrapped = run(&staged, &staged.wrapped, fault.as_slice());
        match compare(case, &direct, &wrapped) {
            Ok(verdict) => {
                let _ = fs::remove_dir_all(dir);
                Ok((verdict, direct))
            }
            Err(difference) => Err(format!(
                "{difference}\n\n--- without sparkdbg\n{}\n{}\n--- with sparkdbg\n{}\n{}",
                staged.pasteable(&staged.direct),
                show(&direct),
                staged.pasteable(&staged.wrapped),
                show(&wrapped)
            )),
        }
    }

    /// The failure again, with as little as still fails.
    fn report(&self, name: &str, case: Case, difference: &str, dir: &Path) -> String {
        // the same kind of difference: a smaller case can fail for a reason of its own
        let kind = |difference: &str| difference.split(':').next().unwrap().to_owned();
        let same = |candidate: &Case| match self.attempt(candidate, dir) {
            Ok(_) => false,
            Err(other) => kind(&other) == kind(difference),
        };
        let small = shrink(case.clone(), same);
        let (small, difference) = match self.attempt(&small, dir) {
            Err(difference) => (small, difference),
            // it does not fail each time: then the whole case is what there is to show
            Ok(_) => match self.attempt(&case, dir) {
                Err(difference) => (case, difference),
                Ok(_) => (case, "it failed once, but not when it was run again".into()),
            },
        };
        let mut report = format!("=== Spark {}, {name}\n{difference}", small.version.name());
        for (name, file) in &small.files {
            write!(report, "--- {name}\n{}", String::from_utf8_lossy(&file.text())).unwrap();
        }
        for file in small.defaults.iter().chain(&small.other_defaults) {
            write!(report, "--- spark-defaults.conf\n{}", String::from_utf8_lossy(&file.text())).unwrap();
        }
        writeln!(report, "--- all files are kept in {}", dir.display()).unwrap();
        report
    }
}

impl Summary {
    pub fn covered(&self, coverage: Coverage) -> usize {
        self.coverage.get(&coverage).copied().unwrap_or(0)
    }

    pub fn assert_no_failure(&self) {
        assert!(self.failures.is_empty(), "{} cases disagree:\n{}", self.failures.len(), self.failures.join("\n"));
    }

    fn add(&mut self, verdict: Verdict, case: &Case, direct: &Outcome) {
        *self.verdicts.entry(verdict).or_default() += 1;
        if matches!(verdict, Verdict::Injected | Verdict::InjectedInCluster) {
            for covered in coverage(case, direct) {
                *self.coverage.entry(covered).or_default() += 1;
            }
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (verdict, count) in &self.verdicts {
            writeln!(f, "{count:6} {verdict:?}")?;
        }
        for coverage in Coverage::ALL {
            writeln!(f, "{:6} {coverage:?}", self.covered(coverage))?;
        }
        Ok(())
    }
}
