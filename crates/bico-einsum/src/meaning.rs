//! Whether the letters of tensors make a contraction.

use crate::parse::Operand;
use crate::{DimType, EinsumError, tensor_name};

const FACTOR: &str =
    "the third input is multiplied in element by element: it has exactly the output's letters";

/// What the letters say: none twice in a tensor, none in one tensor only.
pub(crate) fn meaning(inputs: &[Operand], output: &Operand) -> Vec<EinsumError> {
    let mut errors = Vec::new();
    let factor = inputs.get(2);
    let mut tensors = vec![(0, &inputs[0]), (1, &inputs[1]), (2, output)];
    tensors.extend(factor.map(|factor| (3, factor)));
    for (number, tensor) in tensors {
        let name = tensor_name(number);
        for (index, &(letter, at)) in tensor.letters.iter().enumerate() {
            let [a, b] = [0, 1].map(|input: usize| inputs[input].has(letter));
            let c = output.has(letter);
            let error = |message| EinsumError::new(at..at + 1, message);
            if tensor.letters[..index].iter().any(|(l, _)| *l == letter) {
                errors.push(error(format!("`{letter}` is twice in {name}")).note(
                    "diagonals are not supported: give each index of a tensor a letter of its own",
                ));
            } else if number == 3 {
                if !c {
                    let message = format!("`{letter}` is in {name}, but not in the output");
                    errors.push(error(message).note(FACTOR));
                }
            } else if DimType::of(a, b, c).is_none() {
                let error = error(format!("`{letter}` is only in {name}"));
                errors.push(error.note(match number {
                    2 => format!("an input must have `{letter}`, too"),
                    _ => format!(
                        "it must also be in the other input (to be summed over) or in the output; sum `{letter}` away beforehand otherwise"
                    ),
                }));
            }
        }
    }
    if let Some(factor) = factor {
        let letters = output.letters.iter().map(|(letter, _)| *letter);
        let missing: String = letters.filter(|letter| !factor.has(*letter)).collect();
        if !missing.is_empty() {
            let message = format!("the third input (D) lacks `{missing}` of the output");
            errors.push(EinsumError::new(factor.range.clone(), message).note(FACTOR));
        }
    }
    errors.sort_by_key(|error| error.range.start);
    errors
}
