//! Reads as much of a JVM's log over HTTP as tells its last `Listening` line.
//!
//! The line stands at the head of the log, and again at the place where a debugger left. So the tail is
//! asked for first and the rest only where the tail does not tell.

use std::io::Read;
use std::time::{Duration, Instant};

use url::Url;

use super::Context;
use super::evidence::Output;
use super::http::Trouble;
use super::log_text::last_port;

/// The tail in which a chatty JVM's last line is looked for. Bytes; Spark's own page shows 100 KiB.
const TAIL: u64 = 64 << 10;

/// What is read of a log at most, where the tail does not tell. Bytes.
const REST: u64 = 1 << 20;

/// What is read of the standard error of a dead JVM: one that died before `main` wrote less. Bytes.
const ERROR_TAIL: u64 = 32 << 10;

/// What is held of a file that is sent whole. Bytes.
const PIECE: usize = 64 << 10;

/// How far a piece reaches into the one before: further than a `Listening` line. Bytes.
const OVERLAP: usize = 256;

/// What it takes to tell what was read.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// What a TaskManager sends for standard output that is a terminal's or a container's.
const NO_FILE: &str = "The file STDOUT does not exist on the TaskExecutor";

const IN_NO_FILE: &str = "its standard output is no file that Flink could send";

/// How the plain text of Spark's own page starts.
const HEADER: &str = "==== Bytes ";

/// Part of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it says.
    pub text: String,
    /// Where it starts in the log; `None` if the server does not tell.
    pub start: Option<u64>,
}

/// The last `Listening` line of the log at that address.
pub fn output(context: &Context, page: &Url) -> Output {
    let unread = |trouble: Trouble| Output::Unread(trouble.note(page, context.client.limit));
    let tail = match piece(context, &ask(page, None, TAIL), TAIL) {
        Ok(tail) => tail,
        Err(trouble) => return unread(trouble),
    };
    if let Some(error) = tail.text.trim().strip_prefix("Error: ").filter(|error| !error.contains('\n')) {
        return Output::Unread(format!("its log cannot be read: {error}"));
    }
    match (last_port(&tail.text), tail.start) {
        (Some(port), _) => Output::Port(port),
        (None, Some(0)) => Output::Silent,
        (None, start) => {
            let length = start.map_or(REST, |start| start.min(REST));
            // A line across the border is in none of the two, unless they overlap.
            match piece(context, &ask(page, Some(0), length + 128), length + 128) {
                Ok(head) => combined(last_port(&head.text), start.is_some_and(|start| start <= REST)),
                Err(trouble) => unread(trouble),
            }
        }
    }
}

/// The last `Listening` line of a file that is sent whole or not at all.
pub fn file(context: &Context, url: &Url) -> Output {
    let unread = |trouble: Trouble| match trouble {
        Trouble::Status(404) => Output::Unread(IN_NO_FILE.to_owned()),
        trouble => Output::Unread(trouble.note(url, context.client.limit)),
    };
    match context.client.open(url) {
        // What is known at the deadline must come before it.
        Ok((_, body)) => whole(body, context.client.deadline - LAST_MOMENT),
        Err(trouble) => unread(trouble),
    }
}

/// Reads to the end or until then, and keeps no more than a piece.
fn whole(mut body: impl Read, until: Instant) -> Output {
    let (mut last, mut kept) = (None, Vec::new());
    let mut piece = vec![0; PIECE];
    loop {
        let read = body.read(&mut piece);
        kept.extend_from_slice(&piece[..*read.as_ref().unwrap_or(&0)]);
        let is_over = matches!(read, Ok(0));
        // A line that is cut would tell another port.
        let lines = kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&kept[..if is_over { kept.len() } else { lines }]);
        last = last_port(&text).or(last);
        match last {
            None if is_over && text.starts_with(NO_FILE) => return Output::Unread(IN_NO_FILE.to_owned()),
            last if is_over => return last.map_or(Output::Silent, Output::Port),
            Some(port) if read.is_err() || Instant::now() >= until => return Output::Older(port),
            None if read.is_err() || Instant::now() >= until => {
                return Output::Unread("its log was not read in time".to_owned());
            }
            _ => {}
        }
        kept.drain(..kept.len().saturating_sub(OVERLAP));
    }
}

/// The head tells all if it reaches to the tail.
pub fn combined(head: Option<u16>, is_whole: bool) -> Output {
    match (head, is_whole) {
        (Some(port), true) => Output::Port(port),
        (Some(port), false) => Output::Older(port),
        (None, true) => Output::Silent,
        (None, false) => Output::Unread("its log is too long to be read whole, and names no port at either end".into()),
    }
}

/// The end of a log, as it is.
pub fn tail(context: &Context, page: &Url) -> Option<Piece> {
    piece(context, &ask(page, None, ERROR_TAIL), ERROR_TAIL).ok()
}

fn piece(context: &Context, url: &Url, length: u64) -> Result<Piece, Trouble> {
    // HTML escapes grow the text.
    let page = context.client.get(url, 8 * length + (64 << 10))?;
    if is_sparks(url) && !page.text.starts_with(HEADER) {
        // A UI answers what it does not know with its first page.
        let why = "it has no such log; with spark.ui.reverseProxy the Master's web UI has it";
        return Err(Trouble::Unreachable(why.to_owned()));
    }
    Ok(read(&page.text))
}

/// The address of part of a log: of Spark's own page (`/logPage/`, of which `/log/` is the plain text) or
/// of YARN's (`containerlogs`). Any other is taken as it is. Without an offset: the tail.
fn ask(page: &Url, offset: Option<u64>, length: u64) -> Url {
    let mut url = page.clone();
    let parameters = if page.path().ends_with("/logPage/") || page.path().ends_with("/logPage") {
        url.set_path(&page.path().replace("/logPage", "/log"));
        [("offset", offset), ("byteLength", Some(length))].map(|(name, value)| (name, value.map(|n| n.to_string())))
    } else if page.path().contains("/containerlogs/") {
        match offset {
            Some(offset) => [("start", Some(offset.to_string())), ("end", Some((offset + length).to_string()))],
            None => [("start", Some(format!("-{length}"))), ("end", None)],
        }
    } else {
        return url;
    };
    let names = parameters.each_ref().map(|(name, _)| *name);
    let kept: Vec<(String, String)> =
        page.query_pairs().into_owned().filter(|(name, _)| !names.contains(&name.as_str())).collect();
    let added = parameters.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    url.query_pairs_mut().clear().extend_pairs(kept.into_iter().chain(added));
    url
}

/// What an answer holds: `==== Bytes A-B of C of DIR ====` and the text, or a page of YARN's.
fn read(answer: &str) -> Piece {
    if let Some((numbers, text)) = answer.strip_prefix(HEADER).and_then(|rest| rest.split_once('\n')) {
        return Piece { text: text.to_owned(), start: numbers.split('-').next().and_then(|start| start.parse().ok()) };
    }
    if !answer.trim_start().starts_with('<') {
        return Piece { text: answer.to_owned(), start: Some(0) };
    }
    // `Showing 4096 bytes of 70000 total.` stands where part of it is shown.
    let shown = answer.split("Showing ").nth(1).and_then(|rest| {
        let mut words = rest.split_whitespace();
        let shown: u64 = words.next()?.parse().ok()?;
        let total: u64 = words.nth(2).filter(|_| rest.contains(" total"))?.parse().ok()?;
        Some(total.saturating_sub(shown))
    });
    let pre = answer.split("<pre>").skip(1).filter_map(|rest| rest.split("</pre>").next());
    let text: String = pre.collect();
    Piece { text: unescaped(&text), start: Some(shown.unwrap_or(0)) }
}

/// Whether it is the plain text of Spark's own page.
fn is_sparks(url: &Url) -> bool {
    url.path().trim_end_matches('/').ends_with("/log")
}

fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " ")];
    let plain = entities.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain));
    plain.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(page: &str, offset: Option<u64>) -> String {
        ask(&Url::parse(page).unwrap(), offset, 100).to_string()
    }

    #[test]
    fn the_plain_text_of_sparks_page() {
        let page = "http://w:8081/proxy/worker-1/logPage/?appId=a&executorId=0&logType=stdout&byteLength=5";
        let log = "http://w:8081/proxy/worker-1/log/?appId=a&executorId=0&logType=stdout";
        assert_eq!(asked(page, None), format!("{log}&byteLength=100"));
        assert_eq!(asked(page, Some(0)), format!("{log}&offset=0&byteLength=100"));
    }

    #[test]
    fn yarns_page() {
        let page = "http://nm:8042/node/containerlogs/container_1/root/stdout";
        assert_eq!(asked(&format!("{page}?start=-4096"), None), format!("{page}?start=-100"));
        assert_eq!(asked(&format!("{page}?start=-4096"), Some(0)), format!("{page}?start=0&end=100"));
        assert_eq!(asked("http://logs/x?a=1", None), "http://logs/x?a=1");
    }

    /// Gives what it has in pieces of that length, then fails if it is told to.
    struct Slow(Vec<u8>, usize, bool);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0.drain(..length);
            if length == 0 && self.2 { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok(length) }
        }
    }

    #[test]
    fn a_file_that_is_sent_whole() {
        let line = |port: u16| format!("Listening for transport dt_socket at address: {port}\n");
        let later = Instant::now() + Duration::from_secs(60);
        let read = |text: &str, length| whole(Slow(text.into(), length, false), later);
        let chatty = format!("{}{}{}{}", line(42063), "x".repeat(300), line(38933), "1\n".repeat(200_000));
        for length in [7, 50, 4096, 1 << 20] {
            assert_eq!(read(&chatty, length), Output::Port(38933), "{length}");
        }
        assert_eq!(read("1\n2\n", 1), Output::Silent);
        assert_eq!(read(line(5).trim_end(), 9), Output::Port(5));
        let none = "The file STDOUT does not exist on the TaskExecutor. \nIf you are using kubernetes mode, …";
        assert_eq!(read(none, 20), Output::Unread(IN_NO_FILE.to_owned()));
        // What was not read may hold another.
        assert_eq!(whole(Slow(chatty.into(), 300, true), Instant::now()), Output::Older(42063));
        assert_eq!(whole(Slow(line(7).into(), 99, true), later), Output::Older(7));
        let late = Output::Unread("its log was not read in time".to_owned());
        assert_eq!(whole(Slow(b"12".to_vec(), 1, true), later), late);
    }

    #[test]
    fn pieces() {
        let read = |text| {
            let piece = read(text);
            (piece.text, piece.start)
        };
        assert_eq!(read("==== Bytes 100-152 of 152 of /w/0/stdout ====\nhi\n"), ("hi\n".into(), Some(100)));
        assert_eq!(read("plain"), ("plain".into(), Some(0)));
        let page = "<!DOCTYPE html>\n<p>Showing 4096 bytes of 70000 total. Click <a href=\"x\">here</a></p><pre>a &lt; \
                    b &amp;lt;\n</pre>";
        assert_eq!(read(page), ("a < b &lt;\n".into(), Some(65904)));
        assert_eq!(read("<html><pre>x</pre></html>"), ("x".into(), Some(0)));
    }

    #[test]
    fn head_and_tail_together() {
        assert_eq!(combined(Some(1), true), Output::Port(1));
        assert_eq!(combined(Some(1), false), Output::Older(1));
        assert_eq!(combined(None, true), Output::Silent);
        assert!(matches!(combined(None, false), Output::Unread(_)));
    }
}
