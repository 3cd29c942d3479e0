//! Sorting, in one place: each use of std's own sort would be a thousand lines of machine code more in every program.

use core::cmp::Ordering;

/// The places of so many things in their order; equal ones as they stand.
pub(crate) fn order(count: usize, by: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| by(a, b));
    order
}

/// Sorts; equal ones stay as they stand.
pub(crate) fn sort<T: Clone>(items: &mut Vec<T>, by: &dyn Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| by(&items[a], &items[b]));
    *items = order.into_iter().map(|at| items[at].clone()).collect();
}
