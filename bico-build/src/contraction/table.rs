//! A config for people.

use super::{Bound, Config};
use std::fmt;

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:?}, inner product {:?}, first touch {:?}, last touch {:?}",
            self.data_type, self.prim_main, self.prim_first, self.prim_last
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

impl Config {
    /// The dimensions, a line each, below a heading. Shorter lists of a config that is not valid end early.
    pub fn table(&self) -> Vec<String> {
        let mut rows = vec![["dim", "type", "exec", "size"].map(str::to_owned).to_vec()];
        rows[0].extend((0..self.strides.len()).map(|tensor| {
            let name = ["A", "B", "C", "D"].get(tensor);
            name.map_or(format!("stride {tensor}"), |name| format!("stride {name}"))
        }));
        let dims = self
            .names
            .iter()
            .zip(&self.dim_types)
            .zip(&self.exec_types)
            .zip(&self.dim_sizes);
        for (dim, (((name, kind), exec), size)) in dims.enumerate() {
            let mut row = vec![
                name.clone(),
                kind.to_string(),
                format!("{exec:?}"),
                size.to_string(),
            ];
            row.extend(self.strides.iter().enumerate().map(|(tensor, strides)| {
                match strides.get(dim) {
                    Some(0) if !kind.is_in(tensor) => "-".to_owned(),
                    Some(stride) => stride.to_string(),
                    None => "?".to_owned(),
                }
            }));
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
