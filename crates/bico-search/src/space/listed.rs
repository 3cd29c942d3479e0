//! Spaces that are given as a list of their configs: recorded ones, whose restrictions nobody knows.

use super::Space;
use super::diagram::{DEAD, Diagram, Full, Unique};
use super::table::Table;
use bico_bind::{Domain, Rules, SpaceError};
use bico_core::Value;
use proc_macro2::Span;

impl Space {
    /// The space of these configs, each with a value for each of `names`.
    ///
    /// Its order is that of the values' first appearance, the last parameter counting fastest: so it
    /// is that of the rows, where they are sorted in the order of the domains.
    ///
    /// # Errors
    ///
    /// A row with more or fewer values than there are names, one that stands there twice, or values
    /// of different types in one column. Rows are counted from 1.
    ///
    /// ```
    /// use bico_core::Value::Int;
    /// use bico_search::space::Space;
    ///
    /// let names = ["A".to_string(), "B".to_string()];
    /// let rows = [[4, 1], [4, 2], [8, 1]].map(|row| row.map(Int).to_vec());
    /// let space = Space::listed(&names, rows)?;
    /// assert_eq!(space.config(2), [Int(8), Int(1)]);
    /// assert_eq!(space.index_of(&[Int(8), Int(2)]), None);
    /// # Ok::<(), bico_search::space::SpaceError>(())
    /// ```
    pub fn listed(
        names: &[String],
        rows: impl IntoIterator<Item = Vec<Value>>,
    ) -> Result<Space, SpaceError> {
        let mut tables = vec![Table::default(); names.len()];
        let (mut ids, mut count) = (Vec::new(), 0u32);
        for row in rows {
            count += 1;
            if row.len() != names.len() {
                return Err(error(format!(
                    "row {count} has {} values, but there are {} parameters",
                    row.len(),
                    names.len()
                )));
            }
            for ((value, table), name) in row.into_iter().zip(&mut tables).zip(names) {
                let kind = std::mem::discriminant(&value);
                if let Some(first) = table.values.first()
                    && std::mem::discriminant(first) != kind
                {
                    let message = format!(
                        "row {count}: {name} is {value}, but {first} in the first row: these are \
                         of different types"
                    );
                    return Err(error(message));
                }
                ids.push(table.add(value));
            }
        }
        let row = |at: u32| &ids[at as usize * names.len()..(at as usize + 1) * names.len()];
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by(|a, b| row(*a).cmp(row(*b)));
        if let Some(twice) = order.windows(2).find(|pair| row(pair[0]) == row(pair[1])) {
            let message = format!(
                "row {} holds the config of row {}",
                twice[1] + 1,
                twice[0] + 1
            );
            return Err(error(message));
        }
        let mut levels: Vec<Unique> = names.iter().map(|_| Unique::default()).collect();
        let root = if names.is_empty() {
            DEAD
        } else {
            group(&order, &row, 0, &mut levels)
                .map_err(|_| error("the list is too long to be held".into()))?
        };
        let levels = levels.into_iter().map(Unique::into_level).collect();
        let diagram = Diagram::new(levels, root);
        Ok(Space {
            rules: Rules {
                names: names.to_vec(),
                domains: tables
                    .iter()
                    .map(|table| Domain::listed(&table.values))
                    .collect(),
                conditions: Vec::new(),
                tests: vec![Vec::new(); names.len()],
            },
            rejected: Vec::new(),
            len: if names.is_empty() {
                count.into()
            } else {
                diagram.len()
            },
            tables,
            diagram,
            listed: true,
        })
    }
}

fn error(message: String) -> SpaceError {
    SpaceError::new(Span::call_site(), message)
}

/// The node of sorted rows that are equal before `depth`.
fn group<'a>(
    rows: &[u32],
    row: &impl Fn(u32) -> &'a [u32],
    depth: usize,
    levels: &mut [Unique],
) -> Result<u32, Full> {
    if rows.is_empty() {
        return Ok(DEAD);
    }
    let mut edges = Vec::new();
    for alike in rows.chunk_by(|a, b| row(*a)[depth] == row(*b)[depth]) {
        let child = if depth + 1 == levels.len() {
            0
        } else {
            group(alike, row, depth + 1, levels)?
        };
        edges.push((row(alike[0])[depth], child));
    }
    let (above, below) = levels.split_at_mut(depth + 1);
    above[depth].node(&edges, below.first().map(Unique::level))
}
