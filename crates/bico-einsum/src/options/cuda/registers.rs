//! FP32 inputs, on the CUDA cores.

use super::Kind;
use super::layout::Layout;

/// Cycles of a multiprocessor for one k of a block: to issue, to multiply, to read and write shared memory.
const SCORE: &str = "\
        let threads_ = M_PRIM / MR * (N_PRIM / NR);
        let warps_ = threads_ / 32;
        let shared_ = 4 * STAGES * K_PRIM * (M_PRIM + N_PRIM + 8);
        let lanes_ = if device.compute_capability == 75 || device.compute_capability == 80 { 64 } else { 128 };
        let copies_ = K_PRIM * (M_PRIM + N_PRIM) / load_width_ / threads_;
        let registers_ = MR * NR + 2 * (MR + NR) + copies_ + 30;
        let room_ = (device.shared_memory_per_multiprocessor / (shared_ + 1024))
            .min(device.registers_per_multiprocessor / (registers_ * threads_))
            .min(device.max_threads_per_multiprocessor / threads_);
        let each_ = across_blocks_ / device.multiprocessors;
        let issue_ = warps_ * (MR * NR + (MR + NR) / 4 + (3 * copies_ + 30) / K_PRIM) / 4;
        let multiply_ = M_PRIM * N_PRIM / lanes_;
        let on_chip_ = warps_ * (MR + NR) / 2 + (M_PRIM + N_PRIM) / 32;
        let busy_ = K_PRIM * (issue_.max(multiply_).max(on_chip_) + on_chip_ / 4);";

/// Copies that come late are waited for, and at a barrier another block has work, if there is one.
const CYCLES: &str = "\
        let parallel_ = resident_ * warps_ * (MR * NR).min(64) / 64;
        let late_ = 800 / (STAGES - 1);
        let wait_ = late_ * late_ / (8 * busy_ * resident_) + 100 / resident_
            + if resident_ < 2 { busy_ / 25 } else { 0 };
        let step_cycles_ = busy_ * (1 + 1 / parallel_ / 2) + wait_ / resident_;
        let rounds_ = 0.25 * each_ + 0.75 * each_.div_ceil(1);
        let cycles_ = rounds_ * (steps_ * step_cycles_ + 2500 / resident_ + stores_);";

pub(super) fn kind(layout: &Layout) -> Kind {
    let [down, across] = ["(M_PRIM / MR)", "(N_PRIM / NR)"];
    let threads = format!("{down} * {across}");
    let [a, b] = layout
        .along_k
        .map(|along_k| if along_k { " + 4" } else { "" });
    let shared = format!("4 * STAGES * K_PRIM * (M_PRIM{a} + N_PRIM{b})");
    let copies = "K_PRIM * (M_PRIM + N_PRIM)";
    let needed = format!("MR * NR + 2 * (MR + NR) + {copies} / ({threads}).max(1) / 4 + 30");
    // Near squares read least of A and B. The code of a step fits the instruction cache.
    let mut require = format!(
        "MR >= 4 && MR.is_multiple_of(4) && M_PRIM.is_multiple_of(MR),
        NR >= 4 && NR.is_multiple_of(4) && N_PRIM.is_multiple_of(NR),
        MR * NR <= 128 && MR <= 2 * NR && NR <= 2 * MR,
        {down} >= 2 && {down}.is_power_of_two() && {across} >= 2 && {across}.is_power_of_two(),
        {threads} >= 64 && {threads} <= 512 && {threads} <= device.max_threads_per_block,
        K_PRIM >= 8 && K_PRIM.is_power_of_two() && STAGES >= 2,
        MR * NR * K_PRIM <= 2048,
        {copies} / 4 <= 16 * ({threads}),
        {needed} <= 255 && ({needed}) * {threads} <= device.registers_per_block,
        {shared} <= device.shared_memory_per_block_optin,"
    );
    // Each thread copies as much.
    for (along_k, own) in layout.along_k.into_iter().zip(["M_PRIM", "N_PRIM"]) {
        require += &match along_k {
            true => format!(
                "{own}.is_power_of_two() && ({own} * K_PRIM).is_multiple_of(({threads}).max(1)),"
            ),
            false => format!(
                "{own} >= 4 && ({threads}).is_multiple_of({own} / 4)
                && ({own} * K_PRIM).is_multiple_of(4 * ({threads}).max(1)),"
            ),
        };
    }
    Kind {
        space: "M_PRIM in [64, 128, 32, 256],
            N_PRIM in [64, 128, 32, 256],
            MR in [4, 8, 16],
            NR in [4, 8, 16],
            K_PRIM in [16, 8, 32],
            STAGES in [2, 3, 4],"
            .to_string(),
        require,
        threads,
        shared,
        score: SCORE,
        cycles: CYCLES,
        widest: 4,
        narrow: "1",
    }
}
