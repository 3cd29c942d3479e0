//! Text to [`Einsum`], and whether its letters make a contraction.

use crate::{DimType, Einsum, EinsumError, tensor_name};
use std::ops::Range;

const EXAMPLE: &str = "as in \"cmk, ckn -> cmn\"";

/// A tensor as written: each letter with its place.
struct Operand {
    letters: Vec<(char, usize)>,
    range: Range<usize>,
}

impl Operand {
    fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(own, _)| *own == letter)
    }

    fn letters(&self) -> Vec<char> {
        self.letters.iter().map(|(letter, _)| *letter).collect()
    }
}

impl Einsum {
    /// Reads an einsum: one letter per index, inputs separated by `,`, the output after `->`,
    /// spaces wherever one likes.
    ///
    /// # Errors
    ///
    /// All mistakes at once, each with its place in the text.
    pub fn parse(text: &str) -> Result<Einsum, Vec<EinsumError>> {
        let (mut errors, mut shape) = (Vec::new(), Vec::new());
        let (left, right) = halves(text, &mut shape);
        let inputs = operands(text, left, &mut errors);
        let outputs = right.map_or_else(Vec::new, |right| operands(text, right, &mut errors));
        count(text, &inputs, &outputs, &mut shape);
        // What was meant as `,` or `->` must be mended before tensors can be counted.
        let separator =
            |error: &EinsumError| !text[error.range.clone()].contains(char::is_alphanumeric);
        if !errors.iter().any(separator) {
            errors.append(&mut shape);
        }
        // What the letters mean can only be told when it is clear which letters there are.
        errors.sort_by_key(|error| error.range.start);
        match outputs.as_slice() {
            [output] if errors.is_empty() => {
                errors = meaning(&inputs, output);
                if errors.is_empty() {
                    return Ok(Einsum {
                        text: text.to_owned(),
                        inputs: inputs.iter().map(Operand::letters).collect(),
                        output: output.letters(),
                    });
                }
            }
            _ => {}
        }
        Err(errors)
    }
}

/// What is left and right of the arrow.
fn halves(text: &str, errors: &mut Vec<EinsumError>) -> (Range<usize>, Option<Range<usize>>) {
    let Some(arrow) = text.find("->") else {
        errors.push(missing_arrow(text));
        return (0..text.len(), None);
    };
    let mut end = text.len();
    if let Some(second) = text[arrow + 2..].find("->").map(|at| arrow + 2 + at) {
        errors.push(EinsumError::new(
            second..second + 2,
            "an einsum has one `->`",
        ));
        end = second;
    }
    (0..arrow, Some(arrow + 2..end))
}

fn missing_arrow(text: &str) -> EinsumError {
    EinsumError::new(text.len()..text.len(), "the einsum has no `->`")
        .note(format!("name the output's indices after `->`, {EXAMPLE}"))
}

/// The tensors between commas.
fn operands(text: &str, within: Range<usize>, errors: &mut Vec<EinsumError>) -> Vec<Operand> {
    let mut start = within.start;
    let mut found = Vec::new();
    for part in text[within].split(',') {
        let mut letters = Vec::new();
        for (at, c) in part.char_indices() {
            match c {
                c if c.is_ascii_alphabetic() => letters.push((c, start + at)),
                c if c.is_whitespace() => {}
                c => errors.push(unknown(c, start + at)),
            }
        }
        let end = start + part.len();
        let range = trimmed(text, start..end);
        found.push(Operand { letters, range });
        start = end + 1;
    }
    found
}

fn unknown(c: char, at: usize) -> EinsumError {
    let message = format!("`{}` is no index", c.escape_debug());
    EinsumError::new(at..at + c.len_utf8(), message).note(match c {
        '.' => "bico's einsums have no `...`: name each index by a letter".to_string(),
        '-' | '>' | '=' | '→' | '⇒' => "the output comes after `->`".to_string(),
        ';' | '*' | '|' => "tensors are separated by `,`".to_string(),
        _ => format!("an index is one letter, a to z or A to Z, {EXAMPLE}"),
    })
}

/// The range without the spaces around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start.min(range.end)..(start + part.trim().len())
}

/// Two or three inputs, one output, none without letters.
fn count(text: &str, inputs: &[Operand], outputs: &[Operand], errors: &mut Vec<EinsumError>) {
    let nothing = inputs.len() == 1 && text.trim().is_empty();
    let mut report = |range: &Range<usize>, message: String, note: Option<String>| {
        let mut error = EinsumError::new(range.clone(), message);
        error.notes.extend(note);
        errors.push(error);
    };
    for (operands, name) in [(inputs, "an input"), (outputs, "the output")] {
        // An operand of unknown characters alone has its errors already.
        for operand in operands
            .iter()
            .filter(|own| own.range.is_empty() && !nothing)
        {
            let note = format!("each tensor needs at least one letter, {EXAMPLE}");
            report(&operand.range, format!("{name} has no indices"), Some(note));
        }
    }
    let two = "a contraction has two inputs, not";
    match inputs {
        _ if nothing => {}
        [only] => {
            let note = format!("separate them by `,`, {EXAMPLE}");
            report(&only.range, format!("{two} one"), Some(note));
        }
        [_, _, _, fourth, ..] => {
            let note = "a third input with the output's letters is multiplied in at the end; contract more tensors in pairs";
            let message = format!("{two} {}", inputs.len());
            report(&fourth.range, message, Some(note.to_string()));
        }
        _ => {}
    }
    if let [_, second, ..] = outputs {
        let message = format!("an einsum has one output, not {}", outputs.len());
        report(&second.range, message, None);
    }
}

const FACTOR: &str =
    "the third input is multiplied in element by element: it has exactly the output's letters";

/// What the letters say: none twice in a tensor, none in one tensor only.
fn meaning(inputs: &[Operand], output: &Operand) -> Vec<EinsumError> {
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
