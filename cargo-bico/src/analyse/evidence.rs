//! Which values of parameters are known to be far from the best, and what the space loses without them.
//!
//! A value is far in a search when none of its configs came within 10 % of that search's best, and enough of them were
//! tried: 14, or all that there are. Were one in five of them within 10 %, 14 drawn at random would all miss them in 4 of
//! 100 cases (0.8^14 = 0.044); a search tries what promises most first, which rather helps a value than harms it. With
//! fewer tries nothing is known, and the value stays.

use super::{Measured, in_order};
use std::collections::BTreeMap;

/// Configs of a value that are tried before it counts as far.
pub const ENOUGH: usize = 14;
/// Within this ratio of the best time a config is near it.
pub const NEAR: f64 = 1.1;

/// What is known of a tunable at one problem on one device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Search {
    /// The problem, as the lock names it.
    pub problem: String,
    /// The device's key.
    pub device: String,
    /// Each config once. A value is empty where the config has none of that parameter: it is another variant's.
    pub configs: Vec<Measured>,
    /// Whether these are all that were tried. Of a lock's best nothing follows for values that are not among them.
    pub is_whole: bool,
}

impl Search {
    /// The best time.
    pub fn best(&self) -> Option<f64> {
        self.best_of(&|_| true)
    }

    fn best_of(&self, wanted: &dyn Fn(&[String]) -> bool) -> Option<f64> {
        let configs = self.configs.iter().filter(|of| wanted(&of.values));
        let times = configs.filter_map(|of| of.seconds.filter(|s| s.is_finite() && *s > 0.0));
        times.min_by(f64::total_cmp)
    }

    /// How much longer the best config with all of these values takes than the best: 0.02 for 2 %. `None` where none is known to run.
    pub fn loss(&self, narrowed: &Narrowed) -> Option<f64> {
        let kept = self.best_of(&|values| narrowed.keeps(values))?;
        Some(kept / self.best()? - 1.0)
    }
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A config with it was within 10 % of the best in some search.
    Near,
    /// It is far in every search of which all is known.
    Far,
    /// None was near, but some search tried it too seldom.
    Unknown,
}

/// A value of a parameter, with what searches say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The parameter's place.
    pub parameter: usize,
    /// The value.
    pub value: String,
    /// How many configs with it were tried, in all searches.
    pub tried: usize,
    /// How many times the best time its best config takes, in the search where that is least.
    pub ratio: Option<f64>,
    /// What follows.
    pub verdict: Verdict,
}

/// How many configs of a search's space have a value, where that is known.
pub type Room<'a> = &'a dyn Fn(&Search, usize, &str) -> Option<u64>;

/// Judges all values that were tried, by parameters and in order.
pub fn judge(searches: &[&Search], room: Room<'_>) -> Vec<Judged> {
    let mut values: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for config in searches.iter().flat_map(|search| &search.configs) {
        for (parameter, value) in config.values.iter().enumerate() {
            let known = values.entry(parameter).or_default();
            if !value.is_empty() && !known.contains(&value.as_str()) {
                known.push(value);
            }
        }
    }
    let mut judged = Vec::new();
    for (parameter, mut values) in values {
        values.sort_by(|a, b| in_order(a, b));
        let values = values.into_iter();
        judged.extend(values.map(|value| one(searches, room, parameter, value)));
    }
    judged
}

fn one(searches: &[&Search], room: Room<'_>, parameter: usize, value: &str) -> Judged {
    let (mut tried, mut ratio, mut open, mut whole) = (0, None::<f64>, false, false);
    for search in searches {
        let has = |values: &[String]| values.get(parameter).is_some_and(|of| of == value);
        let count = search.configs.iter().filter(|of| has(&of.values)).count();
        let own = search.best_of(&has).zip(search.best());
        let own = own.map(|(own, best)| own / best);
        tried += count;
        ratio = match (ratio, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if search.is_whole {
            whole = true;
            let all = || room(search, parameter, value).is_some_and(|all| all <= count as u64);
            open = open || count < ENOUGH && !all();
        }
    }
    let verdict = match ratio {
        Some(ratio) if ratio <= NEAR => Verdict::Near,
        _ if open || !whole => Verdict::Unknown,
        _ => Verdict::Far,
    };
    Judged {
        parameter,
        value: value.to_string(),
        tried,
        ratio,
        verdict,
    }
}

/// A space without some values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Narrowed {
    /// Parameters with the values that go.
    pub without: Vec<(usize, String)>,
}

impl Narrowed {
    /// Leaves out what is far. What every config has keeps one value at least: that of the best.
    pub fn new(judged: &[Judged]) -> Narrowed {
        let far = judged.iter().filter(|of| of.verdict == Verdict::Far);
        Narrowed {
            without: far.map(|of| (of.parameter, of.value.clone())).collect(),
        }
    }

    /// Whether a config belongs to it.
    pub fn keeps(&self, values: &[String]) -> bool {
        let mut without = self.without.iter();
        !without.any(|(parameter, value)| values.get(*parameter) == Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A config for each time, all with this value of the first parameter and another one of the second.
    fn tried(value: &str, times: &[Option<f64>]) -> Vec<Measured> {
        let configs = times.iter().enumerate();
        configs
            .map(|(at, seconds)| Measured {
                values: vec![value.to_string(), format!("{value}-{at}")],
                seconds: *seconds,
            })
            .collect()
    }

    fn search(device: &str, configs: Vec<Measured>) -> Search {
        Search {
            device: device.to_string(),
            configs,
            is_whole: true,
            ..Search::default()
        }
    }

    const NOBODY_KNOWS: Room<'static> = &|_, _, _| None;

    fn verdict(judged: &[Judged], value: &str) -> Verdict {
        let of = judged.iter().find(|of| of.value == value).unwrap();
        of.verdict
    }

    #[test]
    fn a_value_that_was_tried_twice_is_not_known_to_be_bad() {
        let mut configs = tried("good", &[Some(1.0), Some(3.0)]);
        configs.extend(tried("near", &[Some(1.1), None]));
        configs.extend(tried("twice", &[Some(9.0); 2]));
        configs.extend(tried("almost", &[Some(9.0); ENOUGH - 1]));
        configs.extend(tried("often", &[Some(9.0); ENOUGH]));
        configs.extend(tried("fails", &[None; ENOUGH]));
        let search = search("a", configs);
        let judged = judge(&[&search], NOBODY_KNOWS);
        for (value, expected) in [
            ("good", Verdict::Near),
            ("near", Verdict::Near),
            ("twice", Verdict::Unknown),
            ("almost", Verdict::Unknown),
            ("often", Verdict::Far),
            ("fails", Verdict::Far),
        ] {
            assert_eq!(verdict(&judged, value), expected, "{value}");
        }
        let narrowed = Narrowed::new(&judged);
        let without: Vec<&str> = narrowed.without.iter().map(|of| of.1.as_str()).collect();
        assert_eq!(without, ["fails", "often"]);
        assert_eq!(search.loss(&narrowed), Some(0.0));
        // There are no more than two configs of it.
        let judged = judge(&[&search], &|_, parameter, value| {
            (parameter == 0 && value == "twice").then_some(2)
        });
        assert_eq!(verdict(&judged, "twice"), Verdict::Far);
    }

    #[test]
    fn one_device_keeps_what_others_would_leave_out() {
        let mut a = tried("x", &[Some(1.0); 20]);
        a.extend(tried("y", &[Some(5.0); 20]));
        let mut b = tried("x", &[Some(2.0); 20]);
        b.extend(tried("y", &[Some(2.1)]));
        let (a, b) = (search("a", a), search("b", b));
        assert_eq!(verdict(&judge(&[&a], NOBODY_KNOWS), "y"), Verdict::Far);
        assert_eq!(verdict(&judge(&[&a, &b], NOBODY_KNOWS), "y"), Verdict::Near);
        // One that knows too little of it keeps it, too.
        let seldom = search("c", tried("x", &[Some(1.0); 20]));
        let judged = judge(&[&a, &seldom], NOBODY_KNOWS);
        assert_eq!(verdict(&judged, "y"), Verdict::Unknown);
        // A lock's best ones speak for values, never against them.
        let locked = |value| Search {
            is_whole: false,
            ..search("d", tried(value, &[Some(1.0)]))
        };
        let (x, y) = (locked("x"), locked("y"));
        assert_eq!(verdict(&judge(&[&a, &x], NOBODY_KNOWS), "y"), Verdict::Far);
        assert_eq!(verdict(&judge(&[&a, &y], NOBODY_KNOWS), "y"), Verdict::Near);
        assert_eq!(verdict(&judge(&[&x], NOBODY_KNOWS), "x"), Verdict::Near);
        // What the narrower space of one device costs another one.
        let narrowed = Narrowed::new(&judge(&[&a], NOBODY_KNOWS));
        let z = search(
            "e",
            [tried("x", &[Some(3.0)]), tried("y", &[Some(2.0)])].concat(),
        );
        assert_eq!(z.loss(&narrowed), Some(0.5));
        assert_eq!(y.loss(&narrowed), None);
    }

    #[test]
    fn parameters_of_other_variants_are_not_judged() {
        let mut configs = tried("a", &[Some(1.0)]);
        configs[0].values[1] = String::new();
        let judged = judge(&[&search("a", configs)], NOBODY_KNOWS);
        assert_eq!(judged.len(), 1);
        assert_eq!(judge(&[], NOBODY_KNOWS), []);
    }
}
