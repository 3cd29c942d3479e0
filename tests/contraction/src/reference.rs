//! What a contraction computes, directly and in f64: a schedule by its loops, an einsum by its letters.

use bico_contraction::{ContractionError, DataType, DimType, LastTouch, Schedule};
use bico_einsum::{Einsum, tensor_name};

/// Walks all loops of a schedule in f64. `inputs` are `A`, `B` and perhaps `D`; gives the output.
///
/// # Errors
///
/// The schedule is not valid, an input is not as long as its tensor, or the output does not fit into memory.
pub fn evaluate(schedule: &Schedule, inputs: &[&[f64]]) -> Result<Vec<f64>, ContractionError> {
    schedule.validate()?;
    let wanted: Vec<u64> = [0, 1, 3]
        .iter()
        .filter_map(|tensor| schedule.elements.get(*tensor).copied())
        .collect();
    lengths(&wanted, inputs)?;
    let mut output = zeros(schedule.elements[2])?;
    walk(schedule, |at, _| {
        output[at[2]] += inputs[0][at[0]] * inputs[1][at[1]];
    });
    if schedule.prim_last == LastTouch::ElementwiseMul {
        // Each element of the output once: where nothing has been summed over yet.
        walk(schedule, |at, first| {
            if first {
                output[at[2]] *= inputs[2][at[3]];
            }
        });
    }
    Ok(output)
}

/// Calls `visit` for each iteration within the bounds, in loop order, with the address in each tensor
/// and whether all dimensions that are summed over are at 0.
fn walk(schedule: &Schedule, mut visit: impl FnMut(&[usize; 4], bool)) {
    let dims = schedule.dim_sizes.len();
    let mut index = vec![0u64; dims];
    loop {
        let within = schedule.bounds.iter().all(|bound| {
            let terms = bound.terms.iter();
            terms.map(|(dim, factor)| index[*dim] * factor).sum::<u64>() < bound.limit
        });
        if within {
            let mut at = [0; 4];
            for (at, strides) in at.iter_mut().zip(&schedule.strides) {
                let terms = strides.iter().zip(&index);
                // Below the number of elements, which are in memory: `validate` saw to it.
                *at = terms.map(|(stride, index)| stride * index).sum::<u64>() as usize;
            }
            let first = (schedule.dim_types.iter().zip(&index))
                .all(|(kind, index)| *kind != DimType::K || *index == 0);
            visit(&at, first);
        }
        let Some(dim) = (0..dims).rfind(|dim| index[*dim] + 1 < schedule.dim_sizes[*dim]) else {
            return;
        };
        index[dim] += 1;
        index[dim + 1..].fill(0);
    }
}

/// The einsum itself with row-major tensors, by its letters alone. `shapes` and `inputs` are those
/// of `A`, `B` and perhaps `D`; gives the output.
///
/// It shares nothing with [`evaluate`] but the check of the shapes, so the one can be held against the other.
///
/// # Errors
///
/// The shapes do not fit the einsum, the inputs do not fit the shapes, or the output does not fit into memory.
pub fn naive(
    einsum: &Einsum,
    shapes: &[&[u64]],
    inputs: &[&[f64]],
) -> Result<Vec<f64>, ContractionError> {
    // One dimension per letter.
    let dims = Schedule::from_einsum(&einsum.to_string(), shapes, DataType::F32)?.dim_sizes;
    let letters = einsum.letters().into_iter().map(|(letter, _)| letter);
    let sizes: Vec<(char, u64)> = letters.zip(dims).collect();
    let count = |shape: &[u64]| {
        (shape
            .iter()
            .try_fold(1u64, |all, size| all.checked_mul(*size)))
        .ok_or_else(|| ContractionError::new("a tensor has 2^64 elements or more"))
    };
    let size = |letter: &char| {
        let found = sizes.iter().find(|(known, _)| known == letter);
        found.map_or(1, |(_, size)| *size)
    };
    let wanted: Result<Vec<u64>, _> = shapes.iter().map(|shape| count(shape)).collect();
    lengths(&wanted?, inputs)?;
    let shape: Vec<u64> = einsum.output.iter().map(size).collect();
    let mut output = zeros(count(&shape)?)?;
    let summed: Vec<char> = einsum.inputs[0]
        .iter()
        .copied()
        .filter(|letter| !einsum.output.contains(letter))
        .collect();
    for (place, element) in output.iter_mut().enumerate() {
        let mut at = Vec::new();
        let mut rest = place as u64;
        for letter in einsum.output.iter().rev() {
            at.push((*letter, rest % size(letter)));
            rest /= size(letter);
        }
        let value = |tensor: usize, at: &[(char, u64)]| {
            let place = einsum.inputs[tensor].iter().fold(0, |place, letter| {
                let found = at.iter().find(|(known, _)| known == letter);
                place * size(letter) + found.map_or(0, |(_, index)| *index)
            });
            inputs[tensor][place as usize]
        };
        let products: u64 = summed.iter().map(size).product();
        for number in 0..products {
            let mut all = at.clone();
            let mut rest = number;
            for letter in summed.iter().rev() {
                all.push((*letter, rest % size(letter)));
                rest /= size(letter);
            }
            *element += value(0, &all) * value(1, &all);
        }
        if einsum.inputs.len() > 2 {
            *element *= value(2, &at);
        }
    }
    Ok(output)
}

/// Each input is as long as its tensor.
fn lengths(wanted: &[u64], inputs: &[&[f64]]) -> Result<(), ContractionError> {
    if wanted.len() != inputs.len() {
        return Err(ContractionError::new(format!(
            "the contraction needs {} inputs, got {}",
            wanted.len(),
            inputs.len()
        )));
    }
    let wrong = wanted.iter().zip(inputs).enumerate();
    ContractionError::check(
        wrong
            .filter(|(_, (wanted, input))| **wanted != input.len() as u64)
            .map(|(index, (wanted, input))| {
                format!(
                    "{} has {wanted} elements, but {} were given",
                    tensor_name(if index == 2 { 3 } else { index }),
                    input.len()
                )
            })
            .collect(),
    )
}

fn zeros(elements: u64) -> Result<Vec<f64>, ContractionError> {
    let too_many =
        || ContractionError::new(format!("no memory for an output of {elements} elements"));
    let elements = usize::try_from(elements).map_err(|_| too_many())?;
    let mut output = Vec::new();
    output.try_reserve_exact(elements).map_err(|_| too_many())?;
    output.resize(elements, 0.0);
    Ok(output)
}
