//! What a kernel's source says of its own needs: `// limits: registers <= 64, spill_bytes <= 0`.

use std::fmt;

/// One limit.
pub(super) struct Limit {
    need: Need,
    most: u64,
}

/// A name, and what it is of a config's needs.
type Need = (&'static str, fn(&Needs) -> u64);

/// What can be limited.
const NEEDS: [Need; 5] = [
    ("registers", |needs| needs.registers),
    ("block_registers", |needs| needs.block_registers),
    ("spill_bytes", |needs| needs.spill_bytes),
    ("local_bytes", |needs| needs.local_bytes),
    ("shared_bytes", |needs| needs.shared_bytes),
];

/// What one config takes: of several passes, the most.
#[derive(Default)]
pub(super) struct Needs {
    /// Registers of a thread.
    pub(super) registers: u64,
    /// Registers of a block: of all threads that it starts.
    pub(super) block_registers: u64,
    /// Bytes of registers that a thread stores to local memory.
    pub(super) spill_bytes: u64,
    /// Local memory of a thread.
    pub(super) local_bytes: u64,
    /// Shared memory of a block, static and dynamic.
    pub(super) shared_bytes: u64,
}

impl Needs {
    /// The more of each.
    pub(super) fn max(&self, other: &Needs) -> Needs {
        Needs {
            registers: self.registers.max(other.registers),
            block_registers: self.block_registers.max(other.block_registers),
            spill_bytes: self.spill_bytes.max(other.spill_bytes),
            local_bytes: self.local_bytes.max(other.local_bytes),
            shared_bytes: self.shared_bytes.max(other.shared_bytes),
        }
    }
}

impl Limit {
    /// What a config takes of it, where that is too much.
    pub(super) fn broken(&self, needs: &Needs) -> Option<u64> {
        let taken = self.need.1(needs);
        (taken > self.most).then_some(taken)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <= {}", self.need.0, self.most)
    }
}

/// The limits that a source states in comments of their own.
///
/// # Errors
///
/// A line begins with `limits:` and cannot be read: its number, and what is wrong.
pub(super) fn read(source: &str) -> Result<Vec<Limit>, String> {
    let mut limits = Vec::new();
    for (line, number) in source.lines().zip(1..) {
        let comment = line.trim_start().strip_prefix(['/', '*']);
        let comment = comment.map(|text| text.trim_start_matches(['/', '*']).trim());
        let Some(list) = comment.and_then(|text| text.strip_prefix("limits:")) else {
            continue;
        };
        for part in list.split(',') {
            limits.push(limit(part).ok_or_else(|| {
                let (part, names) = (part.trim(), NEEDS.map(|(name, _)| name).join(", "));
                format!(
                    "line {number}: `{part}` is no limit\n  = help: write `NAME <= NUMBER`; the names are {names}"
                )
            })?);
        }
    }
    Ok(limits)
}

fn limit(text: &str) -> Option<Limit> {
    let (name, most) = text.split_once("<=")?;
    let need = *NEEDS.iter().find(|(known, _)| *known == name.trim())?;
    let most = most.trim().trim_end_matches("*/").trim().parse().ok()?;
    Some(Limit { need, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_held() {
        let limits =
            read("// A kernel.\n//  limits: registers <= 64, spill_bytes<=0\nint x;\n").unwrap();
        let texts: Vec<String> = limits.iter().map(Limit::to_string).collect();
        assert_eq!(texts, ["registers <= 64", "spill_bytes <= 0"]);
        let needs = Needs {
            registers: 65,
            ..Needs::default()
        };
        assert_eq!(limits[0].broken(&needs), Some(65));
        assert_eq!(limits[1].broken(&needs), None);
        assert_eq!(
            read("/* limits: shared_bytes <= 49152 */").unwrap().len(),
            1
        );
    }

    #[test]
    fn what_is_no_limit_is_named() {
        assert!(read("int limits: 3;").unwrap().is_empty());
        let error = read("\n// limits: registers < 64").err().unwrap();
        assert!(error.contains("line 2: `registers < 64`"), "{error}");
        let error = read("// limits: threads <= 64").err().unwrap();
        assert!(
            error.contains("`threads <= 64`") && error.contains("spill_bytes"),
            "{error}"
        );
    }
}
