//! Text to [`Einsum`].

use crate::meaning::meaning;
use crate::{Einsum, EinsumError};
use std::ops::Range;

const EXAMPLE: &str = "as in \"cmk, ckn -> cmn\"";

/// A tensor as written: each letter with its place.
pub(crate) struct Operand {
    pub(crate) letters: Vec<(char, usize)>,
    pub(crate) range: Range<usize>,
}

impl Operand {
    pub(crate) fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(own, _)| *own == letter)
    }

    fn letters(&self) -> Vec<char> {
        self.letters.iter().map(|(letter, _)| *letter).collect()
    }
}

pub(crate) fn parse(text: &str) -> Result<Einsum, Vec<EinsumError>> {
    let mut errors = Vec::new();
    let mut shape = Vec::new();
    let (left, right) = halves(text, &mut shape);
    let inputs = operands(text, left, &mut errors);
    let outputs = right.map(|right| operands(text, right, &mut errors));
    count(text, &inputs, outputs.as_deref(), &mut shape);
    // What was meant as `,` or `->` must be mended before tensors can be counted.
    let separator =
        |error: &EinsumError| !text[error.range.clone()].contains(char::is_alphanumeric);
    if !errors.iter().any(separator) {
        errors.append(&mut shape);
    }
    if !errors.is_empty() {
        // What the letters mean can only be told when it is clear which letters there are.
        errors.sort_by_key(|error| error.range.start);
        return Err(errors);
    }
    let mut outputs = outputs.unwrap_or_default();
    let Some(output) = outputs.pop() else {
        return Err(vec![missing_arrow(text)]);
    };
    let errors = meaning(&inputs, &output);
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Einsum {
        text: text.to_owned(),
        inputs: inputs.iter().map(Operand::letters).collect(),
        output: output.letters(),
    })
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
    let mut found = Vec::new();
    let mut start = within.start;
    let mut letters = Vec::new();
    for (at, c) in text[within.clone()].char_indices() {
        let at = within.start + at;
        match c {
            ',' => {
                found.push(Operand {
                    letters: std::mem::take(&mut letters),
                    range: trimmed(text, start..at),
                });
                start = at + 1;
            }
            c if c.is_ascii_alphabetic() => letters.push((c, at)),
            c if c.is_whitespace() => {}
            c => errors.push(unknown(c, at)),
        }
    }
    found.push(Operand {
        letters,
        range: trimmed(text, start..within.end),
    });
    found
}

fn unknown(c: char, at: usize) -> EinsumError {
    let error = EinsumError::new(
        at..at + c.len_utf8(),
        format!("`{}` is no index", c.escape_debug()),
    );
    match c {
        '.' => error.note("bico's einsums have no `...`: name each index by a letter"),
        '-' | '>' | '=' | '→' | '⇒' => error.note("the output comes after `->`"),
        ';' | '*' | '|' => error.note("tensors are separated by `,`"),
        _ => error.note(format!(
            "an index is one letter, a to z or A to Z, {EXAMPLE}"
        )),
    }
}

/// The range without the spaces around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start.min(range.end)..(start + part.trim().len())
}

/// Two or three inputs, one output, none without letters.
fn count(
    text: &str,
    inputs: &[Operand],
    outputs: Option<&[Operand]>,
    errors: &mut Vec<EinsumError>,
) {
    let outputs = outputs.unwrap_or_default();
    let nothing = inputs.len() == 1 && text.trim().is_empty();
    for (operand, name) in inputs
        .iter()
        .map(|operand| (operand, "an input"))
        .chain(outputs.iter().map(|operand| (operand, "the output")))
    {
        // An operand of unknown characters alone has its errors already.
        if operand.range.is_empty() && !nothing {
            errors.push(
                EinsumError::new(operand.range.clone(), format!("{name} has no indices"))
                    .note(format!("each tensor needs at least one letter, {EXAMPLE}")),
            );
        }
    }
    match inputs {
        _ if nothing => {}
        [only] => errors.push(
            EinsumError::new(only.range.clone(), "a contraction has two inputs, not one")
                .note(format!("separate them by `,`, {EXAMPLE}")),
        ),
        [_, _, _, fourth, ..] => errors.push(
            EinsumError::new(
                fourth.range.clone(),
                format!("a contraction has two inputs, not {}", inputs.len()),
            )
            .note("a third input with the output's letters is multiplied in at the end; contract more tensors in pairs"),
        ),
        _ => {}
    }
    if let [_, second, ..] = outputs {
        errors.push(EinsumError::new(
            second.range.clone(),
            format!("an einsum has one output, not {}", outputs.len()),
        ));
    }
}
