//! How a buffer is filled.

use crate::compile::Hash;
use bico_core::{json_enum, json_struct};
use bico_syntax::bind::Numbers;
use bico_syntax::{Element, Init};
use std::path::PathBuf;

json_enum! {
    /// How a buffer is filled.
    #[derive(Debug, Clone, PartialEq)]
    pub(super) enum Fill {
        /// As is usual for its elements: the attribute says nothing.
        Usual,
        /// The same for all inputs: no others are wilder.
        Calm,
        /// Floats of all sizes.
        Wide,
        Uniform(low: f64, high: f64),
        Normal(mean: f64, deviation: f64),
        Zeros,
        Ones,
        Iota,
        Stored(stored: Stored),
    }
}

json_struct! {
    /// What a buffer holds, in a file.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Stored {
        /// The file.
        pub path: PathBuf,
        /// Where in it the first element is.
        pub offset: u64,
        /// A hash that changes with the content.
        pub content: Hash,
    }
}

impl Fill {
    /// What the attribute says of a buffer; `numbers` are those that it computes at the sizes at hand.
    pub(super) fn new(init: Option<&Init>, numbers: Option<Numbers>) -> Fill {
        match (init, numbers) {
            (Some(Init::Uniform(..)), Some((low, high))) => Fill::Uniform(low, high),
            (Some(Init::Normal(..)), Some((mean, deviation))) => Fill::Normal(mean, deviation),
            (Some(Init::Zeros), _) => Fill::Zeros,
            (Some(Init::Ones), _) => Fill::Ones,
            (Some(Init::Iota), _) => Fill::Iota,
            (Some(Init::File(_, other)), _) => Fill::new(other.as_deref(), numbers),
            _ => Fill::Usual,
        }
    }

    /// How a buffer without `#[init]` is filled.
    pub(super) fn usual(element: Element) -> Fill {
        match element {
            Element::U8 | Element::U16 | Element::U32 | Element::U64 | Element::Usize => {
                Fill::Uniform(0.0, 16.0)
            }
            _ if element.is_integer() => Fill::Uniform(-8.0, 8.0),
            _ => Fill::Uniform(-1.0, 1.0),
        }
    }
}
