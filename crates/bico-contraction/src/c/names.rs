//! Names of the text, and what is declared under them.

use crate::nest::{Loop, Size, Term};

/// `i_m_out`: the index of a loop.
pub(super) fn index(l: &Loop) -> String {
    format!("i_{}", l.name)
}

/// How often a loop runs: the number, a name that there is, or `n_m_out` for what must be computed.
pub(super) fn extent(l: &Loop) -> String {
    match l.extent.text.contains(' ') {
        true => format!("n_{}", l.name),
        false => l.extent.text.clone(),
    }
}

/// `a_m_out`: how far a tensor's elements are apart.
pub(super) fn stride(tensor: usize, name: &str) -> String {
    format!("{}_{name}", ["a", "b", "c", "d"][tensor])
}

/// `i_m_out * a_m_out + ..`: an element's place in a tensor; nothing for the first.
pub(super) fn place<'l>(tensor: usize, loops: impl Iterator<Item = &'l Loop>) -> Vec<String> {
    loops
        .filter_map(|l| {
            let step = &l.strides[tensor];
            match step.value {
                Some(0) => None,
                Some(1) => Some(index(l)),
                _ => Some(format!("{} * {}", index(l), stride(tensor, &l.name))),
            }
        })
        .collect()
}

/// The declared strides: `a_m_out = 64`, tensor by tensor.
pub(super) fn strides<'l>(
    all: impl Iterator<Item = (&'l str, &'l [Term; 4])> + Clone,
    tensors: usize,
) -> Vec<Vec<String>> {
    let of_tensor = |tensor: usize| {
        let named = all.clone().map(|(name, strides)| (name, &strides[tensor]));
        named
            .filter(|(_, term)| !term.is(0) && !term.is(1))
            .map(|(name, term)| format!("{} = {term}", stride(tensor, name)))
            .collect::<Vec<_>>()
    };
    (0..tensors)
        .map(of_tensor)
        .filter(|of_tensor| !of_tensor.is_empty())
        .collect()
}

/// `const size_t size_ab = (size_t)a * b;` for the sizes that `text` names.
pub(super) fn sizes(sizes: &[Size], text: &str) -> String {
    let mut out = String::new();
    for size in sizes {
        if has_word(text, &size.name) {
            let factors: Vec<String> = size.letters.iter().map(char::to_string).collect();
            let first = match factors.len() {
                1 => "",
                _ => "(size_t)",
            };
            out += &format!(
                "const size_t {} = {first}{};\n",
                size.name,
                factors.join(" * ")
            );
        }
    }
    out
}

/// True if an identifier stands in a text.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}
