//! The text of a unit.

/// The settings below `[Service]`, in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unit(Vec<(String, String)>);

impl Unit {
    /// Reads the text of a unit and of what changes it. An empty value takes back what was said before.
    pub(super) fn parse(texts: &[String]) -> Self {
        let mut settings: Vec<(String, String)> = Vec::new();
        for text in texts {
            let mut is_service = false;
            for line in text.lines().map(str::trim) {
                if line.starts_with('[') {
                    is_service = line == "[Service]";
                } else if let (true, Some((key, value))) = (is_service, line.split_once('=')) {
                    let (key, value) = (key.trim_end(), value.trim_start());
                    if value.is_empty() {
                        settings.retain(|(known, _)| known != key);
                    } else if !key.starts_with(['#', ';']) {
                        settings.push((key.to_owned(), value.to_owned()));
                    }
                }
            }
        }
        Self(settings)
    }

    /// Every value of a key.
    pub(super) fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The value of a key that counts.
    pub(super) fn last<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        self.all(key).last()
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn what_comes_later_adds_and_an_empty_value_takes_back() {
        let unit = "[Unit]\nReadWritePaths=/no\n[Service]\nStateDirectory=simdrop\n# A=b\n\
                    ReadWritePaths=/a /b\nUser = one\n";
        let more = "[Service]\nReadWritePaths=/c\nUser=\nUser=two\n";
        let unit = Unit::parse(&[unit.to_owned(), more.to_owned()]);
        assert_eq!(unit.all("ReadWritePaths").collect::<Vec<_>>(), ["/a /b", "/c"]);
        assert_eq!(unit.all("User").collect::<Vec<_>>(), ["two"]);
        assert_eq!((unit.last("StateDirectory"), unit.last("A")), (Some("simdrop"), None));
    }
}
