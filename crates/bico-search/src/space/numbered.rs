//! The configs of a space by their numbers: plain data without its rules.

use super::diagram::{DEAD, Diagram, Unique};
use super::table::Table;
use bico_core::{Lists, Value};
use bico_syntax::bind::SpaceError;
use proc_macro2::Span;

/// Configs in a fixed order, each with a number and a value for every parameter.
#[derive(Debug, Clone)]
pub struct Numbered {
    pub(super) names: Vec<String>,
    /// For each parameter whether it was declared with `=`.
    pub(super) derived: Vec<bool>,
    pub(super) tables: Vec<Table>,
    pub(super) diagram: Diagram,
    pub(super) len: u64,
}

impl Numbered {
    /// These configs, each with one of the values of every parameter. Those that stand there
    /// twice count once.
    ///
    /// Its order is that of the parameters' values, the last parameter counting fastest, as if rules had made it.
    ///
    /// # Errors
    ///
    /// A row with more or fewer values than there are parameters, or with one that its parameter does not have.
    /// Rows are counted from 1.
    ///
    /// ```
    /// use bico_search::space::Numbered;
    /// use bico_core::Value::Int;
    ///
    /// let parameters = [("A", [4, 8]), ("B", [2, 1])];
    /// let parameters = parameters.map(|(name, values)| (name.to_string(), values.map(Int).to_vec()));
    /// let rows = [[8, 1], [4, 1], [4, 2]].map(|row| row.map(Int).to_vec());
    /// let configs = Numbered::listed(&parameters, rows)?;
    /// assert_eq!(configs.config(0), [Int(4), Int(2)]);
    /// assert_eq!(configs.index_of(&[Int(8), Int(2)]), None);
    /// # Ok::<(), bico_syntax::bind::SpaceError>(())
    /// ```
    pub fn listed(
        parameters: &[(String, Vec<Value>)],
        rows: impl IntoIterator<Item = Vec<Value>>,
    ) -> Result<Numbered, SpaceError> {
        let values = parameters.iter().map(|(_, values)| values.clone());
        let tables: Vec<Table> = values.map(Table::of).collect_vec();
        let mut configs: Vec<Vec<u32>> = Vec::new();
        for (row, at) in rows.into_iter().zip(1..) {
            if row.len() != parameters.len() {
                return Err(error(format!(
                    "row {at} has {} values, but there are {} parameters",
                    row.len(),
                    parameters.len()
                )));
            }
            let named = row.iter().zip(&tables).zip(parameters);
            let ids = named.map(|((value, table), (name, _))| {
                let message = || format!("row {at}: {value} is no value of {name}");
                table.id(*value).ok_or_else(|| error(message()))
            });
            configs.push(ids.try_collect_vec()?);
        }
        configs.sort_unstable();
        configs.dedup();
        let mut levels: Vec<Unique> = parameters.iter().map(|_| Unique::default()).collect_vec();
        let root = match parameters.is_empty() {
            true => DEAD,
            false => group(&configs, 0, &mut levels)
                .map_err(|_| error("the list is too long to be held".into()))?,
        };
        Ok(Numbered {
            names: parameters
                .iter()
                .map(|(name, _)| name.clone())
                .collect_vec(),
            derived: vec![false; parameters.len()],
            len: configs.len() as u64,
            tables,
            diagram: Diagram::new(levels, root),
        })
    }
}

fn error(message: String) -> SpaceError {
    SpaceError::new(Span::call_site(), message)
}

/// The node of sorted configs that are equal before `depth`.
fn group(configs: &[Vec<u32>], depth: usize, levels: &mut [Unique]) -> Result<u32, String> {
    if configs.is_empty() {
        return Ok(DEAD);
    }
    let mut edges = Vec::new();
    for alike in configs.chunk_by(|a, b| a[depth] == b[depth]) {
        let child = match depth + 1 == levels.len() {
            true => 0,
            false => group(alike, depth + 1, levels)?,
        };
        edges.push((alike[0][depth], child));
    }
    let (above, below) = levels.split_at_mut(depth + 1);
    above[depth].node(&edges, below.first().map(|below| &below.level))
}
