//! What must come from a GPU's memory? The L2 model on the batched 4 x 4096^3 product, and beside its simulation.
//!
//! Nothing is measured: these are predictions, the same on any machine.

mod gpus;

use bico_l2_model::{self as l2, Agreement, Case, Launch, Mapping, Problem, Tile, Traffic};
use gpus::{CACHE_BYTES, GPUS, Gpu};
use serde_json::{Value, json};

/// 4 x 4096^3 in F16, as the kernels write it: sums are FP32, C is F16.
const PROBLEM: Problem = Problem {
    batches: 4,
    m: 4096,
    n: 4096,
    k: 4096,
    input_bytes: 2,
    output_bytes: 2,
    last_bytes: 0,
};

/// The exercise's tile, from 48 KiB of shared memory, and one whose blocks ask half as much of the cache.
const TILES: [Tile; 2] = [
    Tile {
        m: 64,
        n: 64,
        k: 128,
    },
    Tile {
        m: 128,
        n: 128,
        k: 32,
    },
];

/// Blocks that a multiprocessor holds.
const RESIDENT: [u64; 2] = [1, 4];

/// Problems of random launches, eight orders each; 25 are what the test takes.
const PROBLEMS: usize = 250;
const SEED: u64 = 7;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let mut rows = Vec::new();
    for tile in TILES {
        for gpu in &GPUS {
            for resident in RESIDENT {
                rows.extend(table(gpu, tile, resident, json));
            }
        }
    }
    let simulated = simulated(json);
    let speeds = speeds(json);
    let agreements = agreements(json);
    Ok(json!({ "orders": rows, "simulated": simulated, "speeds": speeds, "agreement": agreements }))
}

/// The orders of one GPU, tile and number of resident blocks.
fn table(gpu: &Gpu, tile: Tile, resident: u64, json: bool) -> Vec<Value> {
    let slots = gpu.multiprocessors * resident;
    let launch = Launch {
        line_bytes: 1,
        ..Launch::new(PROBLEM, tile, slots, gpu.l2_bytes)
    };
    let plain = launch.mapping;
    let half = Launch {
        l2_bytes: gpu.l2_bytes / 2,
        ..launch
    };
    let (best, half_best) = (best(&launch), best(&half));
    let orders = [
        ("row-major".to_string(), plain),
        ("24 x 24".to_string(), plain.grouped(24, 24)),
        ("32 x 16".to_string(), plain.grouped(32, 16)),
        (
            "8 x all, down".to_string(),
            plain.grouped(8, plain.columns).walked(true, false),
        ),
        (format!("best: {}", describe(&best)), best),
        (format!("best of half: {}", describe(&half_best)), half_best),
    ];
    let first = l2::predict(&launch);
    if !json {
        println!(
            "\n{}, tile {} x {} x {}, {resident} blocks on each of {}: {} in flight; a wave in row-major order takes {} MiB, a step of it {:.2} MiB; L2 {} MiB",
            gpu.name,
            tile.m,
            tile.n,
            tile.k,
            gpu.multiprocessors,
            launch.in_flight(),
            mib(first.wave_bytes),
            first.step_bytes / f64::from(1 << 20),
            gpu.l2_bytes >> 20,
        );
        println!(
            "  {:<36} {:>10} {:>8} {:>10} {:>9} {:>8}",
            "order", "device MiB", "ms", "half L2", "L2-SM GiB", "ms"
        );
    }
    orders
        .into_iter()
        .map(|(name, mapping)| {
            let traffic = l2::predict(&launch.mapped(mapping));
            let halved = l2::device_bytes(&half.mapped(mapping));
            row(gpu, tile, resident, &name, &traffic, halved, json)
        })
        .collect()
}

fn row(
    gpu: &Gpu,
    tile: Tile,
    resident: u64,
    name: &str,
    traffic: &Traffic,
    halved: f64,
    json: bool,
) -> Value {
    let memory_ms = traffic.device_bytes / gpu.memory * 1e3;
    let cache = gpu.multiprocessors as f64 * CACHE_BYTES * gpu.clock;
    let cache_ms = traffic.requested_bytes / cache * 1e3;
    if !json {
        println!(
            "  {name:<36} {:>10} {memory_ms:>8.2} {:>10} {:>9.1} {cache_ms:>8.2}",
            mib(traffic.device_bytes),
            mib(halved),
            traffic.requested_bytes / f64::from(1 << 30),
        );
    }
    json!({
        "gpu": gpu.name,
        "tile": [tile.m, tile.n, tile.k],
        "resident": resident,
        "order": name,
        "device_bytes": traffic.device_bytes.round(),
        "device_bytes_half_l2": halved.round(),
        "memory_ms": memory_ms,
        "cache_bytes": traffic.requested_bytes,
        "cache_ms": cache_ms,
        "wave_bytes": traffic.wave_bytes.round(),
        "step_bytes": traffic.step_bytes.round(),
    })
}

/// The order of fewest bytes among all group sizes and directions; of equal ones the smallest group.
fn best(launch: &Launch) -> Mapping {
    let plain = launch.mapping;
    let mut best = (plain, l2::device_bytes(launch));
    for area in 1..=plain.rows * plain.columns {
        for m_l2 in (1..=plain.rows).filter(|m_l2| area % m_l2 == 0) {
            let n_l2 = area / m_l2;
            if n_l2 > plain.columns {
                continue;
            }
            for (groups, blocks) in [(true, true), (true, false), (false, true), (false, false)] {
                let mapping = plain.grouped(m_l2, n_l2).walked(groups, blocks);
                let bytes = l2::device_bytes(&launch.mapped(mapping));
                // Less than a thousandth is nothing.
                if bytes < 0.999 * best.1 {
                    best = (mapping, bytes);
                }
            }
        }
    }
    best.0
}

fn describe(mapping: &Mapping) -> String {
    let direction = |along_n| if along_n { "right" } else { "down" };
    format!(
        "{} x {}, {}, groups {}",
        mapping.m_l2,
        mapping.n_l2,
        direction(mapping.blocks_along_n),
        direction(mapping.groups_along_n)
    )
}

/// The whole product simulated with 128-byte lines, for caches and blocks in flight of three of the tables.
fn simulated(json: bool) -> Vec<Value> {
    if !json {
        println!(
            "\ntile 64 x 64 x 128, predicted and simulated\n\n  {:>9} {:>6}  {:<30} {:>10} {:>10}",
            "in flight", "L2 MiB", "order", "predicted", "simulated"
        );
    }
    let mut rows = Vec::new();
    for (slots, mebibytes) in [(24, 24), (132, 25), (132, 50)] {
        let launch = Launch::new(PROBLEM, TILES[0], slots, mebibytes << 20);
        let plain = launch.mapping;
        let strips = |width| plain.grouped(1, width).walked(false, true);
        for mapping in [
            plain,
            plain.grouped(24, 24),
            plain.grouped(32, 16),
            plain.grouped(8, plain.columns).walked(true, false),
            strips(22),
            strips(32),
        ] {
            let launch = launch.mapped(mapping);
            let predicted = l2::device_bytes(&launch);
            let bytes = l2::simulate(&launch, &[]).device_bytes();
            let order = describe(&mapping);
            if !json {
                println!(
                    "  {slots:>9} {mebibytes:>6}  {order:<30} {:>6} MiB {:>6} MiB",
                    mib(predicted),
                    mib(bytes as f64),
                );
            }
            rows.push(json!({
                "in_flight": slots,
                "l2_bytes": mebibytes << 20,
                "order": order,
                "predicted_bytes": predicted.round(),
                "simulated_bytes": bytes,
            }));
        }
    }
    rows
}

/// The exercise's two speeds as times, and the bandwidth at which bytes alone could make the difference.
fn speeds(json: bool) -> Value {
    let ms = |tflops: f64| PROBLEM.flops() as f64 / tflops / 1e9;
    let (plain, grouped) = (ms(15.14), ms(5.66));
    let tile = TILES[0];
    let requested = l2::predict(&Launch::new(PROBLEM, tile, 1, 1)).requested_bytes;
    let least = PROBLEM.compulsory_bytes() as f64;
    let bandwidth = (requested - least) / (grouped - plain) * 1e3;
    if !json {
        println!(
            "\n15.14 TFLOP/s are {plain:.1} ms, 5.66 are {grouped:.1} ms. Blocks of {} x {} ask for {:.1} GB in all, {:.2} GB must move.\nIf no block ever found anything in the cache, the difference would take {:.0} GB/s of memory.",
            tile.m,
            tile.n,
            requested / 1e9,
            least / 1e9,
            bandwidth / 1e9,
        );
    }
    json!({ "plain_ms": plain, "grouped_ms": grouped, "requested_bytes": requested, "compulsory_bytes": least, "bandwidth": bandwidth })
}

/// The model beside the simulation.
fn agreements(json: bool) -> Vec<Value> {
    if !json {
        println!(
            "\nrank correlation of model and simulation: of bytes, of bytes over the least possible, of orders of the same problem (pooled; median)\n\n  {:<56} {:>6} {:>6} {:>6} {:>6} {:>6} {:>11} {:>10}",
            "launches", "number", "bytes", "over", "orders", "median", "choice +%", "row-major +%"
        );
    }
    let mut rows = Vec::new();
    for drift in [false, true] {
        let cases = l2::cases(SEED, PROBLEMS, drift);
        let what = if drift {
            "up to three steps apart"
        } else {
            "in step"
        };
        let of_test = l2::cases(SEED, 25, drift);
        let fits: Vec<Case> = cases
            .iter()
            .filter(|case| holds_steps(case))
            .cloned()
            .collect();
        for (name, cases) in [
            (format!("{what}, those of the test"), of_test),
            (format!("{what}, more"), cases),
            (format!("{what}, L2 holds two steps of a wave"), fits),
        ] {
            let agreement = l2::agreement(&cases);
            if !json {
                print(&name, &agreement);
            }
            rows.push(json!({
                "cases": name,
                "number": agreement.cases,
                "bytes": agreement.bytes,
                "excess": agreement.excess,
                "order": agreement.order,
                "median": agreement.median,
                "regret": agreement.regret,
                "row_major_regret": agreement.row_major,
            }));
        }
    }
    rows
}

/// As every GPU of the table does.
fn holds_steps(case: &Case) -> bool {
    case.launch.l2_bytes as f64 >= 2.0 * l2::predict(&case.launch).step_bytes
}

fn print(name: &str, agreement: &Agreement) {
    println!(
        "  {name:<56} {:>6} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>11.1} {:>10.1}",
        agreement.cases,
        agreement.bytes,
        agreement.excess,
        agreement.order,
        agreement.median,
        100.0 * agreement.regret,
        100.0 * agreement.row_major,
    );
}

fn mib(bytes: f64) -> u64 {
    (bytes / f64::from(1 << 20)).round() as u64
}
