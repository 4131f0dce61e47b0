//! Web servers that stand in for Spark's, Flink's, YARN's and a proxy: a function from request to answer, on a port of its own.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// What a client asked for.
pub struct Request {
    /// The path and the query, as they stand in the request line; of a proxy's request the whole address.
    pub path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// User and password, as `user:password`.
    pub fn credentials(&self) -> Option<String> {
        let encoded = self.header("authorization")?.strip_prefix("Basic ")?;
        Some(String::from_utf8(BASE64_STANDARD.decode(encoded).expect("base64")).expect("text"))
    }

    /// The value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let query = self.path.split_once('?')?.1;
        query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// What a server does.
pub enum Answer {
    /// 200 and a body.
    Page(String),
    /// Another status, headers (each with its line end), a body.
    Status(u16, String, String),
    /// Nothing, for ever.
    Silence,
    /// A byte in a while, for ever.
    Drip,
}

/// The answer to who knows no such path.
pub fn not_found() -> Answer {
    Answer::Status(404, String::new(), "no such page".to_owned())
}

/// The answer that leads elsewhere.
pub fn redirect(location: &str) -> Answer {
    Answer::Status(302, format!("Location: {location}\r\n"), String::new())
}

/// A running server. It ends with the test's process.
pub struct Web {
    /// Its port on 127.0.0.1.
    pub port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Web {
    /// Serves plain HTTP.
    pub fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Web {
        Web::serve(answer, Some)
    }

    /// Serves HTTP over TLS.
    pub fn start_tls(
        config: Arc<rustls::ServerConfig>,
        answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> Web {
        Web::serve(answer, move |stream| {
            let connection = rustls::ServerConnection::new(config.clone()).ok()?;
            Some(rustls::StreamOwned::new(connection, stream))
        })
    }

    fn serve<S: Read + Write + 'static>(
        answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> Option<S> + Send + Sync + 'static,
    ) -> Web {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, wrap, log) = (Arc::new(answer), Arc::new(wrap), asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, wrap, log) = (answer.clone(), wrap.clone(), log.clone());
                thread::spawn(move || {
                    if let Some(mut stream) = wrap(stream) {
                        let _ = converse(&mut stream, &*answer, &log);
                    }
                });
            }
        });
        Web { port, asked }
    }

    /// Its address with a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The paths that it was asked for, in their order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no handler fails").clone()
    }
}

fn converse(
    stream: &mut (impl Read + Write),
    answer: &dyn Fn(&Request) -> Answer,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(&mut *stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let request = Request { path, headers };
    log.lock().expect("no handler fails").push(request.path.clone());
    let (status, headers, body) = match answer(&request) {
        Answer::Page(body) => (200, String::new(), body),
        Answer::Status(status, headers, body) => (status, headers, body),
        Answer::Silence => loop {
            thread::sleep(Duration::from_secs(60));
        },
        Answer::Drip => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                stream.flush()?;
                thread::sleep(Duration::from_millis(100));
            }
        }
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\n{headers}Connection: close\r\n\r\n{body}")?;
    stream.flush()
}

/// What Spark's `/log/` answers for a log with this content: the tail, or what the parameters select.
pub fn spark_log(request: &Request, content: &str) -> Answer {
    let length: usize = request.parameter("byteLength").map_or(100 << 10, |length| length.parse().expect("a number"));
    let start = match request.parameter("offset") {
        Some(offset) => offset.parse::<usize>().expect("a number").min(content.len()),
        None => content.len().saturating_sub(length),
    };
    let end = (start + length).min(content.len());
    let total = content.len();
    Answer::Page(format!("==== Bytes {start}-{end} of {total} of /work/stdout ====\n{}", &content[start..end]))
}

/// The line that the agent prints.
pub fn listening(port: u16) -> String {
    format!("Listening for transport dt_socket at address: {port}\n")
}
