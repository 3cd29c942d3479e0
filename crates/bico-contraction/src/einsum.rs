//! Einsum and shapes to a [`Schedule`].

use super::types::{DataType, ExecType, LastTouch, PrimType};
use super::{ContractionError, Result, Schedule};
use bico_einsum::{Einsum, tensor_name};

impl Schedule {
    /// The contraction of an einsum with tensors in row-major order: one dimension per letter, in
    /// order of first appearance, all `Seq`.
    ///
    /// `shapes` has one shape per input (`A`, `B` and perhaps `D`), with a size per letter; the
    /// output's follows. A third input must have the output's letters: the product is multiplied by it.
    ///
    /// # Errors
    ///
    /// All mistakes of the einsum, each with its place; else all of the shapes.
    pub fn from_einsum(einsum: &str, shapes: &[&[u64]], data_type: DataType) -> Result<Schedule> {
        let einsum = &Einsum::parse(einsum).map_err(|errors| ContractionError {
            messages: errors.iter().map(|error| error.render(einsum)).collect(),
        })?;
        let sizes = sizes(einsum, shapes)?;
        let letters = einsum.letters();
        let size_of = |letter: char| {
            let found = sizes.iter().find(|(known, _)| *known == letter);
            found.map_or(1, |(_, size)| *size)
        };
        let dim_sizes: Vec<u64> = sizes.iter().map(|(_, size)| *size).collect();
        if product(&dim_sizes).is_none() {
            // `c = 4, m = 4096`.
            let listed = sizes
                .iter()
                .map(|(letter, size)| format!("{letter} = {size}"));
            let listed = listed.collect::<Vec<_>>().join(", ");
            return Err(ContractionError::new(format!(
                "`{einsum}` has more than 2^64 multiplications with {listed}: use smaller sizes"
            )));
        }
        let mut strides = Vec::new();
        let mut elements = Vec::new();
        for tensor in einsum.tensors() {
            let mut of_letters = vec![0; letters.len()];
            // No overflow: a tensor's letters are some of all letters, whose product fits.
            let mut stride = 1;
            for letter in tensor.iter().rev() {
                if let Some(dim) = letters.iter().position(|(known, _)| known == letter) {
                    of_letters[dim] = stride;
                }
                stride *= size_of(*letter);
            }
            strides.push(of_letters);
            elements.push(stride);
        }
        let shapes: Vec<String> = shapes.iter().map(|shape| format!("&{shape:?}")).collect();
        Ok(Schedule {
            data_type,
            prim_main: PrimType::Gemm,
            prim_last: LastTouch::of(einsum),
            dim_types: letters.iter().map(|(_, kind)| *kind).collect(),
            exec_types: vec![ExecType::Seq; letters.len()],
            dim_sizes,
            strides,
            elements,
            names: letters
                .iter()
                .map(|(letter, _)| letter.to_string())
                .collect(),
            bounds: Vec::new(),
            steps: vec![format!(
                "from_einsum(\"{einsum}\", &[{}], {data_type:?})",
                shapes.join(", ")
            )],
        })
    }
}

/// The size of each letter, in order of first appearance in the inputs.
fn sizes(einsum: &Einsum, shapes: &[&[u64]]) -> Result<Vec<(char, u64)>> {
    let (wanted, got) = (einsum.inputs.len(), shapes.len());
    if got != wanted {
        return Err(ContractionError::new(format!(
            "`{einsum}` needs {wanted} shapes, got {got}: give one per input, with a size for each of its letters"
        )));
    }
    let mut messages = Vec::new();
    let mut sizes: Vec<(char, u64, &str)> = Vec::new();
    for (index, (letters, shape)) in einsum.inputs.iter().zip(shapes).enumerate() {
        // `tensor_name` counts the output, too.
        let tensor = tensor_name(if index == 2 { 3 } else { index });
        let (wanted, got) = (letters.len(), shape.len());
        if wanted != got {
            let letters: String = letters.iter().collect();
            messages.push(format!(
                "{tensor} has {wanted} indices (`{letters}`), but its shape {shape:?} has {got}: give one size per letter"
            ));
            continue;
        }
        for (&letter, &size) in letters.iter().zip(*shape) {
            if size == 0 {
                messages.push(format!(
                    "`{letter}` has size 0 in {tensor}: sizes are at least 1"
                ));
            }
            match sizes.iter().find(|(known, ..)| *known == letter) {
                Some((_, other, place)) if *other != size => messages.push(format!(
                    "`{letter}` is {other} in {place}, but {size} in {tensor}: an index has one size"
                )),
                Some(_) => {}
                None => sizes.push((letter, size, tensor)),
            }
        }
    }
    ContractionError::check(messages)?;
    let sizes = sizes.into_iter().map(|(letter, size, _)| (letter, size));
    Ok(sizes.collect())
}

/// How often loops of these sizes run; `None` from 2^64 on.
pub(super) fn product(sizes: &[u64]) -> Option<u64> {
    let mut sizes = sizes.iter();
    sizes.try_fold(1u64, |product, size| product.checked_mul(*size))
}
