//! What a device is called, and how near two devices are.

use crate::json::{Error, FromJson, Item, Json, ToJson};
use std::borrow::{Borrow, Cow};
use std::fmt;

/// The name of a kind of device, as lock, cache and generated code have it: `NVIDIA H200 (sm_90)`,
/// `AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)`. It says what the device is, not where.
///
/// [`Facts::key`](super::Facts::key) makes it, and any text may be read as one: a key of another shape is near
/// to nothing but itself. Nobody else takes the text apart.
///
/// ```
/// use bico_core::device::{DeviceKey, Kinship};
///
/// let here = DeviceKey::new("NVIDIA A30 (sm_80)");
/// assert_eq!(here.kinship(&DeviceKey::new("NVIDIA A100-SXM4-80GB (sm_80)")), Kinship::Architecture);
/// assert_eq!(here.distance(&DeviceKey::new("NVIDIA RTX A4000 (sm_86)")), 2);
/// assert_eq!(here.to_string(), "NVIDIA A30 (sm_80)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceKey(Cow<'static, str>);

/// How near another device is, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinship {
    /// The same architecture: compute capability, or CPU family and instruction set.
    Architecture,
    /// The same vendor.
    Vendor,
    /// Neither.
    Other,
}

impl Kinship {
    /// What two devices share. Architectures of two vendors are never the same, whatever their names.
    pub fn of(vendor: bool, architecture: bool) -> Kinship {
        match (vendor, architecture) {
            (true, true) => Kinship::Architecture,
            (true, false) => Kinship::Vendor,
            (false, _) => Kinship::Other,
        }
    }
}

/// What a key says of its device.
#[derive(PartialEq)]
enum Kind<'a> {
    /// Vendor, family and instruction set.
    Cpu([&'a str; 3]),
    /// A compute capability: 90 for `sm_90`.
    Nvidia(u32),
    /// Another architecture: `gfx90a`.
    Named(&'a str),
}

impl DeviceKey {
    /// Reads a text, which is kept as it is. A `&'static str` is not copied.
    pub fn new(text: impl Into<Cow<'static, str>>) -> DeviceKey {
        DeviceKey(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How far another device is in steps, from 0 (the same) to 4. GPUs go by their generations, CPUs by vendor, family
    /// and instruction set.
    pub fn distance(&self, other: &DeviceKey) -> u32 {
        if self == other {
            return 0;
        }
        match (self.kind(), other.kind()) {
            (Some(Kind::Nvidia(a)), Some(Kind::Nvidia(b))) => {
                match (a == b, (a / 10).abs_diff(b / 10)) {
                    (true, _) => 1,
                    (_, 0) => 2,
                    (_, 1) => 3,
                    _ => 4,
                }
            }
            (Some(Kind::Cpu([vendor, family, level])), Some(Kind::Cpu(other))) => {
                match (level == other[2], vendor == other[0], family == other[1]) {
                    (true, true, true) => 1,
                    (true, true, _) => 2,
                    (true, false, _) | (_, true, true) => 3,
                    _ => 4,
                }
            }
            (Some(a), Some(b)) if a == b => 1,
            _ => 4,
        }
    }

    /// What another device shares with this one.
    pub fn kinship(&self, other: &DeviceKey) -> Kinship {
        let architecture = self.distance(other) <= 1;
        let vendor = match (self.kind(), other.kind()) {
            (Some(Kind::Nvidia(_)), Some(Kind::Nvidia(_))) => true,
            (Some(Kind::Cpu([a, ..])), Some(Kind::Cpu([b, ..]))) => a == b,
            _ => architecture,
        };
        Kinship::of(vendor, architecture)
    }

    /// What stands in the brackets at the end.
    fn kind(&self) -> Option<Kind<'_>> {
        let (_, inside) = self.0.strip_suffix(')')?.rsplit_once('(')?;
        let capability = inside.strip_prefix("sm_").and_then(|number| {
            // `sm_90a` is sm_90 with features of its own.
            number
                .trim_end_matches(|c: char| c.is_ascii_lowercase())
                .parse()
                .ok()
        });
        Some(match capability {
            Some(capability) => Kind::Nvidia(capability),
            None => processor(inside).unwrap_or(Kind::Named(inside)),
        })
    }
}

/// `AuthenticAMD family 26 model 2, x86-64-v4`.
fn processor(text: &str) -> Option<Kind<'_>> {
    let (vendor, rest) = text.split_once(" family ")?;
    let (family, rest) = rest.split_once(" model ")?;
    let (_, level) = rest.split_once(", ")?;
    Some(Kind::Cpu([vendor, family, level]))
}

impl fmt::Display for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<String> for DeviceKey {
    fn from(text: String) -> DeviceKey {
        DeviceKey::new(text)
    }
}

impl ToJson for DeviceKey {
    fn to_json(&self) -> Json {
        self.as_str().to_json()
    }
}

impl FromJson for DeviceKey {
    fn from_json(item: Item<'_>) -> Result<DeviceKey, Error> {
        item.read::<String>().map(DeviceKey::new)
    }
}

/// Maps by device are asked by text as well.
impl Borrow<str> for DeviceKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{CpuFacts, Facts, facts::tests::zen};

    const ZEN5: &str = "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)";
    const A100: &str = "NVIDIA A100-SXM4-80GB (sm_80)";

    #[test]
    fn nearer_is_less() {
        use Kinship::{Architecture, Other, Vendor};
        for (a, b, distance, kinship) in [
            (A100, A100, 0, Architecture),
            (A100, "NVIDIA A30 (sm_80)", 1, Architecture),
            (A100, "NVIDIA RTX A4000 (sm_86)", 2, Vendor),
            (A100, "NVIDIA H200 (sm_90a)", 3, Vendor),
            (A100, "NVIDIA B200 (sm_100)", 4, Vendor),
            (A100, "NVIDIA H200", 4, Other),
            ("H200 (sm_90)", "H200 (sm_90a)", 1, Architecture),
            (
                ZEN5,
                "AMD Ryzen (AuthenticAMD family 26 model 68, x86-64-v4)",
                1,
                Architecture,
            ),
            (
                ZEN5,
                "AMD EPYC (AuthenticAMD family 25 model 17, x86-64-v4)",
                2,
                Vendor,
            ),
            (
                ZEN5,
                "AMD EPYC (AuthenticAMD family 26 model 2, x86-64)",
                3,
                Vendor,
            ),
            (
                ZEN5,
                "AMD EPYC (AuthenticAMD family 23 model 1, x86-64-v3)",
                4,
                Vendor,
            ),
            (
                ZEN5,
                "Xeon (GenuineIntel family 6 model 143, x86-64-v4)",
                3,
                Other,
            ),
            (
                ZEN5,
                "Shared (GenuineIntel family 6 model 60, x86-64-v3)",
                4,
                Other,
            ),
            (
                "Xeon(R) CPU (4S) (GenuineIntel family 6 model 143, x86-64-v4)",
                "Xeon (GenuineIntel family 6 model 85, x86-64-v4)",
                1,
                Architecture,
            ),
            (ZEN5, "NVIDIA H200 (sm_90)", 4, Other),
            (ZEN5, "what is this", 4, Other),
            ("AMD MI250X (gfx90a)", "AMD MI210 (gfx90a)", 1, Architecture),
            ("AMD MI250X (gfx90a)", "AMD W6600 (gfx1032)", 4, Other),
            ("what is this", "what is this", 0, Architecture),
            ("what is this", "and that", 4, Other),
            ("sm_80", A100, 4, Other),
            ("(sm_)", "(sm_é)", 4, Other),
            (")(", "(", 4, Other),
            ("", "()", 4, Other),
        ] {
            let (one, two) = (DeviceKey::new(a), DeviceKey::new(b));
            let both = [
                (one.distance(&two), one.kinship(&two)),
                (two.distance(&one), two.kinship(&one)),
            ];
            assert_eq!(both, [(distance, kinship); 2], "{a} and {b}");
        }
    }

    #[test]
    fn kin_are_told_by_family_and_level_then_by_vendor() {
        let changed = |change: fn(&mut CpuFacts)| {
            let mut facts = zen();
            if let Facts::Cpu(cpu) = &mut facts {
                change(cpu);
            }
            zen().key().kinship(&facts.key())
        };
        assert_eq!(changed(|cpu| cpu.model += 1), Kinship::Architecture);
        assert_eq!(changed(|cpu| cpu.family += 1), Kinship::Vendor);
        assert_eq!(changed(|cpu| cpu.level = "x86-64".into()), Kinship::Vendor);
        assert_eq!(
            changed(|cpu| cpu.vendor = "GenuineIntel".into()),
            Kinship::Other
        );
    }

    #[test]
    fn a_key_is_its_text() {
        assert_eq!(zen().key(), DeviceKey::new(ZEN5.to_string()));
        assert_eq!(
            format!("{:>20}|", DeviceKey::new("a (b)")),
            format!("{:>20}|", "a (b)")
        );
        let map = std::collections::BTreeMap::from([(zen().key(), 1)]);
        assert_eq!(map.get(ZEN5), Some(&1));
    }
}
