//! How far apart the uses of a panel are, in blocks.

use super::Mapping;

/// The uses of one input's panels: each use but a panel's first has the one before it at one of two distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reuse {
    /// Blocks to the last use: in the same group, and in the group before.
    pub(super) gap: [f64; 2],
    /// The part of all blocks whose last use is that far away; what is missing to 1 are first uses.
    pub(super) rate: [f64; 2],
    /// The same away from the start of a batch, where there are no first uses.
    pub(super) inner: [f64; 2],
    /// Panels of a batch.
    panels: f64,
    /// Blocks of a batch.
    batch: f64,
}

impl Reuse {
    /// Of the row panels of A and of the column panels of B.
    pub(super) fn of(mapping: &Mapping) -> [Reuse; 2] {
        let (rows, columns) = (mapping.rows as f64, mapping.columns as f64);
        let (m, n) = (
            Groups::new(rows, mapping.m_l2),
            Groups::new(columns, mapping.n_l2),
        );
        let (height, width) = (m.usual, n.usual);
        let group = height * width;
        let (a, b) = match mapping.blocks_along_n {
            true => (1.0, width),
            false => (height, 1.0),
        };
        let (next_a, next_b) = match mapping.groups_along_n {
            true => (group, height * columns),
            false => (width * rows, group),
        };
        // Groups that are walked to the right meet new rows all the time, columns only at first; and the other way round.
        let along = mapping.groups_along_n;
        let batch = rows * columns;
        let again = |groups: Groups, panels: f64| groups.count / panels - 1.0 / panels;
        [
            Reuse {
                gap: [a, next_a - (width - 1.0) * a],
                rate: [1.0 - n.count / columns, again(n, columns)],
                inner: [
                    1.0 - n.count / columns,
                    if along {
                        again(n, columns)
                    } else {
                        n.count / columns
                    },
                ],
                panels: rows,
                batch,
            },
            Reuse {
                gap: [b, next_b - (height - 1.0) * b],
                rate: [1.0 - m.count / rows, again(m, rows)],
                inner: [
                    1.0 - m.count / rows,
                    if along {
                        m.count / rows
                    } else {
                        again(m, rows)
                    },
                ],
                panels: columns,
                batch,
            },
        ]
    }

    /// How often a panel is used in a group.
    pub(super) fn uses(&self) -> f64 {
        1.0 / (1.0 - self.rate[0])
    }

    /// How many different panels `blocks` consecutive blocks use, on average over where they begin.
    ///
    /// All of their uses, less those whose last use is among them, too.
    pub(super) fn distinct(&self, blocks: f64) -> f64 {
        let within = blocks.min(self.batch);
        let repeated = |level: usize| self.inner[level] * (within - self.gap[level]).max(0.0);
        (within - repeated(0) - repeated(1))
            .min(self.panels)
            .max(blocks / self.batch * self.panels)
    }

    /// The part of all uses that find their panel in the cache: `same` says how surely in the same wave, so many blocks
    /// after the last use; `later` says it of later waves.
    pub(super) fn kept(
        &self,
        blocks: f64,
        in_flight: f64,
        same: impl Fn(f64) -> f64,
        later: impl Fn(f64) -> f64,
    ) -> f64 {
        let level = |level: usize| {
            let gap = self.gap[level];
            let apart = apart(gap, blocks, in_flight);
            let together = if apart < 1.0 { same(gap) } else { 0.0 };
            self.rate[level] * ((1.0 - apart) * together + apart * later(gap.max(in_flight)))
        };
        level(0) + level(1)
    }
}

/// How often two blocks that are `gap` apart are in different waves, over all places where the first may be.
///
/// It is one of the last `gap` of its wave then. The last wave may be shorter.
fn apart(gap: f64, blocks: f64, in_flight: f64) -> f64 {
    if gap >= in_flight {
        return 1.0;
    }
    let places = (blocks - gap).max(1.0);
    let rest = places % in_flight;
    ((places - rest) / in_flight * gap + (rest + gap - in_flight).max(0.0)) / places
}

/// Tiles of one dimension, cut into groups.
#[derive(Debug, Clone, Copy)]
struct Groups {
    /// How many groups.
    count: f64,
    /// Tiles of the group that a tile is in, averaged over all tiles: the group at the edge may be smaller.
    usual: f64,
}

impl Groups {
    fn new(tiles: f64, size: u64) -> Groups {
        let size = (size as f64).min(tiles);
        let whole = (tiles / size).floor();
        let rest = tiles - whole * size;
        Groups {
            count: (tiles / size).ceil(),
            usual: (whole * size * size + rest * rest) / tiles,
        }
    }
}
