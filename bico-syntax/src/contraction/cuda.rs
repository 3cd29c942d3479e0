//! The space of a contraction on a GPU.

use super::l2::Blocks;
use super::{Operands, Text, product};
use crate::einsum::DimType;
use crate::spec::Element;

/// The options of a CUDA contraction.
///
/// What the kernel's text asserts are conditions here; the score is the FLOP/s of a model of a multiprocessor, those of
/// `bico-kernels`' gemm_f16 and gemm_regtile, with what comes from device memory as [`Blocks`] has it.
pub(crate) fn text(operands: &Operands<'_>) -> Text {
    let layout = Layout::of(operands);
    let half = operands.input == Element::F16;
    let mut text = if half {
        tensor_cores(&layout)
    } else {
        registers(&layout)
    };
    let groups = "in [1, 4, 8, 16, 32]".to_string();
    text.space.push(("M_L2", groups.clone()));
    text.space.push(("N_L2", groups));
    text.space.push(("ORDER", "in [\"mn\", \"nm\"]".into()));
    let widest = if half { 8 } else { 4 };
    text.space.push(("VECTOR", layout.vector_domain(widest)));
    text.require.extend([
        // In groups of one row, blocks go along it whatever the groups' width is.
        "if ORDER == \"mn\" { M_L2 > 1 || N_L2 == 1 } else { N_L2 > 1 || M_L2 == 1 }".to_string(),
        format!("{} <= 2147483647", layout.blocks()),
    ]);
    text.require.extend(layout.vector_condition(widest));
    let tensors = operands.einsum.tensors();
    let [a, b, c] = [0, 1, 2].map(|tensor| product(tensors[tensor]));
    let [of_input, of_output] = [bytes(operands.input), bytes(operands.output)];
    let d = if tensors.len() > 3 { of_input } else { 0 };
    text.bytes = Some(format!(
        "{of_input} * ({a} * {}.div_ceil(N_PRIM) + {b} * {}.div_ceil(M_PRIM)) + {} * {c}",
        layout.n,
        layout.m,
        of_output + d
    ));
    text.reference_launch = Some(format!("grid = {c}.div_ceil(256), block = 256"));
    let device = Blocks {
        batches: &layout.batches,
        sizes: [&layout.m, &layout.n, &layout.all_k],
        tile: ["M_PRIM", "N_PRIM", "K_PRIM"],
        group: ["M_L2", "N_L2"],
        groups_along_n: "ORDER == \"mn\"",
        blocks_along_n: "ORDER == \"mn\"",
        resident: "resident_",
        drift: "1",
        element: [of_input, of_output, d],
    };
    let (model, wide) = (if half { SCORE_F16 } else { SCORE_F32 }, layout.wide());
    text.score = Some(format!(
        "{{
        let across_blocks_ = {blocks};
        let steps_ = {steps};
        let load_width_ = if {wide} {{ VECTOR }} else {{ {narrow} }};
        {model}
        let stores_ = {of_output} * M_PRIM * N_PRIM / 40;
        let resident_ = (room_ as i64).max(1).min(each_.div_ceil(1));
        {cycles}
        {lines}
        let memory_ = device_bytes_ / device.memory_bytes_per_second * device.clock_hz;
        {flops} / (cycles_.max(memory_) + 0.3 * cycles_.min(memory_))
        }}",
        blocks = layout.blocks(),
        steps = layout.steps(),
        // Element by element and at once.
        narrow = if half { "0.25" } else { "1" },
        cycles = if half { CYCLES_F16 } else { CYCLES_F32 },
        lines = device.lines(),
        flops = operands.flops(),
    ));
    text.rtol = match (operands.input, operands.output) {
        (_, Element::F16) => Some("1e-2".to_string()),
        (Element::F16, _) => Some("1e-3".to_string()),
        _ => Some("2e-4".to_string()),
    };
    text
}

/// What a step of a block takes of tensor cores, shared memory and second-level cache, in cycles.
const SCORE_F16: &str = "\
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
const CYCLES_F16: &str = "\
        let step_cycles_ = (busy_ * (1 + 1 / (resident_ * warps_))).max(700 / (STAGES - 1) / resident_)
            + 150 / (STAGES - 1).min(3) / resident_;
        let rounds_ = 0.25 * each_ + 0.75 * each_.div_ceil(1);
        let cycles_ = rounds_ * (steps_ * step_cycles_ + 1500 / resident_ + stores_);";

/// Cycles of a multiprocessor for one k of a block: to issue, to multiply, to read and write shared memory.
const SCORE_F32: &str = "\
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
const CYCLES_F32: &str = "\
        let parallel_ = resident_ * warps_ * (MR * NR).min(64) / 64;
        let late_ = 800 / (STAGES - 1);
        let wait_ = late_ * late_ / (8 * busy_ * resident_) + 100 / resident_
            + if resident_ < 2 { busy_ / 25 } else { 0 };
        let step_cycles_ = busy_ * (1 + 1 / parallel_ / 2) + wait_ / resident_;
        let rounds_ = 0.25 * each_ + 0.75 * each_.div_ceil(1);
        let cycles_ = rounds_ * (steps_ * step_cycles_ + 2500 / resident_ + stores_);";

/// On tensor cores: FP16 inputs.
fn tensor_cores(layout: &Layout) -> Text {
    let warps = "(M_PRIM / WARP_M).max(1) * (N_PRIM / WARP_N).max(1)";
    let threads = format!("32 * {warps}");
    // Results are exchanged among the lanes of 32 columns.
    let (rows, columns) = ("in [32, 64, 16, 128]", "in [32, 64, 128]");
    let (warp_m, warp_n) = if layout.swapped {
        (columns, rows)
    } else {
        (rows, columns)
    };
    let (step_m, step_n) = if layout.swapped { (32, 16) } else { (16, 32) };
    let space = [
        ("M_PRIM", "in [64, 128, 32, 256]"),
        ("N_PRIM", "in [64, 128, 32, 256]"),
        ("WARP_M", warp_m),
        ("WARP_N", warp_n),
        ("K_PRIM", "in [32, 64]"),
        ("STAGES", "in [2, 3, 4, 5]"),
    ];
    let mut require = vec![
        // Before it there is neither `ldmatrix` nor the product.
        "device.compute_capability >= 75".to_string(),
        format!(
            "WARP_M >= {step_m} && WARP_M.is_multiple_of({step_m}) && M_PRIM.is_multiple_of(WARP_M)"
        ),
        format!(
            "WARP_N >= {step_n} && WARP_N.is_multiple_of({step_n}) && N_PRIM.is_multiple_of(WARP_N)"
        ),
        "K_PRIM >= 32 && K_PRIM.is_power_of_two()".into(),
        "STAGES >= 2 && (STAGES == 2 || device.compute_capability >= 80)".into(),
        format!("{warps} <= 16 && {threads} <= device.max_threads_per_block"),
        // Sums, two slices of A and B, addresses.
        format!(
            "WARP_M * WARP_N / 32 + (WARP_M + WARP_N) / 2 + 54 <= 255 && (WARP_M * WARP_N / 32 + (WARP_M + WARP_N) / 2 + 54) * {threads} <= device.registers_per_block"
        ),
        "2 * STAGES * K_PRIM * (M_PRIM + N_PRIM) <= device.shared_memory_per_block_optin".into(),
    ];
    // Each thread copies equally many chunks of 8 elements.
    for (side, own) in [(&layout.a, "M_PRIM"), (&layout.b, "N_PRIM")] {
        let (lines, length) = if side.along_k {
            (own, "K_PRIM")
        } else {
            ("K_PRIM", own)
        };
        require.push(format!(
            "{length} >= 8 && {length}.is_power_of_two() && ({threads}).is_multiple_of({length} / 8) && ({lines} * {length}).is_multiple_of(8 * {threads}) && {lines} * {length} >= 8 * {threads}"
        ));
    }
    Text {
        space: space
            .map(|(name, domain)| (name, domain.to_string()))
            .to_vec(),
        require,
        launch: Some(format!(
            "grid = {}, block = {threads}, shared = 2 * STAGES * K_PRIM * (M_PRIM + N_PRIM)",
            layout.blocks()
        )),
        ..Text::default()
    }
}

/// On the CUDA cores: FP32 inputs.
fn registers(layout: &Layout) -> Text {
    let [down, across] = ["(M_PRIM / MR)", "(N_PRIM / NR)"];
    let threads = format!("{down} * {across}");
    let padding = |side: &Side| if side.along_k { " + 4" } else { "" };
    let shared = format!(
        "4 * STAGES * K_PRIM * (M_PRIM{} + N_PRIM{})",
        padding(&layout.a),
        padding(&layout.b)
    );
    let copies = "K_PRIM * (M_PRIM + N_PRIM)";
    let needed = format!("MR * NR + 2 * (MR + NR) + {copies} / ({threads}).max(1) / 4 + 30");
    let space = [
        ("M_PRIM", "in [64, 128, 32, 256]"),
        ("N_PRIM", "in [64, 128, 32, 256]"),
        ("MR", "in [4, 8, 16]"),
        ("NR", "in [4, 8, 16]"),
        ("K_PRIM", "in [16, 8, 32]"),
        ("STAGES", "in [2, 3, 4]"),
    ];
    let mut require = vec![
        "MR >= 4 && MR.is_multiple_of(4) && M_PRIM.is_multiple_of(MR)".to_string(),
        "NR >= 4 && NR.is_multiple_of(4) && N_PRIM.is_multiple_of(NR)".into(),
        // Near squares read least of A and B.
        "MR * NR <= 128 && MR <= 2 * NR && NR <= 2 * MR".into(),
        format!(
            "{down} >= 2 && {down}.is_power_of_two() && {across} >= 2 && {across}.is_power_of_two()"
        ),
        format!("{threads} >= 64 && {threads} <= 512 && {threads} <= device.max_threads_per_block"),
        "K_PRIM >= 8 && K_PRIM.is_power_of_two() && STAGES >= 2".into(),
        // The code of a step fits the instruction cache.
        "MR * NR * K_PRIM <= 2048".into(),
        format!("{copies} / 4 <= 16 * ({threads})"),
        format!("{needed} <= 255 && ({needed}) * {threads} <= device.registers_per_block"),
        format!("{shared} <= device.shared_memory_per_block_optin"),
    ];
    // Each thread copies as much.
    for (side, own) in [(&layout.a, "M_PRIM"), (&layout.b, "N_PRIM")] {
        require.push(if side.along_k {
            format!("{own}.is_power_of_two() && ({own} * K_PRIM).is_multiple_of(({threads}).max(1))")
        } else {
            format!(
                "{own} >= 4 && ({threads}).is_multiple_of({own} / 4) && ({own} * K_PRIM).is_multiple_of(4 * ({threads}).max(1))"
            )
        });
    }
    Text {
        space: space
            .map(|(name, domain)| (name, domain.to_string()))
            .to_vec(),
        require,
        launch: Some(format!(
            "grid = {}, block = {threads}, shared = {shared}",
            layout.blocks()
        )),
        ..Text::default()
    }
}

/// How an input lies in memory: as the generator sees it.
struct Side {
    /// Whether its tile's lines are along K: the input is not contiguous along its own tiled index.
    along_k: bool,
    /// Elements of the index along which it is contiguous, where tiles are cut along that.
    dense: Option<String>,
}

/// What the conditions and the score need of the einsum.
struct Layout {
    half: bool,
    a: Side,
    b: Side,
    /// Whether the output is contiguous along M, so that the product is computed transposed.
    swapped: bool,
    m: String,
    n: String,
    k: String,
    /// Steps over the K indices that are not tiled.
    outer_k: String,
    all_k: String,
    batches: String,
}

impl Layout {
    fn of(operands: &Operands<'_>) -> Layout {
        let tensors = operands.einsum.tensors();
        // Whether the tensor's last letter is one of the tiled index: the last of that, as its letters stand together.
        let ends = |tensor: usize, kind: DimType| {
            let last = tensors[tensor].last();
            let group = operands.tiled(kind);
            group.is_some_and(|group| last.is_some_and(|last| group.letters.contains(last)))
        };
        let side = |tensor: usize, own: DimType| Side {
            along_k: !ends(tensor, own),
            dense: [own, DimType::K]
                .into_iter()
                .find(|kind| ends(tensor, *kind))
                .map(|kind| operands.tiled_size(kind)),
        };
        let outer_k = operands.untiled_size(&[DimType::K]);
        let k = operands.tiled_size(DimType::K);
        Layout {
            half: operands.input == Element::F16,
            a: side(0, DimType::M),
            b: side(1, DimType::N),
            swapped: ends(2, DimType::M),
            m: operands.tiled_size(DimType::M),
            n: operands.tiled_size(DimType::N),
            all_k: format!("({k} * {outer_k})"),
            k,
            outer_k,
            batches: operands.untiled_size(&[DimType::C, DimType::M, DimType::N]),
        }
    }

    fn blocks(&self) -> String {
        format!(
            "{} * {}.div_ceil(M_PRIM) * {}.div_ceil(N_PRIM)",
            self.batches, self.m, self.n
        )
    }

    fn steps(&self) -> String {
        format!("{} * {}.div_ceil(K_PRIM)", self.outer_k, self.k)
    }

    /// Sizes that wide loads must divide. An FP32 tile with lines along K is copied element by element.
    fn dense(&self) -> Vec<&String> {
        let sides = [&self.a, &self.b].into_iter();
        let copied = sides.filter(|side| self.half || !side.along_k);
        let mut sizes: Vec<&String> = copied.filter_map(|side| side.dense.as_ref()).collect();
        sizes.dedup();
        sizes
    }

    fn vector_domain(&self, widest: u64) -> String {
        let widths: Vec<String> = [8, 4, 2, 1]
            .into_iter()
            .filter(|width| *width <= widest && !self.dense().is_empty() || *width == 1)
            .map(|width| width.to_string())
            .collect();
        format!("in [{}]", widths.join(", "))
    }

    /// The widest is always possible, for the kernel looks at the sizes once more; any other one is worth trying
    /// only where it is the widest that they allow.
    fn vector_condition(&self, widest: u64) -> Option<String> {
        let all = |by: &str| {
            let each = self
                .dense()
                .into_iter()
                .map(|size| format!("{size}.is_multiple_of({by})"));
            each.collect::<Vec<_>>().join(" && ")
        };
        (!self.dense().is_empty()).then(|| {
            format!(
                "VECTOR == {widest} || {} && !({})",
                all("VECTOR"),
                all("(2 * VECTOR)")
            )
        })
    }

    /// Whether loads are as wide as `VECTOR` says.
    fn wide(&self) -> String {
        let each = self
            .dense()
            .into_iter()
            .map(|size| format!("{size}.is_multiple_of(VECTOR)"));
        let all: Vec<String> = each.collect();
        if all.is_empty() {
            "false".into()
        } else {
            all.join(" && ")
        }
    }
}

fn bytes(element: Element) -> u64 {
    match element {
        Element::F16 => 2,
        _ => 4,
    }
}
