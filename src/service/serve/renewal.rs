//! Settings that are read anew while the daemon serves.

use super::Serving;
use super::places::Places;
use crate::config::Config;
use crate::engine::Engine;
use crate::service::{ServiceError, Session};

/// What was read anew, and can be served: to be swapped as a whole.
#[derive(Debug)]
pub(super) struct Renewal {
    config: Config,
    places: Places,
    engine: Engine,
}

impl Renewal {
    /// Reads the settings from where they came from at the start, and makes what they need.
    pub(super) fn read(session: &Session, serving: &Serving) -> Result<Self, ServiceError> {
        let config = Config::load(&serving.flags)?;
        let (from, to) = (session.config.state()?, config.state()?);
        if from != to {
            return Err(ServiceError::StateMoved { from: from.to_owned(), to: to.to_owned() });
        }
        let places = Places::make(&config, &serving.inboxes)?;
        let engine = Engine::new(config.jobs)?;
        Ok(Self { config, places, engine })
    }
}

impl Session {
    /// Goes by other settings from now on. Nothing is under way.
    pub(super) fn adopt(&mut self, renewal: Renewal) -> Places {
        let Renewal { config, places, engine } = renewal;
        (self.config, self.engine) = (config, engine);
        places
    }
}
