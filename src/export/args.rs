//! Words for a command line: `--conf` of `spark-submit`, `-D` of Flink's.

use super::settings::Family;

/// One line for a POSIX shell.
pub fn render(family: Family, pairs: &[(&'static str, String)]) -> String {
    let words = pairs.iter().flat_map(|(key, value)| {
        let option = if family == Family::Spark { "--conf" } else { "-D" };
        [option.to_owned(), shell_words::quote(&format!("{key}={value}")).into_owned()]
    });
    format!("{}\n", words.collect::<Vec<_>>().join(" "))
}

/// How to apply it.
pub fn apply(family: Family) -> Vec<String> {
    match family {
        Family::Spark => vec![
            "apply: put the words before the application of spark-submit; what a file or an earlier word sets in one of \
             these keys is replaced (sparkdbg submit merges)"
                .to_owned(),
        ],
        Family::Flink => vec![
            "apply: put the words behind yarn-session.sh, kubernetes-session.sh or flink run -t …-application; what the \
             configuration file sets in one of these keys is replaced, and JVMs that run already do not change"
                .to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_words_back() {
        let pairs = [("a", "x y'z".to_owned()), ("b", "1".to_owned())];
        let line = render(Family::Spark, &pairs);
        assert_eq!(shell_words::split(&line).expect("words"), ["--conf", "a=x y'z", "--conf", "b=1"]);
        assert_eq!(render(Family::Flink, &pairs[1..]), "-D 'b=1'\n");
    }
}
