//! Who started this process and waits to hear from it.

use std::ffi::OsString;
use std::time::Duration;

use super::surroundings::Surroundings;

/// What a supervisor such as systemd says in the environment, by the protocol of `sd_notify(3)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supervision {
    /// The socket it listens on: a path, or `@` and the name of an abstract one.
    pub socket: Option<OsString>,
    /// It ends this process if it does not hear for so long that all is well.
    pub patience: Option<Duration>,
}

impl Supervision {
    /// The variables, which are for this process and for no child of it.
    pub const VARIABLES: [&str; 3] = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"];

    /// That of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self::of(&Surroundings::real(), std::process::id())
    }

    fn of(around: &Surroundings, pid: u32) -> Self {
        let [socket, patience, whose] = Self::VARIABLES.map(|name| around.variable(name));
        let number = |text: &std::ffi::OsStr| text.to_str()?.parse().ok();
        let is_ours = whose.is_none_or(|whose| number(whose) == Some(u64::from(pid)));
        let patience = patience.and_then(number).filter(|&time| is_ours && time > 0);
        Self { socket: socket.map(OsString::from), patience: patience.map(Duration::from_micros) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Supervision, Surroundings};

    #[test]
    fn a_watchdog_is_that_of_the_process_it_names_or_of_everybody() {
        let of = |usec: &str, pid: &str| {
            let variables =
                [("NOTIFY_SOCKET", "@name"), ("WATCHDOG_USEC", usec), ("WATCHDOG_PID", pid)];
            let variables = variables.map(|(name, value)| (name.into(), value.into())).into();
            Supervision::of(&Surroundings { system: "none".into(), variables }, 7)
        };
        let second = Some(Duration::from_secs(1));
        assert_eq!((of("1000000", "7").patience, of("1000000", "").patience), (second, second));
        for (usec, pid) in [("1000000", "8"), ("0", "7"), ("", "7"), ("soon", "7")] {
            assert_eq!(of(usec, pid).patience, None, "{usec} {pid}");
        }
        assert_eq!(of("", "").socket, Some("@name".into()));
    }
}
