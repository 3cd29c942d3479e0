//! Through the real NVRTC: what is generated compiles for several architectures, and what it takes.

use crate::case::{self, ENTRY, Tunable};
use crate::gpu;
use crate::host::{EINSUMS, tilings};
use crate::space::Written;
use bico_contraction::DataType::{F16, F32};
use bico_contraction::cuda::Tiling;
use bico_contraction_tests::random;
use bico_device::nvrtc::{Nvrtc, Program};
use bico_search::space::Draw;
use fastrand::Rng;
use std::ops::Range;

/// What is compiled for: whatever of it the compiler knows.
const ARCHITECTURES: [u16; 3] = [80, 90, 100];

/// `None`, said loudly, where there is no NVRTC.
fn nvrtc() -> Option<Nvrtc> {
    match Nvrtc::find(None) {
        Ok(nvrtc) => Some(nvrtc),
        // Who names one wants these tests to run.
        Err(missing) if bico_build::env::get("BICO_NVRTC").is_some() => panic!("{missing}"),
        Err(missing) => {
            println!("SKIPPED: no NVRTC\n{missing}");
            None
        }
    }
}

/// What a kernel takes, as the assembler tells it.
#[derive(Debug, Clone, Copy)]
struct Taken {
    registers: u64,
    spilled: u64,
}

/// Compiles a text for one architecture; what its kernel takes.
fn compile(nvrtc: &Nvrtc, source: &str, defines: &[(String, String)], architecture: u16) -> Taken {
    let options = gpu::options(nvrtc, &format!("sm_{architecture}"), defines);
    let program = Program {
        source,
        name: "contraction.cu",
        options: &options,
        expressions: &[ENTRY],
    };
    let compiled = (nvrtc.compile(&program))
        .unwrap_or_else(|log| panic!("sm_{architecture} {defines:?}\n{log}\n{source}"));
    let log = &compiled.log;
    assert!(
        !log.contains("warning"),
        "sm_{architecture} {defines:?}\n{log}\n{source}"
    );
    // The report of this kernel begins with its name and ends with the registers.
    let report = log
        .split("Compiling entry function")
        .find(|part| part.contains(&format!("'{ENTRY}'")));
    let report = report.unwrap_or_else(|| panic!("no report in\n{log}"));
    let number = |before: &str| -> u64 {
        let words: Vec<&str> = report
            .split(before)
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        words
            .last()
            .and_then(|word| word.parse().ok())
            .unwrap_or_else(|| panic!("no {before} in\n{report}"))
    };
    Taken {
        registers: number(" registers"),
        spilled: number(" bytes spill stores"),
    }
}

/// Architectures of [`ARCHITECTURES`] that this compiler knows.
fn architectures(nvrtc: &Nvrtc) -> impl Iterator<Item = u16> {
    ARCHITECTURES
        .into_iter()
        .filter(|wanted| nvrtc.architectures().contains(wanted))
}

/// Kernels of random schedules, each for every architecture or for one of them.
pub(crate) fn random_schedules(seeds: Range<u64>, every: bool) {
    let Some(nvrtc) = nvrtc() else {
        return;
    };
    let mut most = Taken {
        registers: 0,
        spilled: 0,
    };
    let mut compiled = 0;
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let schedule = random::schedule(&mut rng, 3000);
        let case = case::of_schedule(format!("seed {seed}"), &schedule, None, &mut rng);
        for (number, architecture) in architectures(&nvrtc).enumerate() {
            if !every && number as u64 != seed % 3 {
                continue;
            }
            let taken = compile(&nvrtc, &case.source, &[], architecture);
            assert!(taken.spilled <= 96, "sm_{architecture}: {}", case.label);
            most.registers = most.registers.max(taken.registers);
            most.spilled = most.spilled.max(taken.spilled);
            compiled += 1;
        }
    }
    println!("{compiled} compiled, at most {most:?}");
}

/// Texts of tunables, in every layout.
pub(crate) fn layouts() {
    let Some(nvrtc) = nvrtc() else {
        return;
    };
    let mut most = 0;
    for (number, einsum) in EINSUMS.iter().enumerate() {
        for (input, output) in [(F16, F16), (F16, F32), (F32, F32)] {
            let tunable = Tunable::new(einsum, input, output);
            let tiling = tilings(input)[number % 3];
            let vector = if input == F16 { 8 } else { 4 };
            let defines = tunable.defines(&tiling, [8, 4], "mn", vector);
            let architecture = ARCHITECTURES[number % 3];
            if nvrtc.architectures().contains(&architecture) {
                let taken = compile(&nvrtc, &tunable.source, &defines, architecture);
                assert_eq!(taken.spilled, 0, "{einsum} sm_{architecture}");
                most = most.max(taken.registers);
            }
        }
    }
    println!(
        "{} einsums, at most {most} registers, nothing spilled",
        EINSUMS.len()
    );
}

/// Large tiles of `cmk, ckn -> cmn`, as 4 x 4096^3 wants them: all, or some.
pub(crate) fn large_tiles(all: bool) {
    let Some(nvrtc) = nvrtc() else {
        return;
    };
    let tiling = |tile, part, stages| Tiling { tile, part, stages };
    let tiles = [
        (F16, F16, tiling([128, 128, 32], [64, 64], 4), 8),
        (F16, F32, tiling([128, 128, 32], [64, 64], 4), 8),
        (F16, F16, tiling([128, 256, 32], [64, 64], 3), 8),
        (F16, F16, tiling([256, 128, 64], [64, 64], 3), 8),
        (F16, F16, tiling([128, 128, 64], [64, 32], 3), 8),
        (F32, F32, tiling([128, 128, 16], [8, 8], 3), 4),
        (F32, F32, tiling([128, 128, 8], [8, 8], 4), 4),
        (F32, F32, tiling([128, 256, 8], [8, 16], 3), 4),
    ];
    let step = if all { 1 } else { 5 };
    for (input, output, tiling, vector) in tiles.into_iter().step_by(step) {
        let tunable = Tunable::new("cmk, ckn -> cmn", input, output);
        let defines = tunable.defines(&tiling, [8, 8], "mn", vector);
        for architecture in architectures(&nvrtc) {
            let taken = compile(&nvrtc, &tunable.source, &defines, architecture);
            println!("{input:?} to {output:?} {tiling:?}, sm_{architecture}: {taken:?}");
            // A few bytes where the assembler keeps registers back to have room for one more block.
            assert!(taken.spilled <= 32 && taken.registers * tiling.threads(input) <= 65536);
        }
    }
}

/// Configs of the tunable's space at 4 x 4096^3, and at sizes that no load of several elements divides: the most
/// promising ones, and others.
pub(crate) fn spaces(count: usize) {
    let Some(nvrtc) = nvrtc() else {
        return;
    };
    let mut rng = Rng::with_seed(5);
    for (types, edge) in [
        ([F16, F16], 4096),
        ([F32, F32], 4096),
        ([F16, F16], 1001),
        ([F32, F32], 1001),
    ] {
        for architecture in architectures(&nvrtc) {
            let size = |letter| if letter == 'c' { 4 } else { edge };
            let written = Written::new("cmk, ckn -> cmn", types, architecture.into(), size);
            let source = written.source();
            let mut configs: Vec<u64> = written.ranked().into_iter().take(count / 2).collect();
            configs.extend(Draw::new(written.space.len(), rng.fork()).take(count - configs.len()));
            let mut most = Taken {
                registers: 0,
                spilled: 0,
            };
            for config in configs {
                let defines = written.defines(config);
                let taken = compile(&nvrtc, &source, &defines, architecture);
                let threads = written.tiling(config).threads(written.input);
                assert!(
                    taken.spilled <= 96 && taken.registers * threads <= 65536,
                    "sm_{architecture} {defines:?}: {taken:?}"
                );
                most.registers = most.registers.max(taken.registers);
                most.spilled = most.spilled.max(taken.spilled);
            }
            println!(
                "{types:?} {edge} sm_{architecture}: {count} of {} configs, at most {most:?}",
                written.space.len()
            );
        }
    }
}
