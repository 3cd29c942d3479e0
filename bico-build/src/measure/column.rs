//! The columns of a buffer: all of its numbers, or in a buffer of structures those of each field. Whatever looks at numbers
//! looks at one column after the other.

use super::compare;
use super::protocol::Inputs;
use super::slot::BufferSlot;
use super::tolerance::Tolerance;
use bico_core::Lists;
use bico_core::json::{Error, FromJson, Item, Json, ToJson};
use bico_device::measure::{Bytes, Exactness, Format};
use bico_syntax::{Element, Field, Layout};

/// Equal numbers of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) field: Field,
    /// Bytes before it in each element.
    offset: usize,
    /// Bytes of an element.
    pub(super) stride: usize,
    /// How exact a result must be.
    tolerance: Tolerance,
}

impl ToJson for Column {
    fn to_json(&self) -> Json {
        Json::List(vec![
            self.field.name.to_json(),
            self.field.element.name().to_json(),
            self.field.array.to_json(),
            self.offset.to_json(),
            self.stride.to_json(),
            self.tolerance.to_json(),
        ])
    }
}

impl FromJson for Column {
    fn from_json(item: Item<'_>) -> Result<Column, Error> {
        let mut parts = item.parts()?;
        let column = Column {
            field: Field {
                name: parts.read()?,
                element: element(&parts.take()?)?,
                array: parts.read()?,
            },
            offset: parts.read()?,
            stride: parts.read()?,
            tolerance: parts.read()?,
        };
        parts.end()?;
        Ok(column)
    }
}

/// An element type by its Rust name.
fn element(item: &Item<'_>) -> Result<Element, Error> {
    let name = item.text()?;
    let found = Element::numbers().find(|element| element.name() == name);
    found.ok_or_else(|| item.error(format!("`{}` is no element type", name.escape_debug())))
}

impl Column {
    /// Those of a buffer of such elements.
    pub(super) fn all(layout: &Layout, tolerance: impl Fn(Element) -> Tolerance) -> Vec<Column> {
        let mut offset = 0;
        let column = |field: &Field| {
            let at = offset;
            offset += field.size();
            Column {
                field: field.clone(),
                offset: at,
                stride: layout.size(),
                tolerance: tolerance(field.element),
            }
        };
        layout.fields.iter().map(column).collect_vec()
    }

    /// That of a buffer of plain numbers that is no result.
    pub(super) fn plain(element: Element) -> Vec<Column> {
        Column::all(&Layout::of(element, None), |_| Tolerance::EXACT)
    }

    pub(super) fn element(&self) -> Element {
        self.field.element
    }

    /// Whether it is the whole buffer.
    pub(super) fn is_whole(&self) -> bool {
        self.field.size() == self.stride
    }

    /// Whether it stands for a gap between fields: nobody looks at results in it.
    fn is_gap(&self) -> bool {
        let last = self.field.name.rsplit('.').next();
        last.is_some_and(|name| name.starts_with('_'))
    }

    /// Room for the column of a buffer of so many bytes.
    pub(super) fn room(&self, bytes: usize) -> Bytes {
        Bytes::zeroed(bytes / self.stride * self.field.size())
    }

    /// Does something with the column of a buffer that holds `bytes`.
    pub(super) fn read<R>(&self, bytes: &[u8], then: impl FnOnce(&[u8]) -> R) -> R {
        if self.is_whole() {
            return then(bytes);
        }
        let (mut column, size) = (self.room(bytes.len()), self.field.size());
        let to = column.as_mut_slice().chunks_exact_mut(size);
        for (to, from) in to.zip(bytes.chunks_exact(self.stride)) {
            to.copy_from_slice(&from[self.offset..][..size]);
        }
        then(column.as_slice())
    }

    /// Puts a column into a buffer that holds `bytes`.
    pub(super) fn write(&self, column: &[u8], bytes: &mut [u8]) {
        if self.is_whole() {
            return bytes.copy_from_slice(column);
        }
        let size = self.field.size();
        let to = bytes.chunks_exact_mut(self.stride);
        for (to, from) in to.zip(column.chunks_exact(size)) {
            to[self.offset..][..size].copy_from_slice(from);
        }
    }

    /// `y`, `y.mass`
    pub(super) fn name(&self, buffer: &str) -> String {
        match self.field.name.as_str() {
            "" => buffer.to_string(),
            field => format!("{buffer}.{field}"),
        }
    }

    /// Where a number stands: `y[17]`, `y[17].mass`, `y[17].pos[2]`.
    pub(super) fn place(&self, buffer: &str, at: usize) -> String {
        let count = self.field.count();
        let element = self.name(&format!("{buffer}[{}]", at / count));
        match self.field.array {
            Some(_) => format!("{element}[{}]", at % count),
            None => element,
        }
    }
}

impl BufferSlot {
    /// Bytes of an element.
    pub(super) fn size(&self) -> usize {
        self.columns.first().map_or(1, |column| column.stride)
    }

    /// Numbers in all elements.
    pub(super) fn numbers(&self) -> u64 {
        let each = self.columns.iter().map(|column| column.field.count());
        self.len.saturating_mul(each.sum::<usize>() as u64)
    }

    /// Whether another buffer holds as many elements of the same fields.
    pub(super) fn is_like(&self, other: &BufferSlot) -> bool {
        let fields = other.columns.iter().map(|of| &of.field);
        self.len == other.len && self.columns.iter().map(|of| &of.field).eq(fields)
    }

    /// The columns that hold results.
    pub(super) fn results(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.is_gap())
    }

    /// Of each column of a result, how large its numbers are.
    pub(super) fn magnitudes(&self, bytes: &[u8]) -> Vec<f64> {
        let of = |column: &Column| {
            column.read(bytes, |numbers| {
                compare::magnitude(column.element(), numbers)
            })
        };
        self.results().map(of).collect_vec()
    }

    /// A column in which there is nothing but NaN.
    pub(super) fn blank(&self, bytes: &[u8]) -> Option<String> {
        let is_blank = |column: &&Column| {
            column.read(bytes, |numbers| {
                compare::is_blank(column.element(), numbers)
            })
        };
        let blank = self.results().find(is_blank);
        blank.map(|column| column.name(&self.name))
    }

    /// How exact it must be, where it holds floats and nothing else.
    pub(super) fn exactness(&self, magnitudes: &[f64], inputs: Inputs) -> Option<Exactness> {
        let ([column], [magnitude]) = (self.columns.as_slice(), magnitudes) else {
            return None;
        };
        let format = match column.element() {
            Element::F16 => Format::F16,
            Element::Bf16 => Format::Bf16,
            Element::F32 => Format::F32,
            Element::F64 => Format::F64,
            _ => return None,
        };
        let tolerance = column.tolerance.with(inputs, *magnitude);
        column.is_whole().then(|| Exactness {
            format,
            rtol: tolerance.rtol,
            atol: tolerance.least(*magnitude),
            finite: tolerance.finite,
        })
    }

    /// What is wrong with `got`, for people; `None`: nothing. `magnitudes` are those of `want`.
    pub(super) fn difference(
        &self,
        got: &[u8],
        want: &[u8],
        magnitudes: &[f64],
        inputs: Inputs,
    ) -> Option<String> {
        if got.len() != want.len() {
            let (name, got, want) = (&self.name, got.len(), want.len());
            return Some(format!("`{name}` has {got} bytes, expected {want}"));
        }
        let mut columns = self.results().zip(magnitudes);
        columns.find_map(|(column, magnitude)| {
            let tolerance = column.tolerance.with(inputs, *magnitude);
            let place = |at| column.place(&self.name, at);
            column.read(got, |got| {
                column.read(want, |want| {
                    let of = column.element();
                    compare::difference(&place, of, got, want, tolerance, *magnitude)
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::input;
    use super::super::fill::Fill;
    use super::super::protocol::Role;
    use super::*;
    use bico_device::measure::numbers;

    #[test]
    fn fields_are_filled_by_their_types() {
        let [pos, mass, cell] = [
            ("pos", Element::F32, Some(3)),
            ("mass", Element::F32, None),
            ("at.cell", Element::U32, None),
        ]
        .map(|(name, element, array)| Field {
            name: name.into(),
            element,
            array,
        });
        let layout = Layout {
            structure: None,
            fields: vec![pos, mass, cell],
            align: 4,
        };
        let of = BufferSlot {
            name: "x".into(),
            columns: Column::all(&layout, |_| Tolerance::EXACT),
            len: 100,
            role: Role::Input,
            fill: Fill::Usual,
            seed: 1,
            align: 4,
            symbol: None,
            by_value: false,
        };
        let bytes = input(&of, Inputs::Timed).unwrap();
        assert_eq!((of.size(), bytes.as_slice().len()), (20, 2000));
        let floats = numbers::<f32>(bytes.as_slice());
        let cells = numbers::<u32>(bytes.as_slice());
        for at in 0..100 {
            assert!(floats[5 * at..][..4].iter().all(|v| v.abs() < 1.0));
            assert!(cells[5 * at + 4] < 16);
        }
        assert_ne!(floats[0], floats[3], "of one type, and not the same");
        let special = input(&of, Inputs::Special).unwrap();
        let magnitudes = of.magnitudes(bytes.as_slice());
        let said = of.difference(
            special.as_slice(),
            bytes.as_slice(),
            &magnitudes,
            Inputs::Timed,
        );
        let said = said.unwrap();
        assert!(said.starts_with("x[16].pos[2] is NaN, expected "), "{said}");
        assert!(said.ends_with(" (3 of 300 elements differ)"), "{said}");
        // One NaN is not all of them.
        assert_eq!(of.blank(special.as_slice()), None);
        let nans = Bytes::zeroed(0);
        assert_eq!(of.blank(nans.as_slice()), None);
    }
}
