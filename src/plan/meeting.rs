//! Where a JVM, or each JVM of one role, meets its debugger.

use super::agents::{self, Found, Place, Stands};
use super::edit::Edits;
use super::{DebugEndpoint, LaunchPlan, preflight};
use crate::endpoint::Endpoint;
use crate::environment::Environment;
use crate::error::Failure;
use crate::options::{Options, Target};

/// The place, and by which agent.
pub struct Meeting<'a, P = Place> {
    /// What the user wants.
    pub target: &'a Target,
    /// Where they meet: at the agent that stays, else where the user said.
    pub endpoint: Endpoint,
    /// The agent that is there already and stays; otherwise ours is put in.
    pub kept: Option<Found<P>>,
}

impl<'a> Meeting<'a> {
    /// Does with the agents that are there what the user chose. `None`: one stays whose place only the
    /// JVM knows.
    ///
    /// # Errors
    /// Those agents leave no way.
    pub fn arrange(
        target: &'a Target,
        options: &Options,
        environment: &Environment,
        edits: &mut Edits,
        plan: &mut LaunchPlan,
    ) -> Result<Option<Meeting<'a>>, Failure> {
        let kept = agents::handle(target, options, environment, edits, &mut plan.notes)?;
        let endpoint = match &kept {
            Some(kept) => kept.endpoint(environment.machine.java),
            None => Some(preflight::with_port(target, &environment.machine)),
        };
        Ok(endpoint.map(|endpoint| Meeting { target, endpoint, kept }))
    }
}

impl<P: Stands> Meeting<'_, P> {
    /// A failure of this place, blamed on who chose it. `cure`: what helps where the agent is ours.
    pub fn refused(&self, failure: Failure, cure: &str) -> Failure {
        match &self.kept {
            Some(kept) => failure.help(kept.cure()).blamed_on_world(!kept.place.is_typed()),
            None => failure.help(cure).blamed_on_world(self.target.source.is_profile()),
        }
    }

    /// What the plan says of it.
    pub fn settled(self) -> DebugEndpoint {
        DebugEndpoint { role: self.target.role, endpoint: self.endpoint, kept: self.kept.is_some() }
    }
}
