//! The types that a kernel's arguments have.

use crate::expr::Arithmetic;

/// The type of a buffer's element or of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Element {
    F32,
    F64,
    F16,
    Bf16,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    Bool,
    /// Selectors only.
    Str,
}

impl Element {
    /// Every element type that a kernel's argument can have.
    pub fn numbers() -> impl Iterator<Item = Element> {
        let all = ELEMENTS.iter().map(|row| row.0);
        all.filter(|element| *element != Element::Str)
    }

    /// Bytes of one value on a 64-bit machine.
    pub fn size(self) -> usize {
        ELEMENTS[self as usize].2
    }

    /// The Rust name: `f32`.
    pub fn name(self) -> &'static str {
        ELEMENTS[self as usize].1
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        use Element::{Bf16, F16, F32, F64};
        matches!(self, F16 | Bf16 | F32 | F64)
    }

    /// How an expression for a value of this type computes.
    pub fn arithmetic(self) -> Arithmetic {
        match self.is_float() {
            true => Arithmetic::Real,
            false => Arithmetic::Integer,
        }
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, Element::Bool | Element::Str)
    }
}

/// Every element type, in the order of its declaration: its name, and its bytes.
const ELEMENTS: [(Element, &str, usize); 16] = [
    (Element::F32, "f32", 4),
    (Element::F64, "f64", 8),
    (Element::F16, "f16", 2),
    (Element::Bf16, "bf16", 2),
    (Element::I8, "i8", 1),
    (Element::I16, "i16", 2),
    (Element::I32, "i32", 4),
    (Element::I64, "i64", 8),
    (Element::Isize, "isize", 8),
    (Element::U8, "u8", 1),
    (Element::U16, "u16", 2),
    (Element::U32, "u32", 4),
    (Element::U64, "u64", 8),
    (Element::Usize, "usize", 8),
    (Element::Bool, "bool", 1),
    (Element::Str, "str", 16),
];
