//! Messages about what stands beside an einsum.

use super::Message;

/// What `bico-einsum` found.
pub(crate) fn of_einsum(text: String, notes: Vec<String>) -> Message {
    Message { text, notes }
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

pub(crate) fn len_beside_einsum(name: &str, own: &str) -> Message {
    Message::new(format!(
        "the length of `{name}` follows from the einsum: {}",
        own.trim_matches(['(', ')'])
    ))
    .help("remove `#[len(..)]`")
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
