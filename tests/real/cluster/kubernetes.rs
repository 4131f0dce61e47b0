//! A stand-in for the API server of Kubernetes: it takes what `spark-submit` and a driver create, remembers it, and
//! says that it is there. Nothing runs.

use std::io::{BufRead, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::lab::Lab;

/// A client that is silent for longer has gone, or was killed.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);

type Tls = StreamOwned<ServerConnection, TcpStream>;

/// The stand-in. Its threads end with the test binary.
pub struct Kubernetes {
    /// What `--master` takes.
    pub master: String,
    /// The certificate by which clients know it.
    pub certificate: PathBuf,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `POST`.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Null without one.
    pub body: Value,
}

impl Kubernetes {
    /// Serves on a free port of loopback.
    pub fn start(lab: &Lab) -> Self {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).expect("a certificate");
        let certificate = lab.file("api-server.pem", &cert.pem());
        let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![cert.into()], key);
        let config = Arc::new(config.expect("a TLS configuration"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
        let port = listener.local_addr().expect("its address").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, log) = (Arc::clone(&config), Arc::clone(&log));
                // The errors of one connection are its client's business.
                thread::spawn(move || serve(stream, config, &log));
            }
        });
        Self { master: format!("k8s://https://127.0.0.1:{port}"), certificate, asked }
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The objects of that kind (`Pod`) that were to be created so far.
    pub fn created(&self, kind: &str) -> Vec<Value> {
        let asked = self.asked().into_iter().filter(|asked| ["POST", "PATCH"].contains(&asked.method.as_str()));
        asked.map(|asked| asked.body).filter(|body| body["kind"] == kind).collect()
    }
}

fn serve(stream: TcpStream, config: Arc<ServerConfig>, log: &Mutex<Vec<Asked>>) -> Option<()> {
    stream.set_read_timeout(Some(SILENCE_LIMIT)).ok()?;
    let mut reader = BufReader::new(Tls::new(ServerConnection::new(config).ok()?, stream));
    loop {
        let asked = read_request(&mut reader)?;
        let answer = answer(&asked);
        log.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        let tls = reader.get_mut();
        match answer {
            Some((status, body)) => {
                let body = body.to_string();
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                tls.write_all(format!("{head}{body}").as_bytes()).ok()?;
                tls.flush().ok()?;
            }
            // A watch on which nothing ever happens.
            None => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
                tls.write_all(head.as_bytes()).ok()?;
                tls.flush().ok()?;
                thread::sleep(SILENCE_LIMIT);
                return None;
            }
        }
    }
}

/// Status and body; none for a watch.
fn answer(asked: &Asked) -> Option<(&'static str, Value)> {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    let status = |code: u16| json!({"kind": "Status", "apiVersion": "v1", "code": code});
    Some(match asked.method.as_str() {
        "POST" | "PATCH" | "PUT" => ("201 Created", created(&asked.body)),
        "GET" if query.contains("watch=true") => return None,
        "GET" if path.ends_with("/pods") => (
            "200 OK",
            json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []}),
        ),
        "GET" => ("404 Not Found", status(404)),
        _ => ("200 OK", status(200)),
    })
}

/// As the API server would give it back.
fn created(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]["uid"] = json!("00000000-0000-0000-0000-000000000000");
    object["metadata"]["resourceVersion"] = json!("1");
    object["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
    object
}

fn read_request(reader: &mut BufReader<Tls>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
    let (method, rest) = line.split_once(' ')?;
    let path = rest.split(' ').next()?.to_owned();
    let method = method.to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|bytes| *bytes > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "transfer-encoding" => chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if chunked {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).ok()?;
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    } else {
        body.resize(length, 0);
        reader.read_exact(&mut body).ok()?;
    }
    Some(Asked { method, path, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}
