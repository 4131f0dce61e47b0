//! The lines that start `jdb`, the JDK's own debugger.

use super::{RunConfiguration, Wanted};
use crate::endpoint::Mode;

/// One line for each JVM; with several, each below its name as a comment, since one jdb debugs one JVM.
pub fn lines(wanted: &Wanted) -> String {
    match &wanted.configurations[..] {
        [only] => format!("{}\n", line(only)),
        several => several.iter().map(|one| format!("# {}\n{}\n", one.name.shown(), line(one))).collect(),
    }
}

/// `jdb -listen` takes no host on JDK 17, and then listens on every address.
fn line(RunConfiguration { mode, host, port, .. }: &RunConfiguration) -> String {
    let words = match mode {
        Mode::Attach if host.contains(':') => {
            ["jdb", "-connect", &format!("com.sun.jdi.SocketAttach:hostname={host},port={port}")].map(str::to_owned)
        }
        Mode::Attach => ["jdb", "-attach", &format!("{host}:{port}")].map(str::to_owned),
        Mode::Listen => {
            ["jdb", "-connect", &format!("com.sun.jdi.SocketListen:port={port},localAddress={host}")].map(str::to_owned)
        }
    };
    shell_words::join(words)
}
