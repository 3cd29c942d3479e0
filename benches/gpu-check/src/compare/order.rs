//! The order of blocks: row by row, or in groups that share tiles in the second-level cache.

use bico::Value;
use bico_build::space::Space;

/// Parameters that say how large groups are, of one kernel or another; where all are 1, there are none.
const GROUPS: [&[&str]; 2] = [&["GROUP_M"], &["M_L2", "N_L2"]];
const NONE: Value = Value::Int(1);
/// The parameter that says which of rows and columns comes first, where there is one, and its value for rows.
const DIRECTION: &str = "ORDER";
const BY_ROWS: Value = Value::Str("mn");

/// Which parameters of a space these are.
pub(super) struct Order {
    groups: Vec<usize>,
    direction: Option<usize>,
}

impl Order {
    /// `None`: the kernel has one order only.
    pub(super) fn of(space: &Space) -> Option<Order> {
        let place = |name: &str| space.names().iter().position(|known| known == name);
        let mut places = GROUPS
            .iter()
            .map(|names| names.iter().map(|name| place(name)).collect());
        Some(Order {
            groups: places.find_map(|places: Option<Vec<usize>>| places)?,
            direction: place(DIRECTION),
        })
    }

    /// Whether there are groups.
    pub(super) fn is_grouped(&self, config: &[Value]) -> bool {
        !self.groups.iter().all(|at| config[*at] == NONE)
    }

    /// The config without groups, row by row.
    pub(super) fn row_major(&self, space: &Space, config: &[Value]) -> Option<Vec<Value>> {
        let mut config = config.to_vec();
        if let Some(at) = self.direction {
            config[at] = BY_ROWS;
        }
        self.with(space, &config, &vec![NONE; self.groups.len()])
    }

    /// The config with the largest groups that it may have.
    pub(super) fn grouped(&self, space: &Space, config: &[Value]) -> Option<Vec<Value>> {
        let mut sizes: Vec<Vec<Value>> = vec![Vec::new()];
        for at in &self.groups {
            sizes = sizes
                .iter()
                .flat_map(|sizes| {
                    let values = space.values(*at).iter();
                    values.map(|value| [sizes.as_slice(), &[*value]].concat())
                })
                .collect();
        }
        let blocks = |sizes: &[Value]| -> i64 {
            let numbers = sizes.iter().map(|size| match size {
                Value::Int(size) => *size,
                _ => 0,
            });
            numbers.product()
        };
        sizes.retain(|sizes| sizes.iter().any(|size| *size != NONE));
        sizes.sort_by_key(|sizes| std::cmp::Reverse(blocks(sizes)));
        sizes
            .iter()
            .find_map(|sizes| self.with(space, config, sizes))
    }

    fn with(&self, space: &Space, config: &[Value], sizes: &[Value]) -> Option<Vec<Value>> {
        let mut config = config.to_vec();
        for (at, size) in self.groups.iter().zip(sizes) {
            config[*at] = *size;
        }
        space.index_of(&config).map(|_| config)
    }
}

/// A config of another space with the same parameters; `None` where it is none of this one's.
pub(super) fn same(space: &Space, other: &Space, config: &[Value]) -> Option<Vec<Value>> {
    let value = |name: &String| {
        let at = other.names().iter().position(|known| known == name)?;
        config.get(at).copied()
    };
    let config = space
        .names()
        .iter()
        .map(value)
        .collect::<Option<Vec<_>>>()?;
    space.index_of(&config).map(|_| config)
}
