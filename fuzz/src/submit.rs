//! The words after `spark-submit`, as every Spark reads them.

use bolero::{ValueGenerator, check, produce};
use sparkdbg::spark::submit::{self, CommandLine, End, Question};
use sparkdbg::version::Version;

use crate::words::words;

#[rustfmt::skip]
const WORDS: [&str; 36] = [
    "--conf", "-c", "--conf=a=b", "a=b", "spark.driver.extraJavaOptions=-Da=1 -Db=2", "=", "=x", "--class",
    "--class=demo.App", "org.apache.spark.repl.Main", "--driver-java-options", "-Dx='1 2'", "--driver-java-options=",
    "--master", "--master=yarn", "local[2]", "--properties-file", "--extra-properties-file", "--remote", "-v",
    "--verbose", "--help", "--version", "--kill", "--status", "--supervise", "--load-spark-defaults", "--unknown",
    "-x", "--", "-", "", "app.jar", "run-example", "pyspark-shell-main", "\n",
];

const VERSIONS: [&str; 6] = ["2.4.8", "3.3.0", "3.5.6", "4.0.0", "4.2.0", "4.3.0"];

fn lines() -> impl ValueGenerator<Output = (Vec<String>, Option<Version>)> {
    (words(&WORDS, 12), produce::<u8>())
        .map_gen(|(words, choice)| (words, VERSIONS.get(usize::from(choice) % 7).and_then(|text| Version::parse(text))))
}

/// Index of the first word that belongs to no option of Spark's nor to the class that mixes them.
fn end(line: &CommandLine, words: &[String]) -> usize {
    match line.end {
        End::Words => words.len(),
        End::Resource(at) | End::Refused { at, .. } => at,
    }
}

#[test]
fn every_word_is_accounted_for_once() {
    check!().with_generator(lines()).for_each(|(words, version)| {
        let line = submit::scan(words, version.as_ref());
        let mut owned = vec![0; words.len()];
        for setting in &line.settings {
            let word = &words[setting.at];
            owned[setting.at] += 1;
            let takes_value = !setting.value.is_empty() || setting.offset > 0 || setting.conf().is_some();
            if setting.offset > 0 {
                assert_eq!(&word[setting.offset..], setting.value);
                assert!(word[..setting.offset].ends_with('='), "{setting:?}");
            } else if takes_value {
                assert_eq!(*word, setting.value);
                owned[setting.at - 1] += 1;
            } else if setting.at > line.start && *word == setting.value {
                // An option whose value is the empty word.
                owned[setting.at - 1] += 1;
            }
        }
        line.mixed.iter().for_each(|at| owned[*at] += 1);
        let end = end(&line, words);
        // A word of an option that is refused for the value in the next word stands before the end.
        let refused_value = matches!(line.end, End::Refused { value: true, .. });
        for (at, times) in owned.iter().enumerate() {
            let expected = usize::from(at >= line.start && at < end);
            let before_refused = refused_value && at + 1 == end;
            assert!(*times == expected || before_refused && *times == 0, "word {at} is taken {times} times: {line:?}");
        }
        assert!(matches!(line.question, Some(Question::Empty)) == words.is_empty());
        if let End::Resource(at) = line.end {
            assert!(line.start > 0 || !words[at].starts_with('-'), "{line:?}");
        }
    });
}

#[test]
fn the_application_s_words_change_nothing() {
    check!().with_generator((lines(), words(&WORDS, 6))).for_each(|((words, version), more)| {
        let line = submit::scan(words, version.as_ref());
        let End::Resource(at) = line.end else { return };
        let mut other = words[..=at].to_vec();
        other.extend(more.iter().cloned());
        assert_eq!(submit::scan(&other, version.as_ref()), line);
    });
}

#[test]
fn joined_and_parted_values_are_the_same() {
    check!().with_generator(lines()).for_each(|(words, version)| {
        let line = submit::scan(words, version.as_ref());
        let mut parted = words.clone();
        for setting in line.settings.iter().rev().filter(|setting| setting.offset > 0) {
            let name = words[setting.at][..setting.offset - 1].to_owned();
            parted.splice(setting.at..=setting.at, [name, setting.value.clone()]);
        }
        let values = |line: &CommandLine| {
            line.settings.iter().map(|setting| (setting.option, setting.value.clone())).collect::<Vec<_>>()
        };
        assert_eq!(values(&submit::scan(&parted, version.as_ref())), values(&line));
    });
}

#[test]
fn the_place_of_a_key_holds_its_value() {
    check!().with_generator(lines()).for_each(|(words, version)| {
        let line = submit::scan(words, version.as_ref());
        let keys = line.settings.iter().filter_map(|setting| setting.conf()).map(|(key, _)| key);
        for key in keys.chain(["spark.driver.extraJavaOptions"]) {
            let written = line.settings.iter().rev().find_map(|setting| match setting.conf() {
                Some((name, value)) => (name == key).then_some(value),
                None if setting.option == "--driver-java-options" && key == "spark.driver.extraJavaOptions" => {
                    Some(setting.value.as_str())
                }
                None => None,
            });
            let found = line.conf(key).map(|(setting, place)| &words[setting.at][place]);
            assert_eq!(found, written, "{key}");
        }
    });
}
