//! What sparkdbg itself prints. Nobody reading it is no reason to fail.

use std::io::{self, ErrorKind, Write};

use crate::error::{self, Failure};
use crate::secrets;

/// To standard error, as a terminal may have it.
pub fn tell(text: &str) {
    let _ = io::stderr().write_all(secrets::for_terminal(text).as_bytes());
}

/// To standard output, byte for byte.
///
/// # Errors
/// As those of [`printed`].
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// What came of writing to standard output.
///
/// # Errors
/// It cannot be written, for another reason than that whoever read it had enough, as `head` has.
pub fn printed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::world(format!("standard output cannot be written: {}", error::cause(&cause))))
        }
        _ => Ok(()),
    }
}
