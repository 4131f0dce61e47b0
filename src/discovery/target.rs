//! What stands for URL on the command line.

use url::Url;

use super::http::Credentials;
use crate::error::Failure;

/// Whom to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Nobody is named: this machine, and kubectl.
    Default,
    /// `kubectl` alone.
    Kubernetes,
    /// A web UI.
    Web {
        /// Where its paths start; ends in `/`.
        base: Url,
        /// The one application that the address names.
        app: Option<String>,
    },
}

/// First segments of pages that people copy from a browser.
const PAGES: [&str; 18] = [
    "jobs",
    "stages",
    "storage",
    "environment",
    "executors",
    "SQL",
    "streaming",
    "StreamingQuery",
    "connect",
    "api",
    "history",
    "cluster",
    "json",
    "app",
    "taskmanagers",
    "jobmanager",
    "overview",
    "config",
];

impl Target {
    /// Reads the word, and the credentials in it.
    ///
    /// # Errors
    /// It is no address of a web page: exit 2.
    pub fn parse(word: Option<&str>) -> Result<(Target, Option<Credentials>), Failure> {
        let Some(word) = word else { return Ok((Target::Default, None)) };
        let wrong = |why: &str| Failure::usage(format!("`{}` is no address of a web UI: {why}", without_user(word)));
        if matches!(word, "k8s" | "kubernetes") {
            return Ok((Target::Kubernetes, None));
        }
        if word.starts_with("k8s:") {
            return Err(wrong("kubectl knows its cluster itself").help("write: sparkdbg ps k8s"));
        }
        if let Some(master) = word.strip_prefix("spark://") {
            let host = master.split([':', ',']).next().unwrap_or_default();
            return Err(wrong("it is where applications register")
                .help(format!("the Master's web UI is on another port: sparkdbg ps http://{host}:8080")));
        }
        if word == "yarn" {
            return Err(wrong("it names no ResourceManager").help("write: sparkdbg ps http://HOST:8088"));
        }
        if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
            return Err(wrong("it has no host").help(format!("write: sparkdbg ps 127.0.0.1:{word}")));
        }
        if humantime::parse_duration(word).is_ok() {
            return Err(
                wrong("it is a duration").help(format!("write: --timeout={word}, or sparkdbg ps --watch={word}"))
            );
        }
        let text = if word.contains("://") { word.to_owned() } else { format!("http://{word}") };
        let example = "for example: sparkdbg ps http://edge1:4040";
        let mut url = Url::parse(&text).map_err(|cause| wrong(&cause.to_string()).help(example))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(wrong("it is neither http nor https").help(example));
        }
        let credentials = (!url.username().is_empty()).then(|| Credentials {
            user: decoded(url.username()),
            password: decoded(url.password().unwrap_or_default()),
        });
        // Neither can fail: there is a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let segments: Vec<String> = url.path_segments().into_iter().flatten().map(str::to_owned).collect();
        let kept = segments.iter().position(|segment| PAGES.contains(&segment.as_str())).unwrap_or(segments.len());
        let app = match segments[kept..] {
            [ref page, ref app, ..] if page == "history" && !app.is_empty() => Some(app.clone()),
            _ => None,
        };
        let path: String =
            segments[..kept].iter().filter(|s| !s.is_empty()).map(|segment| format!("{segment}/")).collect();
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        Ok((Target::Web { base: url, app }, credentials))
    }
}

/// The word without `user:password@`, for messages.
fn without_user(word: &str) -> String {
    let (scheme, rest) = match word.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), word),
    };
    let authority_end = rest.find('/').unwrap_or(rest.len());
    match rest[..authority_end].rfind('@') {
        Some(at) => format!("{scheme}{}", &rest[at + 1..]),
        None => word.to_owned(),
    }
}

/// `%40` and the like undone.
fn decoded(text: &str) -> String {
    // As the value of a query, in which only `+` has a meaning of its own.
    let query = format!("x={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(query.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(word: &str) -> (String, Option<String>) {
        match Target::parse(Some(word)).unwrap().0 {
            Target::Web { base, app } => (base.to_string(), app),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pages_of_a_browser_are_cut_to_their_ui() {
        for (word, base) in [
            ("edge1:4040", "http://edge1:4040/"),
            ("http://edge1:4040/jobs/", "http://edge1:4040/"),
            ("https://gate/spark/master/app/?appId=app-1", "https://gate/spark/master/"),
            ("http://rm:8088/cluster/apps/RUNNING", "http://rm:8088/"),
            ("http://rm:8088/proxy/application_1_1/jobs/", "http://rm:8088/proxy/application_1_1/"),
            ("http://jm:8081/#/job/running", "http://jm:8081/"),
            ("http://jm:8081/taskmanagers/node7:33027-f8ef54/stdout", "http://jm:8081/"),
            ("http://rm:8088/proxy/application_1_1/#/overview", "http://rm:8088/proxy/application_1_1/"),
            ("[::1]:4040", "http://[::1]:4040/"),
            ("localhost", "http://localhost/"),
        ] {
            assert_eq!(web(word), (base.to_owned(), None), "{word}");
        }
        let history = ("http://hs:18080/".to_owned(), Some("app-1".to_owned()));
        assert_eq!(web("http://hs:18080/history/app-1/jobs/"), history);
    }

    #[test]
    fn credentials_leave_the_address() {
        let (target, credentials) = Target::parse(Some("https://ann:s%40c+x@gate:443/x")).unwrap();
        let credentials = credentials.unwrap();
        assert_eq!((credentials.user.as_str(), credentials.password.as_str()), ("ann", "s@c+x"));
        assert!(matches!(target, Target::Web { base, .. } if base.as_str() == "https://gate/x/"));
    }

    #[test]
    fn what_is_no_web_ui_says_what_is_one() {
        for (word, message) in [
            ("spark://m:7077", "sparkdbg ps http://m:8080"),
            ("4040", "sparkdbg ps 127.0.0.1:4040"),
            ("yarn", "sparkdbg ps http://HOST:8088"),
            ("k8s://https://x", "sparkdbg ps k8s"),
            ("ftp://ann:secret@h/x", "neither http nor https"),
            ("", "for example"),
        ] {
            let text = Target::parse(Some(word)).err().unwrap().to_string();
            assert!(text.contains(message) && !text.contains("secret"), "{word}: {text}");
        }
        assert_eq!(Target::parse(Some("k8s")).unwrap().0, Target::Kubernetes);
        assert_eq!(Target::parse(None).unwrap().0, Target::Default);
    }
}
