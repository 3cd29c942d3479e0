//! What configs take of GPUs, as a table for people.

use super::limits::Needs;
use bico_build::report::columns;

/// One kernel on one kind of GPU.
#[derive(Default)]
pub(super) struct Line {
    pub(super) capability: u16,
    /// Valid configs; of several problems, those of the one that has most.
    pub(super) valid: u64,
    /// What did not compile.
    pub(super) failed: u64,
    /// Of each config that compiled.
    pub(super) needs: Vec<Needs>,
    /// Configs that compiled, but that no such GPU launches.
    pub(super) unlaunchable: u64,
    pub(super) seconds: f64,
}

impl Line {
    fn sorted(&self, need: fn(&Needs) -> u64) -> Vec<u64> {
        let mut all: Vec<u64> = self.needs.iter().map(need).collect();
        all.sort_unstable();
        all
    }
}

/// The lines under a head that explains them.
pub(super) fn table(lines: &[Line]) -> String {
    let heads = [
        "||||registers|spill|local|shared|cannot|",
        "|valid|compiled|failed|min / median / max|configs|bytes, max|bytes, min..max|be launched|seconds",
    ];
    let head = |head: &str| head.split('|').map(String::from).collect();
    let mut rows: Vec<Vec<String>> = heads.map(head).to_vec();
    for line in lines {
        let registers = line.sorted(|needs| needs.registers);
        let shared = line.sorted(|needs| needs.shared_bytes);
        let spilling = line.needs.iter().filter(|needs| needs.spill_bytes > 0);
        let local = line.needs.iter().map(|needs| needs.local_bytes).max();
        rows.push(vec![
            format!("sm_{}", line.capability),
            line.valid.to_string(),
            line.needs.len().to_string(),
            line.failed.to_string(),
            match (registers.first(), registers.last()) {
                (Some(least), Some(most)) => {
                    format!("{least} / {} / {most}", registers[registers.len() / 2])
                }
                _ => "-".to_string(),
            },
            spilling.count().to_string(),
            local.map_or("-".to_string(), |local| local.to_string()),
            match (shared.first(), shared.last()) {
                (Some(least), Some(most)) => format!("{least}..{most}"),
                _ => "-".to_string(),
            },
            line.unlaunchable.to_string(),
            format!("{:.1}", line.seconds),
        ]);
    }
    columns(&rows, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_kind_of_gpu() {
        let needs = |registers, spill_bytes, shared_bytes| Needs {
            registers,
            spill_bytes,
            local_bytes: spill_bytes,
            shared_bytes,
            ..Needs::default()
        };
        let line = |capability| Line {
            capability,
            ..Line::default()
        };
        let other = line(120);
        let mut line = line(89);
        line.needs = vec![needs(40, 0, 512), needs(20, 16, 256), needs(255, 0, 1024)];
        (line.valid, line.seconds) = (134, 1.25);
        let text = table(&[line, other]);
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|row| row.split_whitespace().collect())
            .collect();
        assert_eq!(
            rows[2],
            [
                "sm_89",
                "134",
                "3",
                "0",
                "20",
                "/",
                "40",
                "/",
                "255",
                "1",
                "16",
                "256..1024",
                "0",
                "1.2"
            ]
        );
        assert_eq!(rows[3][..5], ["sm_120", "0", "0", "0", "-"]);
    }
}
