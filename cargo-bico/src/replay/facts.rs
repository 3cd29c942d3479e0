//! What a recording says of its GPU.

use serde::Deserialize;

/// Facts of a GPU, by the names of an attribute's `device` fields where there is one. What is not
/// known is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuFacts {
    /// `NVIDIA`, `AMD`.
    pub vendor: Option<String>,
    /// The architecture: `Ampere`.
    pub arch: Option<String>,
    /// 89 for sm_89.
    pub compute_capability: Option<i64>,
    /// Multiprocessors, or compute units.
    pub multiprocessors: Option<i64>,
    /// Bytes of shared memory of one of them.
    pub shared_memory_per_multiprocessor: Option<i64>,
    /// Bytes of the second-level cache.
    pub l2_bytes: Option<i64>,
    /// Bytes per second of the device's memory.
    pub memory_bytes_per_second: Option<i64>,
    /// Threads that run in lockstep.
    pub warp_size: Option<i64>,
    /// FP32 operations per second.
    pub fp32_flops_per_second: Option<f64>,
}

/// The facts as the sidecar has them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Written {
    vendor: Option<String>,
    arch: Option<String>,
    compute_capability: Option<String>,
    sm_or_cu_count: Option<i64>,
    smem_per_sm_kb: Option<f64>,
    l2_mb: Option<f64>,
    mem_bw_gb_s: Option<f64>,
    fp32_tflops: Option<f64>,
    warp_size: Option<i64>,
}

impl From<Written> for GpuFacts {
    fn from(written: Written) -> GpuFacts {
        let whole = |value: Option<f64>, unit: f64| {
            let number = value? * unit;
            (number.is_finite() && number >= 0.0).then_some(number.round() as i64)
        };
        GpuFacts {
            vendor: written.vendor,
            arch: written.arch,
            compute_capability: written.compute_capability.as_deref().and_then(capability),
            multiprocessors: written.sm_or_cu_count,
            shared_memory_per_multiprocessor: whole(written.smem_per_sm_kb, 1024.0),
            l2_bytes: whole(written.l2_mb, 1024.0 * 1024.0),
            memory_bytes_per_second: whole(written.mem_bw_gb_s, 1e9),
            warp_size: written.warp_size,
            fp32_flops_per_second: written.fp32_tflops.map(|rate| rate * 1e12),
        }
    }
}

/// `8.6` as 86, `12.0` as 120.
fn capability(text: &str) -> Option<i64> {
    let (major, minor) = text.split_once('.')?;
    let (major, minor): (i64, i64) = (major.parse().ok()?, minor.parse().ok()?);
    ((0..1000).contains(&major) && (0..10).contains(&minor)).then_some(major * 10 + minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_become_bytes_and_seconds() {
        let written: Written = serde_json::from_str(
            r#"{"vendor": "NVIDIA", "arch": "Ampere", "compute_capability": "8.6", "sm_or_cu_count": 30,
                "smem_per_sm_kb": 100, "l2_mb": 5.5, "mem_bw_gb_s": 336, "fp32_tflops": null, "warp_size": 32}"#,
        )
        .unwrap();
        let facts = GpuFacts::from(written);
        assert_eq!(facts.compute_capability, Some(86));
        assert_eq!(facts.shared_memory_per_multiprocessor, Some(102_400));
        assert_eq!(facts.l2_bytes, Some(5_767_168));
        assert_eq!(facts.memory_bytes_per_second, Some(336_000_000_000));
        assert_eq!(facts.fp32_flops_per_second, None);
        assert_eq!(capability("12.0"), Some(120));
        assert_eq!(capability("gfx90a"), None);
    }
}
