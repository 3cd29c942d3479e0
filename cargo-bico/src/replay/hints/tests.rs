use super::*;
use crate::replay::{GpuFacts, Ranking, Record, Status, Table, table::Entry};
use bico_core::Value;
use bico_core::device::Facts;

/// A recording of configs `block_x` x `per_thread`; the first block is slower than the next two.
fn recording(kernel: &str) -> Recording {
    let values = |list: &[i64]| list.iter().map(|v| Value::Int(*v)).collect();
    let parameters = vec![
        ("block_x".to_string(), values(&[32, 96, 100, 2048])),
        ("per_thread".to_string(), values(&[1, 2])),
    ];
    let rows = (0..4)
        .flat_map(|x| [0, 1].map(|y| vec![x, y]))
        .map(|config| Entry {
            record: Record {
                time: Some([3.0, 1.0, 2.0, 4.0][config[0] as usize]),
                status: Status::Ok,
                ..Record::default()
            },
            config,
        })
        .collect();
    let table = Table {
        kernel: kernel.into(),
        device: "A GPU".into(),
        facts: GpuFacts {
            compute_capability: Some(86),
            sm_or_cu_count: Some(10),
            fp32_tflops: Some(2.56),
            ..GpuFacts::default()
        },
        parameters,
        rows,
        ..Table::default()
    };
    Recording::new(Path::new("k__a_gpu.csv"), table).unwrap()
}

const COPY: &str = r#"{
  "kernel": ["copy", "copy_2"],
  "sizes": {"n": 1000000, "per_thread": 99},
  "let": {
    "tile": "block_x * per_thread",
    "blocks": "n.div_ceil(tile)"
  },
  "require": ["tile <= device.max_threads_per_block"],
  "launch": {"grid": ["blocks"], "block": ["block_x"], "guarded": "n % tile != 0"},
  "work": {"bytes": "8 * tile * blocks", "flops": "tile / 3"}
}
"#;

fn predict(text: &str) -> Result<Option<Vec<f64>>, Error> {
    let mut hints = Hints::default();
    hints.add(Path::new("copy.json"), text.into())?;
    hints.predict(&recording("copy"))
}

/// What is predicted of one config.
fn at(predicted: &[f64], block: i64, per_thread: i64) -> f64 {
    let number = recording("copy")
        .configs
        .index_of(&config(block, per_thread));
    predicted[number.unwrap() as usize]
}

fn config(block: i64, per_thread: i64) -> Vec<Value> {
    vec![Value::Int(block), Value::Int(per_thread)]
}

#[test]
fn whole_warps_come_first_and_what_cannot_run_last() {
    let predicted = predict(COPY).unwrap().unwrap();
    let recording = recording("copy");
    let ranked = recording.ranked(Some(&predicted));
    let order: Vec<i64> = ranked
        .order
        .iter()
        .filter_map(|config| match recording.configs.config(*config)[0] {
            Value::Int(block) => Some(block),
            _ => None,
        })
        .collect();
    assert_eq!(order[6..], [2048, 2048], "{order:?}");
    assert!(at(&predicted, 96, 1) < at(&predicted, 100, 1));
}

#[test]
fn a_parameter_hides_a_size() {
    // Twice the work of a thread is half the blocks: `per_thread` is not the size 99.
    let mut hints = Hints::default();
    hints.add(Path::new("copy.json"), COPY.into()).unwrap();
    let source = hints.of("copy_2").unwrap();
    let recording = recording("copy_2");
    let formulas = Formulas::new(&source.path, &source.text, &source.file, &recording).unwrap();
    let (work, code, valid) = formulas.at(&config(96, 2)).unwrap();
    let launch = work.launch.unwrap();
    assert_eq!(
        (launch.blocks, launch.threads, launch.width),
        (5209.0, 96, 96)
    );
    assert!(valid && code.guarded);
    // Division is real in `work`, whole in `launch` and `let`.
    assert_eq!(work.flops, Some(192.0 / 3.0));
    assert_eq!(work.bytes, Some(8.0 * 192.0 * 5209.0));
}

#[test]
fn plain_hints_are_those_of_an_attribute() {
    let mut hints = Hints::default();
    hints.add(Path::new("copy.json"), COPY.into()).unwrap();
    let plain = hints.plain().predict(&recording("copy")).unwrap().unwrap();
    let full = predict(COPY).unwrap().unwrap();
    // The test of the guard is not among them.
    assert!(at(&plain, 96, 1) <= at(&full, 96, 1));
    assert!(at(&plain, 96, 2) < at(&full, 96, 2));
}

#[test]
fn the_gpu_is_the_recorded_one() {
    let mut recorded = recording("copy");
    recorded.facts.smem_per_sm_kb = Some(100.0);
    recorded.facts.l2_mb = Some(5.5);
    recorded.facts.mem_bw_gb_s = Some(336.0);
    let Facts::Cuda(gpu) = gpu(&recorded) else {
        panic!("a GPU");
    };
    assert_eq!(gpu.compute_capability, 86);
    assert_eq!(gpu.shared_memory_per_multiprocessor, 102_400);
    assert_eq!(gpu.l2_bytes, 5_767_168);
    assert_eq!(gpu.memory_bytes_per_second, 336_000_000_000);
    assert_eq!(gpu.multiprocessors, 10);
    assert_eq!(gpu.max_threads_per_multiprocessor, 1536);
    // 128 multiply-adds of 10 multiprocessors: 2560 operations a cycle.
    assert_eq!(gpu.clock_hz, 1_000_000_000);
    let capability = |device: &str, vendor: Option<&str>, arch: Option<&str>| {
        let mut recording = recording("copy");
        recording.device = device.into();
        recording.facts = GpuFacts {
            vendor: vendor.map(String::from),
            arch: arch.map(String::from),
            ..GpuFacts::default()
        };
        let Facts::Cuda(gpu) = super::gpu(&recording) else {
            panic!("a GPU");
        };
        (gpu.compute_capability, gpu.warp_size)
    };
    assert_eq!(capability("NVIDIA RTX A4000", None, None), (80, 32));
    assert_eq!(capability("AMD Radeon PRO W6600", None, None), (0, 64));
    assert_eq!(
        capability("W6600", Some("AMD"), Some("RDNA2 gfx1032")),
        (0, 32)
    );
    assert_eq!(capability("", None, Some("CDNA2 gfx90a")), (0, 64));
}

#[test]
fn other_kernels_have_no_author() {
    let mut hints = Hints::default();
    hints.add(Path::new("copy.json"), COPY.into()).unwrap();
    assert!(hints.predict(&recording("paste")).unwrap().is_none());
    // A link to the same file is no second one.
    hints.add(Path::new("a.json"), COPY.into()).unwrap();
    let twice = hints
        .add(Path::new("b.json"), format!("{COPY}\n"))
        .unwrap_err();
    assert_eq!(
        twice.message,
        "a second file of hints for the kernel `copy`"
    );
    assert_eq!(twice.help.as_deref(), Some("the first one is copy.json"));
}

#[test]
fn mistakes_name_file_field_and_token() {
    let says = |from: &str, to: &str, message: &str, line: u64| {
        assert!(COPY.contains(from), "{from}");
        let Err(error) = predict(&COPY.replacen(from, to, 1)) else {
            panic!("{to} is taken");
        };
        assert!(error.message.contains(message), "{error}");
        assert_eq!(
            (error.line, error.path.to_str()),
            (line, Some("copy.json")),
            "{error}"
        );
    };
    says(
        "block_x * per_thread",
        "block_x * per_thred",
        "in `let.tile`, at `per_thred`: ",
        5,
    );
    says(
        "n.div_ceil(tile)",
        "n.div_up(tile)",
        "in `let.blocks`, at `div_up`: ",
        6,
    );
    says("tile / 3", "tile / ", "in `work.flops`", 10);
    says(
        "device.max_threads_per_block",
        "device.cores",
        "in `require`, at `cores`: ",
        8,
    );
    says("tile / 3", "tile / 0", "division by zero", 10);
    says(
        "[\"block_x\"]",
        "[\"block_x - 64\"]",
        "in `launch.block`",
        9,
    );
    says("[\"block_x\"]", "[]", "`launch.block` has 0 extents", 0);
    says("\"tile\":", "\"n\":", "`let` names `n`", 0);
    says("\"tile\":", "\"blocks\":", "`blocks` is there twice", 7);
    says("\"guarded\"", "\"gaurded\"", "unknown field `gaurded`", 9);
    says(
        "\"kernel\"",
        "kernel",
        "these are no hints: key must be a string",
        2,
    );
    says("n % tile != 0", "n % tile", "in `launch.guarded`", 9);
}

#[test]
fn rankings_are_compared_by_order_and_by_their_first() {
    let recording = recording("copy");
    let blind = Ranking::new(&recording, None);
    assert_eq!((blind.spearman, blind.timed), (None, 8));
    // In the order of the space the first configs are three times as slow as the best.
    assert_eq!(blind.best, [1.0 / 3.0, 1.0, 1.0, 1.0, 1.0]);
    let predicted = predict(COPY).unwrap().unwrap();
    let ranking = Ranking::new(&recording, Some(&predicted));
    assert!(ranking.spearman.unwrap() > 0.8, "{ranking:?}");
    assert_eq!(ranking.best, [1.0; 5]);
}

/// A parameter and some of its values.
type Values = (&'static str, &'static [i64]);

/// The parameters of each kernel that the benches have hints for.
const BENCHES: [(&str, &[Values]); 6] = [
    (
        "convolution_milo",
        &[
            ("block_size_x", &[16, 48, 256]),
            ("block_size_y", &[1, 16]),
            ("tile_size_x", &[1, 3]),
            ("tile_size_y", &[1, 4]),
            ("use_padding", &[0, 1]),
            ("use_shmem", &[0, 1]),
        ],
    ),
    (
        "gemm_clblast",
        &[
            ("MWG", &[16, 128]),
            ("NWG", &[16, 128]),
            ("KWG", &[16, 32]),
            ("MDIMC", &[8, 16]),
            ("NDIMC", &[8, 16]),
            ("VWM", &[1, 8]),
            ("VWN", &[1, 8]),
            ("SA", &[0, 1]),
            ("SB", &[0, 1]),
        ],
    ),
    (
        "dedispersion_milo",
        &[
            ("block_size_x", &[1, 32]),
            ("block_size_y", &[32, 248]),
            ("tile_size_x", &[1, 4]),
            ("tile_size_y", &[1, 8]),
            ("tile_stride_x", &[0, 1]),
        ],
    ),
    (
        "hotspot",
        &[
            ("block_size_x", &[1, 32, 1024]),
            ("block_size_y", &[1, 32]),
            ("tile_size_x", &[1, 10]),
            ("tile_size_y", &[1, 10]),
            ("temporal_tiling_factor", &[1, 10]),
            ("sh_power", &[0, 1]),
        ],
    ),
    (
        "pnpoly",
        &[
            ("block_size_x", &[32, 992]),
            ("tile_size", &[1, 20]),
            ("between_method", &[0, 3]),
            ("use_method", &[0, 1]),
            ("vertices", &[600]),
        ],
    ),
    (
        "ktt_pnpoly",
        &[
            ("BLOCK_SIZE_X", &[32, 992]),
            ("TILE_SIZE", &[1, 20]),
            ("BETWEEN_METHOD", &[0, 3]),
            ("USE_METHOD", &[0, 1]),
        ],
    ),
];

#[test]
fn the_hints_of_the_benches_have_values_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/hints");
    let hints = Hints::read(&[folder]).unwrap();
    for (kernel, parameters) in BENCHES {
        let mut table = Table {
            kernel: kernel.into(),
            facts: GpuFacts {
                compute_capability: Some(80),
                ..GpuFacts::default()
            },
            parameters: Vec::new(),
            rows: vec![Entry {
                config: Vec::new(),
                record: Record::default(),
            }],
            ..Table::default()
        };
        for (name, values) in parameters {
            let known = values.iter().map(|value| Value::Int(*value)).collect();
            table.parameters.push((name.to_string(), known));
            table.rows = (0..values.len() as u32)
                .flat_map(|place| {
                    table.rows.iter().map(move |row| Entry {
                        config: row.config.iter().copied().chain([place]).collect(),
                        ..row.clone()
                    })
                })
                .collect();
        }
        let recording = Recording::new(Path::new("a.csv"), table).unwrap();
        let predicted = hints.predict(&recording).unwrap().expect(kernel);
        let authored = recording.ranked(Some(&predicted));
        let predicted = &authored.predicted;
        assert!(predicted.iter().all(|time| time.is_finite() && *time > 0.0));
        // The hints tell configs apart, and the worst is far from the best.
        assert!(
            predicted[predicted.len() - 1] > 2.0 * predicted[0],
            "{kernel}"
        );
    }
}
