//! What a compiler's flags demand of the CPU that runs the code.

use bico_core::Set;

/// Levels of x86-64, as `-march` and `device.has` name them.
const LEVELS: [&str; 4] = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"];

/// Features that `-m` turns on and that `device.has` knows by the same name.
const FEATURES: &str = "abm adx aes avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq avx512f \
    avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni \
    avx512vp2intersect avx512vpopcntdq avxvnni bmi bmi2 cx16 f16c fma fxsr gfni \
    lzcnt movbe pclmul popcnt rdrnd rdseed sha sse sse2 sse3 sse4 sse4.1 sse4.2 \
    sse4a ssse3 vaes vpclmulqdq xsave neon";

/// `-m` flags that change the code, but not where it runs.
const HARMLESS: &str = "64 accumulate-outgoing-args cld ieee-fp omit-leaf-frame-pointer recip \
    red-zone relax stackrealign vzeroupper";

/// The CPU that a flag names, of a compiler of C or of rustc.
fn arch_of(flag: &str) -> Option<&str> {
    let of_c = flag.strip_prefix("-march=");
    of_c.or_else(|| flag.strip_prefix("-Ctarget-cpu="))
}

/// What code compiled with these flags needs of a CPU, by the names that `device.has` takes; and
/// whether only devices on which it was measured may run it, because a flag names a CPU
/// (`-march=native`, `-march=znver4`) or something that `device.has` does not know.
pub fn runs_on(flags: &[impl AsRef<str>]) -> (Vec<&'static str>, bool) {
    let mut level = None;
    let mut foreign_arch = false;
    let mut foreign = false;
    let mut features: Vec<&'static str> = Vec::new();
    for flag in flags {
        let flag = flag.as_ref();
        if let Some(list) = flag.strip_prefix("-Ctarget-feature=") {
            for change in list.split(',') {
                let (name, on) = match change.strip_prefix('-') {
                    Some(name) => (name, false),
                    None => (change.trim_start_matches('+'), true),
                };
                let name = if name == "pclmulqdq" { "pclmul" } else { name };
                let known = FEATURES.split(' ').find(|feature| *feature == name);
                features.retain(|feature| *feature != name);
                features.extend(known.filter(|_| on));
                foreign |= on && known.is_none();
            }
        } else if let Some(arch) = arch_of(flag) {
            // The last one wins.
            level = LEVELS.into_iter().find(|level| *level == arch);
            foreign_arch = level.is_none();
        } else if flag.starts_with("-mcpu=")
            || flag.starts_with("-mfpu=")
            || flag.contains("-target-feature")
        {
            foreign = true;
        } else if let Some(name) = flag.strip_prefix("-mno-") {
            features.retain(|feature| *feature != name);
        } else if let Some(name) = flag.strip_prefix("-m") {
            match FEATURES.split(' ').find(|feature| *feature == name) {
                Some(feature) => features.push(feature),
                // With a value: tuning, code model, vector width.
                None => {
                    foreign |= !name.contains('=') && !HARMLESS.split(' ').any(|word| word == name)
                }
            }
        }
    }
    // Every x86-64 CPU has the first level.
    let mut features = Vec::from_iter(Set::from_iter(features));
    if let Some(level) = level.filter(|level| *level != LEVELS[0]) {
        features.insert(0, level);
    }
    (features, foreign || foreign_arch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_features_are_needs() {
        assert_eq!(
            runs_on(&["-O3", "-march=x86-64-v3"]),
            (vec!["x86-64-v3"], false)
        );
        assert_eq!(
            runs_on(&["-mfma", "-mavx2", "-mfma"]),
            (vec!["avx2", "fma"], false)
        );
        assert_eq!(
            runs_on(&["-march=x86-64-v2", "-mavx512f"]),
            (vec!["x86-64-v2", "avx512f"], false)
        );
        assert_eq!(runs_on(&["-march=x86-64"]), (vec![], false));
        assert_eq!(runs_on(&[""; 0]), (vec![], false));
    }

    #[test]
    fn rustc_has_flags_of_its_own() {
        assert_eq!(
            runs_on(&[
                "-Ctarget-cpu=x86-64-v3",
                "-Ctarget-feature=+avx512f,-fma,+pclmulqdq"
            ]),
            (vec!["x86-64-v3", "avx512f", "pclmul"], false)
        );
        assert_eq!(runs_on(&["-Ctarget-cpu=native"]), (vec![], true));
        assert_eq!(runs_on(&["-Ctarget-feature=+amx-tile"]), (vec![], true));
    }

    #[test]
    fn names_of_cpus_stay_where_they_were_measured() {
        for flag in [
            "-march=native",
            "-march=znver4",
            "-march=skylake-avx512",
            "-mcpu=neoverse-n1",
            "-mavx10.1",
        ] {
            assert_eq!(runs_on(&[flag]), (vec![], true), "{flag}");
        }
    }

    #[test]
    fn the_last_flag_wins() {
        assert_eq!(
            runs_on(&["-march=native", "-march=x86-64-v3"]),
            (vec!["x86-64-v3"], false)
        );
        assert_eq!(
            runs_on(&["-march=x86-64-v3", "-march=native"]),
            (vec![], true)
        );
        assert_eq!(runs_on(&["-mavx2", "-mno-avx2"]), (vec![], false));
    }

    #[test]
    fn flags_that_only_shape_the_code_need_nothing() {
        let flags = [
            "-mtune=native",
            "-mprefer-vector-width=512",
            "-mno-vzeroupper",
            "-mrecip",
            "-funroll-loops",
        ];
        assert_eq!(runs_on(&flags), (vec![], false));
    }

    #[test]
    fn what_is_needed_is_what_devices_tell() {
        let bico_core::device::Facts::Cpu(cpu) = bico_host::this_cpu().clone() else {
            panic!("a CPU");
        };
        // Each feature that this CPU has under the compiler's name makes a need that it meets.
        for feature in &cpu.features {
            if FEATURES.split(' ').any(|name| name == feature) {
                let (needs, foreign) = runs_on(&[format!("-m{feature}")]);
                assert_eq!((needs, foreign), (vec![feature.as_str()], false));
            }
        }
        assert!(
            FEATURES
                .split(' ')
                .any(|feature| bico_host::this_cpu().clone().has(feature))
        );
    }
}
