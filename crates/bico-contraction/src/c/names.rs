//! Names of the text, and what is declared under them.

use crate::nest::{self, Loop, Size, Term};

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

/// The declarations of the sizes that `text` names: `const size_t size_ab = (size_t)a * b;`.
pub(super) fn sizes(sizes: &[Size], text: &str) -> String {
    nest::declared(sizes, text, |letters| match letters {
        [only] => only.to_string(),
        _ => {
            let factors: Vec<String> = letters.iter().map(char::to_string).collect();
            format!("(size_t){}", factors.join(" * "))
        }
    })
}

/// An element's place in a tensor, by the names of the strides.
pub(super) fn place<'l>(tensor: usize, loops: impl Iterator<Item = &'l Loop>) -> Vec<String> {
    nest::place(tensor, loops, |l| stride(tensor, &l.name))
}
