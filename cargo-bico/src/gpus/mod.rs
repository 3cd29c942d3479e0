//! GPUs that need not be here: what is published of them, beside what is known by compute capability.

mod chosen;

pub(crate) use chosen::chosen;

use crate::Error;
use bico_core::device::{CudaFacts, DeviceKey, Facts};
use serde::Deserialize;

/// A row for each product, the most common one of a family first.
const TABLE: &str = include_str!("known.csv");

/// Names that are suggested at most.
const SUGGESTED: usize = 3;

/// What differs from product to product.
#[derive(Debug, Deserialize)]
pub(crate) struct Known {
    /// As the driver says it.
    pub(crate) name: String,
    /// Other words that it goes by.
    also: String,
    pub(crate) compute_capability: i64,
    pub(crate) multiprocessors: i64,
    pub(crate) l2_kib: i64,
    pub(crate) memory_gb_per_second: f64,
    pub(crate) clock_mhz: i64,
    /// Where the figures are published.
    pub(crate) source: String,
}

impl Known {
    /// With what holds for all GPUs of its compute capability.
    pub(crate) fn facts(&self) -> Facts {
        Facts::Cuda(CudaFacts {
            multiprocessors: self.multiprocessors,
            l2_bytes: self.l2_kib << 10,
            memory_bytes_per_second: (self.memory_gb_per_second * 1e9).round() as i64,
            clock_hz: self.clock_mhz * 1_000_000,
            ..CudaFacts::typical(&self.name, "", self.compute_capability)
        })
    }

    pub(crate) fn key(&self) -> DeviceKey {
        self.facts().key()
    }
}

/// The table.
///
/// # Errors
///
/// None, as a test holds.
pub(crate) fn known() -> Result<Vec<Known>, Error> {
    let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
    reader
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(Error::work)
}

/// The product of this name, or the first that has all its words, and what else has them.
///
/// # Errors
///
/// There is none; names the nearest.
pub(crate) fn named(name: &str) -> Result<(Known, Vec<String>), Error> {
    let known = known()?;
    let same = |gpu: &Known| {
        let key = gpu.key();
        name.eq_ignore_ascii_case(&gpu.name) || name.eq_ignore_ascii_case(key.as_str())
    };
    let wanted = words(name);
    let has_all = |gpu: &Known| {
        let has = words(&format!("{} {}", gpu.name, gpu.also));
        !wanted.is_empty() && wanted.iter().all(|word| has.contains(word))
    };
    let (mut fit, rest): (Vec<Known>, Vec<Known>) = match known.iter().any(same) {
        true => known.into_iter().partition(same),
        false => known.into_iter().partition(has_all),
    };
    if fit.is_empty() {
        return Err(unknown(name, &rest));
    }
    let first = fit.remove(0);
    Ok((first, fit.into_iter().map(|gpu| gpu.name).collect()))
}

fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(String::from).collect()
}

fn unknown(name: &str, known: &[Known]) -> Error {
    let makers = ["nvidia", "geforce", "tesla"];
    let mut wanted = words(name);
    wanted.retain(|word| !makers.contains(&word.as_str()));
    // How near each word that was asked for comes to one of the name.
    let nearness = |gpu: &Known| -> f64 {
        let has = words(&gpu.name);
        let near = wanted.iter().map(|word| {
            let each = has
                .iter()
                .map(|has| strsim::normalized_levenshtein(word, has));
            each.fold(0.0, f64::max)
        });
        near.sum()
    };
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|gpu| (nearness(gpu), &*gpu.name))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.truncate(SUGGESTED);
    let near: Vec<String> = near.iter().map(|(_, name)| format!("`{name}`")).collect();
    Error::Usage(format!(
        "no GPU `{}` is known; the nearest are {}\n  = help: `cargo bico devices` lists them; of any other, \
         give a file of facts: `--device FACTS.json`, begun with `cargo bico devices --facts \"NVIDIA H100\"`",
        name.escape_debug(),
        near.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_together() {
        let known = known().unwrap();
        assert!(known.len() > 20);
        for gpu in &known {
            let Facts::Cuda(facts) = gpu.facts() else {
                panic!("{gpu:?}");
            };
            assert_eq!(facts.name, gpu.name, "as the driver has it");
            assert!(gpu.source.contains("NVIDIA"), "{gpu:?}");
            // Slips of a digit, in either direction.
            assert!((8..=256).contains(&gpu.multiprocessors), "{gpu:?}");
            assert!((1 << 20..=256 << 20).contains(&facts.l2_bytes), "{gpu:?}");
            assert!((100.0..=10_000.0).contains(&gpu.memory_gb_per_second));
            assert!((1000..=3000).contains(&gpu.clock_mhz), "{gpu:?}");
            // Each is found by its own name, and by the lock's.
            for name in [
                gpu.name.clone(),
                facts.name.to_uppercase(),
                gpu.key().to_string(),
            ] {
                let (found, others) = named(&name).unwrap();
                assert_eq!((found.name, others), (gpu.name.clone(), Vec::new()));
            }
        }
    }

    #[test]
    fn words_are_enough() {
        let found = |name: &str| {
            let (found, others) = named(name).unwrap();
            (found.name, others.len())
        };
        assert_eq!(found("NVIDIA H100").0, "NVIDIA H100 80GB HBM3");
        assert_eq!(found("h100 sxm").0, "NVIDIA H100 80GB HBM3");
        assert_eq!(
            found("RTX 4090"),
            ("NVIDIA GeForce RTX 4090".to_string(), 0)
        );
        assert_eq!(found("T4"), ("Tesla T4".to_string(), 0));
        assert_eq!(found("A100 80GB").1, 1);
    }

    #[test]
    fn the_nearest_are_named() {
        let said = named("NVIDIA RTX 4080").unwrap_err().to_string();
        assert!(
            said.starts_with("no GPU `NVIDIA RTX 4080` is known; the nearest are "),
            "{said}"
        );
        assert!(said.contains("`NVIDIA GeForce RTX 4090`"), "{said}");
        let said = named("\u{7}").unwrap_err().to_string();
        assert!(said.contains("`\\u{7}`"), "{said}");
    }
}
