//! Amazon EMR Serverless: the configuration overrides of a job. Source: the API's `StartJobRun` of EMR Serverless.
//!
//! Its workers take no connections from outside; that a JVM there can dial a debugger inside a VPC is a conclusion from
//! AWS's documentation, and was not tried.

pub use super::configurations::of_job as shape;

/// How to apply it.
pub fn apply() -> Vec<String> {
    vec![
        "apply: aws emr-serverless start-job-run --configuration-overrides file://sparkdbg.json …, of an application that \
         is connected to the VPC of the debugger"
            .to_owned(),
    ]
}
