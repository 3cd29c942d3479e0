//! How near two devices are, read off their keys.
//!
//! `NVIDIA H200 (sm_90)`, `AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)`.

/// The distance to a device that is not known at all.
pub(crate) const NONE: u32 = 5;

/// From 0, the same, to 4; a candidate that won nowhere is at [`NONE`].
pub(crate) fn distance(a: &str, b: &str) -> u32 {
    if a == b {
        return 0;
    }
    let (Some(a), Some(b)) = (inside(a), inside(b)) else {
        return 4;
    };
    match (a.strip_prefix("sm_"), b.strip_prefix("sm_")) {
        (Some(a), Some(b)) => capabilities(a, b),
        (None, None) => processors(a, b),
        _ => 4,
    }
}

/// What stands in the brackets at the end.
fn inside(key: &str) -> Option<&str> {
    let (_, rest) = key.strip_suffix(')')?.rsplit_once('(')?;
    Some(rest)
}

fn capabilities(a: &str, b: &str) -> u32 {
    let number = |text: &str| {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        digits.parse::<u32>().unwrap_or(0)
    };
    let (a, b) = (number(a), number(b));
    match (a == b, a / 10 == b / 10, (a / 10).abs_diff(b / 10)) {
        (true, ..) => 1,
        (_, true, _) => 2,
        (_, _, 1) => 3,
        _ => 4,
    }
}

fn processors(a: &str, b: &str) -> u32 {
    let level = |text: &str| text.rsplit_once(", ").map(|(_, level)| level.to_string());
    let family = |text: &str| text.split(" model ").next().map(str::to_string);
    let vendor = |text: &str| text.split(' ').next().map(str::to_string);
    let (level, family, vendor) = (
        level(a) == level(b),
        family(a) == family(b),
        vendor(a) == vendor(b),
    );
    match (level, family, vendor) {
        (true, true, _) => 1,
        (true, _, true) => 2,
        (true, ..) | (_, true, _) => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_is_less() {
        let of = |name: &str| distance("NVIDIA A100-SXM4-80GB (sm_80)", name);
        let order = [
            "NVIDIA A100-SXM4-80GB (sm_80)",
            "NVIDIA A30 (sm_80)",
            "NVIDIA RTX A4000 (sm_86)",
            "NVIDIA H200 (sm_90a)",
            "NVIDIA B200 (sm_100)",
        ];
        let distances: Vec<u32> = order.iter().map(|key| of(key)).collect();
        assert_eq!(distances, [0, 1, 2, 3, 4]);
        let zen5 = "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)";
        for (other, expected) in [
            ("AMD Ryzen (AuthenticAMD family 26 model 68, x86-64-v4)", 1),
            ("AMD EPYC (AuthenticAMD family 25 model 17, x86-64-v4)", 2),
            ("Xeon (GenuineIntel family 6 model 143, x86-64-v4)", 3),
            ("Shared (GenuineIntel family 6 model 60, x86-64-v3)", 4),
            ("NVIDIA H200 (sm_90)", 4),
            ("what is this", 4),
        ] {
            assert_eq!(distance(zen5, other), expected, "{other}");
        }
    }
}
