//! The order people expect: `2` before `10`.

use std::cmp::Ordering;

/// Compares names so that runs of digits count as numbers; names that are equal that way (`1` and
/// `01`) are told apart by their bytes.
#[must_use]
pub fn natural(left: &[u8], right: &[u8]) -> Ordering {
    let (mut a, mut b) = (left, right);
    while let (Some(&x), Some(&y)) = (a.first(), b.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            by_number(&mut a, &mut b)
        } else {
            (a, b) = (&a[1..], &b[1..]);
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len()).then_with(|| left.cmp(right))
}

/// Takes a run of digits off both and compares them as numbers of any size.
fn by_number(a: &mut &[u8], b: &mut &[u8]) -> Ordering {
    let (x, y) = (take_digits(a), take_digits(b));
    x.len().cmp(&y.len()).then_with(|| x.cmp(y))
}

/// Takes a run of digits off the front; leading zeros are dropped.
fn take_digits<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn numbers_inside_names_count_as_numbers() {
        let mut names =
            ["10", "9", "a2b10", "a2b9", "a10", "", "01", "1", "a", "100000000000000000000000"];
        names.sort_by(|left, right| natural(left.as_bytes(), right.as_bytes()));
        let sorted =
            ["", "01", "1", "9", "10", "100000000000000000000000", "a", "a2b9", "a2b10", "a10"];
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_folder_comes_before_names_that_go_on() {
        let mut names = ["a/2", "a-b/1", "a/10", "a2/1"];
        names.sort_by(|left, right| natural(left.as_bytes(), right.as_bytes()));
        assert_eq!(names, ["a-b/1", "a/2", "a/10", "a2/1"]);
    }
}
