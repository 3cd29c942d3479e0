//! What a launch of a contraction must bring from the device's memory: a part of a CUDA contraction's score.
//!
//! It is written as `let` lines of the attribute's language, and nowhere else: the build ranks with them, so does a program
//! on a device that nobody knew when it was built, and `benches/l2-model` holds them to a simulation.
//!
//! # Derivation
//!
//! The output has `rows * columns` tiles in each of `batches`. The block of tile (i, j) reads row panel i of A and column
//! panel j of B, from the cache or through it. `W` blocks are in flight: multiprocessors times blocks that one of them
//! holds. Blocks take equally long, so that blocks `0..W` of the order are a wave, `W..2W` the next one, and all blocks of
//! a wave walk along K in step.
//!
//! **Uses of a panel.** In groups of `h * w` tiles, row i of A is used `w` times in a group, a block apart (or `h` apart,
//! where the group is walked down), and again in the next group beside it. So the use before a use is at one of two
//! distances; the first use of each panel has none. Let `g0` be the distance in the group and `g1` the one to the group
//! before; a part `1 - 1/w` of all blocks has its last use at `g0`, a part `1/w - 1/columns` at `g1`, and `1/columns` none.
//! B has `h` and `rows` in their place.
//!
//! **In one wave.** Two uses at distance `g < W` are in different waves if a wave ends between them, which is so for `g` of
//! `W` places (exactly: counted over all places, with the shorter last wave). In the same wave they find each other's
//! slice if what is touched between them fits the cache. That is a slice, `tile_k` deep, of the panels of `g` blocks, not
//! whole panels: blocks in step need no more. If they are [`drift`](Blocks::drift) steps apart, it is as many slices of
//! the whole wave more.
//!
//! **Between waves.** What the use before left is found by one in a later wave, if the panels that were touched in between
//! fit the cache, now whole ones, with the tiles of the output: those of `max(g, W)` consecutive blocks. Real distances lie
//! around this one, so that the part that is found falls from 1 at 3/4 of the cache to 0 at 5/4.
//!
//! **Panels of consecutive blocks.** `n` blocks have `n` uses of A, less those whose use before is among them:
//! `n - (1 - 1/w) max(0, n - g0) - (1/w - 1/columns) max(0, n - g1)` different panels, at most all of them. This is the
//! working set of Denning and Schwartz (1972, "Properties of the working-set model") with known distances.
//!
//! So `blocks * (1 - found)` panels of A are read, and of B; the output is written once. Nothing of this loops over blocks
//! or waves. At the edges groups are smaller: `h` and `w` are the sizes of the group that a tile is in, on average; the parts
//! use the exact number of groups.
//!
//! **Bounds.** All tensors once from below; from above what all blocks ask for
//! (`cache_bytes_`), which is also what goes from the cache to the multiprocessors, in any order.
//!
//! **Lines.** The cache fetches lines of 128 bytes. A tile whose rows are no whole lines shares some with its neighbours;
//! the formulas count what is added where a neighbour's came too early ([`Blocks::line`]).
//!
//! **Half of the cache.** From the A100 on each half of the cache serves the multiprocessors next to it (NVIDIA A100
//! whitepaper, 2020): what both halves want may be there twice, so that as little as half of it may count, which is what
//! the lines take.

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
    /// Bytes that the cache fetches at a time: 128 on NVIDIA's GPUs. With 1, as scores have it, which are shorter so, tiles
    /// never share a line with a neighbour.
    pub line: u64,
}

impl Blocks<'_> {
    /// Lines `let name_ = ..;` of an expression over reals, the last of which define `device_bytes_` (to and from the
    /// device's memory) and `cache_bytes_` (from the second-level cache to the multiprocessors).
    ///
    /// Besides the names in the texts they read `device.multiprocessors` and `device.l2_bytes`, of which half counts.
    pub fn lines(&self) -> String {
        let shared = self.line > 1;
        let mut lines = self.shape();
        if shared {
            lines += &self.shared_lines();
        }
        lines + REUSE + &traffic(shared)
    }

    /// Rows and columns of tiles, groups, blocks; bytes of panels, and of a block's tiles of C and D.
    ///
    /// A group's size is that of the group that a tile is in, averaged over all tiles.
    fn shape(&self) -> String {
        let Blocks {
            sizes: [m, n, k],
            tile: [tile_m, tile_n, tile_k],
            group: [group_m, group_n],
            element: [input, output, last],
            batches,
            resident,
            blocks_along_n,
            groups_along_n,
            drift,
            ..
        } = self;
        // What both halves of the cache read may be there twice (NVIDIA's from the A100 on). What is best for half of it is
        // seldom much worse for all of it; the other way round it is.
        format!(
            "let rows_ = ({m}).div_ceil({tile_m});
            let columns_ = ({n}).div_ceil({tile_n});
            let batch_ = rows_ * columns_;
            let blocks_ = ({batches}) * batch_;
            let flight_ = (device.multiprocessors * ({resident})).max(1).min(blocks_);
            let most_m_ = ({group_m}).min(rows_);
            let rest_m_ = rows_ % most_m_;
            let group_m_ = most_m_ - rest_m_ * (most_m_ - rest_m_) / rows_;
            let most_n_ = ({group_n}).min(columns_);
            let rest_n_ = columns_ % most_n_;
            let group_n_ = most_n_ - rest_n_ * (most_n_ - rest_n_) / columns_;
            let slice_a_ = {input} * ({tile_m}).min({m}) * ({tile_k}).min({k});
            let slice_b_ = {input} * ({tile_n}).min({n}) * ({tile_k}).min({k});
            let blocks_right_ = if {blocks_along_n} {{ 1 }} else {{ 0 }};
            let groups_right_ = if {groups_along_n} {{ 1 }} else {{ 0 }};
            let cache_ = (device.l2_bytes / 2).max(1);
            let panel_a_ = {input} * ({m}) * ({k}) / rows_;
            let panel_b_ = {input} * ({n}) * ({k}) / columns_;
            let tile_c_ = {output} * ({m}) * ({n}) / batch_;
            let tile_d_ = {last} * ({m}) * ({n}) / batch_;
            let drift_ = {drift};
            "
        )
    }

    /// Bytes beyond its own that a row of a tile touches, of A and of B in one step and of C and D as a whole.
    ///
    /// Rows that begin with a line are cut alike: a piece is filled up to whole lines. Otherwise a piece begins
    /// anywhere, and touches all but an element of a line more than it has.
    fn shared_lines(&self) -> String {
        let [m, n, k] = self.sizes;
        let [tile_m, tile_n, tile_k] = self.tile;
        let [input, output, last] = self.element;
        let line = self.line;
        let excess = |tile: &str, size: &str, element: u64| {
            let width = format!("{element} * ({tile}).min({size})");
            format!(
                "if {element} * ({size}) % {line} == 0 {{ ({width}).div_ceil({line}) * {line} - {width} }} \
                 else {{ {line} - {element} }}"
            )
        };
        let of_d = match last {
            0 => "0".to_owned(),
            _ => format!("({tile_m}).min({m}) * ({})", excess(tile_n, n, last)),
        };
        format!(
            "let over_a_ = {of_a};
            let over_b_ = {of_b};
            let over_c_ = ({tile_m}).min({m}) * ({of_c});
            let over_d_ = {of_d};
            let again_ = over_a_ / ({input} * ({tile_k}).min({k}));
            let slice_a_ = slice_a_ * (1 + again_);
            let over_slice_b_ = ({tile_k}).min({k}) * over_b_;
            let over_panel_b_ = ({k}) * over_b_;
            ",
            of_a = excess(tile_k, k, input),
            of_b = excess(tile_n, n, input),
            of_c = excess(tile_n, n, output),
        )
    }
}

/// How far apart the uses of a panel are, how often, and how many first uses there are.
const REUSE: &str = "\
    let gap_a0_ = if blocks_right_ == 1 { 1 } else { group_m_ };
    let gap_b0_ = if blocks_right_ == 1 { group_n_ } else { 1 };
    let gap_a1_ = group_m_ * group_n_ * (if groups_right_ == 1 { 1 } else { rows_ / group_m_ }) - (group_n_ - 1) * gap_a0_;
    let gap_b1_ = group_m_ * group_n_ * (if groups_right_ == 1 { columns_ / group_n_ } else { 1 }) - (group_m_ - 1) * gap_b0_;
    let again_a_ = columns_.div_ceil(most_n_) / columns_;
    let again_b_ = rows_.div_ceil(most_m_) / rows_;
    let first_a_ = 1 / columns_;
    let first_b_ = 1 / rows_;
    let inner_a_ = again_a_ - first_a_ * groups_right_;
    let inner_b_ = again_b_ - first_b_ * (1 - groups_right_);
";

/// What is found in the cache, and the bytes that follow.
fn traffic(shared: bool) -> String {
    let (step, wave) = (slices(shared), between(shared));
    let mut lines = distinct("flight_");
    let _ = writeln!(lines, "let step_ = {step}; let wave_ = {wave};");
    for of in ["a", "b"] {
        for level in [0, 1] {
            let gap = format!("gap_{of}{level}_");
            let _ = writeln!(
                lines,
                "let apart_{of}{level}_ = {apart};
                let same_{of}{level}_ = if apart_{of}{level}_ >= 1 {{ 0 }} else {{ {kept} }};
                let later_{of}{level}_ = if {gap} <= flight_ {{ wave_ }} else {{ {panels}{wave} }};",
                apart = apart(&gap),
                kept = kept_in_step(&gap, shared),
                panels = distinct(&gap),
            );
        }
        let found = |level| {
            format!(
                "((1 - apart_{of}{level}_) * same_{of}{level}_ + apart_{of}{level}_ * later_{of}{level}_)"
            )
        };
        let _ = writeln!(
            lines,
            "let cold_{of}_ = 1 - (1 - again_{of}_) * {} - (again_{of}_ - first_{of}_) * {};",
            found(0),
            found(1)
        );
    }
    lines += &match shared {
        false => "let device_bytes_ = blocks_ * (cold_a_ * panel_a_ + cold_b_ * panel_b_ + tile_c_ + tile_d_);".to_string(),
        // Steps share lines of A: from the last block that uses a row in this step to the first one in the next.
        // Lines at the edge of a tile belong to the block on the left, too, whose row of A is the same.
        true => format!(
            "let more_ = (1 / again_a_ - 1).min((flight_ - 1 - (flight_ - 1) % gap_a0_) / gap_a0_);
            let next_gap_ = flight_ - more_ * gap_a0_;
            let next_ = {};
            let device_bytes_ = blocks_ * (cold_a_ * panel_a_ * (1 + (1 - next_) * again_)
                + cold_b_ * (panel_b_ + over_panel_b_ * cold_a_) + tile_c_ + tile_d_ + (over_c_ + over_d_) * cold_a_);",
            kept_in_step("next_gap_", true)
        ),
    };
    lines + "let cache_bytes_ = blocks_ * (panel_a_ + panel_b_ + tile_d_);\n"
}

/// How often two blocks that far apart are in different waves.
fn apart(gap: &str) -> String {
    format!(
        "if {gap} >= flight_ {{ 1 }} else {{
            let places_ = (blocks_ - {gap}).max(1);
            let rest_ = places_ % flight_;
            ((places_ - rest_) / flight_ * {gap} + (rest_ + {gap} - flight_).max(0)) / places_
        }}"
    )
}

/// Whether a slice is still there so many blocks later in the same wave. Where the cache holds all slices of a wave,
/// which it does on any GPU, nothing must be computed.
fn kept_in_step(gap: &str, shared: bool) -> String {
    let (panels, slices) = (distinct(gap), slices(shared));
    format!(
        "if (1 + 2 * drift_) * step_ <= cache_ {{ 1 }} else {{
            {panels}((cache_ - ({slices}) + 1) / (2 * drift_ * step_ + 1)).max(0).min(1)
        }}"
    )
}

/// For each column in use, how many ends of rows there are where columns are neighbours; none where these are all.
const ENDS: &str = "(1 - used_columns_ / columns_).max(0) / used_columns_.max(1)";

/// What lines that neighbours share add for each end of a row, where they do.
fn ends(shared: bool, each: &str) -> String {
    match shared {
        true => format!(" + {each} * {ENDS}"),
        false => String::new(),
    }
}

/// Whether a panel is still there after the blocks of which [`distinct`] has counted the panels.
fn between(shared: bool) -> String {
    let of_b = ends(shared, "used_columns_ * over_panel_b_");
    let of_output = ends(shared, "many_ * (over_c_ + over_d_)");
    format!(
        "(2.5 - 2 * (used_rows_ * panel_a_ + used_columns_ * panel_b_{of_b} + many_ * (tile_c_ + tile_d_){of_output}) / cache_)
         .max(0).min(1)"
    )
}

/// What blocks read in one step, of which [`distinct`] has counted the panels.
fn slices(shared: bool) -> String {
    let lines = ends(shared, "used_columns_ * over_slice_b_");
    format!("used_rows_ * slice_a_ + used_columns_ * slice_b_{lines}")
}

/// Lines for `used_rows_` and `used_columns_`: how many different rows and columns of tiles so many consecutive blocks use.
fn distinct(blocks: &str) -> String {
    let count = |of: &str, panels: &str| {
        format!(
            "(within_ - (1 - again_{of}_) * (within_ - gap_{of}0_).max(0) - inner_{of}_ * (within_ - gap_{of}1_).max(0))
             .min({panels}).max(many_ / batch_ * {panels})"
        )
    };
    let (rows, columns) = (count("a", "rows_"), count("b", "columns_"));
    format!(
        "let many_ = {blocks}.min(blocks_);
        let within_ = many_.min(batch_);
        let used_rows_ = {rows};
        let used_columns_ = {columns};
        "
    )
}
