//! From candle's layouts to what kernels take.

use candle_core::{Layout, Result, bail};

/// The elements of a storage that a tensor has, where they lie side by side.
pub(crate) fn range(layout: &Layout) -> Result<std::ops::Range<usize>> {
    match layout.contiguous_offsets() {
        Some((from, to)) => Ok(from..to),
        None => bail!("the elements do not lie side by side: call `contiguous()` first"),
    }
}

/// A tensor's rows and columns, as kernels count them: all dimensions but the last, and the last.
pub(crate) fn matrix(layout: &Layout) -> Result<(u32, u32)> {
    let Some((columns, rows)) = layout.dims().split_last() else {
        bail!("a tensor without dimensions has no rows")
    };
    let rows: usize = rows.iter().product();
    match (u32::try_from(rows), u32::try_from(*columns)) {
        (Ok(rows), Ok(columns)) => Ok((rows, columns)),
        _ => bail!("{rows} x {columns} elements: a kernel counts to 2^32"),
    }
}
