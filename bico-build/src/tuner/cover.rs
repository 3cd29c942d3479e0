//! Which configs a binary carries: one rule for every kind of device.
//!
//! The winners of all known devices, then a greedy cover over the devices' best trials, up to
//! a limit of 12, always with the first valid config and the top-ranked one.
use bico_core::Lists;

/// Candidates per combination of compile-time constants; more only where more devices have winners.
pub(crate) const LIMIT: usize = 12;

/// A cover is worth extending while the devices together gain this much (natural logarithm).
const WORTHWHILE: f64 = 0.01;

/// The slowdown that counts for a config that a device has no trial of: it was not among its best.
const UNKNOWN_SLOWDOWN: f64 = 2.0;

/// What is known of one device at one problem.
#[derive(Debug, Clone)]
pub struct Known<C> {
    pub winner: C,
    /// The best trials: config and seconds.
    pub trials: Vec<(C, f64)>,
    /// The first valid config and the top-ranked one, where they were measured and right.
    pub marked: Vec<C>,
}

impl<C: PartialEq> Known<C> {
    /// How much slower than the winner a config is here.
    fn slowdown(&self, config: &C) -> f64 {
        let seconds = |c: &C| self.trials.iter().find(|(t, _)| t == c).map(|(_, s)| *s);
        match (seconds(config), seconds(&self.winner)) {
            (Some(time), Some(best)) if best > 0.0 => (time / best).max(1.0),
            _ if *config == self.winner => 1.0,
            _ => UNKNOWN_SLOWDOWN,
        }
    }

    /// How well the candidates would serve this device if its own winner were not among them: what
    /// a device that the lock doesn't know, but much like this one, would get.
    fn served_by_others(&self, candidates: &[C]) -> f64 {
        let others = candidates.iter().filter(|c| **c != self.winner);
        let slowdowns = others.map(|c| self.slowdown(c));
        slowdowns.fold(UNKNOWN_SLOWDOWN, f64::min)
    }
}

/// The candidates, winners first.
pub fn cover<C: PartialEq + Clone>(known: &[Known<C>]) -> Vec<C> {
    let mut candidates: Vec<C> = Vec::new();
    let push = |candidates: &mut Vec<C>, config: &C| {
        if !candidates.contains(config) {
            candidates.push(config.clone());
        }
    };
    for device in known {
        push(&mut candidates, &device.winner);
    }
    let mut reserved: Vec<C> = Vec::new();
    for config in known.iter().flat_map(|k| &k.marked) {
        if !candidates.contains(config) {
            push(&mut reserved, config);
        }
    }
    while candidates.len() + reserved.len() < LIMIT {
        let now = known.iter().map(|k| k.served_by_others(&candidates));
        let now: Vec<f64> = now.collect_vec();
        let gain = |config: &C| -> f64 {
            let others = known.iter().zip(&now);
            let others = others.filter(|(device, _)| *config != device.winner);
            let gains = others.map(|(of, now)| (now / of.slowdown(config).min(*now)).ln());
            gains.sum()
        };
        let mut best: Option<(&C, f64)> = None;
        let trials = known.iter().flat_map(|k| &k.trials);
        for (config, _) in trials.filter(|(config, _)| !candidates.contains(config)) {
            let gain = gain(config);
            if gain > WORTHWHILE && best.is_none_or(|(_, most)| gain > most) {
                best = Some((config, gain));
            }
        }
        let Some((config, _)) = best else { break };
        candidates.push(config.clone());
    }
    for config in &reserved {
        push(&mut candidates, config);
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(winner: u32, trials: &[(u32, f64)], marked: &[u32]) -> Known<u32> {
        Known {
            winner,
            trials: trials.to_vec(),
            marked: marked.to_vec(),
        }
    }

    #[test]
    fn one_device_carries_its_winner_a_stand_in_and_the_marked() {
        let k = known(7, &[(7, 1.0), (3, 1.01), (4, 1.02), (5, 1.03)], &[0, 9]);
        assert_eq!(cover(&[k]), [7, 3, 0, 9]);
    }

    #[test]
    fn a_config_that_serves_both_comes_before_each_ones_second() {
        let a = known(1, &[(1, 1.0), (2, 1.1), (9, 1.2)], &[]);
        let b = known(5, &[(5, 1.0), (6, 1.1), (9, 1.2)], &[]);
        let chosen = cover(&[a, b]);
        assert_eq!(chosen[..3], [1, 5, 9]);
    }

    #[test]
    fn every_winner_is_carried_even_beyond_the_limit() {
        let known: Vec<_> = (0..20)
            .map(|i| known(i, &[(i, 1.0), (100 + i, 1.5)], &[200]))
            .collect();
        let chosen = cover(&known);
        assert_eq!(chosen[..20], (0..20).collect::<Vec<_>>());
        assert_eq!(chosen[20..], [200]);
    }

    #[test]
    fn many_trials_stop_at_the_limit() {
        let known: Vec<_> = (0..6)
            .map(|i| {
                known(
                    i,
                    &(0..6)
                        .map(|j| (100 + 10 * i + j, 1.1))
                        .chain([(i, 1.0)])
                        .collect::<Vec<_>>(),
                    &[50],
                )
            })
            .collect();
        assert!(cover(&known).len() <= LIMIT);
    }
}
