//! Debug agents that a user already has: how they are spelled, and an argument list without them.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};

/// Words of an option string that start an agent.
const SPELLINGS: &[&[&str]] = &[
    &["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5006"],
    &["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5006"],
    &["-agentlib:jdwp=transport=dt_socket,server=n,address=10.0.0.1:5006,onthrow=java.io.IOException,launch=/bin/true"],
    &["-agentlib:jdwp=transport=dt_socket,server=y,address=[::1]:5006"],
    &["\"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5006\""],
    &["'-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5006'"],
    &["-agentlib:jdwp=\"transport=dt_socket,server=y,suspend=n,address=5006\""],
    &["-agentlib:jdwp=transport=dt_socket,server=y,launch=\"/opt/my debugger/run\""],
    &["-agentpath:/usr/lib/jvm/java/lib/libjdwp.so=transport=dt_socket,server=y,suspend=n,address=5006"],
    &["-Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=5006"],
    &["-Xdebug", "-Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=5006"],
    &["-Xdebug", "-Xnoagent", "-Djava.compiler=NONE", "-Xrunjdwp:transport=dt_socket,server=y,suspend=n,address=5006"],
];

/// What belongs to `-Xrunjdwp` and means nothing without it.
const LEGACY_COMPANIONS: [&str; 3] = ["-Xdebug", "-Xnoagent", "-Djava.compiler=NONE"];

/// Puts an agent among the options of `text`.
pub fn add(rng: &mut StdRng, text: &str) -> String {
    let mut words: Vec<&str> = SPELLINGS.choose(rng).unwrap().to_vec();
    if rng.random_bool(0.3) {
        words.shuffle(rng);
    }
    if words.len() > 1 && rng.random_bool(0.3) {
        words.insert(1, "-Dbetween=1");
    }
    let agent = words.join(["  ", " ", " "].choose(rng).unwrap());
    match rng.random_range(0..3) {
        _ if text.is_empty() => agent,
        0 => format!("{agent} {text}"),
        1 => format!("{text} {agent}"),
        _ => format!("-Dbefore=1 {agent} {text}"),
    }
}

/// Whether a JVM option (after splitting) starts a JDWP agent.
pub fn is_agent(option: &str) -> bool {
    let library_of_path = |path: &str| path.split('=').next().unwrap().ends_with("/libjdwp.so");
    option == "-agentlib:jdwp"
        || option.starts_with("-agentlib:jdwp=")
        || option == "-Xrunjdwp"
        || option.starts_with("-Xrunjdwp:")
        || option.strip_prefix("-agentpath:").is_some_and(library_of_path)
}

/// The options without agents; the legacy quartet goes as a unit.
pub fn without<S: AsRef<str> + Clone>(options: &[S]) -> Vec<S> {
    let legacy = options.iter().any(|option| option.as_ref().starts_with("-Xrunjdwp"));
    let stays = |option: &&S| {
        let option = option.as_ref();
        let goes = is_agent(option) || legacy && LEGACY_COMPANIONS.contains(&option);
        !goes
    };
    options.iter().filter(stays).cloned().collect()
}

#[test]
fn the_quartet_goes_as_a_unit_and_look_alikes_stay() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(without(&words("-Xdebug -Da=1 -Xnoagent -Djava.compiler=NONE -Xrunjdwp:x=y")), ["-Da=1"]);
    let kept = words("-Xdebug -Da=-agentlib:jdwp=x -agentlib:jdwpx=1 -agentpath:/x/liby.so=/libjdwp.so");
    assert_eq!(without(&kept), kept);
}
