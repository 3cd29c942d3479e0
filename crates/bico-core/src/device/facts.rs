//! What is known of a device: the fields of `device` in an attribute, and its key in the lock.

use super::codec::facts;
use super::{CudaFacts, DeviceKey};
use crate::Value;

/// Facts of one device.
#[derive(Debug, Clone, PartialEq)]
pub enum Facts {
    /// A CPU.
    Cpu(CpuFacts),
    /// A GPU.
    Cuda(CudaFacts),
}

facts! {
    /// Facts of a CPU. Sizes are in bytes; caches are those one core sees.
    #[derive(Default)]
    pub struct CpuFacts {
        /// Vendor as CPUID says it: `AuthenticAMD`.
        pub vendor: String,
        /// Brand string, trimmed: `AMD EPYC 9654 96-Core Processor`.
        pub brand: String,
        /// Display family.
        pub family: u32,
        /// Display model.
        pub model: u32,
        /// `x86-64` to `x86-64-v4`; `aarch64` elsewhere.
        pub level: String,
        /// Logical cores that this program may use.
        pub cores: i64,
        /// Data cache of the first level.
        pub l1d_bytes: i64,
        /// Second level.
        pub l2_bytes: i64,
        /// Third level.
        pub l3_bytes: i64,
        /// Bits of the widest vector register.
        pub vector_bits: i64,
        /// What [`Facts::has`] knows, sorted: `avx2`, `fma`, `x86-64-v3`, ...
        pub features: Vec<String>,
    }
}

impl Facts {
    /// What the device is, not where: `AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)`,
    /// `NVIDIA H200 (sm_90)`.
    pub fn key(&self) -> DeviceKey {
        DeviceKey::new(match self {
            Facts::Cpu(cpu) => format!(
                "{} ({} family {} model {}, {})",
                cpu.brand, cpu.vendor, cpu.family, cpu.model, cpu.level
            ),
            Facts::Cuda(gpu) => format!("{} ({})", gpu.name, gpu.architecture),
        })
    }

    /// The compute capability of a GPU of NVIDIA's, 89 for 8.9: what code is compiled for.
    pub fn capability(&self) -> Option<u16> {
        let Facts::Cuda(gpu) = self else { return None };
        let capability = u16::try_from(gpu.compute_capability).ok();
        capability.filter(|capability| *capability > 0)
    }

    /// The field of this name, as `device.NAME` in an attribute.
    pub fn field(&self, name: &str) -> Option<Value> {
        match self {
            Facts::Cpu(cpu) => cpu.field(name),
            Facts::Cuda(gpu) => gpu.field(name),
        }
    }

    /// Whether a CPU has a feature or level of this name; `false` for names it does not know.
    pub fn has(&self, feature: &str) -> bool {
        match self {
            Facts::Cpu(cpu) => cpu
                .features
                .binary_search_by(|known| known.as_str().cmp(feature))
                .is_ok(),
            Facts::Cuda(_) => false,
        }
    }
}

/// A name that can stand in a key: printable, with single blanks.
pub fn tidy(text: &str) -> String {
    let printable = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '"' | '\\');
    let text: String = text.chars().filter(|&c| printable(c)).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        "unknown".to_string()
    } else {
        words.join(" ")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A CPU for tests: the same everywhere.
    pub(crate) fn zen() -> Facts {
        let features = ["avx", "avx2", "fma", "x86-64", "x86-64-v2", "x86-64-v3"];
        Facts::Cpu(CpuFacts {
            vendor: "AuthenticAMD".to_string(),
            brand: "AMD EPYC".to_string(),
            family: 26,
            model: 2,
            level: "x86-64-v4".to_string(),
            cores: 2,
            l1d_bytes: 48 << 10,
            l2_bytes: 1 << 20,
            l3_bytes: 32 << 20,
            vector_bits: 512,
            features: features.map(str::to_string).to_vec(),
        })
    }

    #[test]
    fn key_says_what_not_where() {
        assert_eq!(
            zen().key().as_str(),
            "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)"
        );
    }

    #[test]
    fn fields_and_features() {
        assert_eq!(zen().field("l2_bytes"), Some(Value::Int(1 << 20)));
        assert_eq!(zen().field("warp_size"), None);
        assert!(zen().has("avx2") && !zen().has("avx512f") && !zen().has("") && !zen().has("AVX2"));
    }

    #[test]
    fn names_are_made_printable() {
        assert_eq!(tidy("  Intel(R)   Xeon\u{7}\0 "), "Intel(R) Xeon");
        assert_eq!(tidy("\n"), "unknown");
    }
}
