//! What is kept of one size bucket, and what its file is about.

use crate::config::text;
use crate::device::DeviceKey;
use bico_core::Lists;
use bico_core::StoredValue as Value;
use bico_core::sorted;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// What is known of one bucket of sizes: of the arms that were timed there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// The bucket: rounded logarithms of the sizes, in the order of the arguments. With
    /// [`Record::consts`] the record's key in its file.
    pub bucket: Vec<i64>,
    /// The problem's compile-time constants, which are matched exactly. Sorted by name when read.
    pub consts: Vec<(String, Value)>,
    /// Sizes of the bucket, by argument: the problem's own if calls had them, else those of the first call. Sorted by name when read.
    pub sizes: Vec<(String, i64)>,
    /// The arm that it settled on: an index into [`Record::arms`].
    pub settled: Option<usize>,
    /// The arms that were timed. Fastest first when read.
    pub arms: Vec<ArmRecord>,
}

/// What is known of one config.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmRecord {
    /// Parameter and value. Sorted by name when read.
    pub config: Vec<(String, Value)>,
    /// Calls that were timed and counted.
    pub pulls: u64,
    /// Mean of ln(seconds per unit of work) over them.
    pub mean: f64,
    /// Variance of the same (mean squared distance from the mean).
    pub variance: f64,
    /// Seconds of a call at [`Record::sizes`]: `exp(mean)` times its work.
    pub seconds: f64,
}

impl Record {
    /// The arm that it settled on, else the fastest so far.
    pub fn best(&self) -> Option<&ArmRecord> {
        let settled = self.settled.and_then(|arm| self.arms.get(arm));
        settled.or_else(|| self.arms.iter().min_by(|a, b| a.mean.total_cmp(&b.mean)))
    }

    /// The calls of all its arms.
    pub(super) fn calls(&self) -> u64 {
        self.arms.iter().map(|arm| arm.pulls).sum()
    }

    /// Whether two are about the same bucket.
    pub(super) fn same_key(&self, other: &Record) -> bool {
        self.bucket == other.bucket && same(&self.consts, &other.consts)
    }

    /// The order of records in a file.
    pub(super) fn order(&self, other: &Record) -> core::cmp::Ordering {
        let by_consts = text(&self.consts).cmp(&text(&other.consts));
        by_consts.then_with(|| self.bucket.cmp(&other.bucket))
    }

    /// Everything in the order of the file.
    pub(super) fn sort(&mut self) {
        by_name(&mut self.consts);
        by_name(&mut self.sizes);
        for arm in &mut self.arms {
            by_name(&mut arm.config);
        }
        let arms = &self.arms;
        let order = sorted::order(arms.len(), &|a, b| {
            let by_time = arms[a].mean.total_cmp(&arms[b].mean);
            by_time.then_with(|| text(&arms[a].config).cmp(&text(&arms[b].config)))
        });
        let settled = self.settled;
        self.settled = settled.and_then(|arm| order.iter().position(|&at| at == arm));
        self.arms = order.iter().map(|&at| arms[at].clone()).collect_vec();
    }
}

impl ArmRecord {
    /// 95 % confidence interval of [`ArmRecord::seconds`], by Student's law: of the mean of the logarithm, which
    /// is the logarithm of the median where times scatter evenly to both sides of it. It takes calls for independent, with
    /// logarithms that scatter normally. A single call says nothing of its scatter; its interval is the time itself.
    pub fn interval(&self) -> [f64; 2] {
        // Of 1, 2, .. other calls; of more by the beginning of its series.
        const STUDENT: [f64; 5] = [12.706, 12.706, 4.303, 3.182, 2.776];
        let others = self.pulls.saturating_sub(1).max(1) as f64;
        let known = STUDENT.get(others as usize).copied();
        let quantile = known.unwrap_or(1.959_964 + (2.372_3 + 3.4 / others) / others);
        let half = (quantile * (self.variance / others).sqrt()).exp();
        let (low, high) = (self.seconds / half, self.seconds * half);
        [low.max(f64::MIN_POSITIVE), high.min(f64::MAX)]
    }

    /// Whether two are about the same config.
    pub(super) fn same_config(&self, other: &ArmRecord) -> bool {
        same(&self.config, &other.config)
    }
}

/// Whether two lists hold the same names with the same values, in any order.
pub(crate) fn same(a: &[(String, Value)], b: &[(String, Value)]) -> bool {
    a.len() == b.len() && a.iter().all(|pair| b.contains(pair))
}

fn by_name<T>(pairs: &mut [(String, T)]) {
    sorted::sort_by(pairs, &|a, b| a.0.cmp(&b.0));
}

/// What results hold for: where one of these differs, learning starts anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The tunable's key.
    pub tunable: String,
    /// The device's key.
    pub device: DeviceKey,
    /// The driver's version; empty on CPUs.
    pub driver: String,
    /// The hash of its source, space, launch and flags: `Data::hash`.
    pub hash: String,
}

impl Name {
    /// The file of this subject: readable, and one of its own for each subject and version of the format.
    pub(super) fn path(&self, folder: &Path) -> PathBuf {
        let mut hasher = Xxh3::new();
        let version = super::file::VERSION.to_string();
        let parts = [
            version.as_str(),
            &self.tunable,
            &self.hash,
            self.device.as_str(),
            &self.driver,
        ];
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        folder.join(format!(
            "{}-{}-{:016x}.json",
            safe(&self.tunable),
            safe(self.device.as_str()),
            hasher.digest()
        ))
    }
}

/// A beginning of a text, as every file system takes it.
fn safe(text: &str) -> String {
    const LONGEST: usize = 48;
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect_vec();
    let mut name = words.join("-");
    name.truncate(LONGEST);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_typical_time_as_often_as_they_say() {
        let mut seed = 1u64;
        let mut unit = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for pulls in [2, 3, 4, 5, 6, 10, 30, 100] {
            let mut held = 0;
            for _ in 0..2000 {
                // Nearly normal.
                let logs = (0..pulls).map(|_| 0.1 * ((0..12).map(|_| unit()).sum::<f64>() - 6.0));
                let logs: Vec<f64> = logs.collect();
                let mean = logs.iter().sum::<f64>() / pulls as f64;
                let squares = logs.iter().map(|log| (log - mean).powi(2));
                let arm = ArmRecord {
                    config: Vec::new(),
                    pulls,
                    mean,
                    variance: squares.sum::<f64>() / pulls as f64,
                    seconds: mean.exp(),
                };
                let [low, high] = arm.interval();
                held += u32::from((low..=high).contains(&1.0));
            }
            // 1900, and what chance does to 2000.
            assert!((1870..1930).contains(&held), "{pulls}: {held}");
        }
    }

    fn name(tunable: &str, hash: &str, device: &str, driver: &str) -> PathBuf {
        let device = DeviceKey::new(device.to_string());
        let [tunable, hash, driver] = [tunable, hash, driver].map(|text| text.to_string());
        let name = Name {
            tunable,
            device,
            driver,
            hash,
        };
        name.path(Path::new(""))
    }

    #[test]
    fn file_names_are_readable_and_safe() {
        let path = name("f32::gemm", "ab", "NVIDIA H200 (sm_90)", "570.1");
        let text = path.to_str().unwrap();
        assert!(text.starts_with("f32-gemm-NVIDIA-H200-sm_90-"), "{text}");
        for odd in [
            "../../etc/passwd",
            "a\0b",
            "größe",
            "",
            "CON:",
            &"x/".repeat(300),
        ] {
            let path = name(odd, "ab", odd, odd);
            let text = path.to_str().unwrap();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            assert!(text.chars().all(plain), "{text}");
            assert!(!text.starts_with('.') && text.len() < 128, "{text}");
        }
    }

    #[test]
    fn each_subject_has_its_own_file() {
        let first = name("gemm", "ab", "a", "1");
        assert_eq!(first, name("gemm", "ab", "a", "1"));
        for other in [
            name("gemv", "ab", "a", "1"),
            name("gemm", "ac", "a", "1"),
            name("gemm", "ab", "b", "1"),
            name("gemm", "ab", "a", "2"),
            name("gemm", "ab", "a1", ""),
            name("gemm", "ab", "(a)", "1"),
        ] {
            assert_ne!(first, other);
        }
    }
}
