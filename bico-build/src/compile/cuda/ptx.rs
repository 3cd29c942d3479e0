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

#[cfg(test)]
mod tests {
    use super::*;

    /// What NVRTC writes, shortened.
    const PTX: &str = "
.version 8.8
.target sm_80
.address_size 64

\t// .globl\t_Z5tiledPf
.visible .entry _Z5tiledPf(
\t.param .u64 .ptr .align 1 _Z5tiledPf_param_0,
\t.param .u32 _Z5tiledPf_param_1,
\t.param .u8 _Z5tiledPf_param_2,
\t.param .align 8 .b8 _Z5tiledPf_param_3[16],
\t.param .f64 _Z5tiledPf_param_4
)
.maxntid 1024, 1, 1
{
}
.visible .entry nothing()
{
}
.visible .entry odd(.param .texref t)
{
}
";

    #[test]
    fn parameters_of_each_kind() {
        assert_eq!(parameters(PTX, "_Z5tiledPf"), Some(vec![8, 4, 1, 16, 8]));
        assert_eq!(parameters(PTX, "nothing"), Some(vec![]));
        assert_eq!(parameters(PTX, "odd"), None);
        assert_eq!(parameters(PTX, "_Z5tiled"), None);
        assert_eq!(parameters(".entry k(.param .b8 a[99999999999])", "k"), None);
        assert_eq!(parameters(".entry k(.param .b64 a[4294967295])", "k"), None);
        assert_eq!(parameters(".entry k(.param .b64 a[", "k"), None);
        assert_eq!(parameters("", "k"), None);
    }
}
