//! The space of a contraction on a GPU.

use super::{Operands, Text};

/// The options of a CUDA contraction.
pub(crate) fn text(_operands: &Operands<'_>) -> Text {
    Text::default()
}
