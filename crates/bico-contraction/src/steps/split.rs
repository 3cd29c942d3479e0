//! One dimension to two.

use super::times;
use crate::dim::{Dim, Part, is_name, no_name};
use crate::{ContractionError, Result, Schedule};

impl Schedule {
    /// Splits a dimension into an outer and an inner one, which take its place in this order and
    /// inherit its type and execution: `split_dim("m", 64, 128)`, or with names
    /// `split_dim("m", ("m_out", 64), ("m_prim", 128))`.
    ///
    /// # Errors
    ///
    /// `outer * inner` is not the size, a name is taken, or there would be too many dimensions.
    pub fn split_dim<'a>(
        mut self,
        dim: impl Into<Dim<'a>>,
        outer: impl Into<Part<'a>>,
        inner: impl Into<Part<'a>>,
    ) -> Result<Schedule> {
        self.validate()?;
        let (outer, inner) = (outer.into(), inner.into());
        let dim = self.dim(dim)?;
        let size = self.dim_sizes[dim];
        if outer.size.checked_mul(inner.size) != Some(size) {
            return Err(self.uneven(dim, outer.size, inner.size));
        }
        let [first, second] = self.part_names(dim, outer, inner)?;
        let name = self.names[dim].clone();
        let what = format!("the stride of `{first}`");

        let order: Vec<usize> = (0..=dim).chain(dim..self.dim_sizes.len()).collect();
        self.reorder(&order);
        for bound in &mut self.bounds {
            if let Some(place) = bound.terms.iter().position(|(own, _)| *own == dim) {
                let factor = bound.terms[place].1;
                bound.terms[place].1 = times(factor, inner.size, &what)?;
                bound.terms.insert(place + 1, (dim + 1, factor));
            }
        }
        for strides in &mut self.strides {
            strides[dim] = times(strides[dim], inner.size, &what)?;
        }
        (self.dim_sizes[dim], self.dim_sizes[dim + 1]) = (outer.size, inner.size);
        (self.names[dim], self.names[dim + 1]) = (first, second);
        self.validate()?;
        self.done(format!("split_dim(\"{name}\", {outer}, {inner})"))
    }

    /// Why the parts do not make the whole, and which would.
    fn uneven(&self, dim: usize, outer: u64, inner: u64) -> ContractionError {
        let (name, size) = (&self.names[dim], self.dim_sizes[dim]);
        if outer == 0 || inner == 0 {
            return ContractionError::new(format!(
                "`{name}` cannot be split into {outer} * {inner}: sizes are at least 1"
            ));
        }
        let product = outer.checked_mul(inner);
        let product = product.map_or("2^64 or more".to_owned(), |product| product.to_string());
        let blocks = size.div_ceil(inner);
        let advice = match blocks.checked_mul(inner) {
            Some(padded) if padded != size => format!(
                "pad_dim(\"{name}\", {padded}) first, then split_dim(\"{name}\", {blocks}, {inner})"
            ),
            _ => format!("split_dim(\"{name}\", {blocks}, {inner}) would do"),
        };
        let called = self.called(dim);
        ContractionError::new(format!(
            "{called} has size {size}, but {outer} * {inner} is {product}: {advice}"
        ))
    }

    fn part_names(&self, dim: usize, outer: Part<'_>, inner: Part<'_>) -> Result<[String; 2]> {
        let name = &self.names[dim];
        // The old name becomes free.
        let taken = |new: &str| self.names.iter().any(|own| own == new && own != name);
        for new in [outer.name, inner.name].into_iter().flatten() {
            if !is_name(new) {
                return Err(ContractionError::new(no_name(new, "dimension")));
            }
            if taken(new) || outer.name == inner.name {
                return Err(ContractionError::new(format!(
                    "`{name}` cannot be split: two dimensions would be called `{new}`; choose another name"
                )));
            }
        }
        let given = [outer.name, inner.name];
        let free = (0..).map(|digit| format!("{name}{digit}"));
        let mut free = free.filter(|new| !taken(new) && !given.contains(&Some(new)));
        let mut next = |given: Option<&str>| given.map(str::to_owned).or_else(|| free.next());
        Ok(given.map(|given| next(given).unwrap_or_default()))
    }
}
