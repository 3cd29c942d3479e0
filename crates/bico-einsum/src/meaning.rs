//! Whether the letters of tensors make a contraction.

use crate::parse::Operand;
use crate::{DimType, EinsumError, tensor_name};

const FACTOR: &str =
    "the third input is multiplied in element by element: it has exactly the output's letters";

/// What the letters say: none twice in a tensor, none in one tensor only.
pub(crate) fn meaning(inputs: &[Operand], output: &Operand) -> Vec<EinsumError> {
    let mut errors = Vec::new();
    let factor = inputs.get(2);
    let mut tensors = vec![(0, &inputs[0]), (1, &inputs[1])];
    tensors.extend(factor.map(|factor| (3, factor)));
    tensors.push((2, output));
    for &(number, tensor) in &tensors {
        for (index, &(letter, at)) in tensor.letters.iter().enumerate() {
            if tensor.letters[..index].iter().any(|(l, _)| *l == letter) {
                errors.push(
                    EinsumError::new(
                        at..at + 1,
                        format!("`{letter}` is twice in {}", tensor_name(number)),
                    )
                    .note("diagonals are not supported: give each index of a tensor a letter of its own"),
                );
            } else if number == 3 {
                if !output.has(letter) {
                    errors.push(
                        EinsumError::new(
                            at..at + 1,
                            format!("`{letter}` is in the third input (D), but not in the output"),
                        )
                        .note(FACTOR),
                    );
                }
            } else if DimType::of(
                inputs[0].has(letter),
                inputs[1].has(letter),
                output.has(letter),
            )
            .is_none()
            {
                errors.push(alone(letter, at, number));
            }
        }
    }
    if let Some(factor) = factor {
        let missing: String = output
            .letters
            .iter()
            .map(|(letter, _)| *letter)
            .filter(|letter| !factor.has(*letter))
            .collect();
        if !missing.is_empty() {
            errors.push(
                EinsumError::new(
                    factor.range.clone(),
                    format!("the third input (D) lacks `{missing}` of the output"),
                )
                .note(FACTOR),
            );
        }
    }
    errors.sort_by_key(|error| error.range.start);
    errors
}

fn alone(letter: char, at: usize, number: usize) -> EinsumError {
    let error = EinsumError::new(
        at..at + 1,
        format!("`{letter}` is only in {}", tensor_name(number)),
    );
    if number == 2 {
        error.note(format!("an input must have `{letter}`, too"))
    } else {
        error.note(format!(
            "it must also be in the other input (to be summed over) or in the output; sum `{letter}` away beforehand otherwise"
        ))
    }
}
