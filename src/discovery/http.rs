//! GET, with one deadline for connection, head and body together, redirects by hand and credentials
//! that go to one host only.

use std::io::{ErrorKind as IoErrorKind, Read};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use attohttpc::header::{ACCEPT, LOCATION, WWW_AUTHENTICATE};
use attohttpc::{ErrorKind, ProxySettings};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use url::{Host, Url};

use crate::error::{self, Failure};

/// A chain of redirects longer than this is a loop.
const MOST_REDIRECTS: usize = 5;

/// By how much a request outlives the look.
const GRACE: Duration = Duration::from_millis(500);

/// Spark describes an executor in 3 KiB of JSON: room for 20,000.
pub const MOST_JSON: u64 = 64 << 20;

/// Who we are, to a server that asks.
#[derive(Clone)]
pub struct Credentials {
    /// The name.
    pub user: String,
    /// The password; printed nowhere.
    pub password: String,
}

/// Asks servers until the deadline.
pub struct Client {
    /// The host that the user named; it alone is told who we are.
    trusted: Option<Host<String>>,
    /// Whether the user named it as `https`: then a plain connection is not told either.
    trusted_tls: bool,
    credentials: Option<Credentials>,
    proxies: ProxySettings,
    /// When every answer must be there.
    pub deadline: Instant,
    /// When a request gives up by itself: a little later, so that one place decides who was late.
    gives_up: Instant,
    /// How long that was when the look began, for messages.
    pub limit: Duration,
}

/// An answer.
pub struct Page {
    /// Where it came from in the end.
    pub url: Url,
    /// What it holds; not more than was asked for.
    pub text: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Not before the deadline.
    TimedOut,
    /// 401 or 403.
    Unauthorized {
        /// 401 or 403.
        status: u16,
        /// Whether it was told who we are.
        told: Told,
        /// What it wants, as `WWW-Authenticate` says.
        wants: Option<String>,
    },
    /// Another status than 200.
    Status(u16),
    /// No connection, no HTTP, no certificate.
    Unreachable(String),
}

/// Whether a server was told who we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It was.
    Yes,
    /// Nobody said who we are.
    Nothing,
    /// It is not the host that the user named.
    Withheld,
}

impl Client {
    /// Tells `named` alone who we are.
    pub fn new(named: Option<&Url>, credentials: Option<Credentials>, limit: Duration) -> Client {
        Client {
            trusted: named.and_then(|url| url.host()).map(|host| host.to_owned()),
            trusted_tls: named.is_some_and(|url| url.scheme() == "https"),
            credentials,
            proxies: ProxySettings::from_env(),
            deadline: Instant::now() + limit,
            gives_up: Instant::now() + limit + GRACE,
            limit,
        }
    }

    /// The page at that address, of which at most `most` bytes are read.
    ///
    /// # Errors
    /// Every answer but 200.
    pub fn get(&self, url: &Url, most: u64) -> Result<Page, Trouble> {
        let (url, body) = self.open(url)?;
        let mut bytes = Vec::new();
        body.take(most).read_to_end(&mut bytes).map_err(|cause| io_trouble(&cause))?;
        Ok(Page { url, text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// The page at that address, to be read piece by piece, and where it came from in the end.
    ///
    /// # Errors
    /// Every answer but 200.
    pub fn open(&self, url: &Url) -> Result<(Url, impl Read + use<>), Trouble> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            match self.ask(&url)? {
                Answer::Page(body) => return Ok((url, body)),
                Answer::Elsewhere(location) => {
                    url = url.join(&location).map_err(|cause| {
                        Trouble::Unreachable(format!("it redirects to `{location}`, which is no address: {cause}"))
                    })?;
                    if !matches!(url.scheme(), "http" | "https") {
                        return Err(Trouble::Unreachable(format!("it redirects to `{location}`, which is not HTTP")));
                    }
                }
            }
        }
        Err(Trouble::Unreachable("it redirects in a circle".to_owned()))
    }

    fn ask(&self, url: &Url) -> Result<Answer, Trouble> {
        let left = self.gives_up.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Trouble::TimedOut);
        }
        let told = self.credentials.as_ref().filter(|_| self.may_be_told(url));
        let mut request = attohttpc::get(url.as_str())
            .follow_redirects(false)
            .connect_timeout(left)
            .read_timeout(left)
            .timeout(left)
            .header(ACCEPT, "application/json, text/plain, */*");
        request = match is_loopback(url) {
            // No proxy reaches our own loopback.
            true => request.proxy_settings(ProxySettings::builder().build()),
            false => request.proxy_settings(self.proxies.clone()),
        };
        if url.scheme() == "https" {
            // The library looks for none itself with the features that need no C compiler.
            request = authorities().iter().fold(request, |request, one| request.add_root_certificate(one.clone()));
        }
        if let Some(credentials) = told {
            request = request.basic_auth(&credentials.user, Some(&credentials.password));
        }
        let (status, headers, body) = request.send().map_err(trouble)?.split();
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        match (status.as_u16(), header(LOCATION)) {
            (200, _) => Ok(Answer::Page(Box::new(body))),
            (301 | 302 | 303 | 307 | 308, Some(location)) => Ok(Answer::Elsewhere(location)),
            (status @ (401 | 403), _) => {
                let told = match (told, &self.credentials) {
                    (Some(_), _) => Told::Yes,
                    (None, Some(_)) => Told::Withheld,
                    (None, None) => Told::Nothing,
                };
                Err(Trouble::Unauthorized { status, told, wants: header(WWW_AUTHENTICATE) })
            }
            (status, _) => Err(Trouble::Status(status)),
        }
    }

    fn may_be_told(&self, url: &Url) -> bool {
        let same_host = url.host().map(|host| host.to_owned()) == self.trusted && self.trusted.is_some();
        same_host && (url.scheme() == "https" || !self.trusted_tls)
    }
}

/// The authorities that this machine trusts, or those of SSL_CERT_FILE and SSL_CERT_DIR. Read once.
fn authorities() -> &'static [CertificateDer<'static>] {
    static AUTHORITIES: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();
    AUTHORITIES.get_or_init(|| {
        let readable = rustls_native_certs::load_native_certs().certs.into_iter();
        // Stores hold some that no program takes; one of them would spoil all.
        readable.filter(|one| RootCertStore::empty().add(one.clone()).is_ok()).collect()
    })
}

enum Answer {
    Page(Box<attohttpc::ResponseReader>),
    Elsewhere(String),
}

fn trouble(error: attohttpc::Error) -> Trouble {
    match error.kind() {
        ErrorKind::Io(cause) => io_trouble(cause),
        ErrorKind::ConnectError { status_code, .. } => {
            Trouble::Unreachable(format!("the proxy refuses: {}", status_code.as_u16()))
        }
        ErrorKind::InvalidResponse(kind) => Trouble::Unreachable(format!("it does not speak HTTP: {kind}")),
        _ => Trouble::Unreachable(error.to_string()),
    }
}

fn io_trouble(cause: &std::io::Error) -> Trouble {
    match cause.kind() {
        IoErrorKind::TimedOut | IoErrorKind::WouldBlock => Trouble::TimedOut,
        _ => Trouble::Unreachable(error::cause(cause)),
    }
}

impl Trouble {
    /// What is said of a server whose answer would have been one of many.
    pub fn note(&self, url: &Url, limit: Duration) -> String {
        let at = server(url);
        match self {
            Trouble::TimedOut => format!("{at} did not answer within {}", humantime::format_duration(limit)),
            Trouble::Unauthorized { status, told, .. } => {
                let why = match told {
                    Told::Yes => "it does not take the user and the password; see SPARKDBG_USER and SPARKDBG_PASSWORD",
                    Told::Nothing => SET_THEM,
                    Told::Withheld => "SPARKDBG_USER and SPARKDBG_PASSWORD are told to the host of URL alone",
                };
                format!("{at} answers {}; {why}", unauthorized(*status))
            }
            Trouble::Status(status) => format!("{at} answers {status} to {}", url.path()),
            Trouble::Unreachable(cause) => format!("{at} cannot be read: {cause}"),
        }
    }

    /// What is said of the one server that the user named.
    pub fn failure(&self, url: &Url, limit: Duration) -> Failure {
        let at = server(url);
        match self {
            Trouble::TimedOut => {
                let limit = humantime::format_duration(limit);
                Failure::world(format!("`{at}` cannot be read: it did not answer within {limit}")).help(MORE_TIME)
            }
            Trouble::Unauthorized { status, told, wants } => {
                let failure = Failure::world(format!("`{at}` cannot be read: {}", unauthorized(*status)));
                let negotiates =
                    wants.as_ref().is_some_and(|wants| wants.to_ascii_lowercase().starts_with("negotiate"));
                failure.help(match (told, negotiates) {
                    (_, true) => "it wants Kerberos, which sparkdbg does not speak; ask the driver's UI directly",
                    (Told::Yes, _) => {
                        "it does not take the user and the password; see SPARKDBG_USER and SPARKDBG_PASSWORD"
                    }
                    (Told::Nothing, _) => SET_THEM,
                    (Told::Withheld, _) => "it redirects to a host that is not told who you are; name that host in URL",
                })
            }
            Trouble::Status(status) => {
                Failure::world(format!("`{at}` cannot be read: it answers {status} to {}", url.path()))
            }
            Trouble::Unreachable(cause) => {
                let failure = Failure::world(format!("`{at}` cannot be read: {cause}"));
                match cause.contains("certificate") {
                    true => failure.help("SSL_CERT_FILE names a file with the authorities to trust"),
                    false => failure,
                }
            }
        }
    }
}

/// What is said of a server that does not answer.
pub const MORE_TIME: &str = "--timeout gives it more time; a JVM that a debugger suspends answers when it runs again";

const SET_THEM: &str = "set SPARKDBG_USER and SPARKDBG_PASSWORD";

fn unauthorized(status: u16) -> String {
    format!("{} ({status})", if status == 401 { "Unauthorized" } else { "Unauthorized: Forbidden" })
}

/// Whom an address asks, for people and for turns: behind a reverse proxy, whoever is behind it.
pub fn server(url: &Url) -> String {
    let origin = url.origin().ascii_serialization();
    let mut segments = url.path_segments().into_iter().flatten().skip_while(|segment| *segment != "proxy").skip(1);
    match segments.next() {
        Some(behind) if !behind.is_empty() => format!("{origin}/proxy/{behind}"),
        _ => origin,
    }
}

/// Whether an address is this machine's loopback.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
