//! What PTX says of a kernel.

/// Bytes of each parameter of `entry`, in order; `None` where the text does not tell.
pub(super) fn parameters(ptx: &str, entry: &str) -> Option<Vec<u32>> {
    let (_, list) = ptx
        .match_indices(".entry ")
        .map(|(at, word)| &ptx[at + word.len()..])
        .filter_map(|rest| rest.split_once('('))
        .find(|(name, _)| name.trim() == entry)?;
    let (list, _) = list.split_once(')')?;
    if list.trim().is_empty() {
        return Some(Vec::new());
    }
    list.split(',').map(parameter).collect()
}

/// `.param .align 8 .b8 name[16]`, `.param .u64 .ptr .align 1 name`
fn parameter(text: &str) -> Option<u32> {
    let mut words = text.split_whitespace();
    if words.next() != Some(".param") {
        return None;
    }
    let bits: u32 = text.split_whitespace().find_map(|word| {
        match word.strip_prefix('.')?.split_at_checked(1)? {
            ("b" | "u" | "s" | "f", bits) => bits.parse().ok(),
            _ => None,
        }
    })?;
    let count = match text.split_once('[') {
        None => 1,
        Some((_, rest)) => rest.split_once(']')?.0.trim().parse().ok()?,
    };
    (bits / 8).checked_mul(count)
}
