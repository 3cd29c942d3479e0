//! Names of the text, and what is declared under them.

use super::lines::wrapped;
use crate::nest::{self, Loop, Size};
use crate::template::has_word;

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

/// The declarations of the strides that `text` names, `const size_t a_m_out = 64, ..;`, tensor by tensor.
pub(super) fn strides<'l>(loops: impl Iterator<Item = &'l Loop> + Clone, text: &str) -> String {
    let of_tensor = |tensor: usize| {
        let all = loops
            .clone()
            .map(|l| (stride(tensor, &l.name), &l.strides[tensor]));
        let named = all.filter(|(name, by)| !by.is(0) && !by.is(1) && has_word(text, name));
        let named: Vec<String> = named.map(|(name, by)| format!("{name} = {by}")).collect();
        match named.is_empty() {
            true => None,
            false => Some(wrapped("const size_t ", &(named.join(", ") + ";"), 2)),
        }
    };
    (0..4).filter_map(of_tensor).collect::<Vec<_>>().join("\n")
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

/// Where a loop begins.
pub(super) fn head(l: &Loop, extent: &str) -> String {
    let index = l.index();
    format!("for (size_t {index} = 0; {index} < {extent}; {index}++)")
}
