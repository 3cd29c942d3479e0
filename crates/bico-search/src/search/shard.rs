//! A part of a space, for searches that share it.

use std::fmt;

/// One of several parts of a space that do not overlap and are all of it.
///
/// A config's part follows from a hash of its number. Every so-manieth config would do as well to take the space apart, but
/// numbers count the last parameters fastest: then a part would hold some of their values only, and a search in it could learn
/// nothing of the others. By a hash each part is a fair sample of the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1 on.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

/// More parts than this are no job array.
const MOST: u64 = 1 << 20;

impl Shard {
    /// Reads `3/8`.
    ///
    /// # Errors
    ///
    /// It is none: what is wrong, and what to write.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let wrong = |why: &str| {
            Err(format!(
                "`{text}` is no part of a space: {why}\n  = help: write the part's number and how many there are, `1/8` to `8/8`"
            ))
        };
        let Some((number, of)) = text.split_once('/') else {
            return wrong("there is no `/`");
        };
        let (Ok(number), Ok(of)) = (number.parse::<u64>(), of.parse::<u64>()) else {
            return wrong("these are not two whole numbers");
        };
        match (number, of) {
            (_, 0) => wrong("there are no parts"),
            (_, of) if of > MOST => wrong("so many parts are too many"),
            (0, _) => wrong("parts are counted from 1"),
            (number, of) if number > of => wrong(&format!("there are {of}")),
            _ => Ok(Shard { number, of }),
        }
    }

    /// Whether a config belongs to it.
    pub fn has(self, config: u64) -> bool {
        // SplitMix64's mixing (Steele, Lea and Flood, 2014). Machines of one search must agree: it never changes.
        let mut mixed = config.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Ranked;
    use crate::search::{Budget, Journal, Measure, Outcome, Sample, Search, by_name, names, run};
    use crate::space::fixture;

    #[test]
    fn words() {
        assert_eq!(Shard::parse("3/8"), Ok(Shard { number: 3, of: 8 }));
        assert_eq!(Shard::parse("3/8").unwrap().to_string(), "3/8");
        for (text, why) in [
            ("0/8", "parts are counted from 1"),
            ("9/8", "there are 8"),
            ("a/b", "not two whole numbers"),
            ("3", "there is no `/`"),
            ("1/0", "there are no parts"),
            ("1/99999999", "too many"),
            ("-1/8", "not two whole numbers"),
        ] {
            let error = Shard::parse(text).unwrap_err();
            assert!(
                error.contains(why) && error.contains("`1/8` to `8/8`"),
                "{error}"
            );
        }
    }

    #[test]
    fn parts_are_all_of_it_and_about_as_large() {
        let parts = (1..=8).map(|number| Shard { number, of: 8 });
        let parts: Vec<Shard> = parts.collect();
        let mut sizes = [0; 8];
        for config in 0..10_000 {
            let of: Vec<usize> = (0..8).filter(|at| parts[*at].has(config)).collect();
            assert_eq!(of.len(), 1);
            sizes[of[0]] += 1;
        }
        assert!(
            sizes.iter().all(|size| (1100..1400).contains(size)),
            "{sizes:?}"
        );
        // They never change: trails of two versions are joined.
        let first: Vec<u64> = (0..40).filter(|config| parts[0].has(*config)).collect();
        assert_eq!(first, [6, 29, 33, 38]);
    }

    struct Counted;

    impl Measure for Counted {
        fn spent(&self) -> f64 {
            0.0
        }
        fn announce(&mut self, _: &[u64]) {}
        fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
            let seconds = 1.0 + (config % 7) as f64;
            Outcome::Timed(Sample::new(seconds, seconds, seconds, 3))
        }
        fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
            configs
                .iter()
                .map(|config| self.measure(*config, None))
                .collect()
        }
    }

    #[test]
    fn every_strategy_stays_in_its_part_and_finds_all_of_it() {
        let space = fixture::space("space(A in 0..8, B in 0..4, C in [1, 2, 4])").unwrap();
        let ranked = Ranked::blind(space.len());
        for name in names() {
            let mut seen: Vec<u64> = Vec::new();
            for number in 1..=4 {
                let shard = Shard { number, of: 4 };
                let budget = Budget {
                    evaluations: 1000,
                    seconds: f64::INFINITY,
                    patience: None,
                };
                let search = Search {
                    shard: Some(shard),
                    default: Some(5),
                    starts: &[1, 2, 3],
                    ..Search::new(&*space, &ranked, budget)
                };
                let mut strategy = by_name(name, number).unwrap();
                let folder = tempfile::tempdir().unwrap();
                let mut journal = Journal::create(&folder.path().join("x.jsonl")).unwrap();
                let found = run(&search, &mut *strategy, &mut Counted, &mut journal);
                let own: Vec<u64> = found.trail.trials().map(|row| row.config).collect();
                assert!(own.iter().all(|config| shard.has(*config)), "{name}");
                seen.extend(own);
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..space.len()).collect::<Vec<_>>(), "{name}");
        }
    }
}
