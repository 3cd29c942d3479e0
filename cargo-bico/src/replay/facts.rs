//! What a recording says of its GPU.

use serde::{Deserialize, Deserializer};

/// Facts of a GPU as a sidecar has them. What is not known is `None`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct GpuFacts {
    /// `NVIDIA`, `AMD`.
    pub vendor: Option<String>,
    /// The architecture: `Ampere`.
    pub arch: Option<String>,
    /// 89 for sm_89.
    #[serde(deserialize_with = "capability")]
    pub compute_capability: Option<i64>,
    /// Multiprocessors, or compute units.
    pub sm_or_cu_count: Option<i64>,
    /// KiB of shared memory of one of them.
    pub smem_per_sm_kb: Option<f64>,
    /// MiB of the second-level cache.
    pub l2_mb: Option<f64>,
    /// 10^9 bytes per second of the device's memory.
    pub mem_bw_gb_s: Option<f64>,
    /// 10^12 FP32 operations per second.
    pub fp32_tflops: Option<f64>,
    /// Threads that run in lockstep.
    pub warp_size: Option<i64>,
}

/// `8.6` as 86, `12.0` as 120; `None` for what is no number of this kind.
fn capability<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let number = |text: String| {
        let (major, minor) = text.split_once('.')?;
        let (major, minor): (i64, i64) = (major.parse().ok()?, minor.parse().ok()?);
        ((0..1000).contains(&major) && (0..10).contains(&minor)).then_some(major * 10 + minor)
    };
    Ok(Option::<String>::deserialize(from)?.and_then(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_become_numbers() {
        let capability = |text: &str| {
            let facts = format!(r#"{{"compute_capability": "{text}", "fp32_tflops": null}}"#);
            let facts: GpuFacts = serde_json::from_str(&facts).unwrap();
            facts.compute_capability
        };
        assert_eq!(capability("8.6"), Some(86));
        assert_eq!(capability("12.0"), Some(120));
        assert_eq!(capability("gfx90a"), None);
    }
}
