//! The part of a CUDA contraction's score that counts what comes from device memory.
//!
//! The formulas are those of `bico-l2-model`, where they are derived, as `let` lines of the attribute's
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
    /// Besides the names in the texts they read `device.multiprocessors` and `device.l2_bytes`, of which half counts.
    pub fn lines(&self) -> String {
        let mut lines = Lines::default();
        self.shape(&mut lines);
        self.bytes(&mut lines);
        reuse(&mut lines);
        traffic(&mut lines);
        lines.text
    }

    /// Rows and columns of tiles, groups, blocks.
    fn shape(&self, lines: &mut Lines) {
        let [m, n, k] = self.sizes;
        let [tile_m, tile_n, tile_k] = self.tile;
        lines.set("rows_", format!("({m}).div_ceil({tile_m})"));
        lines.set("columns_", format!("({n}).div_ceil({tile_n})"));
        lines.set("batch_", "rows_ * columns_");
        lines.set("blocks_", format!("({}) * batch_", self.batches));
        let slots = format!("device.multiprocessors * ({})", self.resident);
        lines.set("flight_", format!("({slots}).max(1).min(blocks_)"));
        for (of, tiles, size) in [
            ("m", "rows_", self.group[0]),
            ("n", "columns_", self.group[1]),
        ] {
            lines.set(format!("most_{of}_"), format!("({size}).min({tiles})"));
            lines.set(format!("rest_{of}_"), format!("{tiles} % most_{of}_"));
            // The group that a tile is in, averaged over all tiles.
            lines.set(
                format!("group_{of}_"),
                format!("most_{of}_ - rest_{of}_ * (most_{of}_ - rest_{of}_) / {tiles}"),
            );
        }
        let input = self.element[0];
        lines.set(
            "slice_a_",
            format!("{input} * ({tile_m}).min({m}) * ({tile_k}).min({k})"),
        );
        lines.set(
            "slice_b_",
            format!("{input} * ({tile_n}).min({n}) * ({tile_k}).min({k})"),
        );
        let along = |condition: &str| format!("if {condition} {{ 1 }} else {{ 0 }}");
        lines.set("blocks_right_", along(self.blocks_along_n));
        lines.set("groups_right_", along(self.groups_along_n));
        // What both halves of the cache read may be there twice (NVIDIA's from the A100 on). What is best for half of it is
        // seldom much worse for all of it; the other way round it is.
        lines.set("cache_", "(device.l2_bytes / 2).max(1)");
    }

    /// Bytes of panels, and of a block's tiles of C and D.
    fn bytes(&self, lines: &mut Lines) {
        let [m, n, k] = self.sizes;
        let [input, output, last] = self.element;
        lines.set("panel_a_", format!("{input} * ({m}) * ({k}) / rows_"));
        lines.set("panel_b_", format!("{input} * ({n}) * ({k}) / columns_"));
        lines.set("tile_c_", format!("{output} * ({m}) * ({n}) / batch_"));
        lines.set("tile_d_", format!("{last} * ({m}) * ({n}) / batch_"));
        lines.set("drift_", self.drift);
    }
}

/// How far apart the uses of a panel are, how often, and how many first uses there are.
fn reuse(lines: &mut Lines) {
    lines.set("gap_a0_", "if blocks_right_ == 1 { 1 } else { group_m_ }");
    lines.set("gap_b0_", "if blocks_right_ == 1 { group_n_ } else { 1 }");
    lines.set(
        "gap_a1_",
        "group_m_ * group_n_ * (if groups_right_ == 1 { 1 } else { rows_ / group_m_ }) - (group_n_ - 1) * gap_a0_",
    );
    lines.set(
        "gap_b1_",
        "group_m_ * group_n_ * (if groups_right_ == 1 { columns_ / group_n_ } else { 1 }) - (group_m_ - 1) * gap_b0_",
    );
    lines.set("again_a_", "columns_.div_ceil(most_n_) / columns_");
    lines.set("again_b_", "rows_.div_ceil(most_m_) / rows_");
    lines.set("first_a_", "1 / columns_");
    lines.set("first_b_", "1 / rows_");
    lines.set("inner_a_", "again_a_ - first_a_ * groups_right_");
    lines.set("inner_b_", "again_b_ - first_b_ * (1 - groups_right_)");
}

/// What is found in the cache, and the bytes that follow.
fn traffic(lines: &mut Lines) {
    lines.text += &distinct("flight_");
    lines.set("step_", SLICES);
    lines.set("wave_", BETWEEN);
    for of in ["a", "b"] {
        for level in [0, 1] {
            let gap = format!("gap_{of}{level}_");
            lines.set(format!("apart_{of}{level}_"), apart(&gap));
            lines.set(format!("same_{of}{level}_"), in_step(of, level));
            lines.set(
                format!("later_{of}{level}_"),
                format!(
                    "if {gap} <= flight_ {{ wave_ }} else {{ {}{BETWEEN} }}",
                    distinct(&gap)
                ),
            );
        }
        let found = |level| {
            format!(
                "((1 - apart_{of}{level}_) * same_{of}{level}_ + apart_{of}{level}_ * later_{of}{level}_)"
            )
        };
        lines.set(
            format!("cold_{of}_"),
            format!(
                "1 - (1 - again_{of}_) * {} - (again_{of}_ - first_{of}_) * {}",
                found(0),
                found(1)
            ),
        );
    }
    lines.set(
        "device_bytes_",
        "blocks_ * (cold_a_ * panel_a_ + cold_b_ * panel_b_ + tile_c_ + tile_d_)",
    );
    lines.set("cache_bytes_", "blocks_ * (panel_a_ + panel_b_ + tile_d_)");
}

/// How often two blocks that far apart are in different waves.
fn apart(gap: &str) -> String {
    format!(
        "if {gap} >= flight_ {{ 1 }} else {{ \
            let places_ = (blocks_ - {gap}).max(1); \
            let rest_ = places_ % flight_; \
            ((places_ - rest_) / flight_ * {gap} + (rest_ + {gap} - flight_).max(0)) / places_ \
        }}"
    )
}

/// Whether a slice is still there for the next block of the same wave that wants it. Where the cache holds all slices of
/// a wave, which it does on any GPU, nothing must be computed.
fn in_step(of: &str, level: usize) -> String {
    let gap = format!("gap_{of}{level}_");
    format!(
        "if apart_{of}{level}_ >= 1 {{ 0 }} else {{ if (1 + 2 * drift_) * step_ <= cache_ {{ 1 }} else {{ \
            {}((cache_ - ({SLICES}) + 1) / (2 * drift_ * step_ + 1)).max(0).min(1) \
        }} }}",
        distinct(&gap)
    )
}

/// Whether a panel is still there after the blocks of which [`distinct`] has counted the panels.
const BETWEEN: &str = "(2.5 - 2 * (used_rows_ * panel_a_ + used_columns_ * panel_b_ + many_ * (tile_c_ + tile_d_)) / cache_).max(0).min(1)";

/// What blocks read in one step, of which [`distinct`] has counted the panels.
const SLICES: &str = "used_rows_ * slice_a_ + used_columns_ * slice_b_";

/// Lines for `used_rows_` and `used_columns_`: how many different rows and columns of tiles so many consecutive blocks use.
fn distinct(blocks: &str) -> String {
    let count = |of: &str, panels: &str| {
        format!(
            "(within_ - (1 - again_{of}_) * (within_ - gap_{of}0_).max(0) - inner_{of}_ * (within_ - gap_{of}1_).max(0))\
             .min({panels}).max(many_ / batch_ * {panels})"
        )
    };
    let mut lines = Lines::default();
    lines.set("many_", format!("{blocks}.min(blocks_)"));
    lines.set("within_", "many_.min(batch_)");
    lines.set("used_rows_", count("a", "rows_"));
    lines.set("used_columns_", count("b", "columns_"));
    lines.text
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
