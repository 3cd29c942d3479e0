//! Sorting, in one place: each use of std's own sort would be a thousand lines of machine code more in every program.

use core::cmp::Ordering;

/// The places of so many things in their order; equal ones as they stand.
pub(crate) fn order(count: usize, by: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| by(a, b));
    order
}

/// Sorts; equal ones stay as they stand.
pub(crate) fn sort<T>(items: &mut [T], by: &dyn Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| by(&items[a], &items[b]));
    for (at, &from) in order.iter().enumerate() {
        // What stood there in the beginning may have gone on to where something else came from.
        let mut from = from;
        while from < at {
            from = order[from];
        }
        items.swap(at, from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_std_does(items in prop::collection::vec((0_u8..8, any::<u8>()), 0..40)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort(&mut ours, &|a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }
    }
}
