//! Where to ask: the one place that the user named, or those where Spark and Flink listen by default.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use url::Url;

use super::crawl::{Found, Job};
use super::http::{MOST_JSON, Page, Trouble, server};
use super::spark_ui::{self, APPLICATIONS, Wanted};
use super::{Context, flink, master, yarn};
use crate::environment::ports::listening;
use crate::error::Failure;

/// Drivers (4040 and the 16 that `spark.port.maxRetries` tries after it), the Master, Flink's JobManager or
/// a Worker, the ResourceManager and the history server.
const USUAL_PORTS: [u16; 21] = [
    4040, 4041, 4042, 4043, 4044, 4045, 4046, 4047, 4048, 4049, 4050, 4051, 4052, 4053, 4054, 4055, 4056, 8080, 8081,
    8088, 18080,
];

/// Asks the place that the user named. That it cannot be read is a failure of the whole.
pub fn named(context: &Arc<Context>, base: Url, app: Option<String>) -> Job {
    let context = context.clone();
    let job = Job::new(server(&base), move || match identify(&context, &base, app.as_deref()) {
        Ok(found) => found,
        Err(failure) => Found { failure: Some(failure), ..Found::default() },
    });
    job.named()
}

impl Job {
    /// Without its answer there is nothing to show.
    pub fn named(self) -> Job {
        Job { is_named: true, ..self }
    }
}

/// Asks wherever something listens on a usual port of this machine, and at the UIs that command lines
/// name; but never where a JVM waits for a debugger.
pub fn usual(context: &Arc<Context>, debug_ports: &BTreeSet<u16>, uis: BTreeSet<u16>) -> Vec<Job> {
    let loopback = |port: &u16| SocketAddr::from((Ipv4Addr::LOCALHOST, *port));
    let is_asked = |bound: &SocketAddr| USUAL_PORTS.contains(&bound.port()) || uis.contains(&bound.port());
    let places: BTreeSet<SocketAddr> = match listening() {
        Some(bound) => bound.into_iter().filter(is_asked).map(dialled).collect(),
        // No socket table: the ports themselves tell.
        None => USUAL_PORTS.iter().map(loopback).collect(),
    };
    let places = places.into_iter().filter(|place| !debug_ports.contains(&place.port()));
    places.filter_map(|place| Url::parse(&format!("http://{place}/")).ok()).map(|base| place(context, base)).collect()
}

/// Where a socket bound there is reached.
fn dialled(bound: SocketAddr) -> SocketAddr {
    match bound.ip().to_canonical() {
        ip if ip.is_unspecified() => SocketAddr::from((Ipv4Addr::LOCALHOST, bound.port())),
        IpAddr::V4(ip) => SocketAddr::from((ip, bound.port())),
        IpAddr::V6(ip) => SocketAddr::from((ip, bound.port())),
    }
}

fn place(context: &Arc<Context>, base: Url) -> Job {
    let context = context.clone();
    Job::new(server(&base), move || match identify(&context, &base, None) {
        Ok(found) => found,
        // Something else may well listen there.
        Err(failure) => Found::trouble(failure.message),
    })
}

/// Finds out what answers there, by asking what each kind answers.
fn identify(context: &Arc<Context>, base: &Url, app: Option<&str>) -> Result<Found, Failure> {
    let mut fault = None;
    let mut ask = |path: &str| -> Result<Option<Page>, Failure> {
        let url = base.join(path).map_err(|cause| Failure::world(format!("`{base}`: {cause}")))?;
        match context.client.get(&url, MOST_JSON) {
            Ok(page) => Ok(Some(page)),
            // Another kind than the one that knows the path; or one that is not ready, which says 503.
            Err(trouble @ Trouble::Status(status)) => {
                fault = fault.take().or((status >= 500).then(|| trouble.failure(&url, context.client.limit)));
                Ok(None)
            }
            Err(trouble) => Err(trouble.failure(&url, context.client.limit)),
        }
    };
    if let Some(page) = ask(&format!("{APPLICATIONS}?status=running"))?
        && let Some(found) = spark_ui::applications(context, &page.url, &page.text, app, Wanted::All)
    {
        return Ok(found);
    }
    if let Some(page) = ask("json/")? {
        let base = start_of(&page.url, "json");
        let found = master::master(context, &base, &page.text).or_else(|| master::worker(context, &base, &page.text));
        if let Some(found) = found {
            return Ok(found);
        }
    }
    if let Some(page) = ask(&format!("{}?states=RUNNING,ACCEPTED", yarn::APPLICATIONS))? {
        let base = start_of(&page.url, yarn::APPLICATIONS);
        if let Some(found) = yarn::applications(context, &base, &page.text) {
            return Ok(found);
        }
    }
    if let Some(page) = ask(flink::CONFIG)? {
        let base = start_of(&page.url, flink::CONFIG);
        if let Some(found) = flink::cluster(context, &base, &page.text, None)? {
            return Ok(found);
        }
    }
    if let Some(fault) = fault {
        return Err(fault);
    }
    let what = "no driver's UI, history server, Master, Worker, ResourceManager or JobManager answers there";
    Err(Failure::world(format!("`{}` cannot be used: {what}", server(base)))
        .help("name the page that shows the application in a browser; for example: sparkdbg ps http://edge1:4040"))
}

/// Where the UI starts whose `page` answered in the end: a redirect may have led elsewhere.
pub fn start_of(answered: &Url, page: &str) -> Url {
    let mut start = answered.clone();
    start.set_query(None);
    let path = answered.path().trim_end_matches('/');
    start.set_path(path.strip_suffix(page).unwrap_or(path));
    start
}
