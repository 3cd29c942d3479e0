//! Whether a schedule is a contraction at all: its fields may be set to anything.

use super::dim::{is_name, no_name};
use super::einsum::product;
use super::{Bound, ContractionError, Result, Schedule};
use bico_einsum::tensor_name;

/// More than any contraction needs, few enough to nest as loops.
const MOST_DIMS: usize = 64;

impl Schedule {
    /// Checks that the lists fit each other and that no loop leaves a tensor: what
    /// [`from_einsum`](Self::from_einsum) and the steps keep, and what a schedule made by hand need not have.
    ///
    /// Every step and [`verify`](Self::verify) call it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong.
    pub fn validate(&self) -> Result<()> {
        // What follows indexes the lists by each other.
        ContractionError::check(self.lengths())?;
        let mut messages = Vec::new();
        self.check_names_and_sizes(&mut messages);
        self.check_strides(&mut messages);
        for (index, bound) in self.bounds.iter().enumerate() {
            self.check_bound(index, bound, &mut messages);
        }
        ContractionError::check(messages)?;
        self.check_reach()
    }

    fn lengths(&self) -> Vec<String> {
        let mut messages = Vec::new();
        let dims = self.dim_types.len();
        if dims > MOST_DIMS {
            messages.push(format!(
                "there are {dims} dimensions: fuse some, {MOST_DIMS} are the most"
            ));
        }
        let mut check = |what: String, len: usize| {
            if len != dims {
                messages.push(format!(
                    "{what} has length {len}, but dim_types {dims}: give one entry per dimension"
                ));
            }
        };
        check("exec_types".to_owned(), self.exec_types.len());
        check("dim_sizes".to_owned(), self.dim_sizes.len());
        check("names".to_owned(), self.names.len());
        for (tensor, strides) in self.strides.iter().enumerate() {
            check(format!("strides[{tensor}]"), strides.len());
        }
        let (tensors, last) = (self.prim_last.tensors(), self.prim_last);
        for (what, len) in [
            ("strides", self.strides.len()),
            ("elements", self.elements.len()),
        ] {
            if len != tensors {
                messages.push(format!(
                    "{what} has length {len}, but with the last touch {last:?} there are {tensors} tensors"
                ));
            }
        }
        messages
    }

    fn check_names_and_sizes(&self, messages: &mut Vec<String>) {
        for (index, name) in self.names.iter().enumerate() {
            if !is_name(name) {
                messages.push(no_name(name, "dimension"));
            } else if self.names[..index].contains(name) {
                messages.push(format!(
                    "two dimensions are called `{name}`: give each a name of its own"
                ));
            }
        }
        for (name, size) in self.names.iter().zip(&self.dim_sizes) {
            if *size == 0 {
                messages.push(format!("`{name}` has size 0: sizes are at least 1"));
            }
        }
        if product(&self.dim_sizes).is_none() {
            messages.push("the product of all sizes is 2^64 or more: use smaller sizes".to_owned());
        }
    }

    fn check_strides(&self, messages: &mut Vec<String>) {
        for (tensor, strides) in self.strides.iter().enumerate() {
            for (dim, stride) in strides.iter().enumerate() {
                let (called, tensor_name) = (self.called(dim), tensor_name(tensor));
                match (*stride, self.dim_types[dim].is_in(tensor)) {
                    (0, true) if tensor == 2 && self.dim_sizes[dim] > 1 => messages.push(format!(
                        "{called} has stride 0 in {tensor_name}: its iterations would write over each other"
                    )),
                    (1.., false) => messages.push(format!(
                        "{called} has stride {stride} in {tensor_name}, which has no dimensions of that type: it must be 0"
                    )),
                    _ => {}
                }
            }
        }
    }

    fn check_bound(&self, index: usize, bound: &Bound, messages: &mut Vec<String>) {
        let mut say = |what: String| messages.push(format!("bounds[{index}] {what}"));
        if bound.limit == 0 {
            say("has limit 0, which nothing fulfils: limits are at least 1".to_owned());
        }
        if bound.terms.is_empty() {
            say("has no terms: leave it out".to_owned());
        }
        let mut reach = Some(0u64);
        for (place, &(dim, factor)) in bound.terms.iter().enumerate() {
            if dim >= self.dim_types.len() {
                let dims = self.dim_types.len();
                return say(format!("names dimension {dim}, but there are {dims}"));
            }
            if place > 0 && bound.terms[place - 1].0 >= dim {
                return say("must name each dimension once, in their order".to_owned());
            }
            if self.dim_types[dim] != self.dim_types[bound.terms[0].0] {
                say("has dimensions of different types".to_owned());
            }
            reach = (self.dim_sizes[dim].saturating_sub(1))
                .checked_mul(factor)
                .and_then(|own| reach?.checked_add(own));
        }
        if reach.is_none() {
            say("reaches 2^64 or more: use smaller factors".to_owned());
        }
    }

    /// No address of any tensor is beyond its end.
    fn check_reach(&self) -> Result<()> {
        let mut messages = Vec::new();
        for (tensor, &elements) in self.elements.iter().enumerate() {
            let last = self.reach(tensor);
            if last.is_none_or(|last| last >= elements) {
                let last = last.map_or("2^64".to_owned(), |last| last.to_string());
                let tensor = tensor_name(tensor);
                messages.push(format!(
                    "the dimensions reach element {last} of {tensor}, which has {elements}"
                ));
            }
        }
        ContractionError::check(messages)
    }

    /// An upper limit of the addresses in a tensor where the bounds hold; for schedules that were made
    /// by steps it is the greatest address.
    fn reach(&self, tensor: usize) -> Option<u64> {
        let strides = &self.strides[tensor];
        let mut left: Vec<bool> = vec![true; strides.len()];
        let mut reach = Some(0u64);
        let mut add = |last: u64, step: u64| {
            let own = last.checked_mul(step);
            reach = own.and_then(|own| reach?.checked_add(own));
        };
        // A bound says something about the address where its factors are the strides up to one scale. Earlier
        // bounds are over more dimensions: later ones come from padding parts again.
        for bound in &self.bounds {
            let fresh = bound.terms.iter().all(|(dim, _)| left[*dim]);
            if let Some(scale) = scale(bound, strides).filter(|_| fresh) {
                add(bound.limit - 1, scale);
                for (dim, _) in &bound.terms {
                    left[*dim] = false;
                }
            }
        }
        for (dim, stride) in strides.iter().enumerate().filter(|(dim, _)| left[*dim]) {
            add(self.dim_sizes[dim] - 1, *stride);
        }
        reach
    }
}

/// The number `s` for which every dimension of the bound has stride `s * factor`.
fn scale(bound: &Bound, strides: &[u64]) -> Option<u64> {
    let (first, factor) = bound.terms.first()?;
    let scale = strides[*first].checked_div(*factor)?;
    let mut terms = bound.terms.iter();
    let fits = terms.all(|(dim, factor)| factor.checked_mul(scale) == Some(strides[*dim]));
    fits.then_some(scale)
}
