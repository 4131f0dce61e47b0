//! A failing case made smaller: whatever can be left out while the two sides still disagree is left out.

use crate::case::{Case, ConfDir, Unit};

/// Tries each piece once, from the end; `fails` runs a candidate.
pub fn shrink(mut case: Case, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let mut attempt = |case: &mut Case, change: &dyn Fn(&mut Case)| {
        let mut candidate = case.clone();
        change(&mut candidate);
        if fails(&candidate) {
            *case = candidate;
        }
    };
    attempt(&mut case, &|case| case.spark_env.clear());
    attempt(&mut case, &|case| case.java_opts.clear());
    attempt(&mut case, &|case| case.defaults = None);
    attempt(&mut case, &|case| case.other_defaults = None);
    attempt(&mut case, &|case| case.conf_dir = ConfDir::InHome);
    for name in case.env.keys().copied().collect::<Vec<_>>() {
        attempt(&mut case, &|case| drop(case.env.remove(name)));
    }
    for at in (0..case.units.len()).rev() {
        // without them it would be another case
        if !matches!(case.units[at], Unit::FirstWord(_) | Unit::MixedClass(_)) {
            attempt(&mut case, &|case| drop(case.units.remove(at)));
        }
    }
    for name in case.files.keys().cloned().collect::<Vec<_>>() {
        for at in (0..case.files[&name].entries.len()).rev() {
            attempt(&mut case, &|case| drop(case.files.get_mut(&name).unwrap().entries.remove(at)));
        }
    }
    for at in (0..case.defaults.as_ref().map_or(0, |file| file.entries.len())).rev() {
        attempt(&mut case, &|case| drop(case.defaults.as_mut().unwrap().entries.remove(at)));
    }
    case
}
