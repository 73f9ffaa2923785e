//! An order of rows, and the first ones in it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::columns::{Column, find};
use super::row::Row;
use crate::cli::CliError;
use crate::cli::cell::Cell;

/// By what rows are ordered.
pub(super) struct Order<T> {
    column: Column<T>,
    is_ascending: bool,
}

impl<T: Row> Order<T> {
    /// Reads `COLUMN`, `COLUMN:desc` or `COLUMN:asc`.
    pub(super) fn new(text: &str) -> Result<Self, CliError> {
        let (name, direction) = text.split_once(':').unwrap_or((text, "desc"));
        if !matches!(direction, "asc" | "desc") {
            return Err(CliError::Usage(format!(
                "--sort {text}: expected {name}:asc or {name}:desc"
            )));
        }
        let column = find::<T>(name)?;
        Ok(Self { column, is_ascending: direction == "asc" })
    }
}

/// The first rows in an order, in little room.
pub(super) struct Top<'a, T: Row> {
    order: &'a Order<T>,
    most: u64,
    seen: u64,
    heap: BinaryHeap<Ranked<T::Key>>,
}

/// A row with its place in the order: the worse it is, the greater.
struct Ranked<K> {
    cell: Cell,
    is_ascending: bool,
    /// When it was seen: of equal ones the earlier is better.
    number: u64,
    key: K,
}

impl<'a, T: Row> Top<'a, T> {
    pub(super) fn new(order: &'a Order<T>, most: u64) -> Self {
        Self { order, most, seen: 0, heap: BinaryHeap::new() }
    }

    pub(super) fn add(&mut self, key: T::Key, row: &T) {
        let cell = self.order.column.cell(row);
        let is_ascending = self.order.is_ascending;
        self.heap.push(Ranked { cell, is_ascending, number: self.seen, key });
        self.seen += 1;
        if self.heap.len() as u64 > self.most {
            self.heap.pop();
        }
    }

    /// How many were added.
    pub(super) const fn seen(&self) -> u64 {
        self.seen
    }

    /// The best, in order.
    pub(super) fn keys(self) -> impl Iterator<Item = T::Key> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.key)
    }
}

impl<K> Ord for Ranked<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        let is_there = |ranked: &Self| ranked.cell != Cell::None;
        let cells = self.cell.cmp(&other.cell);
        let cells = if self.is_ascending { cells } else { cells.reverse() };
        is_there(other).cmp(&is_there(self)).then(cells).then(self.number.cmp(&other.number))
    }
}

impl<K> PartialOrd for Ranked<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> PartialEq for Ranked<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<K> Eq for Ranked<K> {}
