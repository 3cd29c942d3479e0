//! Where a guarantee stops improving.

/// The plateau: the place from which on the latencies that budgets guarantee, in ascending order of the budgets, improve
/// by less than `threshold` (a share of them), all larger budgets taken together. `None` where the last guarantees
/// nothing.
pub(super) fn plateau(latencies: &[Option<f64>], threshold: f64) -> Option<usize> {
    let last = (*latencies.last()?)?;
    let is_near = |latency: f64| last > latency * (1.0 - threshold) || last == latency;
    let far = latencies
        .iter()
        .rposition(|latency| !latency.is_some_and(is_near));
    Some(far.map_or(0, |far| far + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latencies: &[Option<f64>]) -> Option<usize> {
        plateau(latencies, 0.005).map(|place| place + 1)
    }

    #[test]
    fn it_begins_where_less_than_the_threshold_is_left() {
        assert_eq!(of(&[Some(2.0), Some(1.0), Some(1.0)]), Some(2));
        // 0.4 % is left after the second, 0.6 % after the first.
        assert_eq!(
            of(&[Some(1.006), Some(1.004), Some(1.002), Some(1.0)]),
            Some(2)
        );
        assert_eq!(of(&[Some(1.0)]), Some(1));
        assert_eq!(of(&[None, Some(1.0), Some(0.5)]), Some(3));
        assert_eq!(of(&[None, Some(1.0), Some(1.0)]), Some(2));
        assert_eq!(of(&[None, None]), None);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[Some(0.0), Some(0.0)]), Some(1));
    }
}
