//! Tables for people.

use bico_core::Lists;

/// Rows of cells in columns as wide as their longest cell: the first `left` columns begin at the same
/// place, the others end there. A row without cells is an empty line.
pub fn columns(rows: &[Vec<String>], left: usize) -> String {
    between(rows, left, usize::MAX)
}

/// The same, with columns from `texts` on that begin at the same place again.
pub fn between(rows: &[Vec<String>], left: usize, texts: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect_vec();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(
            |(column, (cell, width))| match column < left || column >= texts {
                true => format!("{cell:width$}"),
                false => format!("{cell:>width$}"),
            },
        );
        text += cells.collect_vec().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_below_each_other() {
        let row = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect();
        let rows = [
            row(&["name", "best", ""]),
            row(&[]),
            row(&["a", "10.5", "-"]),
            row(&["µ-long", "9", "12"]),
        ];
        let expected = "name    best\n\na       10.5   -\nµ-long     9  12\n";
        assert_eq!(columns(&rows, 1), expected);
        let rows = [row(&["1", "a", "x"]), row(&["10", "bc", "yz"])];
        assert_eq!(between(&rows, 0, 1), " 1  a   x\n10  bc  yz\n");
    }
}
