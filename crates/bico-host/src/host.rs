//! The CPU that this program runs on: its own words about itself.

use bico_core::device::{CpuFacts, DeviceKey, Facts, tidy};
use std::sync::OnceLock;

/// Facts and key: found once per process, for CPUID traps to the hypervisor in virtual machines.
fn found() -> &'static (Facts, DeviceKey) {
    static FOUND: OnceLock<(Facts, DeviceKey)> = OnceLock::new();
    FOUND.get_or_init(|| {
        let facts = Facts::Cpu(probe::cpu());
        let key = facts.key();
        (facts, key)
    })
}

/// Facts of the CPU that this program runs on.
pub fn this_cpu() -> &'static Facts {
    &found().0
}

/// The key of the CPU that this program runs on.
pub fn this_cpu_key() -> &'static DeviceKey {
    &found().1
}

/// Logical cores of the machine: what a process may use at the moment would make a fact of the same
/// device differ from run to run.
fn cores() -> i64 {
    // Linux lists them as ranges, `0-3,8-11`; elsewhere the file is not there.
    let present = std::fs::read_to_string("/sys/devices/system/cpu/present").ok();
    present
        .and_then(|text| count_ranges(text.trim()))
        .unwrap_or_else(|| {
            std::thread::available_parallelism()
                .map_or(1, |n| i64::try_from(n.get()).unwrap_or(i64::MAX))
        })
}

fn count_ranges(text: &str) -> Option<i64> {
    text.split(',')
        .map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then(|| last - first + 1)
        })
        .sum()
}

/// Where a CPU does not say how large its caches are (some virtual machines), a small one's.
fn caches_or_nominal(found: [i64; 3]) -> [i64; 3] {
    let nominal = [32 << 10, 256 << 10, 2 << 20];
    // A missing third level is a fact where the others are known.
    if found[0] > 0 && found[1] > 0 {
        found
    } else {
        nominal
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod probe {
    use super::{CpuFacts, caches_or_nominal, cores, tidy};
    use crate::cpuid::CpuId;
    use bico_core::Set;

    pub(super) fn cpu() -> CpuFacts {
        let id = CpuId::native();
        let features = features(&id);
        let has = |name: &str| features.iter().any(|f| f == name);
        let base = if cfg!(target_arch = "x86_64") {
            "x86-64"
        } else {
            "x86"
        };
        let level = ["x86-64-v4", "x86-64-v3", "x86-64-v2"]
            .into_iter()
            .find(|l| has(l));
        let [l1d_bytes, l2_bytes, l3_bytes] = caches_or_nominal(id.caches());
        let (family, model) = id.family_and_model();
        CpuFacts {
            vendor: tidy(id.vendor()),
            brand: tidy(&id.brand()),
            family,
            model,
            level: level.unwrap_or(base).to_string(),
            cores: cores(),
            l1d_bytes,
            l2_bytes,
            l3_bytes,
            vector_bits: match () {
                () if has("avx512f") => 512,
                () if has("avx") => 256,
                () => 128,
            },
            features,
        }
    }

    /// The names of what the CPU has and the operating system lets programs use: as in Rust's
    /// `target_feature`, as in gcc's `-m` where that differs, and the levels.
    fn features(id: &CpuId) -> Vec<String> {
        let mut found: Vec<&str> = Vec::new();
        macro_rules! detect {
            ($($name:tt $(= $gcc:literal)?,)*) => {$(
                if std::arch::is_x86_feature_detected!($name) {
                    found.push($name);
                    $(found.push($gcc);)?
                }
            )*};
        }
        detect! {
            "sse", "sse2", "sse3", "ssse3", "sse4.1", "sse4.2", "sse4a", "popcnt",
            "cmpxchg16b" = "cx16", "avx", "avx2", "fma", "f16c", "bmi1" = "bmi", "bmi2", "lzcnt",
            "movbe", "adx", "aes", "vaes", "gfni", "sha", "pclmulqdq" = "pclmul", "vpclmulqdq",
            "rdrand" = "rdrnd", "rdseed", "fxsr", "xsave", "avx512f", "avx512bw", "avx512cd",
            "avx512dq", "avx512vl", "avx512vnni", "avx512bf16", "avx512ifma", "avx512vbmi",
            "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq", "avx512vp2intersect",
        }
        // Not in std's list at our rust-version. The operating system side is that of avx, avx512f.
        let [vnni, fp16] = id.vnni_and_fp16();
        if vnni && found.contains(&"avx") {
            found.push("avxvnni");
        }
        if fp16 && found.contains(&"avx512f") {
            found.push("avx512fp16");
        }
        if found.contains(&"lzcnt") && found.contains(&"popcnt") {
            found.push("abm");
        }
        if found.contains(&"sse4.2") {
            found.push("sse4");
        }
        // The levels of the x86-64 psABI; a level includes the ones below.
        const LEVELS: [(&str, &[&str]); 3] = [
            (
                "x86-64-v2",
                &["cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"],
            ),
            (
                "x86-64-v3",
                &[
                    "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe",
                ],
            ),
            (
                "x86-64-v4",
                &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
            ),
        ];
        if cfg!(target_arch = "x86_64") {
            found.push("x86-64");
            for (level, needs) in LEVELS {
                if !needs.iter().all(|need| found.contains(need)) {
                    break;
                }
                found.push(level);
            }
        }
        let found: Set<&str> = found.into_iter().collect();
        found.into_iter().map(str::to_string).collect()
    }
}

/// Elsewhere nothing but the architecture is known: caches are nominal, vectors those that every
/// CPU of the kind has. CPUs of one architecture share a key.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
mod probe {
    use super::{CpuFacts, caches_or_nominal, cores, tidy};

    pub(super) fn cpu() -> CpuFacts {
        let arch = std::env::consts::ARCH;
        let [l1d_bytes, l2_bytes, l3_bytes] = caches_or_nominal([0; 3]);
        let mut features = vec![arch.to_string()];
        if cfg!(target_feature = "neon") {
            features.push("neon".to_string());
        }
        features.sort_unstable();
        CpuFacts {
            vendor: tidy(""),
            brand: arch.to_string(),
            family: 0,
            model: 0,
            level: arch.to_string(),
            cores: cores(),
            l1d_bytes,
            l2_bytes,
            l3_bytes,
            vector_bits: 128,
            features,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_in_ranges() {
        assert_eq!(count_ranges("0"), Some(1));
        assert_eq!(count_ranges("0-1"), Some(2));
        assert_eq!(count_ranges("0-3,8-11,16"), Some(9));
        assert_eq!(count_ranges(""), None);
        assert_eq!(count_ranges("3-1"), None);
    }

    #[test]
    fn this_cpu_is_consistent() {
        let Facts::Cpu(cpu) = this_cpu() else {
            panic!("a CPU");
        };
        assert!(cpu.features.is_sorted(), "{:?}", cpu.features);
        assert!(cpu.cores >= 1 && cpu.l1d_bytes > 0 && cpu.l2_bytes >= cpu.l1d_bytes);
        assert!(this_cpu().has(&cpu.level) || cpu.level == "x86", "{cpu:?}");
        let key = this_cpu_key().as_str();
        assert!(
            !key.chars().any(char::is_control) && !key.contains("  "),
            "{key}"
        );
        if cpu.vector_bits == 512 {
            assert!(this_cpu().has("avx512f"));
        }
    }

    #[test]
    fn caches_that_are_not_said_are_nominal() {
        assert_eq!(caches_or_nominal([1, 2, 0]), [1, 2, 0]);
        assert!(caches_or_nominal([0, 2, 3])[0] > 0);
    }
}
