//! Messages about einsums and the functions that compute them.

use super::Message;
use crate::einsum::{DimType, EinsumError};

/// What is wrong with the text itself. `shown`: the text with carets, where the compiler cannot point into it.
pub(crate) fn einsum(error: EinsumError, shown: Option<String>) -> Message {
    let message = match shown {
        Some(shown) => Message::new(error.message).help(shown),
        None => Message::new(error.message),
    };
    error.notes.into_iter().fold(message, Message::help)
}

pub(crate) fn no_such_index(dim_type: DimType) -> EinsumError {
    let (what, example) = match dim_type {
        DimType::M => ("the first input and the output", "a row, as `m`"),
        DimType::N => ("the second input and the output", "a column, as `n`"),
        _ => ("both inputs and not in the output", "a sum, as `k`"),
    };
    EinsumError {
        range: 0..0,
        message: format!(
            "no index is only in {what} ({dim_type}), and a tile needs one: {example} in `mk, kn -> mn`"
        ),
        notes: vec![
            "bico generates products of matrices; products with a vector and outer products it does not: add an index of size 1, or write the kernel and give its file: `source = \"..\"`".to_string(),
        ],
    }
}

pub(crate) fn index_without_argument(letter: char) -> EinsumError {
    EinsumError {
        range: 0..0,
        message: format!("the index `{letter}` has no argument that gives its size"),
        notes: vec![format!(
            "add `{letter}: u32` to the function, and its size to each `problem`"
        )],
    }
}

pub(crate) fn index_type(letter: char) -> Message {
    Message::new(format!(
        "`{letter}` is an index of the einsum: its size is an integer by value"
    ))
    .help(format!(
        "write `{letter}: u32`; a buffer needs another name than an index"
    ))
}

pub(crate) fn no_index(name: &str, letters: &str) -> Message {
    Message::new(format!(
        "`{name}` is no index of the einsum, and the kernel that bico writes takes nothing else by value"
    ))
    .help(format!("indices: {letters}"))
}

pub(crate) fn beside_einsum(option: &str) -> Message {
    let message = Message::new(format!(
        "`{option}` cannot stand beside `einsum`: bico writes the kernel itself"
    ));
    match option {
        "source" => message.help("keep one of them: `einsum`, or the file of a kernel of your own"),
        _ => message.help(format!("remove `{option}`")),
    }
}

pub(crate) fn const_beside_einsum(name: &str) -> Message {
    Message::new(format!(
        "`{name}` reaches no kernel: the one that bico writes has no constants of yours"
    ))
    .help("remove it")
}

pub(crate) fn own_reference(option: &str) -> Message {
    Message::new(format!(
        "`{option}` cannot stand here: the reference of an einsum is bico's plain loops over it"
    ))
    .help("tolerances can be given: `verify(rtol = 1e-3)`")
}

pub(crate) fn no_output() -> Message {
    Message::new("the einsum's output needs an argument")
        .help("write one `&mut` buffer: `out: &mut [f32]`, on a GPU `out: &mut CudaSlice<f32>`")
}

pub(crate) fn second_output(first: &str) -> Message {
    Message::new(format!("an einsum has one output, and that is `{first}`"))
        .help("inputs are `&` buffers")
}

pub(crate) fn input_count(einsum: usize, function: usize) -> Message {
    Message::new(format!(
        "the einsum has {einsum} inputs, and the function {function}"
    ))
    .help("write a `&` buffer for each input, in the einsum's order")
}

pub(crate) fn element(name: &str, cuda: bool, wanted: &[&str]) -> Message {
    let message = Message::new(format!(
        "the elements of `{name}` must be {}: for others bico writes no kernel for a {}",
        wanted.join(" or "),
        if cuda { "GPU" } else { "CPU" },
    ));
    match cuda {
        true => message.help("inputs are all f32 or all f16; of f16, the output may be f16 or f32"),
        false => message.help("all tensors are f32"),
    }
}

pub(crate) fn len_beside_einsum(name: &str, own: &str) -> Message {
    Message::new(format!(
        "the length of `{name}` follows from the einsum: {}",
        own.trim_matches(['(', ')'])
    ))
    .help("remove `#[len(..)]`")
}

pub(crate) fn init_of_output(name: &str) -> Message {
    Message::new(format!(
        "`{name}` is the einsum's output: it is written, never read"
    ))
    .help("remove `#[init(..)]`")
}

pub(crate) fn unknown_parameter(name: &str, known: &[&str]) -> Message {
    Message::new(format!(
        "`{name}` is no parameter of the kernel that bico writes"
    ))
    .known(name, known, "parameters")
    .help("`space(..)` beside `einsum` gives those other values: `space(M_PRIM in [64, 128])`")
}

/// A mistake of ours in the text that stands for the einsum.
pub(crate) fn own_text() -> Message {
    Message::new(
        "bico could not read the options that it wrote for this einsum: this is a bug of bico",
    )
}
