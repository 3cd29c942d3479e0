//! A buffer of a call: what a kernel does with it, and what it holds.

use super::column::Column;
use super::fill::Fill;
use super::protocol::{Inputs, Role};
use bico_core::json::{Error, FromJson, Item, Json, ToJson};

/// A buffer of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BufferSlot {
    pub(super) name: String,
    /// Its numbers, kind by kind.
    pub(super) columns: Vec<Column>,
    pub(super) len: u64,
    pub(super) role: Role,
    pub(super) fill: Fill,
    /// The generator's seed: inputs of equal shape must differ.
    pub(super) seed: u64,
    /// What its address is a multiple of, in bytes.
    pub(super) align: usize,
    /// The `__constant__` variable of a GPU's module that it is copied to, and no argument there.
    pub(super) symbol: Option<String>,
    /// A single structure, of which the kernel gets a copy and no address.
    pub(super) by_value: bool,
}

impl ToJson for BufferSlot {
    fn to_json(&self) -> Json {
        Json::List(vec![
            self.name.to_json(),
            self.columns.to_json(),
            self.len.to_json(),
            self.role.to_json(),
            self.fill.to_json(),
            self.seed.to_json(),
            self.align.to_json(),
            self.symbol.to_json(),
            self.by_value.to_json(),
        ])
    }
}

impl FromJson for BufferSlot {
    fn from_json(item: Item<'_>) -> Result<BufferSlot, Error> {
        let mut parts = item.parts()?;
        let slot = BufferSlot {
            name: parts.read()?,
            columns: parts.read()?,
            len: parts.read()?,
            role: parts.read()?,
            fill: parts.read()?,
            seed: parts.read()?,
            align: parts.read()?,
            symbol: parts.read()?,
            by_value: parts.read()?,
        };
        parts.end()?;
        Ok(slot)
    }
}

impl BufferSlot {
    /// Whether it holds something else there than in calls that are timed.
    pub(super) fn differs(&self, inputs: Inputs) -> bool {
        let is_input = matches!(self.role, Role::Input | Role::InOut);
        is_input
            && self.len > 0
            && match inputs {
                Inputs::Timed => false,
                Inputs::Others => matches!(
                    self.fill,
                    Fill::Usual | Fill::Calm | Fill::Uniform(..) | Fill::Normal(..)
                ),
                Inputs::Special => {
                    let mut columns = self.columns.iter();
                    // Of numbers by value nobody says that they may be NaN.
                    let is_usual = self.fill == Fill::Usual && !self.by_value;
                    is_usual && columns.any(|of| of.element().is_float())
                }
            }
    }

    /// Whether there is anything to compare in it.
    pub(super) fn is_result(&self) -> bool {
        self.role.is_checked() && self.len > 0
    }

    pub(super) fn bytes(&self) -> Option<usize> {
        let len = usize::try_from(self.len).ok()?;
        len.checked_mul(self.size())
    }
}

impl Role {
    /// Whether what is left in it is a result.
    pub(super) fn is_checked(self) -> bool {
        matches!(self, Role::Output | Role::InOut)
    }
}
