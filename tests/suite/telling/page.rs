//! A page of numbers, read more strictly than a collector does.

use std::collections::BTreeMap;

/// What a page says of a number and its relatives.
#[derive(Debug)]
pub(super) struct Family {
    pub(super) help: String,
    pub(super) kind: String,
    /// By name and labels, as written.
    pub(super) samples: BTreeMap<String, f64>,
}

/// Reads a page; panics where it is not as the format demands.
#[track_caller]
pub(super) fn read(page: &str) -> BTreeMap<String, Family> {
    assert!(page.ends_with('\n'), "the last line has no end");
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let (name, help) = split(line.strip_prefix("# HELP ").expect(line));
        let kind = lines.next().and_then(|line| line.strip_prefix("# TYPE ")).expect(line);
        let (of, kind) = split(kind);
        assert_eq!(of, name, "a TYPE of something else");
        assert!(!help.is_empty() && is_name(name), "{line}");
        let mut samples = BTreeMap::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let (series, value) = line.rsplit_once(' ').expect(line);
            let value: f64 = value.parse().expect(line);
            demand_labels(series);
            let of = series.split('{').next().expect("a name");
            let ends: &[&str] =
                if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(ends.iter().any(|end| of == format!("{name}{end}")), "{line} in {name}");
            assert!(samples.insert(series.to_owned(), value).is_none(), "twice: {series}");
        }
        assert!(!samples.is_empty(), "nothing of {name}");
        let family = Family { help: help.to_owned(), kind: kind.to_owned(), samples };
        family.demand(name);
        assert!(families.insert(name.to_owned(), family).is_none(), "twice: {name}");
    }
    families
}

fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').expect(text)
}

fn is_name(name: &str) -> bool {
    name.starts_with("simdrop_") && name.bytes().all(|c| c == b'_' || c.is_ascii_lowercase())
}

/// Labels are `{name="value",...}`.
#[track_caller]
fn demand_labels(series: &str) {
    let Some((_, labels)) = series.split_once('{') else { return };
    let labels = labels.strip_suffix('}').expect(series);
    for label in labels.split(',') {
        let (name, value) = label.split_once('=').expect(series);
        assert!(name.bytes().all(|c| c.is_ascii_lowercase()), "{series}");
        let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        assert!(value.is_some_and(|value| !value.contains(['"', '\\', '\n'])), "{series}");
    }
}

impl Family {
    #[track_caller]
    fn demand(&self, name: &str) {
        let is_counter = self.kind == "counter";
        assert_eq!(is_counter, name.ends_with("_total"), "{name}");
        assert!(["counter", "gauge", "histogram"].contains(&&*self.kind), "{name}");
        assert!(self.samples.values().all(|value| *value >= 0.0), "{self:?}");
        if self.kind == "histogram" {
            assert!(name.ends_with("_seconds"), "{name}");
            self.demand_buckets(name);
        }
    }

    /// What lies below a bound grows with the bound, and below the last one is everything.
    #[track_caller]
    fn demand_buckets(&self, name: &str) {
        let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for (sample, value) in &self.samples {
            if let Some((labels, bound)) = sample.split_once("le=\"") {
                let bound = bound.trim_end_matches("\"}").parse().expect("a bound");
                series.entry(labels.to_owned()).or_default().push((bound, *value));
            }
        }
        assert!(!series.is_empty());
        for (labels, mut buckets) in series {
            buckets.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            assert!(buckets.is_sorted_by(|(_, less), (_, more)| less <= more), "{buckets:?}");
            let (last, all) = buckets.last().expect("a bucket");
            assert!(last.is_infinite());
            let labels = labels.strip_prefix(&format!("{name}_bucket")).expect("a bucket");
            let labels = labels.trim_end_matches(',');
            let labels = if labels == "{" { String::new() } else { format!("{labels}}}") };
            assert_eq!(self.samples.get(&format!("{name}_count{labels}")), Some(all));
            assert!(self.samples.contains_key(&format!("{name}_sum{labels}")));
        }
    }
}
