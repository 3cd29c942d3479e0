//! A GEMM space of our own, in the manner of the LANAI and BEAST studies: fifteen dimensions, ranges
//! that step by earlier parameters, ten conditions from the hardware's limits and the kernel's shape.

use super::definition::Definition;
use serde_json::{Value as Json, json};

/// The thread grid, the tile of a block, how wide reads are, the shapes in which the threads of a block
/// read their tiles of A and B, and three switches.
const DOMAINS: &str = "
    DIM_M in (4..=64).step_by(4),
    DIM_N in (4..=64).step_by(4),
    BLK_M in (DIM_M..=MAX_TILE).step_by(DIM_M),
    BLK_N in (DIM_N..=MAX_TILE).step_by(DIM_N),
    BLK_K in (8..=64).step_by(8),
    VEC in [1, 2, 4],
    VEC_MUL in [0, 1],
    DIM_M_A in powers_of_two(4..=BLK_M),
    DIM_N_A in powers_of_two(1..=BLK_K),
    DIM_M_B in powers_of_two(1..=BLK_K),
    DIM_N_B in powers_of_two(4..=BLK_N),
    TEX_A in [0, 1],
    TEX_B in [0, 1],
    SHMEM_L1 in [0, 1],
    SHMEM_BANKS in [4, 8]";

const CONDITIONS: &[&str] = &[
    "DIM_M * DIM_N <= MAX_THREADS && DIM_M * DIM_N % WARP == 0",
    "(BLK_M / DIM_M) * (BLK_N / DIM_N) + BLK_M / DIM_M + BLK_N / DIM_N + 24 <= MAX_REGISTERS",
    "((BLK_M / DIM_M) * (BLK_N / DIM_N) + BLK_M / DIM_M + BLK_N / DIM_N + 24) * DIM_M * DIM_N \
     <= REGISTERS_PER_BLOCK",
    "2 * BLK_M * BLK_N >= 64 * (BLK_M + BLK_N)",
    "4 * BLK_K * (BLK_M + BLK_N) <= if SHMEM_L1 == 1 { SHARED } else { SHARED / 3 }",
    "VEC_MUL == 0 || (BLK_M / DIM_M) % VEC == 0",
    "BLK_M % (DIM_M_A * VEC) == 0 && DIM_M_A * DIM_N_A == DIM_M * DIM_N && BLK_K % DIM_N_A == 0",
    "BLK_M % VEC == 0 && BLK_K % VEC == 0",
    "BLK_K % (DIM_M_B * VEC) == 0 && DIM_M_B * DIM_N_B == DIM_M * DIM_N && BLK_N % DIM_N_B == 0",
    "TEX_A == 0 && TEX_B == 0 || VEC <= 2",
];

const CONSTS: &[(&str, i64)] = &[
    ("MAX_TILE", 256),
    ("MAX_THREADS", 1024),
    ("WARP", 32),
    ("MAX_REGISTERS", 255),
    ("REGISTERS_PER_BLOCK", 65_536),
    ("SHARED", 49_152),
];

/// The same in Python, where a domain can't depend on other parameters: all values, and restrictions.
fn python() -> Json {
    let steps = |step: usize, last: usize| (step..=last).step_by(step).collect::<Vec<_>>();
    let powers = |first: u32, last: u32| (first..=last).map(|n| 1 << n).collect::<Vec<i64>>();
    json!({
        "name": "lanai_gemm",
        "params": [
            ["DIM_M", steps(4, 64)], ["DIM_N", steps(4, 64)],
            ["BLK_M", steps(4, 256)], ["BLK_N", steps(4, 256)], ["BLK_K", steps(8, 64)],
            ["VEC", [1, 2, 4]], ["VEC_MUL", [0, 1]],
            ["DIM_M_A", powers(2, 8)], ["DIM_N_A", powers(0, 6)],
            ["DIM_M_B", powers(0, 6)], ["DIM_N_B", powers(2, 8)],
            ["TEX_A", [0, 1]], ["TEX_B", [0, 1]], ["SHMEM_L1", [0, 1]], ["SHMEM_BANKS", [4, 8]],
        ],
        "restrictions": [
            "BLK_M % DIM_M == 0",
            "BLK_N % DIM_N == 0",
            "DIM_M * DIM_N <= 1024",
            "DIM_M * DIM_N % 32 == 0",
            "(BLK_M // DIM_M) * (BLK_N // DIM_N) + BLK_M // DIM_M + BLK_N // DIM_N + 24 <= 255",
            "((BLK_M // DIM_M) * (BLK_N // DIM_N) + BLK_M // DIM_M + BLK_N // DIM_N + 24) * DIM_M * DIM_N <= 65536",
            "2 * BLK_M * BLK_N >= 64 * (BLK_M + BLK_N)",
            "4 * BLK_K * (BLK_M + BLK_N) <= (49152 if SHMEM_L1 == 1 else 16384)",
            "VEC_MUL == 0 or (BLK_M // DIM_M) % VEC == 0",
            "DIM_M_A * DIM_N_A == DIM_M * DIM_N",
            "BLK_M % (DIM_M_A * VEC) == 0",
            "BLK_K % DIM_N_A == 0",
            "BLK_M % VEC == 0",
            "BLK_K % VEC == 0",
            "DIM_M_B * DIM_N_B == DIM_M * DIM_N",
            "BLK_K % (DIM_M_B * VEC) == 0",
            "BLK_N % DIM_N_B == 0",
            "(TEX_A == 0 and TEX_B == 0) or VEC <= 2",
        ],
    })
}

pub(crate) fn definition() -> Definition {
    Definition::own("lanai_gemm", DOMAINS, CONDITIONS, CONSTS, python())
}
