//! What the cache holds, for people.
//!
//! Few programs ask: what is `#[inline]` is compiled by those that do, and not by all.

use super::{File, files, place};
use crate::config::text;
use bico_core::{Lists, StoredValue};
use core::fmt;
use std::path::Path;

/// What programs learned of one tunable on one device, at sizes of one magnitude.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Learned {
    /// The tunable's key.
    pub tunable: String,
    /// The device's key: `NVIDIA H200 (sm_90)`.
    pub device: String,
    /// The driver: the version of CUDA that it serves and, on Linux, its own; empty on CPUs.
    pub driver: String,
    /// The hash of the kernel's source, space, launch and flags, 32 digits: an upgraded kernel has another one.
    pub hash: String,
    /// The integer arguments, sorted by name: a tuned problem's if calls had them, else those of the bucket's first call.
    pub sizes: Vec<(String, i64)>,
    /// The problem's compile-time constants, sorted by name.
    pub consts: Vec<(String, String)>,
    /// The config that it settled on, or the fastest so far: parameter and value, sorted by name.
    pub config: Vec<(String, String)>,
    /// Seconds of a call with this config at [`Learned::sizes`]: the geometric mean.
    pub seconds: f64,
    /// 95 % confidence interval of these seconds, if calls are independent and scatter evenly; of a single call the time itself.
    pub interval: [f64; 2],
    /// Calls with this config that were timed.
    pub pulls: u64,
    /// Configs that were tried.
    pub arms: usize,
    /// Whether exploring came to an end.
    pub settled: bool,
}

/// Everything that this machine's user has learned at run time, of the tunables of any program: what the
/// cache folder holds (`BICO_CACHE`, by default `bico` in the user's cache folder). Reads the files; what
/// is faulty in them is left out, with a line in the log. Sorted.
///
/// # Example
///
/// ```
/// for learned in bico::learned() {
///     println!("{learned}");
///     if !learned.settled {
///         println!("  and still looks for a better one");
///     }
/// }
/// ```
#[inline]
pub fn learned() -> Vec<Learned> {
    place().map(|folder| learned_in(folder)).unwrap_or_default()
}

#[inline]
pub(super) fn learned_in(folder: &Path) -> Vec<Learned> {
    let mut learned = Vec::new();
    for File { name, records, .. } in files(folder) {
        for record in records {
            let Some(best) = record.best() else {
                continue;
            };
            learned.push(Learned {
                tunable: name.tunable.clone(),
                device: name.device.to_string(),
                driver: name.driver.clone(),
                hash: name.hash.clone(),
                consts: shown(&record.consts),
                config: shown(&best.config),
                seconds: best.seconds,
                interval: best.interval(),
                pulls: best.pulls,
                arms: record.arms.len(),
                settled: record.settled.is_some(),
                sizes: record.sizes,
            });
        }
    }
    learned
}

#[inline]
fn shown(pairs: &[(String, StoredValue)]) -> Vec<(String, String)> {
    let shown = |(name, value): &(String, StoredValue)| (name.clone(), value.to_string());
    pairs.iter().map(shown).collect_vec()
}

impl fmt::Display for Learned {
    /// `gemm (k=64, m=64) on NVIDIA H200 (sm_90), driver 12.8, 570.124.6: TILE=32: 12.30 µs ± 1.2 %, 40 calls, settled`
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tunable)?;
        let mut sizes = vec![text(&self.sizes), text(&self.consts)];
        sizes.retain(|text| !text.is_empty());
        if !sizes.is_empty() {
            write!(f, " ({})", sizes.join(", "))?;
        }
        write!(f, " on {}", self.device)?;
        if !self.driver.is_empty() {
            write!(f, ", driver {}", self.driver)?;
        }
        let config = match self.config.is_empty() {
            true => "the only config".to_string(),
            false => text(&self.config),
        };
        let (time, pulls) = (time(self.seconds), self.pulls);
        let share = 100.0 * ((self.interval[1] / self.interval[0]).sqrt() - 1.0);
        let calls = if pulls == 1 { "call" } else { "calls" };
        write!(f, ": {config}: {time}")?;
        // A single call says nothing of its scatter.
        if pulls > 1 {
            write!(f, " ± {share:.1} %")?;
        }
        write!(f, ", {pulls} {calls}, ")?;
        match self.settled {
            true => f.write_str("settled"),
            false => write!(f, "exploring {} configs", self.arms),
        }
    }
}

/// `12.30 µs`
#[inline]
fn time(seconds: f64) -> String {
    let (scale, unit) = match seconds {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{:.2} {unit}", seconds * scale)
}
