//! What is known of each service: which JVMs its settings reach, and where those run.

use crate::cli::ExportFormat;
use crate::endpoint::{Endpoint, EndpointSpec, Mode, Role};
use crate::spark::deployment::Manager;

use Role::{Client, Driver, Executor, JobManager, TaskManager};

/// Where the JVMs run that the settings reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Every application of a cluster, on hosts that its JVMs share.
    Cluster,
    /// One application, on hosts that it shares with others.
    Job,
    /// One application, each JVM in a pod with ports of its own.
    Pods,
    /// Wherever the user takes the settings.
    Anywhere,
}

impl ExportFormat {
    /// All of them, in the order of `--help`.
    pub const ALL: [ExportFormat; 9] = [
        ExportFormat::Emr,
        ExportFormat::EmrEks,
        ExportFormat::EmrServerless,
        ExportFormat::Dataproc,
        ExportFormat::Livy,
        ExportFormat::Databricks,
        ExportFormat::Properties,
        ExportFormat::Args,
        ExportFormat::Helm,
    ];

    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::Emr => "emr",
            ExportFormat::EmrEks => "emr-eks",
            ExportFormat::EmrServerless => "emr-serverless",
            ExportFormat::Dataproc => "dataproc",
            ExportFormat::Livy => "livy",
            ExportFormat::Databricks => "databricks",
            ExportFormat::Properties => "properties",
            ExportFormat::Args => "args",
            ExportFormat::Helm => "helm",
        }
    }

    /// The roles that its settings reach.
    pub fn roles(self) -> &'static [Role] {
        match self {
            ExportFormat::Emr | ExportFormat::Dataproc => &[Driver, Executor, Client, JobManager, TaskManager],
            // The client that reads such words and values runs already.
            ExportFormat::Args | ExportFormat::Helm => &[Driver, Executor, JobManager, TaskManager],
            ExportFormat::EmrEks
            | ExportFormat::EmrServerless
            | ExportFormat::Livy
            | ExportFormat::Databricks
            | ExportFormat::Properties => &[Driver, Executor],
        }
    }

    /// Where its JVMs run.
    pub fn reach(self) -> Reach {
        match self {
            ExportFormat::Emr | ExportFormat::Dataproc | ExportFormat::Databricks => Reach::Cluster,
            ExportFormat::Livy | ExportFormat::EmrServerless => Reach::Job,
            ExportFormat::EmrEks | ExportFormat::Helm => Reach::Pods,
            ExportFormat::Properties | ExportFormat::Args => Reach::Anywhere,
        }
    }

    /// Who starts Spark's JVMs there.
    pub fn manager(self) -> Manager {
        match self {
            ExportFormat::Emr | ExportFormat::Dataproc => Manager::Yarn,
            // Serverless takes the same keys for the number of executors.
            ExportFormat::EmrEks | ExportFormat::EmrServerless | ExportFormat::Helm => Manager::Kubernetes,
            ExportFormat::Livy | ExportFormat::Databricks | ExportFormat::Properties | ExportFormat::Args => {
                Manager::Other
            }
        }
    }

    /// Whether it is a JSON document, with which another can be merged.
    pub fn is_json(self) -> bool {
        match self {
            ExportFormat::Emr
            | ExportFormat::EmrEks
            | ExportFormat::EmrServerless
            | ExportFormat::Livy
            | ExportFormat::Databricks => true,
            ExportFormat::Dataproc | ExportFormat::Properties | ExportFormat::Args | ExportFormat::Helm => false,
        }
    }

    /// Whether it is for one application, which is either Spark's or Flink's.
    pub fn is_one_family(self) -> bool {
        matches!(self, ExportFormat::Properties | ExportFormat::Args | ExportFormat::Helm)
    }

    /// Whether a release of EMR runs there.
    pub fn is_emr(self) -> bool {
        matches!(self, ExportFormat::Emr | ExportFormat::EmrEks | ExportFormat::EmrServerless)
    }

    /// Fills in what an endpoint leaves open. Two JVMs of one host cannot share a port that nobody chose, and
    /// nobody wants every application of a cluster to wait for a debugger.
    pub fn resolve(self, spec: &EndpointSpec, role: Role) -> Endpoint {
        let mut endpoint = spec.resolve(role);
        let shares_hosts = matches!(self.reach(), Reach::Cluster | Reach::Job);
        if spec.mode == Mode::Attach && spec.port.is_none() && shares_hosts {
            endpoint.port = 0;
        }
        if self.reach() == Reach::Cluster {
            endpoint.suspend = spec.suspend.unwrap_or(false);
        }
        endpoint
    }
}

/// Whether a role is one of Flink's.
pub fn is_flink(role: Role) -> bool {
    matches!(role, Client | JobManager | TaskManager)
}
