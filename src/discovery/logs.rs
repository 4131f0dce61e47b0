//! Reads as much of a JVM's log over HTTP as tells its last `Listening` line.
//!
//! The line stands at the head of the log, and again at the place where a debugger left. So the tail is
//! asked for first and the rest only where the tail does not tell.

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
