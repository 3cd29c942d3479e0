//! Another order of the loops.

use crate::dim::Dim;
use crate::{ContractionError, Result, Schedule};

impl Schedule {
    /// Puts the dimensions into another order, as `torch.permute` does: the new dimension `i` is the old
    /// dimension `order[i]`. `permute_dims(&["n", "m", "k"])` or `permute_dims(&[1, 0, 2])`.
    ///
    /// # Errors
    ///
    /// `order` does not name each dimension once.
    pub fn permute_dims<'a, D: Into<Dim<'a>> + Copy>(mut self, order: &[D]) -> Result<Schedule> {
        self.validate()?;
        let mut messages = Vec::new();
        let mut old = Vec::new();
        for dim in order {
            match self.dim(*dim) {
                Ok(dim) if old.contains(&dim) => {
                    messages.push(format!("`{}` is named twice", self.names[dim]));
                }
                Ok(dim) => old.push(dim),
                Err(error) => messages.extend(error.messages),
            }
        }
        for (dim, name) in self.names.iter().enumerate() {
            if messages.is_empty() && !old.contains(&dim) {
                messages.push(format!("`{name}` is missing"));
            }
        }
        for message in &mut messages {
            message.insert_str(0, "permute_dims names each dimension once: ");
        }
        ContractionError::check(messages)?;
        self.reorder(&old);
        let names: Vec<String> = self.names.iter().map(|name| format!("{name:?}")).collect();
        self.done(format!("permute_dims(&[{}])", names.join(", ")))
    }

    /// The new dimension `i` is the old dimension `old[i]`. One may stand there twice: bounds stay with the first.
    pub(super) fn reorder(&mut self, old: &[usize]) {
        fn picked<T: Clone>(list: &[T], old: &[usize]) -> Vec<T> {
            old.iter().map(|dim| list[*dim].clone()).collect()
        }
        self.dim_types = picked(&self.dim_types, old);
        self.exec_types = picked(&self.exec_types, old);
        self.dim_sizes = picked(&self.dim_sizes, old);
        self.names = picked(&self.names, old);
        for strides in &mut self.strides {
            *strides = picked(strides, old);
        }
        for bound in &mut self.bounds {
            for (dim, _) in &mut bound.terms {
                *dim = old.iter().position(|old| old == dim).unwrap_or_default();
            }
            bound.terms.sort_unstable();
        }
    }
}
