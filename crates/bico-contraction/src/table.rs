//! A schedule for people.

use super::{Bound, Schedule};
use std::fmt;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:?} of {:?}, first touch {:?}, last touch {:?}",
            self.prim_main, self.data_type, self.prim_first, self.prim_last
        )?;
        for line in self.table() {
            writeln!(f, "{line}")?;
        }
        for bound in &self.bounds {
            writeln!(f, "where {}", self.condition(bound))?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            writeln!(f, "{}{step}", if index == 0 { "" } else { "  ." })?;
        }
        Ok(())
    }
}

impl Schedule {
    /// The dimensions, a line each below a heading; an execution is written where it begins, and `-` is the
    /// stride in a tensor that lacks the dimension.
    pub fn table(&self) -> Vec<String> {
        let mut heading = ["exec", "dim", "type", "size"].map(str::to_owned).to_vec();
        heading.extend((0..self.strides.len()).map(|tensor| {
            let name = ["A", "B", "C", "D"].get(tensor);
            format!("stride {}", name.copied().unwrap_or("?"))
        }));
        let mut rows = vec![heading];
        // A schedule that is not valid may lack some of it.
        for (dim, kind) in self.dim_types.iter().enumerate() {
            let exec = self.exec_types.get(dim);
            let before = dim
                .checked_sub(1)
                .and_then(|before| self.exec_types.get(before));
            let mut row = vec![
                exec.filter(|exec| before != Some(exec))
                    .map_or(String::new(), |exec| format!("{exec:?}")),
                self.names.get(dim).cloned().unwrap_or_default(),
                kind.to_string(),
                (self.dim_sizes.get(dim)).map_or("?".to_owned(), u64::to_string),
            ];
            for (tensor, strides) in self.strides.iter().enumerate() {
                row.push(match strides.get(dim) {
                    Some(0) if !kind.is_in(tensor) => "-".to_owned(),
                    Some(stride) => stride.to_string(),
                    None => "?".to_owned(),
                });
            }
            rows.push(row);
        }
        aligned(&rows)
    }

    /// `m_out * 64 + m_prim < 4000`
    pub(super) fn condition(&self, bound: &Bound) -> String {
        let terms: Vec<String> = bound
            .terms
            .iter()
            .map(|(dim, factor)| {
                let name = self.names.get(*dim).map_or("?", String::as_str);
                match factor {
                    1 => name.to_owned(),
                    factor => format!("{name} * {factor}"),
                }
            })
            .collect();
        format!("{} < {}", terms.join(" + "), bound.limit)
    }
}

/// Words to the left, numbers (from the fourth column) to the right.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    rows.iter()
        .map(|row| {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| {
                    if column < 3 {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                })
                .collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect()
}
