//! The closed form: no loop over waves or blocks, so that it can be said in an attribute.

use super::Launch;
use super::lines::excess;
use super::reuse::Reuse;

/// Distances between waves are spread by this part of the cache around what is computed.
const SPREAD: f64 = 0.25;

/// Bytes that a launch moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Read from the device's memory.
    pub read_bytes: f64,
    /// Written to it.
    pub written_bytes: f64,
    /// From the second-level cache to the multiprocessors: every block reads its panels through it.
    pub requested_bytes: f64,
    /// What the panels of one wave take, with its part of the output: blocks that walk in step need less at a time, the
    /// next wave finds this.
    pub wave_bytes: f64,
    /// What one step of a wave takes.
    pub step_bytes: f64,
}

impl Traffic {
    /// To and from the device's memory.
    pub fn device_bytes(&self) -> f64 {
        self.read_bytes + self.written_bytes
    }
}

/// Predicts what a launch moves. The module's documentation derives it.
pub fn predict(launch: &Launch) -> Traffic {
    let terms = Terms::new(launch);
    let (blocks, in_flight) = (terms.blocks, terms.in_flight);
    let kept = |uses: &Reuse| {
        uses.kept(
            blocks,
            in_flight,
            |gap| terms.kept_in_step(gap),
            |gap| terms.kept_between(gap),
        )
    };
    let (kept_a, kept_b) = (kept(&terms.a), kept(&terms.b));
    // Lines at the edge of a tile belong to the block on the left, too: whose row of A is the same.
    let alone = 1.0 - kept_a;
    // Steps share lines of A. From the last block that uses a row in this step to the first one in the next:
    let uses = (terms.a.uses() - 1.0).min(((in_flight - 1.0) / terms.a.gap[0]).floor());
    let next = terms.kept_in_step(in_flight - uses * terms.a.gap[0]);
    let again = 1.0 + (1.0 - next) * terms.a_excess / terms.a_width;
    let a = alone * terms.a_panel * again;
    let b = (1.0 - kept_b) * terms.depth * (terms.b_width + terms.b_excess * alone);
    let c = terms.c_tile + terms.c_excess * alone;
    let d = terms.d_tile + terms.d_excess * alone;
    Traffic {
        read_bytes: blocks * (a + b + d),
        written_bytes: blocks * c,
        requested_bytes: blocks * (terms.a_panel + terms.depth * terms.b_width + terms.d_tile),
        wave_bytes: terms.panels(in_flight),
        step_bytes: terms.slices(in_flight),
    }
}

/// Panels of A and B that are read where each wave reads each of its own once: what [`loads`](super::loads) counts.
#[cfg(test)]
pub(super) fn once_per_wave(launch: &Launch) -> f64 {
    let terms = Terms::new(launch);
    let kept = |uses: &Reuse| uses.kept(terms.blocks, terms.in_flight, |_| 1.0, |_| 0.0);
    terms.blocks * (2.0 - kept(&terms.a) - kept(&terms.b))
}

/// What the formulas are made of. Bytes but for `blocks`, `in_flight`, `columns`, `tile_m`, `tile_k` and `depth`.
struct Terms {
    a: Reuse,
    b: Reuse,
    blocks: f64,
    in_flight: f64,
    columns: f64,
    /// Rows of a tile, and of one step of B.
    tile_m: f64,
    tile_k: f64,
    /// Rows of B.
    depth: f64,
    a_panel: f64,
    /// Of a row of A in one step.
    a_width: f64,
    a_excess: f64,
    /// Of a row of a panel of B; that of a whole tile.
    b_width: f64,
    b_tile: f64,
    b_excess: f64,
    c_tile: f64,
    c_excess: f64,
    d_tile: f64,
    d_excess: f64,
    l2: f64,
    drift: f64,
}

impl Terms {
    fn new(launch: &Launch) -> Terms {
        let (problem, mapping) = (&launch.problem, &launch.mapping);
        let (m, n, k) = (problem.m as f64, problem.n as f64, problem.k as f64);
        let (rows, columns) = (mapping.rows as f64, mapping.columns as f64);
        let tile_m = (launch.tile.m as f64).min(m);
        let tile_n = (launch.tile.n as f64).min(n);
        let tile_k = (launch.tile.k as f64).min(k);
        let input = problem.input_bytes as f64;
        let line = launch.line_bytes as f64;
        let edge = |element: f64| tile_m * excess(tile_n * element, n * element, element, line);
        let (output, last) = (problem.output_bytes as f64, problem.last_bytes as f64);
        let [a, b] = Reuse::of(mapping);
        Terms {
            a,
            b,
            blocks: mapping.blocks() as f64,
            in_flight: launch.in_flight() as f64,
            columns,
            tile_m,
            tile_k,
            depth: k,
            a_panel: input * m * k / rows,
            a_width: tile_k * input,
            a_excess: excess(tile_k * input, k * input, input, line),
            b_width: input * n / columns,
            b_tile: tile_n * input,
            b_excess: excess(tile_n * input, n * input, input, line),
            c_tile: output * m * n / (rows * columns),
            c_excess: edge(output),
            d_tile: last * m * n / (rows * columns),
            d_excess: if last > 0.0 { edge(last) } else { 0.0 },
            l2: launch.l2_bytes.max(1) as f64,
            drift: launch.drift,
        }
    }

    /// What `blocks` consecutive blocks read in one step.
    fn slices(&self, blocks: f64) -> f64 {
        let (rows, columns) = (self.a.distinct(blocks), self.b.distinct(blocks));
        let b = self.b_tile + self.b_excess * self.edges(columns);
        rows * self.tile_m * (self.a_width + self.a_excess) + columns * self.tile_k * b
    }

    /// What they read and write from beginning to end.
    fn panels(&self, blocks: f64) -> f64 {
        let (rows, columns) = (self.a.distinct(blocks), self.b.distinct(blocks));
        let edges = self.edges(columns);
        rows * self.a_panel
            + columns * self.depth * (self.b_width + self.b_excess * edges)
            + blocks * (self.c_tile + self.d_tile + (self.c_excess + self.d_excess) * edges)
    }

    /// How many ends of rows there are for each of so many neighbouring columns; none where these are all.
    fn edges(&self, columns: f64) -> f64 {
        (1.0 - columns / self.columns).max(0.0) / columns.max(1.0)
    }

    /// Whether a slice is still there for the block that comes so many blocks later in the same wave. Where they are
    /// not in step, up to twice the mean drift passes between them.
    fn kept_in_step(&self, gap: f64) -> f64 {
        let spread = 2.0 * self.drift * self.slices(self.in_flight);
        ((self.l2 - self.slices(gap) + 1.0) / (spread + 1.0)).clamp(0.0, 1.0)
    }

    /// Whether a panel is still there after so many blocks.
    fn kept_between(&self, blocks: f64) -> f64 {
        let need = self.panels(blocks.min(self.blocks)) / self.l2;
        ((1.0 + SPREAD - need) / (2.0 * SPREAD)).clamp(0.0, 1.0)
    }
}
