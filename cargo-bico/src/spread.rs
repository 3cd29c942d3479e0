//! Some configs of a space, none of them near the others.

/// `count` numbers below `len`, evenly apart, the first and the last among them; all, where there are
/// no more.
pub(crate) fn spread(len: u64, count: u64) -> Vec<u64> {
    if count >= len {
        return (0..len).collect();
    }
    let last = u128::from(len - 1);
    let steps = u128::from(count.saturating_sub(1)).max(1);
    let mut numbers: Vec<u64> = (0..u128::from(count))
        .filter_map(|step| u64::try_from(last * step / steps).ok())
        .collect();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread(134, 3), [0, 66, 133]);
        assert_eq!(spread(5, 9), [0, 1, 2, 3, 4]);
        assert_eq!(spread(7, 1), [0]);
        assert!(spread(7, 0).is_empty() && spread(0, 3).is_empty());
        let many = spread(u64::MAX, 4);
        assert_eq!((many[0], many[3]), (0, u64::MAX - 1));
        let each = spread(134, 100);
        assert_eq!((each.len(), each[99]), (100, 133));
    }
}
