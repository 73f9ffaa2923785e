//! Whether the unit for systemd is installed, and is the one of this program.

mod text;

use std::fs;
use std::path::{Path, PathBuf};

use super::{Finding, Ground};
use crate::cli::{CliError, shell};
use text::Unit;

/// The unit that comes with this program.
const SHIPPED: &str = include_str!("../../../config/simdrop.service");

const NAME: &str = "simdrop.service";

/// Where units lie; the first one counts.
const PLACES: [&str; 3] = ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"];

/// What is enabled for every start of the system.
const ENABLED: &str = "/etc/systemd/system/multi-user.target.wants";

/// Below it lies what `StateDirectory` names.
const STATES: &str = "/var/lib";

/// Whether there is a unit, and whether it fits to this program and these settings.
pub(super) fn unit(ground: &Ground) -> Result<Vec<Finding>, CliError> {
    let mut there = PLACES.iter().map(|place| Path::new(place).join(NAME));
    let found = there.find_map(|path| Some((fs::read_to_string(&path).ok()?, path)));
    let Some((text, path)) = found else {
        let by_hand = "nobody starts `simdrop serve` when the system starts";
        return Ok(vec![Finding::ok("no unit for systemd is installed").because(by_hand)]);
    };
    let mut findings = vec![installed(&path, &text)];
    let unit = Unit::parse(&[vec![text], drop_ins()].concat());
    findings.extend(places(ground, &unit));
    Ok(findings)
}

fn installed(path: &Path, text: &str) -> Finding {
    let is_enabled = Path::new(ENABLED).join(NAME).symlink_metadata().is_ok();
    let what = path.display();
    let finding = if text != SHIPPED {
        let finding = Finding::warning(format!("{what} is not the unit of this simdrop")).because(
            "it is of another version, or was changed; `systemctl edit` keeps changes apart",
        );
        finding.typing(format!("systemctl cat {NAME}"))
    } else if is_enabled {
        Finding::ok(format!("{what} is the unit of this simdrop, and enabled"))
    } else {
        let finding = Finding::ok(format!("{what} is the unit of this simdrop, and not enabled"));
        finding.typing(format!("sudo systemctl enable --now {NAME}"))
    };
    finding.at(path)
}

/// What changes of the unit there are, in the order in which they are read.
fn drop_ins() -> Vec<String> {
    let mut paths = Vec::new();
    for place in PLACES {
        let folder = Path::new(place).join(format!("{NAME}.d"));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path());
        paths.extend(files.filter(|path| path.extension().is_some_and(|end| end == "conf")));
    }
    paths.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// Whether the directories of the unit are those of the settings.
fn places(ground: &Ground, unit: &Unit) -> Vec<Finding> {
    let Some(state) = unit.last("StateDirectory").and_then(|names| names.split(' ').next()) else {
        return Vec::new();
    };
    let state = Path::new(STATES).join(state);
    if state != ground.state {
        let what = format!("the unit keeps its store in {}", state.display());
        let why = format!("what is looked at here is {}", ground.state.display());
        let look = format!("simdrop doctor --state {}", shell::word(&state));
        return vec![Finding::ok(what).because(why).typing(look)];
    }
    let writable: Vec<PathBuf> = unit
        .all("ReadWritePaths")
        .chain(unit.all("BindPaths"))
        .flat_map(|paths| paths.split(' '))
        .map(|path| PathBuf::from(path.trim_start_matches(['-', '+'])))
        .chain([state])
        .collect();
    let inboxes = ground.inboxes.iter().map(|inbox| &inbox.path);
    let closed = inboxes.filter(|inbox| !writable.iter().any(|path| inbox.starts_with(path)));
    closed.map(|inbox| shut(inbox)).collect()
}

fn shut(inbox: &Path) -> Finding {
    Finding::problem(format!("the unit may not write in the inbox {}", inbox.display()))
        .because(format!("say ReadWritePaths={} below [Service]", inbox.display()))
        .at(inbox)
        .typing(format!("sudo systemctl edit {NAME}"))
}
