//! Where a guarantee stops improving.

/// The plateau: the smallest budget from which on the guarantee improves by less than `threshold` (a
/// share of it), all larger budgets taken together.
///
/// `guarantees` are budgets, ascending, each with the latency that it guarantees. `None` where the
/// largest budget guarantees nothing.
pub fn plateau<B>(
    guarantees: impl DoubleEndedIterator<Item = (B, Option<f64>)>,
    threshold: f64,
) -> Option<B> {
    let mut backwards = guarantees.rev();
    let (mut budget, last) = backwards.next()?;
    let last = last?;
    for (smaller, latency) in backwards {
        let is_near =
            latency.is_some_and(|latency| last > latency * (1.0 - threshold) || last == latency);
        if !is_near {
            break;
        }
        budget = smaller;
    }
    Some(budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latencies: &[Option<f64>]) -> Option<usize> {
        plateau(
            (1..)
                .zip(latencies.iter().copied())
                .take(latencies.len())
                .collect::<Vec<_>>()
                .into_iter(),
            0.005,
        )
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
