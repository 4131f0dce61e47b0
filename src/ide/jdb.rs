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

/// `jdb -listen` takes no host on JDK 17, and then listens on every address; `jdb -attach` takes no IPv6 there.
fn line(RunConfiguration { mode, host, port, .. }: &RunConfiguration) -> String {
    let (option, place) = match mode {
        Mode::Attach if host.contains(':') => {
            ("-connect", format!("com.sun.jdi.SocketAttach:hostname={host},port={port}"))
        }
        Mode::Attach => ("-attach", format!("{host}:{port}")),
        Mode::Listen => ("-connect", format!("com.sun.jdi.SocketListen:port={port},localAddress={host}")),
    };
    format!("jdb {option} {place}")
}
