//! The order of blocks: row by row, or in groups that share tiles in the second-level cache.

use bico::Value;
use bico_search::space::Space;

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

    /// The config with those groups that cost least; of equal ones the largest.
    pub(super) fn grouped(
        &self,
        space: &Space,
        config: &[Value],
        cost: impl Fn(&[Value]) -> f64,
    ) -> Option<Vec<Value>> {
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
        let grouped = sizes
            .iter()
            .filter_map(|sizes| self.with(space, config, sizes));
        grouped.min_by(|a, b| cost(a).total_cmp(&cost(b)))
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

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    const OPTIONS: &str = "space(TILE in [64, 128], M_L2 in [1, 4, 8], N_L2 in [1, 4, 8], ORDER in [\"nm\", \"mn\"]), \
        require(TILE < 128 || M_L2 * N_L2 <= 32), problem(c = 1, m = 64, n = 64, k = 64)";

    fn config(tile: i64, groups: [i64; 2], order: &'static str) -> Vec<Value> {
        let [m, n] = groups;
        let numbers = [tile, m, n].map(Value::Int);
        [&numbers[..], &[Value::Str(order)]].concat()
    }

    #[test]
    fn groups_are_taken_away_and_made() {
        let (space, _) = fixture::space(OPTIONS);
        let order = Order::of(&space).unwrap();
        let grouped = config(128, [4, 8], "nm");
        assert!(order.is_grouped(&grouped) && order.is_grouped(&config(64, [1, 4], "mn")));
        let rows = config(128, [1, 1], "mn");
        assert_eq!(order.row_major(&space, &grouped), Some(rows.clone()));
        assert!(!order.is_grouped(&rows));
        let all_cost = |_: &[Value]| 1.0;
        let largest = order.grouped(&space, &config(64, [1, 1], "nm"), all_cost);
        assert_eq!(largest, Some(config(64, [8, 8], "nm")));
        // 8 x 8 is not valid with this tile.
        let largest = order.grouped(&space, &rows, all_cost);
        assert_eq!(largest, Some(config(128, [4, 8], "mn")));
        let narrow = |config: &[Value]| if config[1] == NONE { 1.0 } else { 2.0 };
        let cheapest = order.grouped(&space, &rows, narrow);
        assert_eq!(cheapest, Some(config(128, [1, 8], "mn")));
        let (other, _) =
            fixture::space("space(GROUP in [1, 2]), problem(c = 1, m = 1, n = 1, k = 1)");
        assert!(Order::of(&other).is_none());
    }

    #[test]
    fn a_config_of_another_space_goes_by_names() {
        let (space, _) = fixture::space(OPTIONS);
        let narrowed = "space(ORDER in [\"mn\"], N_L2 in [1], TILE in [64, 256], M_L2 in [1]), \
            problem(c = 1, m = 64, n = 64, k = 64)";
        let (other, _) = fixture::space(narrowed);
        let values = |tile| {
            let groups = [Value::Int(1), Value::Int(tile), Value::Int(1)];
            [&[Value::Str("mn")], &groups[..]].concat()
        };
        assert_eq!(
            same(&space, &other, &values(64)),
            Some(config(64, [1, 1], "mn"))
        );
        assert_eq!(same(&space, &other, &values(256)), None);
    }
}
