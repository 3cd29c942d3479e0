//! Cubins of the real NVRTC (`../fixtures`), whole and damaged.

use super::*;
use proptest::prelude::*;

const TILED: &str = "_Z5tiledILi32ELi16EEvPfPKfih4Pair";

/// Compute capability, who compiled it, and the file; the registers of `tiled` and of `stack` as
/// ptxas' log has them.
const FIXTURES: [(u16, &[u8], [u32; 2]); 4] = [
    (75, include_bytes!("../fixtures/12.9-sm_75.cubin"), [9, 8]),
    (90, include_bytes!("../fixtures/12.9-sm_90.cubin"), [10, 8]),
    (80, include_bytes!("../fixtures/13.5-sm_80.cubin"), [9, 8]),
    (
        120,
        include_bytes!("../fixtures/13.5-sm_120.cubin"),
        [10, 12],
    ),
];

#[test]
fn kernels_of_real_cubins() {
    for (capability, bytes, registers) in FIXTURES {
        let tiled = read(bytes, TILED).unwrap();
        let expected = Resources {
            registers: registers[0],
            // On sm_90 and later the section has 1024 more.
            shared_bytes: 32 * 16 * 4,
            ..Resources::default()
        };
        assert_eq!(tiled.resources, Some(expected), "sm_{capability}");
        assert_eq!(tiled.parameters, Some(vec![8, 8, 4, 1, 16]));
        let stack = read(bytes, "stack").unwrap();
        let expected = Resources {
            registers: registers[1],
            local_bytes: 64,
            ..Resources::default()
        };
        assert_eq!(stack.resources, Some(expected), "sm_{capability}");
        assert_eq!(stack.parameters, Some(vec![8, 4]));
        assert_eq!(read(bytes, "tile").unwrap_err(), "it has no kernel `tile`");
    }
}

#[test]
fn rubbish_is_an_error() {
    assert!(read(b"", "k").is_err());
    assert!(read(b"// PTX\n.version 8.0\n", "k").is_err());
    assert!(read(&[0; 4096], "k").is_err());
    for (_, bytes, _) in FIXTURES {
        for end in (0..bytes.len()).step_by(7) {
            // The end holds what the system loads; all that is read here stands before it.
            let _ = read(&bytes[..end], TILED);
        }
        assert!(read(&bytes[..bytes.len() / 2], TILED).is_err());
    }
}

#[test]
fn attributes_that_end_too_soon_are_told() {
    assert_eq!(attributes(&[]), Ok(vec![]));
    assert_eq!(
        attributes(&[3, 0x1b, 255, 0]),
        Ok(vec![(0x1b, &[255, 0][..])])
    );
    assert_eq!(
        attributes(&[4, 0x17, 4, 0, 1, 2, 3]).unwrap_err(),
        "an attribute is longer than its section"
    );
    assert_eq!(
        attributes(&[9, 0x17, 4, 0]).unwrap_err(),
        "an attribute has the unknown format 9"
    );
}

#[test]
fn parameters_that_are_not_all_there_are_unknown() {
    let payload = |ordinal: u16, bytes: u32| {
        let mut payload = vec![0; 4];
        payload.extend(ordinal.to_le_bytes());
        payload.extend([0, 0]);
        payload.extend((bytes << 18).to_le_bytes());
        payload
    };
    let (first, third) = (payload(0, 8), payload(2, 4));
    let size = (PARAMETERS_SIZE, &[24, 0][..]);
    let none = (PARAMETERS_SIZE, &[0, 0][..]);
    assert_eq!(parameters(&[none]), Some(vec![]));
    assert_eq!(parameters(&[]), Some(vec![]));
    assert_eq!(parameters(&[(PARAMETER, &first), size]), Some(vec![8]));
    assert_eq!(
        parameters(&[(PARAMETER, &first), (PARAMETER, &third), size]),
        None
    );
    assert_eq!(parameters(&[size]), None);
    let mut large = payload(1, 0);
    large[8..12].copy_from_slice(&20_000_u32.to_le_bytes());
    let both = [(LARGE_PARAMETER, &large[..]), (PARAMETER, &first), size];
    assert_eq!(parameters(&both), Some(vec![8, 20_000]));
}

#[test]
fn threads_are_those_of_all_directions() {
    let payload = |words: [u32; 3]| words.map(u32::to_le_bytes).concat();
    let of = |payload: &[u8]| max_threads(&[(MAX_THREADS, payload)]);
    assert_eq!(of(&payload([32, 4, 2])), Some(256));
    assert_eq!(of(&payload([u32::MAX, 2, 1])), None);
    assert_eq!(of(&[0; 8]), None);
    assert_eq!(max_threads(&[]), None);
}

proptest! {
    #[test]
    fn damaged_cubins_never_panic(
        which in 0..FIXTURES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let mut bytes = FIXTURES[which].1.to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read(&bytes, TILED);
        let _ = read(&bytes, "stack");
    }

    /// Most of a file is code; this aims at its head, its tables and its attributes.
    #[test]
    fn damaged_tables_never_panic(
        which in 0..FIXTURES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 1..8),
    ) {
        let mut bytes = FIXTURES[which].1.to_vec();
        let table = u64::from_le_bytes(bytes[0x28..0x30].try_into().unwrap()) as usize;
        let places: Vec<usize> = (0..64).chain(table..bytes.len().min(table + 64 * 30)).step_by(4)
            .chain((0x700..0xc00).step_by(4)).collect();
        for (at, word) in changes {
            let at = places[at.index(places.len())];
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let _ = read(&bytes, TILED);
    }
}

/// The fixtures of the version that is there, if any is, byte for byte. One that is empty is filled: so are those of another
/// version made.
#[test]
fn fixtures_are_what_nvrtc_makes() {
    use bico_device::nvrtc::{Nvrtc, Program};
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compile/cuda/fixtures");
    let Ok(nvrtc) = Nvrtc::find(None) else {
        println!("SKIPPED: no NVRTC");
        return;
    };
    let (major, minor) = nvrtc.version();
    for capability in if major < 13 { [75, 90] } else { [80, 120] } {
        let file = folder.join(format!("{major}.{minor}-sm_{capability}.cubin"));
        let Ok(before) = std::fs::read(&file) else {
            println!("SKIPPED: no {}", file.display());
            continue;
        };
        let compiled = nvrtc
            .compile(&Program {
                source: &std::fs::read_to_string(folder.join("kernels.cu")).unwrap(),
                name: "kernels.cu",
                options: &[
                    format!("--gpu-architecture=sm_{capability}"),
                    "--ptxas-options=-v".into(),
                ],
                expressions: &["tiled<32, 16>"],
            })
            .unwrap();
        assert_eq!(compiled.entries, [TILED]);
        println!("sm_{capability}\n{}", compiled.log);
        let cubin = compiled.cubin.unwrap();
        if before.is_empty() {
            std::fs::write(file, cubin).unwrap();
        } else {
            assert!(before == cubin, "{} is another one", file.display());
        }
    }
}
