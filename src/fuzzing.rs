//! What must hold of every byte that somebody else wrote: a check for each parser.
//!
//! A check does nothing with bytes that are refused, and panics where something does not hold of those that are
//! not. `fuzz/` hunts for bytes that make one panic; the tests hold the checks against `fuzz/seeds/`. Not in a
//! release.

mod compared;
mod handed_over;
mod inputs;

/// Checks some bytes.
pub type Check = fn(&[u8]);

/// Every check, by its name.
pub const CHECKS: [(&str, Check); 10] = [
    ("compare", compared::check),
    ("config", crate::config::fuzzing::settings),
    ("manifest", handed_over::manifest),
    ("mtj", inputs::check::<crate::sim::mtj::Mtj>),
    ("query", crate::cli::fuzzing::query),
    ("request", crate::service::fuzzing::request),
    ("stellar-connect", inputs::check::<crate::sim::stellar_connect::StellarConnect>),
    ("thunder-bluff", inputs::check::<crate::sim::thunder_bluff::ThunderBluff>),
    ("words", crate::cli::fuzzing::words),
    ("zip", handed_over::zip),
];

/// The check of that name.
#[must_use]
pub fn check(name: &str) -> Option<Check> {
    CHECKS.iter().find(|(known, _)| *known == name).map(|(_, check)| *check)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::CHECKS;

    #[test]
    fn every_check_holds_of_every_seed_and_has_some() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
        for (name, check) in CHECKS {
            let entries = fs::read_dir(seeds.join(name)).expect("seeds of every check");
            let paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
            assert!(!paths.is_empty(), "{name} has no seed");
            for path in paths {
                println!("{}", path.display());
                check(&fs::read(path).expect("a seed"));
            }
        }
    }

    #[test]
    fn every_check_has_a_target() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let targets = fs::read_to_string(fuzz.join("Cargo.toml")).expect("the targets");
        for (name, _) in CHECKS {
            assert!(targets.contains(&format!("name = \"{name}\"")), "{name}");
        }
    }
}
