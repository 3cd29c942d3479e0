//! The vector width that compiler flags allow.

/// Widest vector in bits that code compiled with these flags may use; 0: the device's own, because
/// the flags leave it to the machine or name a CPU that is not known here.
///
/// `level` is the device's ([`bico_core::device::CpuFacts::level`]): without any flag, compilers aim at
/// the oldest CPU of an architecture.
#[inline]
pub(crate) fn vector_bits(flags: &[String], level: &str) -> i64 {
    let mut width = if level.starts_with("x86-64") { 128 } else { 0 };
    let mut preferred = i64::MAX;
    // In the manner of compilers: `-march` sets the ground wherever it stands, the last one wins; then come
    // the single features in their order.
    let mut features = Vec::new();
    for flag in flags {
        if let Some(cpu) = flag.strip_prefix("-march=") {
            width = of_cpu(cpu);
        } else if let Some(bits) = flag.strip_prefix("-mprefer-vector-width=") {
            preferred = bits.parse().unwrap_or(i64::MAX);
        } else if let Some(feature) = flag.strip_prefix("-m") {
            features.push(feature);
        }
    }
    for feature in features {
        if let Some(without) = feature.strip_prefix("no-") {
            if width > 0 {
                width = width.min(of_feature(without).map_or(width, |bits| bits / 2).max(64));
            }
        } else if width > 0 {
            width = width.max(of_feature(feature).unwrap_or(0));
        }
    }
    match width {
        0 if preferred == i64::MAX => 0,
        0 => preferred,
        _ => width.min(preferred),
    }
}

#[inline]
fn of_cpu(cpu: &str) -> i64 {
    match cpu {
        "x86-64" | "x86-64-v2" | "nocona" | "core2" | "nehalem" | "westmere" => 128,
        "sandybridge" | "ivybridge" | "haswell" | "broadwell" | "skylake" | "alderlake"
        | "x86-64-v3" | "znver1" | "znver2" | "znver3" => 256,
        "skylake-avx512" | "cascadelake" | "icelake-client" | "icelake-server"
        | "sapphirerapids" | "x86-64-v4" | "znver4" | "znver5" => 512,
        _ => 0,
    }
}

#[inline]
fn of_feature(feature: &str) -> Option<i64> {
    if feature.starts_with("avx512") {
        Some(512)
    } else if feature.starts_with("avx")
        || matches!(feature, "fma" | "f16c" | "vaes" | "vpclmulqdq")
    {
        Some(256)
    } else if feature.starts_with("sse") || feature.starts_with("ssse") {
        Some(128)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::vector_bits;

    #[test]
    fn levels_features_and_cpus() {
        let bits = |flags: &[&str]| {
            let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
            vector_bits(&flags, "x86-64-v4")
        };
        assert_eq!(bits(&[]), 128);
        assert_eq!(bits(&["-O3", "-msse4.2"]), 128);
        assert_eq!(bits(&["-march=x86-64-v2"]), 128);
        assert_eq!(bits(&["-mavx2", "-march=x86-64-v2"]), 256);
        assert_eq!(bits(&["-march=x86-64-v3"]), 256);
        assert_eq!(bits(&["-march=x86-64-v2", "-march=znver4"]), 512);
        assert_eq!(bits(&["-march=x86-64-v3", "-mavx512f"]), 512);
        assert_eq!(bits(&["-march=x86-64-v4", "-mno-avx512f"]), 256);
        assert_eq!(
            bits(&["-march=x86-64-v4", "-mprefer-vector-width=256"]),
            256
        );
        assert_eq!(bits(&["-march=native"]), 0);
        assert_eq!(bits(&["-march=native", "-mprefer-vector-width=256"]), 256);
    }

    #[test]
    fn other_architectures_are_left_to_the_device() {
        assert_eq!(vector_bits(&["-O3".to_string()], "aarch64"), 0);
    }
}
