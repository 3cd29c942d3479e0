//! Messages about what stands beside an einsum.

use super::Message;

messages! {
    const_beside_einsum(name: &str) =
        "`{name}` reaches no kernel: the one that bico writes has no constants of yours",
        "remove it";
    own_reference(option: &str) =
        "`{option}` cannot stand here: the reference of an einsum is bico's plain loops over it",
        "tolerances can be given: `verify(rtol = 1e-3)`";
    unknown_parameter(name: &str, known: &[&str]) =
        "`{name}` is no parameter of the kernel that bico writes",
        "`space(..)` beside `einsum` gives those other values: `space(M_PRIM in [64, 128])`" [name in known: "parameters"];
    /// A mistake of ours in the text that stands for the einsum.
    own_text() = "bico could not read the options that it wrote for this einsum: this is a bug of bico";
}

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

pub(crate) fn len_beside_einsum(name: &str, own: &str) -> Message {
    Message::new(format!(
        "the length of `{name}` follows from the einsum: {}",
        own.trim_matches(['(', ')'])
    ))
    .help("remove `#[len(..)]`")
}
