//! What somebody may have meant.

/// The known name that is nearest to a wrong one, if one is near: about one letter in three may differ,
/// and case does not count.
#[must_use]
pub fn suggestion(wrong: &str, known: &[&str]) -> Option<String> {
    let wrong = wrong.to_lowercase();
    let most = (wrong.chars().count() / 3).max(1);
    let distance = |name: &str| strsim::damerau_levenshtein(&wrong, &name.to_lowercase());
    let near = known.iter().map(|name| (distance(name), name)).filter(|(far, _)| *far <= most);
    near.min_by_key(|(far, _)| *far).map(|(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn the_nearest_name_is_suggested_and_none_if_none_is_near() {
        let known = ["state", "jobs", "max_zip_bytes", "max_zip_ratio"];
        for (wrong, meant) in [
            ("job", Some("jobs")),
            ("JOBS", Some("jobs")),
            ("jbos", Some("jobs")),
            ("max-zip-ratio", Some("max_zip_ratio")),
            ("max_zip_byte", Some("max_zip_bytes")),
            ("threads", None),
            ("", None),
        ] {
            assert_eq!(suggestion(wrong, &known).as_deref(), meant, "{wrong}");
        }
        assert_eq!(suggestion("jobs", &[]), None);
    }
}
