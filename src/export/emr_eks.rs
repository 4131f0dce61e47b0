//! Amazon EMR on EKS: the configuration overrides of a job. Source: the API's `StartJobRun` of EMR containers.

pub use super::configurations::of_job as shape;

/// How to apply it.
pub fn apply() -> Vec<String> {
    vec!["apply: aws emr-containers start-job-run --configuration-overrides file://sparkdbg.json …".to_owned()]
}
