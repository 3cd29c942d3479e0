//! FP16 inputs, on tensor cores.

use super::Kind;
use super::layout::Layout;

/// What a step of a block takes of tensor cores, shared memory and second-level cache, in cycles.
const SCORE: &str = "\
        let warps_ = M_PRIM / WARP_M * (N_PRIM / WARP_N);
        let shared_ = 2 * STAGES * K_PRIM * (M_PRIM + N_PRIM);
        let registers_ = WARP_M * WARP_N / 32 + (WARP_M + WARP_N) / 2 + 54;
        let rate_ = match device.compute_capability { 80 | 87 => 1024, 90..=119 => 1228, _ => 512 };
        let room_ = (device.shared_memory_per_multiprocessor / (shared_ + 1024))
            .min(device.registers_per_multiprocessor / (32 * registers_ * warps_))
            .min(device.max_threads_per_multiprocessor / (32 * warps_));
        let each_ = across_blocks_ / device.multiprocessors;
        let tensor_ = M_PRIM * N_PRIM * K_PRIM / rate_;
        let on_chip_ = 2 * K_PRIM * (warps_ * (WARP_M + WARP_N) + M_PRIM + N_PRIM) / 128;
        let l2_ = 2 * K_PRIM * (M_PRIM + N_PRIM) / 40;
        let copies_ = K_PRIM * (M_PRIM + N_PRIM) / (32 * load_width_);
        let busy_ = tensor_.max(on_chip_).max(l2_).max(copies_) + 0.2 * (tensor_ + on_chip_ + l2_ + copies_);";

/// Warps hide each other's waits, other blocks those at barriers. A copy takes about 700 cycles, and has STAGES - 1
/// steps for it.
const CYCLES: &str = "\
        let step_cycles_ = (busy_ * (1 + 1 / (resident_ * warps_))).max(700 / (STAGES - 1) / resident_)
            + 150 / (STAGES - 1).min(3) / resident_;
        let rounds_ = 0.25 * each_ + 0.75 * each_.div_ceil(1);
        let cycles_ = rounds_ * (steps_ * step_cycles_ + 1500 / resident_ + stores_);";

pub(super) fn kind(layout: &Layout) -> Kind {
    let warps = "(M_PRIM / WARP_M).max(1) * (N_PRIM / WARP_N).max(1)";
    let threads = format!("32 * {warps}");
    // Results are exchanged among the lanes of 32 columns.
    let rows = ("in [32, 64, 16, 128]", 16);
    let columns = ("in [32, 64, 128]", 32);
    let ((warp_m, step_m), (warp_n, step_n)) = match layout.swapped {
        true => (columns, rows),
        false => (rows, columns),
    };
    let shared = "2 * STAGES * K_PRIM * (M_PRIM + N_PRIM)";
    // Sums, two slices of A and B, addresses.
    let registers = "WARP_M * WARP_N / 32 + (WARP_M + WARP_N) / 2 + 54";
    // Before 75 there is neither `ldmatrix` nor the product.
    let mut require = format!(
        "device.compute_capability >= 75,
        WARP_M >= {step_m} && WARP_M.is_multiple_of({step_m}) && M_PRIM.is_multiple_of(WARP_M),
        WARP_N >= {step_n} && WARP_N.is_multiple_of({step_n}) && N_PRIM.is_multiple_of(WARP_N),
        K_PRIM >= 32 && K_PRIM.is_power_of_two(),
        STAGES >= 2 && (STAGES == 2 || device.compute_capability >= 80),
        {warps} <= 16 && {threads} <= device.max_threads_per_block,
        {registers} <= 255 && ({registers}) * {threads} <= device.registers_per_block,
        {shared} <= device.shared_memory_per_block_optin,"
    );
    // Each thread copies equally many chunks of 8 elements.
    for (along_k, own) in layout.along_k.into_iter().zip(["M_PRIM", "N_PRIM"]) {
        let (lines, length) = match along_k {
            true => (own, "K_PRIM"),
            false => ("K_PRIM", own),
        };
        require += &format!(
            "{length} >= 8 && {length}.is_power_of_two() && ({threads}).is_multiple_of({length} / 8)
            && ({lines} * {length}).is_multiple_of(8 * {threads}) && {lines} * {length} >= 8 * {threads},"
        );
    }
    Kind {
        space: format!(
            "M_PRIM in [64, 128, 32, 256],
            N_PRIM in [64, 128, 32, 256],
            WARP_M {warp_m},
            WARP_N {warp_n},
            K_PRIM in [32, 64],
            STAGES in [2, 3, 4, 5],"
        ),
        require,
        threads,
        shared: shared.to_string(),
        score: SCORE,
        cycles: CYCLES,
        widest: 8,
        // Element by element and at once.
        narrow: "0.25",
    }
}
