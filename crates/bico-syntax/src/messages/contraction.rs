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
    beside_einsum(option: &str) {
        let help = match option {
            "source" => "keep one of them: `einsum`, or the file of a kernel of your own".to_string(),
            _ => format!("remove `{option}`"),
        };
    } = "`{option}` cannot stand beside `einsum`: bico writes the kernel itself", "{help}";
    len_beside_einsum(name: &str, own: &str) {
        let own = own.trim_matches(['(', ')']);
    } = "the length of `{name}` follows from the einsum: {own}", "remove `#[len(..)]`";
}

/// What `bico-einsum` found.
pub(crate) fn of_einsum(text: String, notes: Vec<String>) -> Message {
    Message { text, notes }
}
