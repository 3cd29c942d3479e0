//! What one element of a buffer is made of.

use crate::Lists;
use crate::spec::{Element, Name};

/// What one element of a buffer is made of: a number, an array of them, or the fields of a structure, without gaps.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The path of a structure. An attribute says no more of it: the build reads the definition in the same file.
    pub structure: Option<Name>,
    /// In the order of memory.
    pub fields: Vec<Field>,
    /// Bytes of which its address is a multiple.
    pub align: usize,
}

/// Equal numbers in a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in a structure, `mass` or `at.x`; else empty.
    pub name: String,
    /// The type of the numbers.
    pub element: Element,
    /// How many they are, of an array; else `None`.
    pub array: Option<usize>,
}

impl Field {
    /// How many numbers.
    pub fn count(&self) -> usize {
        self.array.unwrap_or(1)
    }

    /// Bytes of all of them.
    pub fn size(&self) -> usize {
        self.count() * self.element.size()
    }
}

impl Layout {
    /// A number, or an array of so many.
    pub fn of(element: Element, array: Option<usize>) -> Layout {
        let name = String::new();
        Layout {
            structure: None,
            fields: vec![Field {
                name,
                element,
                array,
            }],
            align: element.size(),
        }
    }

    /// A structure of which no more than its path is known.
    pub fn structure(path: Name) -> Layout {
        Layout {
            structure: Some(path),
            fields: Vec::new(),
            align: 1,
        }
    }

    /// The type of the numbers, where it is no structure.
    pub fn element(&self) -> Option<Element> {
        match (&self.structure, self.fields.as_slice()) {
            (None, [field]) => Some(field.element),
            _ => None,
        }
    }

    /// Its type, where it is a single number.
    pub fn number(&self) -> Option<Element> {
        let single = |_: &Element| self.fields.iter().all(|field| field.array.is_none());
        self.element().filter(single)
    }

    /// A structure's name, without the modules that it stands in.
    pub fn name(&self) -> &str {
        let path = self.structure.as_ref();
        path.map_or("", |path| path.text.rsplit(':').next().unwrap_or_default())
    }

    /// How many numbers it is.
    pub fn numbers(&self) -> usize {
        self.fields.iter().map(Field::count).sum()
    }

    /// Its bytes.
    pub fn size(&self) -> usize {
        self.fields.iter().map(Field::size).sum()
    }

    /// Whether there are floats in it.
    pub fn has_floats(&self) -> bool {
        self.fields.iter().any(|field| field.element.is_float())
    }

    /// `f32`, `f32x4`, `Particle {pos: f32x3 mass: f32}`. Of a structure the macro knows nothing but its name.
    pub(crate) fn text(&self) -> String {
        let fields = self.fields.iter().map(|field| {
            let element = match field.array {
                None | Some(1) => field.element.name().to_string(),
                Some(count) => format!("{}x{count}", field.element.name()),
            };
            match self.structure {
                Some(_) => format!("{}: {element}", field.name),
                None => element,
            }
        });
        let fields = fields.collect_vec().join(" ");
        match &self.structure {
            Some(path) => format!("{} {{{fields}}} {}", path.text, self.align),
            None => fields,
        }
    }
}
