//! Which condition emptied a space: only asked for where nothing is left.

use super::program::Program;
use bico_syntax::bind::{Expression, Rules};

/// Looks at no more partial configs than this: the answer is only for a message.
const MOST_VISITS: u64 = 20_000_000;

/// For each condition how many partial configs it turned away.
pub(super) fn rejected(rules: &Rules) -> Vec<u64> {
    let mut rejected = vec![0; rules.conditions.len()];
    let broken = |condition: &Expression| {
        condition.depends().is_empty() && matches!(condition.test(&[]), Ok(false))
    };
    if let Some(condition) = rules.conditions.iter().position(broken) {
        rejected[condition] = 1;
        return rejected;
    }
    let program = &Program::new(rules);
    let mut tally = Tally {
        program,
        rejected,
        registers: program.registers.clone(),
        left: MOST_VISITS,
    };
    tally.descend(0);
    tally.rejected
}

struct Tally<'a> {
    program: &'a Program,
    rejected: Vec<u64>,
    registers: Vec<i64>,
    left: u64,
}

impl Tally<'_> {
    fn descend(&mut self, depth: usize) {
        let program = self.program;
        let Some(stage) = program.stages.get(depth) else {
            return;
        };
        let mut values = Vec::new();
        // What only the interpreter can list is left out.
        if stage.outline.values(&self.registers, &mut values).is_none() {
            return;
        }
        'values: for value in values {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.registers[stage.slot as usize] = value;
            for step in stage.steps.iter().filter(|step| !step.early) {
                program.run(&step.code, &mut self.registers);
                if self.registers[step.test as usize] == 0 {
                    self.rejected[step.condition] += 1;
                    continue 'values;
                }
            }
            program.run(&stage.rest, &mut self.registers);
            self.descend(depth + 1);
        }
    }
}
