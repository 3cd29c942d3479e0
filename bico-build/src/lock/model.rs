//! What `bico.lock` holds, as plain data.

#[cfg(feature = "tune")]
use super::rounded;
use crate::compile::{Hash, Hasher};
/// A value of a parameter, as programs keep it too.
pub use bico_core::StoredValue as Value;
use bico_core::device::{DeviceKey, Facts, Usage};
pub use bico_core::json::Place;
use bico_core::sorted::sort_by;
use bico_core::{Lists, Map};
use bico_syntax::bind::Scope;

/// The format that this version writes, and the newest that it reads.
pub const VERSION: i64 = 1;

/// The rules by which this version verifies. What older ones verified is verified again, and the number grows
/// where they find what they did not find before:
///
/// 1. the first
/// 2. forbidden pages around buffers, inputs that cannot be written, a soiled stack, several inputs, sizes of 0 and beyond
///    16 bits, tolerances by output, the winner's soak
pub const RULES: u32 = 2;

/// The content of `bico.lock`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lock {
    /// Device key -> its facts. Holds every device that [`Lock::kernels`] names.
    pub devices: Map<DeviceKey, Facts>,
    /// Tunable key -> what is known of it.
    pub kernels: Map<String, Kernel>,
}

impl Lock {
    /// Takes over all that another lock knows, also where this one knows it already.
    pub(crate) fn overlay(&mut self, above: Lock) {
        self.devices.extend(above.devices);
        for (key, devices) in above.kernels {
            let kernel = self.kernels.or_default(key);
            for (device, problems) in devices {
                kernel.or_default(device).extend(problems);
            }
        }
    }

    /// Forgets an entry, and what holds nothing without it.
    pub fn remove(&mut self, key: &str, device: &DeviceKey, problem: &str) {
        if let Some(devices) = self.kernels.get_mut(key) {
            if let Some(problems) = devices.get_mut(device) {
                problems.retain(|known, _| known != problem);
            }
            devices.retain(|known, problems| known != device || !problems.is_empty());
            self.kernels
                .retain(|known, devices| known != key || !devices.is_empty());
        }
    }
}

/// What is known of one tunable: device key -> problem key ([`problem_key`]) -> entry.
pub type Kernel = Map<DeviceKey, Map<String, Entry>>;

/// The result of tuning one problem of one tunable on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What the result depends on.
    pub hashes: Hashes,
    /// The chosen config and its time.
    pub winner: Trial,
    /// What that time and its interval are: `median, 95 %, flushed`. Older versions, which did not say, kept the lower
    /// decile of the finals, with an interval that held it less often.
    pub timed: Option<String>,
    /// What the winner went through: `14 awkward sizes, 200 calls, bit-reproducible`. `None` where nobody looked.
    pub tested: Option<String>,
    /// The winner's time over that of what it was measured beside.
    pub ratio: Option<Ratio>,
    /// Confidence interval of the winner's time, in seconds.
    pub interval: [f64; 2],
    /// What the outputs were compared with; of an entry that a program learned, the winner's alone.
    pub verified: Verified,
    /// The [`RULES`] by which they were; 1 where nothing was compared.
    pub rules: u32,
    /// The search strategy.
    pub strategy: String,
    /// The limits of the search.
    pub budget: Budget,
    /// Configs measured.
    pub evaluations: u64,
    /// Valid configs of the space.
    pub space_size: u64,
    /// The compiler's version line.
    pub toolchain: String,
    /// The best dozen trials, fastest first.
    pub trials: Vec<Trial>,
    /// The first config of the space that was measured and right.
    pub first: Option<Trial>,
    /// The most promising config of the ranking that was measured and right.
    pub ranked: Option<Trial>,
    /// What the winner takes of a GPU's multiprocessor.
    pub resources: Option<Usage>,
    /// Where the entry comes from, if not from tuning: `runtime`.
    pub source: Option<String>,
}

impl Entry {
    /// Whether a search of just this budget made it.
    #[cfg(feature = "tune")]
    pub fn is_of(&self, budget: &bico_syntax::Budget) -> bool {
        let (own, seconds) = (&self.budget, rounded(budget.seconds));
        own.evaluations == u64::from(budget.evaluations) && rounded(own.seconds) == seconds
    }

    /// Whether it was verified by rules that are older than this version's.
    pub fn is_outdated(&self) -> bool {
        self.verified != Verified::Nothing && self.rules < RULES
    }
}

/// The winner's time over that of something else, measured in turns: it stays where times move with the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Whether that is the author's reference; else it is [`Entry::first`].
    pub to_reference: bool,
    /// The median of the rounds' ratios.
    pub value: f64,
    /// Its interval.
    pub interval: [f64; 2],
}

impl Ratio {
    pub(super) const REFERENCE: &'static str = "reference";
    pub(super) const FIRST: &'static str = "first";
}

/// Hashes of what makes a result stale when it changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Hashes {
    /// The kernel's source with its includes ([`crate::compile::source_hash`]).
    pub source: Hash,
    /// What it includes from outside the package, by name, as far as that was there.
    pub headers: Map<String, Hash>,
    /// [`bico_syntax::Canonical::space`].
    pub space: Hash,
    /// [`bico_syntax::Canonical::launch`], with the source of what fills buffers.
    pub launch: Hash,
    /// [`bico_syntax::Canonical::verify`], with the sources of reference and judge.
    pub verify: Hash,
    /// [`bico_syntax::Canonical::flags`].
    pub flags: Hash,
}

impl Hashes {
    /// One for all that a config's time depends on: not how outputs are checked. What a program learns is
    /// kept under it (`Data::hash`).
    pub fn kernel(&self) -> Hash {
        let parts = [self.source, self.space, self.launch, self.flags];
        let headers = self.headers.values().copied();
        let parts: Vec<String> = parts
            .into_iter()
            .chain(headers)
            .map(|hash| hash.to_string())
            .collect_vec();
        Hasher::new().fields(parts.iter()).finish()
    }

    /// The names of the fields in which the two differ, sorted as in the file.
    pub fn changed(&self, other: &Hashes) -> Vec<&'static str> {
        // A header that only one machine has tells nothing.
        let header = self.headers.keys().find(|name| {
            let known = other.headers.get(*name);
            known.is_some_and(|known| self.headers.get(*name) != Some(known))
        });
        let pairs = [
            ("flags", self.flags, other.flags),
            ("launch", self.launch, other.launch),
            ("source", self.source, other.source),
            ("space", self.space, other.space),
            ("verify", self.verify, other.verify),
        ];
        let changed = pairs.into_iter().filter(|(_, a, b)| a != b);
        let changed = changed.map(|(name, ..)| name);
        changed.chain(header.map(|_| "headers")).collect_vec()
    }
}

/// One measured config.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Parameter -> value.
    pub config: Config,
    /// Seconds of one call: the median, where [`Entry::timed`] says so.
    pub seconds: f64,
    /// Where it stands in the file, if it was read from one.
    pub place: Place,
}

/// The value of each parameter.
pub type Config = Map<String, Value>;

/// The limits of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Configs measured at most.
    pub evaluations: u64,
    /// Seconds spent at most.
    pub seconds: f64,
}

/// What outputs were compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// A reference of the author's.
    Reference,
    /// A reference at small sizes; at the problem's, where it takes too long, each other.
    SmallSizes,
    /// Nothing: a judge of the author's said whether they are right.
    Judge,
    /// Each other.
    Consensus,
    /// Nothing: learned on a program's own calls, by a config that no build has compared.
    Nothing,
}

impl Verified {
    const NAMES: [(Verified, &'static str); 5] = [
        (Verified::Reference, "reference"),
        (Verified::SmallSizes, "reference at small sizes"),
        (Verified::Judge, "judge"),
        (Verified::Consensus, "consensus"),
        (Verified::Nothing, "no"),
    ];

    /// Its name in the file, with the rules' number: `reference, rules 2`. The first ones had none.
    pub fn name(self, rules: u32) -> String {
        let name = Verified::NAMES[self as usize].1;
        match self == Verified::Nothing || rules == 1 {
            true => name.to_string(),
            false => format!("{name}, rules {rules}"),
        }
    }

    /// The one of this name, and the rules' number.
    pub fn named(name: &str) -> Option<(Verified, u32)> {
        let (name, rules) = match name.split_once(", rules ") {
            Some((name, rules)) => (name, rules.parse().ok().filter(|rules| *rules > 1)?),
            None => (name, 1),
        };
        let known = Verified::NAMES.iter().find(|(_, known)| *known == name);
        known.map(|(verified, _)| (*verified, rules))
    }
}

/// The name of a problem in the lock: `k=4096, m=1024, n=12288`, sorted by name, with
/// compile-time constants like sizes; `default` where a tunable has neither.
///
/// What separates the parts, and what the lock refuses in strings, is written as `%XX`.
pub fn problem_key(scope: &Scope) -> String {
    let mut parts: Vec<&(String, bico_core::Value)> = scope
        .sizes
        .iter()
        .chain(&scope.problem_consts)
        .collect_vec();
    if parts.is_empty() {
        return "default".to_string();
    }
    sort_by(&mut parts, &|a, b| a.0.cmp(&b.0));
    let shown = parts.into_iter().map(|(name, value)| match value {
        bico_core::Value::Str(text) => format!("{name}={}", escaped(text)),
        other => format!("{name}={other}"),
    });
    shown.collect::<Vec<String>>().join(", ")
}

fn escaped(text: &str) -> String {
    let one = |c: char| match matches!(c, ',' | '=' | '%') || !super::text::is_plain(c) {
        true => {
            let bytes = c.to_string().into_bytes().into_iter();
            bytes.map(|byte| format!("%{byte:02X}")).collect()
        }
        false => c.to_string(),
    };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_named_by_their_parts_sorted() {
        let mut scope = Scope::default().with_size("n", bico_core::Value::Int(2));
        let act = bico_core::Value::Str("silu");
        scope.problem_consts.insert("ACT".into(), act);
        let scope = scope.with_size("k", bico_core::Value::Int(-1));
        assert_eq!(problem_key(&scope), "ACT=silu, k=-1, n=2");
        assert_eq!(problem_key(&Scope::default()), "default");
    }

    #[test]
    fn no_string_can_look_like_two_parts_or_break_the_file() {
        let text = bico_core::Value::Str("x, B=\"1\"\n50%");
        let scope = Scope::default().with_size("A", text);
        assert_eq!(problem_key(&scope), "A=x%2C B%3D%221%22%0A50%25");
    }

    #[test]
    fn changed_hashes_are_named() {
        let a = Hashes {
            source: Hash(1),
            headers: Map::default(),
            space: Hash(2),
            launch: Hash(3),
            verify: Hash(4),
            flags: Hash(5),
        };
        let b = Hashes {
            source: Hash(9),
            verify: Hash(9),
            ..a.clone()
        };
        assert_eq!(a.changed(&b), ["source", "verify"]);
        assert!(a.changed(&a).is_empty());
    }

    #[test]
    fn a_header_counts_where_both_know_it() {
        let with = |headers: &[(&str, u128)]| {
            let headers = headers.iter();
            let headers = headers.map(|(name, hash)| (name.to_string(), Hash(*hash)));
            Hashes {
                source: Hash(1),
                headers: headers.collect(),
                space: Hash(2),
                launch: Hash(3),
                verify: Hash(4),
                flags: Hash(5),
            }
        };
        let known = with(&[("a.h", 1), ("b.h", 2)]);
        assert_eq!(known.changed(&with(&[("a.h", 1), ("b.h", 3)])), ["headers"]);
        for same in [&[][..], &[("b.h", 2)], &[("c.h", 3)]] {
            assert!(known.changed(&with(same)).is_empty() && with(same).changed(&known).is_empty());
        }
        // What a program learned with other headers is no use to it.
        assert_ne!(known.kernel(), with(&[("a.h", 1)]).kernel());
    }

    #[test]
    fn an_upgraded_kernel_has_another_hash() {
        let old = Hashes {
            source: Hash(1),
            headers: Map::default(),
            space: Hash(2),
            launch: Hash(3),
            verify: Hash(4),
            flags: Hash(5),
        };
        let new = Hash(9);
        let upgrades = [
            Hashes {
                source: new,
                ..old.clone()
            },
            Hashes {
                space: new,
                ..old.clone()
            },
            Hashes {
                launch: new,
                ..old.clone()
            },
            Hashes {
                flags: new,
                ..old.clone()
            },
            // Not the same as another part of that value.
            Hashes {
                source: old.space,
                space: old.source,
                ..old.clone()
            },
        ];
        for upgraded in upgrades {
            assert_ne!(upgraded.kernel(), old.kernel(), "{upgraded:?}");
        }
        let checked_otherwise = Hashes {
            verify: new,
            ..old.clone()
        };
        assert_eq!(checked_otherwise.kernel(), old.kernel());
    }
}
