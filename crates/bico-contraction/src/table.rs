//! A schedule for people.

use super::{Bound, Schedule};
use std::fmt;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:?} of {:?}, first touch Zero, last touch {:?}",
            self.prim_main, self.data_type, self.prim_last
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
    fn table(&self) -> Vec<String> {
        let tensors = (0..self.strides.len()).map(|tensor| {
            let name = ["A", "B", "C", "D"].get(tensor).unwrap_or(&"?");
            format!("stride {name}")
        });
        let heading = ["exec", "dim", "type", "size"].map(str::to_owned);
        let mut rows: Vec<Vec<String>> = vec![heading.into_iter().chain(tensors).collect()];
        // A schedule that is not valid may lack some of it.
        let size = |size: Option<&u64>| size.map_or("?".to_owned(), u64::to_string);
        let mut before = None;
        for (dim, kind) in self.dim_types.iter().enumerate() {
            let exec = self.exec_types.get(dim);
            let begins = exec.filter(|_| before != exec);
            before = exec;
            let mut row = vec![
                begins.map_or(String::new(), |exec| format!("{exec:?}")),
                self.names.get(dim).cloned().unwrap_or_default(),
                kind.to_string(),
                size(self.dim_sizes.get(dim)),
            ];
            let strides = self.strides.iter().enumerate();
            row.extend(strides.map(|(tensor, strides)| match strides.get(dim) {
                Some(0) if !kind.is_in(tensor) => "-".to_owned(),
                stride => size(stride),
            }));
            rows.push(row);
        }
        aligned(&rows)
    }

    /// `m_out * 64 + m_prim < 4000`
    pub(super) fn condition(&self, bound: &Bound) -> String {
        let term = |(dim, factor): &(usize, u64)| {
            let name = self.names.get(*dim).map_or("?", String::as_str);
            match factor {
                1 => name.to_owned(),
                factor => format!("{name} * {factor}"),
            }
        };
        let terms: Vec<String> = bound.terms.iter().map(term).collect();
        format!("{} < {}", terms.join(" + "), bound.limit)
    }
}

/// Words to the left, numbers (from the fourth column) to the right.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let cell = |((column, cell), width): ((usize, &String), &usize)| match column < 3 {
        true => format!("{cell:<width$}"),
        false => format!("{cell:>width$}"),
    };
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().enumerate().zip(&widths).map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
