//! Parts of a building that others may do.

use super::build::{Builder, Stop};
use super::diagram::Memo;
use bico_core::Value;

/// What is to be built after the first parameters have these values.
#[derive(Debug)]
pub(super) struct Task {
    /// Each parameter's value and its code.
    beginning: Vec<(Value, i64)>,
    /// The state that they leave.
    state: Vec<i64>,
}

impl Builder<'_> {
    /// Looks for the states after the parameters up to `cut`, and for what ends the walk there.
    pub(super) fn scout(&mut self) -> (Vec<Task>, Option<Stop>) {
        self.scouted = Some(Vec::new());
        let end = self.descend(0).err();
        self.restart();
        self.memos.fill_with(Memo::default);
        (self.scouted.take().unwrap_or_default(), end)
    }

    /// Builds what follows a beginning.
    pub(super) fn task(&mut self, task: &Task) -> Result<u32, Stop> {
        for (depth, (value, code)) in task.beginning.iter().enumerate() {
            self.chosen[depth] = self.tables[depth].add(*value);
            self.registers[self.program.stages[depth].slot as usize] = *code;
            self.passes(depth)?;
        }
        self.descend(task.beginning.len())
    }

    /// Remembers what a task came to.
    pub(super) fn solve(&mut self, task: &Task, node: u32) {
        self.memos[self.cut].insert(Memo::hash(&task.state), &task.state, node);
    }

    /// Notes the task that the state from `mark` on is.
    pub(super) fn note(&mut self, mark: usize, depth: usize) {
        let values = self.values(depth + 1);
        let slots = self.program.stages.iter().map(|stage| stage.slot as usize);
        let task = Task {
            beginning: values
                .into_iter()
                .zip(slots.map(|slot| self.registers[slot]))
                .collect(),
            state: self.state[mark..].to_vec(),
        };
        self.scouted.get_or_insert_default().push(task);
    }
}
