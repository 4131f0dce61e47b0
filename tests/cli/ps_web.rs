//! `ps`: redirects, reverse proxies, proxies, HTTPS, and who is told the password.

use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};

use crate::ps::{PATIENT, driver, executor, scene, ui};
use crate::scene::{Outcome, Scene};
use crate::web::{Answer, Request, Web, listening, not_found, redirect, spark_log};

const APPS: &str = r#"[{"id":"app-1","attempts":[{"completed":false}]}]"#;

/// A UI with one executor on node7.
fn small(prefix: &'static str) -> Web {
    let executors = |own: &str| json!([executor("0", "node7:1", true, own)]);
    ui(prefix, json!([]), executors, |request| spark_log(request, &listening(4711)))
}

#[track_caller]
fn shows_one_executor(run: &Outcome) {
    run.expect(Some(0), "");
    let rows: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json!([rows[0]["id"], rows[0]["port"], rows[0]["state"]]), json!(["0", 4711, "listening"]), "{run}");
}

#[test]
fn redirects_are_followed() {
    let web = small("");
    let elsewhere = web.url("");
    let first = Web::start(move |request| redirect(&format!("{elsewhere}{}", request.path)));
    shows_one_executor(&scene().run(&["ps", PATIENT, "--json", &first.url("/")]));
    let circle = Web::start(|request| redirect(&request.path));
    let error = format!("error: `http://127.0.0.1:{}` cannot be read: it redirects in a circle\n", circle.port);
    scene().run(&["ps", PATIENT, &circle.url("/")]).fails(125, &error);
}

/// `spark.ui.reverseProxy`: the log addresses are paths on the server that was asked, here below a prefix too.
#[test]
fn a_reverse_proxy() {
    let web = Web::start(|request| match request.path.split('?').next().unwrap() {
        "/spark/proxy/app-1/api/v1/applications" => Answer::Page(APPS.to_owned()),
        "/spark/proxy/app-1/api/v1/applications/app-1/allexecutors" => {
            Answer::Page(json!([executor("0", "node7:1", true, "/spark/proxy/worker-9")]).to_string())
        }
        "/spark/proxy/app-1/api/v1/applications/app-1/environment" => Answer::Page("{}".to_owned()),
        "/spark/proxy/worker-9/log/" => spark_log(request, &listening(4711)),
        _ => not_found(),
    });
    shows_one_executor(&scene().run(&["ps", PATIENT, "--json", &web.url("/spark/proxy/app-1/jobs/")]));
}

/// The driver itself does not have the logs that its answer says it has.
#[test]
fn a_driver_behind_a_reverse_proxy_that_is_asked_itself() {
    let executors = |_: &str| json!([executor("0", "node7:1", true, "/proxy/worker-9")]);
    let web = ui("", json!([]), executors, |_| Answer::Page("<html>jobs</html>".to_owned()));
    let run = scene().run(&["ps", PATIENT, "--json", &web.url("")]).stdout.clone();
    let rows: Value = serde_json::from_slice(&run).expect("JSON");
    let hint = format!(
        "http://127.0.0.1:{}/proxy/worker-9 cannot be read: it has no such log; with spark.ui.reverseProxy the \
         Master's web UI has it",
        web.port
    );
    assert_eq!(json!([rows[0]["state"], rows[0]["hint"]]), json!(["unknown", hint]));
}

/// A UI that only Ann may see.
fn guarded(challenge: &'static str) -> Web {
    let log = |request: &Request| spark_log(request, &listening(4711));
    Web::start(move |request| {
        if request.credentials().as_deref() != Some("ann:s3cret") {
            return Answer::Status(401, format!("WWW-Authenticate: {challenge}\r\n"), String::new());
        }
        let own = format!("http://{}", request.header("host").unwrap());
        match request.path.split('?').next().unwrap() {
            "/api/v1/applications" => Answer::Page(APPS.to_owned()),
            "/api/v1/applications/app-1/allexecutors" => {
                Answer::Page(json!([executor("0", "node7:1", true, &own)]).to_string())
            }
            "/log/" => log(request),
            _ => Answer::Page("{}".to_owned()),
        }
    })
}

fn ann(scene: Scene) -> Scene {
    scene.env("SPARKDBG_USER", "ann").env("SPARKDBG_PASSWORD", "s3cret")
}

#[test]
fn basic_authentication() {
    let web = guarded("Basic realm=\"spark\"");
    shows_one_executor(&ann(scene()).run(&["ps", PATIENT, "--json", &web.url("")]));
    let with_user = web.url("").replace("http://", "http://ann:s3cret@");
    shows_one_executor(&scene().run(&["ps", PATIENT, "--json", &with_user]));

    let error = format!("error: `http://127.0.0.1:{}` cannot be read: Unauthorized (401)\n", web.port);
    let help = "help: set SPARKDBG_USER and SPARKDBG_PASSWORD\n";
    scene().run(&["ps", PATIENT, &web.url("")]).fails(125, &format!("{error}{help}"));
    let wrong = web.url("").replace("http://", "http://ann:wr0ng@");
    let help = "help: it does not take the user and the password; see SPARKDBG_USER and SPARKDBG_PASSWORD\n";
    scene().run(&["ps", PATIENT, &wrong]).fails(125, &format!("{error}{help}"));
    // Who refuses us will do so again: watching does not help.
    scene().run(&["ps", PATIENT, "--watch", &wrong]).fails(125, &format!("{error}{help}"));

    let kerberos = guarded("Negotiate");
    let error = format!(
        "error: `http://127.0.0.1:{}` cannot be read: Unauthorized (401)\nhelp: it wants Kerberos, which sparkdbg does \
         not speak; ask the driver's UI directly\n",
        kerberos.port
    );
    scene().run(&["ps", PATIENT, &kerberos.url("")]).fails(125, &error);
    let forbidden = Web::start(|_| Answer::Status(403, String::new(), String::new()));
    let error = format!("error: `http://127.0.0.1:{}` cannot be read: Unauthorized: Forbidden (403)\n", forbidden.port);
    let run = scene().run(&["ps", PATIENT, &forbidden.url("")]).stderr.clone();
    assert!(run.starts_with(&error), "{run}");
}

/// The list is open to everybody, the application is not.
#[test]
fn an_application_that_is_not_for_us() {
    let web = Web::start(|request| match request.path.ends_with("status=running") {
        true => Answer::Page(APPS.to_owned()),
        false => Answer::Status(403, String::new(), String::new()),
    });
    let error = format!(
        "error: no JVM can be shown: http://127.0.0.1:{} answers Unauthorized: Forbidden (403); set SPARKDBG_USER and \
         SPARKDBG_PASSWORD\n",
        web.port
    );
    scene().run(&["ps", PATIENT, &web.url("")]).fails(125, &error);
}

/// `localhost` and `127.0.0.1` are two hosts to whoever guards a password.
#[test]
fn another_host_is_not_told_the_password() {
    let told = |request: &Request| match request.credentials() {
        Some(credentials) => panic!("told {credentials}"),
        None => Answer::Status(401, String::new(), String::new()),
    };
    let stranger = Web::start(told);
    let port = stranger.port;
    let first = Web::start(move |request| redirect(&format!("http://localhost:{port}{}", request.path)));
    let run = ann(scene()).run(&["ps", PATIENT, &first.url("")]).stderr.clone();
    assert!(run.contains("Unauthorized (401)") && !run.contains("s3cret"), "{run}");
    assert!(!stranger.asked().is_empty());

    let executors = move |_: &str| json!([executor("0", "node7:1", true, &format!("http://localhost:{port}"))]);
    let web = ui("", json!([]), executors, |_| not_found());
    let run = ann(scene()).run(&["ps", PATIENT, "--json", &web.url("")]).stdout.clone();
    let rows: Value = serde_json::from_slice(&run).expect("JSON");
    let hint = format!(
        "http://localhost:{port} answers Unauthorized (401); SPARKDBG_USER and SPARKDBG_PASSWORD are told to the host \
         of URL alone"
    );
    assert_eq!(json!([rows[0]["state"], rows[0]["hint"]]), json!(["unknown", hint]));
}

/// The name of the host is known to the proxy alone.
#[test]
fn a_proxy_of_the_environment() {
    let proxy = Web::start(|request| {
        let Some(path) = request.path.strip_prefix("http://spark.invalid:4040") else { return not_found() };
        match path.split('?').next().unwrap() {
            "/api/v1/applications" => Answer::Page(APPS.to_owned()),
            "/api/v1/applications/app-1/allexecutors" => {
                Answer::Page(json!([executor("0", "node7:1", true, "http://spark.invalid:4040")]).to_string())
            }
            "/log/" => spark_log(request, &listening(4711)),
            _ => Answer::Page("{}".to_owned()),
        }
    });
    let url = "http://spark.invalid:4040";
    shows_one_executor(&scene().env("http_proxy", proxy.url("")).run(&["ps", PATIENT, "--json", url]));
    let direct = scene().env("http_proxy", proxy.url("")).env("no_proxy", "spark.invalid");
    let run = direct.run(&["ps", PATIENT, "--json", url]);
    assert_eq!(run.status.code(), Some(125), "{run}");
    // No proxy reaches our own loopback.
    let web = small("");
    shows_one_executor(&scene().env("http_proxy", "http://127.0.0.1:9").run(&["ps", PATIENT, "--json", &web.url("")]));
}

#[test]
fn https() {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .expect("a server's certificate");
    let web = Web::start_tls(Arc::new(config), |request| match request.path.split('?').next().unwrap() {
        "/api/v1/applications" => Answer::Page(APPS.to_owned()),
        "/api/v1/applications/app-1/allexecutors" => {
            let own = format!("https://{}", request.header("host").unwrap());
            Answer::Page(json!([driver("edge1:1"), executor("0", "node7:1", true, &own)]).to_string())
        }
        "/log/" => spark_log(request, &listening(4711)),
        _ => Answer::Page("{}".to_owned()),
    });
    let url = format!("https://localhost:{}", web.port);
    let scene = scene().file("ca.pem", certified.cert.pem()).env("SSL_CERT_FILE", "@root/ca.pem");
    let run = scene.run(&["ps", PATIENT, "--json", &url]);
    run.expect(Some(0), "");
    let rows: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json!([rows[1]["id"], rows[1]["port"], rows[1]["state"]]), json!(["0", 4711, "listening"]));

    let run = crate::ps::scene().run(&["ps", PATIENT, &url]).stderr.clone();
    let error = format!("error: `{url}` cannot be read: invalid peer certificate: UnknownIssuer\n");
    assert_eq!(run, format!("{error}help: SSL_CERT_FILE names a file with the authorities to trust\n"));
}
