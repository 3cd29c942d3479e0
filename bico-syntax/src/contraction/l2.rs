//! The part of a CUDA contraction's score that counts what comes from device memory.
//!
//! The formulas are those of `bico_build::contraction::l2`, where they are derived, as `let` lines of the attribute's
//! language: so the build ranks with them, and so does a program on a device that nobody knew when it was built. A test
//! there holds the two equal.

use std::fmt::Write;

/// What the lines are written for. Texts are expressions over real numbers, with parentheses where they need them.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'a> {
    /// Products that share nothing: C dimensions, and M and N dimensions that are not tiled.
    pub batches: &'a str,
    /// Sizes of the tiled M dimension, the tiled N dimension, and of all K dimensions.
    pub sizes: [&'a str; 3],
    /// The tile.
    pub tile: [&'a str; 3],
    /// Rows and columns of tiles in a group.
    pub group: [&'a str; 2],
    /// A condition: the next group is the one to the right (`ORDER == "mn"`).
    pub groups_along_n: &'a str,
    /// A condition: the next block of a group is the one to the right.
    pub blocks_along_n: &'a str,
    /// Blocks that one multiprocessor holds.
    pub resident: &'a str,
    /// Steps along K by which blocks in flight are apart on average.
    pub drift: &'a str,
    /// Bytes of an element of A and B, of C, and of D (0 without).
    pub element: [u64; 3],
}

impl Blocks<'_> {
    /// Lines `let name_ = ..;` of an expression over reals, the last of which define `device_bytes_` (to and from the
    /// device's memory) and `cache_bytes_` (from the second-level cache to the multiprocessors).
    ///
    /// Besides the names in the texts they read `device.multiprocessors` and `device.l2_bytes`.
    pub fn lines(&self) -> String {
        let mut lines = Lines::default();
        self.shape(&mut lines);
        reuse(&mut lines);
        self.bytes(&mut lines);
        traffic(&mut lines, self.element[2] > 0);
        lines.text
    }

    /// Rows and columns of tiles, groups, blocks.
    fn shape(&self, lines: &mut Lines) {
        let [m, n, k] = self.sizes;
        let [tile_m, tile_n, tile_k] = self.tile;
        lines.set("size_m_", m);
        lines.set("size_n_", n);
        lines.set("size_k_", k);
        lines.set("tile_m_", format!("({tile_m}).min(size_m_)"));
        lines.set("tile_n_", format!("({tile_n}).min(size_n_)"));
        lines.set("tile_k_", format!("({tile_k}).min(size_k_)"));
        lines.set("rows_", format!("size_m_.div_ceil({tile_m})"));
        lines.set("columns_", format!("size_n_.div_ceil({tile_n})"));
        for (name, tiles, size) in [
            ("height", "rows_", self.group[0]),
            ("width", "columns_", self.group[1]),
        ] {
            lines.set(format!("{name}_most_"), format!("({size}).min({tiles})"));
            lines.set(
                format!("{name}_count_"),
                format!("{tiles}.div_ceil({name}_most_)"),
            );
            lines.set(format!("{name}_rest_"), format!("{tiles} % {name}_most_"));
            lines.set(
                format!("{name}_"),
                format!("(({tiles} - {name}_rest_) * {name}_most_ + {name}_rest_ * {name}_rest_) / {tiles}"),
            );
        }
        lines.set("batch_", "rows_ * columns_");
        lines.set("blocks_", format!("({}) * batch_", self.batches));
        let slots = format!("device.multiprocessors * ({})", self.resident);
        lines.set("flight_", format!("({slots}).max(1).min(blocks_)"));
        lines.set(
            "right_",
            format!("if {} {{ 1 }} else {{ 0 }}", self.blocks_along_n),
        );
        lines.set(
            "on_",
            format!("if {} {{ 1 }} else {{ 0 }}", self.groups_along_n),
        );
        lines.set("cache_", "device.l2_bytes.max(1)");
        lines.set("drift_", self.drift);
    }

    /// Bytes of panels, and what whole lines add.
    fn bytes(&self, lines: &mut Lines) {
        let [input, output, last] = self.element;
        let mut excess = |name: &str, tile: &str, size: &str, element: u64| {
            lines.set(
                name,
                format!(
                    "if ({element} * {size}).is_multiple_of(128) {{ 128 * ({element} * {tile}).div_ceil(128) - {element} * {tile} }} else {{ {} }}",
                    128 - element
                ),
            );
        };
        excess("excess_a_", "tile_k_", "size_k_", input);
        excess("excess_b_", "tile_n_", "size_n_", input);
        excess("excess_c_", "tile_n_", "size_n_", output);
        if last > 0 {
            excess("excess_d_", "tile_n_", "size_n_", last);
        }
        lines.set("panel_a_", format!("{input} * size_m_ * size_k_ / rows_"));
        lines.set("width_b_", format!("{input} * size_n_ / columns_"));
        lines.set("element_", input.to_string());
        lines.set("tile_c_", format!("{output} * size_m_ * size_n_ / batch_"));
        if last > 0 {
            lines.set("tile_d_", format!("{last} * size_m_ * size_n_ / batch_"));
            lines.set("ends_", "tile_m_ * (excess_c_ + excess_d_)");
            lines.set("out_", "tile_c_ + tile_d_");
        } else {
            lines.set("ends_", "tile_m_ * excess_c_");
            lines.set("out_", "tile_c_");
        }
    }
}

/// How far apart the uses of a panel are, how often, and how many first uses there are.
fn reuse(lines: &mut Lines) {
    lines.set("gap_a0_", "if right_ == 1 { 1 } else { height_ }");
    lines.set("gap_b0_", "if right_ == 1 { width_ } else { 1 }");
    lines.set(
        "gap_a1_",
        "(if on_ == 1 { height_ * width_ } else { width_ * rows_ }) - (width_ - 1) * gap_a0_",
    );
    lines.set(
        "gap_b1_",
        "(if on_ == 1 { height_ * columns_ } else { height_ * width_ }) - (height_ - 1) * gap_b0_",
    );
    lines.set("again_a_", "width_count_ / columns_");
    lines.set("again_b_", "height_count_ / rows_");
    lines.set("rate_a0_", "1 - again_a_");
    lines.set("rate_b0_", "1 - again_b_");
    lines.set("rate_a1_", "again_a_ - 1 / columns_");
    lines.set("rate_b1_", "again_b_ - 1 / rows_");
    lines.set("inner_a_", "if on_ == 1 { rate_a1_ } else { again_a_ }");
    lines.set("inner_b_", "if on_ == 1 { again_b_ } else { rate_b1_ }");
}

/// What is found in the cache, and the bytes that follow.
fn traffic(lines: &mut Lines, last: bool) {
    let step = slices(lines, "all", "flight_");
    lines.set("step_", step);
    for of in ["a", "b"] {
        for level in ["0", "1"] {
            kept(lines, of, level);
        }
        lines.set(
            format!("cold_{of}_"),
            format!("1 - kept_{of}0_ - kept_{of}1_"),
        );
    }
    lines.set(
        "uses_",
        "(1 / again_a_ - 1).min((flight_ - 1) / gap_a0_ - (flight_ - 1) / gap_a0_ % 1)",
    );
    lines.set("until_", "flight_ - uses_ * gap_a0_");
    in_step(lines, "next", "until_");
    lines.set(
        "read_a_",
        "cold_a_ * panel_a_ * (1 + (1 - next_found_) * excess_a_ / (element_ * tile_k_))",
    );
    lines.set(
        "read_b_",
        "cold_b_ * size_k_ * (width_b_ + excess_b_ * cold_a_)",
    );
    lines.set(
        "device_bytes_",
        "blocks_ * (read_a_ + read_b_ + out_ + ends_ * cold_a_)",
    );
    let read = if last { " + tile_d_" } else { "" };
    lines.set(
        "cache_bytes_",
        format!("blocks_ * (panel_a_ + size_k_ * width_b_{read})"),
    );
}

/// `kept_a0_`: the part of A's uses whose last use was in the same group and is still there.
fn kept(lines: &mut Lines, of: &str, level: &str) {
    let id = format!("{of}{level}");
    let gap = format!("gap_{id}_");
    lines.set(
        format!("waves_{id}_"),
        format!("{gap} / flight_ - {gap} / flight_ % 1"),
    );
    lines.set(
        format!("rest_{id}_"),
        format!("{gap} - waves_{id}_ * flight_"),
    );
    lines.set(format!("places_{id}_"), format!("(blocks_ - {gap}).max(1)"));
    lines.set(
        format!("whole_{id}_"),
        format!("places_{id}_ / flight_ - places_{id}_ / flight_ % 1"),
    );
    lines.set(
        format!("last_{id}_"),
        format!("(places_{id}_ - whole_{id}_ * flight_ - (flight_ - rest_{id}_)).max(0)"),
    );
    lines.set(
        format!("further_{id}_"),
        format!("((whole_{id}_ * rest_{id}_ + last_{id}_) / places_{id}_).max(0).min(1)"),
    );
    in_step(lines, &format!("same_{id}"), &gap);
    between(
        lines,
        &format!("near_{id}"),
        &format!("waves_{id}_ * flight_"),
    );
    between(
        lines,
        &format!("far_{id}"),
        &format!("(waves_{id}_ + 1) * flight_"),
    );
    lines.set(
        format!("kept_{id}_"),
        format!(
            "rate_{id}_ * ((1 - further_{id}_) * (if waves_{id}_ == 0 {{ same_{id}_found_ }} else {{ near_{id}_found_ }}) + further_{id}_ * far_{id}_found_)"
        ),
    );
}

/// `name_found_`: whether a slice is still there so many blocks later in the same wave.
fn in_step(lines: &mut Lines, name: &str, gap: &str) {
    let slices = slices(lines, name, gap);
    lines.set(
        format!("{name}_found_"),
        format!("((cache_ - ({slices}) + 1) / (2 * drift_ * step_ + 1)).max(0).min(1)"),
    );
}

/// `name_found_`: whether a panel is still there after so many blocks, which are whole waves.
fn between(lines: &mut Lines, name: &str, blocks: &str) {
    lines.set(
        format!("{name}_blocks_"),
        format!("({blocks}).min(blocks_)"),
    );
    let (rows, columns, edges) = distinct(lines, name, &format!("{name}_blocks_"));
    let panels = format!(
        "{rows} * panel_a_ + {columns} * size_k_ * (width_b_ + excess_b_ * {edges}) + {name}_blocks_ * (out_ + ends_ * {edges})"
    );
    lines.set(
        format!("{name}_found_"),
        format!("(2.5 - 2 * ({panels}) / cache_).max(0).min(1)"),
    );
}

/// What so many consecutive blocks read in one step.
fn slices(lines: &mut Lines, name: &str, blocks: &str) -> String {
    let (rows, columns, edges) = distinct(lines, name, blocks);
    format!(
        "{rows} * tile_m_ * (element_ * tile_k_ + excess_a_) + {columns} * tile_k_ * (element_ * tile_n_ + excess_b_ * {edges})"
    )
}

/// Names of how many different rows and columns so many consecutive blocks use, and of the ends of rows for each column.
fn distinct(lines: &mut Lines, name: &str, blocks: &str) -> (String, String, String) {
    let within = format!("{name}_within_");
    lines.set(&within, format!("({blocks}).min(batch_)"));
    let mut count = |of: &str, panels: &str| {
        let count = format!("{name}_{of}_");
        lines.set(
            &count,
            format!(
                "({within} - rate_{of}0_ * ({within} - gap_{of}0_).max(0) - inner_{of}_ * ({within} - gap_{of}1_).max(0)).min({panels}).max(({blocks}) / batch_ * {panels})"
            ),
        );
        count
    };
    let (rows, columns) = (count("a", "rows_"), count("b", "columns_"));
    let edges = format!("{name}_edges_");
    lines.set(
        &edges,
        format!("(1 - {columns} / columns_).max(0) / {columns}.max(1)"),
    );
    (rows, columns, edges)
}

/// `let` lines.
#[derive(Debug, Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn set(&mut self, name: impl AsRef<str>, value: impl AsRef<str>) {
        let _ = writeln!(self.text, "let {} = {};", name.as_ref(), value.as_ref());
    }
}
