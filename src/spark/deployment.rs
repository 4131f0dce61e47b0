//! Where the driver will run: the master, the deploy mode and Spark Connect, from every place from
//! which Spark takes them.

use crate::version::Version;
use std::collections::BTreeMap;

use super::conf::{Conf, Origin, Value};

/// Who starts the JVMs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manager {
    /// `local…`, or a master that only the application names.
    Local,
    /// `local-cluster[…]`: a Master and Workers inside the driver's JVM, executors beside it.
    LocalCluster,
    /// `spark://…`
    Standalone,
    /// `yarn`
    Yarn,
    /// `k8s://…`
    Kubernetes,
    /// Anything else, left to Spark.
    Other,
}

/// Where the driver runs and which value said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// The master in effect, if any is named outside the application.
    pub master: Option<Value>,
    /// The deploy mode in effect, if named.
    pub deploy_mode: Option<Value>,
    /// Who starts the JVMs.
    pub manager: Manager,
    /// Whether the driver runs on the cluster rather than in the JVM that is started here.
    pub cluster: bool,
    /// Standalone cluster mode through the legacy gateway, which ignores the driver's default options.
    pub legacy_gateway: bool,
    /// Standalone cluster mode through the REST gateway, from which Spark falls back to the legacy one.
    pub rest_gateway: bool,
    /// What makes this a client of Spark Connect, whose driver is elsewhere.
    pub connect: Option<Connect>,
}

/// A trigger of Spark Connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect {
    /// `--remote`, `spark.remote`, `spark.api.mode`, `SPARK_REMOTE` or `SPARK_CONNECT_MODE`.
    pub trigger: &'static str,
    /// Its value.
    pub value: Value,
}

impl Connect {
    /// Whether the Connect server is started on this machine by the Python client, through
    /// `spark-submit` and so with the same configuration.
    pub fn starts_local_server(&self) -> bool {
        match self.trigger {
            "spark.api.mode" | "SPARK_CONNECT_MODE" => true,
            _ => self.value.text.starts_with("local"),
        }
    }
}

impl Deployment {
    /// The hosts of a standalone master, as they were written: `spark://HOST:PORT,HOST:PORT`.
    pub fn standalone_hosts(&self) -> impl Iterator<Item = &str> {
        let master = self.master.as_ref().map_or("", |master| master.text.as_str());
        let addresses = master.trim_start_matches("spark://").split(',');
        addresses.map(|address| address.rsplit_once(':').map_or(address, |(host, _)| host))
    }
}

/// Finds the deployment. `variables` are those that the JVM will see.
pub fn find(conf: &Conf<'_>, variables: &BTreeMap<&'static str, String>, version: Option<&Version>) -> Deployment {
    let from_variable = |name: &'static str| {
        let text = variables.get(name).filter(|text| !text.is_empty())?.clone();
        Some(Value { text, origin: Origin::Variable(name) })
    };
    let master = conf.option("--master").or_else(|| conf.get("spark.master")).or_else(|| from_variable("MASTER"));
    let deploy_mode = conf
        .option("--deploy-mode")
        .or_else(|| conf.get("spark.submit.deployMode"))
        .or_else(|| from_variable("DEPLOY_MODE"));

    let master_text = master.as_ref().map_or("", |value| value.text.as_str());
    let manager = match master_text {
        "" => Manager::Local,
        text if text.starts_with("local-cluster") => Manager::LocalCluster,
        text if text.starts_with("local") => Manager::Local,
        text if text.starts_with("spark://") => Manager::Standalone,
        text if text.starts_with("k8s://") => Manager::Kubernetes,
        text if text.starts_with("yarn") => Manager::Yarn,
        _ => Manager::Other,
    };
    let here = matches!(manager, Manager::Local | Manager::LocalCluster);
    // `yarn-cluster` was a master of its own until 2.4.
    let cluster =
        master_text == "yarn-cluster" || deploy_mode.as_ref().is_some_and(|mode| mode.text == "cluster") && !here;
    let rest = conf.get("spark.master.rest.enabled").is_some_and(|value| value.text.eq_ignore_ascii_case("true"));

    let knows_connect = version.is_none_or(|version| version.at_least(3, 4));
    let knows_api_mode = version.is_none_or(|version| version.at_least(4, 0));
    let remote = conf.option("--remote").map(|value| Connect { trigger: "--remote", value });
    let remote = remote
        .or_else(|| conf.get("spark.remote").map(|value| Connect { trigger: "spark.remote", value }))
        .or_else(|| from_variable("SPARK_REMOTE").map(|value| Connect { trigger: "SPARK_REMOTE", value }));
    let api_mode = conf.get("spark.api.mode");
    let api = match &api_mode {
        Some(value) if value.text.eq_ignore_ascii_case("connect") => {
            Some(Connect { trigger: "spark.api.mode", value: value.clone() })
        }
        Some(_) => None,
        None => from_variable("SPARK_CONNECT_MODE")
            .filter(|value| value.text == "1")
            .map(|value| Connect { trigger: "SPARK_CONNECT_MODE", value }),
    };
    let connect = remote.filter(|_| knows_connect).or(api.filter(|_| knows_api_mode));

    Deployment {
        legacy_gateway: cluster && manager == Manager::Standalone && !rest,
        rest_gateway: cluster && manager == Manager::Standalone && rest,
        master,
        deploy_mode,
        manager,
        cluster,
        connect,
    }
}
