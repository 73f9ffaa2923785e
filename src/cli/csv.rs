//! CSV (RFC 4180): a header, a line for each row, every line ended by CR LF.

use std::io::{self, Write};

/// Prints a row. A cell is quoted where that is needed.
pub(super) fn row(out: &mut impl Write, cells: &[impl AsRef<str>]) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        let (comma, cell) = (if at == 0 { "" } else { "," }, cell.as_ref());
        if cell.contains(['"', ',', '\r', '\n']) {
            write!(out, "{comma}\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            write!(out, "{comma}{cell}")?;
        }
    }
    write!(out, "\r\n")
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_cell_is_quoted_where_that_is_needed() {
        let mut out = Vec::new();
        row(&mut out, &["a b", "", "a,b", "say \"x\"", "1\n2"]).expect("room");
        assert_eq!(out, b"a b,,\"a,b\",\"say \"\"x\"\"\",\"1\n2\"\r\n");
    }
}
