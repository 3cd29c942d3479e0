//! JSON, read and written by one codec: `bico.lock`, what programs learned, trails, and what processes of bico say
//! to each other.
//!
//! A text is read as input from outside: a [`Document`] is strict JSON, each [`Item`] of it knows its name and its
//! place, and every fault is an [`Error`] with the line. What is written is a [`Json`], whose layout is its own:
//! [`Json::to_text`] gives the same bytes for the same content. [`json_struct!`](crate::json_struct) and
//! [`json_enum!`](crate::json_enum) give both ways to types of one's own.
//!
//! ```
//! use bico_core::json::{Document, Kind, ToJson};
//!
//! bico_core::json_struct! {
//!     struct Launch {
//!         grid: [u32; 3],
//!         name: Option<String>,
//!     }
//! }
//!
//! let launch = Launch { grid: [8, 8, 1], name: None };
//! let text = launch.to_json().compact();
//! assert_eq!(text, r#"{"grid":[8,8,1],"name":null}"#);
//!
//! let document = Document::parse(&Kind::MESSAGE, "".as_ref(), &text).unwrap();
//! let read: Launch = document.root().read().unwrap();
//! assert_eq!(read.grid, launch.grid);
//!
//! let document = Document::parse(&Kind::MESSAGE, "".as_ref(), r#"{"grid": [8, -8, 1], "name": null}"#).unwrap();
//! let error = document.root().read::<Launch>().err().unwrap();
//! assert_eq!(error.in_one_line(), "line 1: `grid` must be a whole number from 0 to 4294967295");
//! ```

mod convert;
mod document;
mod error;
mod fields;
mod item;
mod macros;
mod place;
mod reader;
mod value;
mod write;

pub use convert::{FromJson, ToJson, read};
pub use document::{Document, Kind};
pub use error::Error;
pub use fields::{Fields, Parts};
pub use item::Item;
pub use place::Place;
pub use write::Json;

#[cfg(test)]
mod tests;
