//! Building the diagram of the valid configs, depth first.
//!
//! Every condition is tested as soon as its parameters have values, those of one depth in the order
//! of the attribute; conditions without parameters once. So a condition guards those that are
//! written after it and that need no earlier parameters: `B != 0, A % B == 0`.
//!
//! What follows a beginning is built once for all beginnings that leave the same state (see
//! [`Emit`]). The first of them in order is the one that is walked, so a mistake is found at the
//! same place as by a walk through all configs.

use super::diagram::{DEAD, Full, Memo, Unique};
use super::mix::Mixed;
use super::program::{Emit, Kind, Program, Source, UNKNOWN, decode, encode};
use super::table::Table;
use bico_bind::Rules;
use bico_core::Value;
use bico_core::ops;
use std::collections::HashMap;

/// Partial configs that are looked at before giving up: minutes of a build script.
pub(super) const MOST_VISITS: u64 = 500_000_000;

/// Why building ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// A domain cannot be evaluated for these values of the parameters before it.
    Domain(Vec<Value>),
    /// A condition cannot.
    Condition(usize, Vec<Value>),
    Visits,
    Full(Full),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Stop {
        Stop::Full(full)
    }
}

/// What was built.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) tables: Vec<Table>,
    pub(super) levels: Vec<Unique>,
    pub(super) root: u32,
}

/// Builds a space with at least one parameter.
pub(super) fn build(program: &Program, rules: &Rules) -> Result<Built, Stop> {
    let mut builder = Builder::new(program, rules);
    let root = builder.descend(0)?;
    Ok(Built {
        tables: builder.tables,
        levels: builder.levels,
        root,
    })
}

/// What building needs and makes.
#[derive(Debug)]
struct Builder<'a> {
    program: &'a Program,
    /// The interpreter's form, which is asked what the compact one leaves open.
    rules: &'a Rules,
    tables: Vec<Table>,
    levels: Vec<Unique>,
    memos: Vec<Memo>,
    registers: Vec<i64>,
    /// The ids of the values chosen so far.
    chosen: Vec<u32>,
    /// The ids of values by their codes, for domains that are not the same each time.
    codes: Vec<HashMap<i64, u32, Mixed>>,
    /// One buffer for each depth: the values of the domain, with their ids.
    buffers: Vec<Vec<(i64, u32)>>,
    /// Values as they are listed.
    listed: Vec<i64>,
    /// Edges of the nodes that are under construction.
    edges: Vec<(u32, u32)>,
    state: Vec<i64>,
    visits: u64,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, rules: &'a Rules) -> Builder<'a> {
        let depth = program.stages.len();
        let mut tables = vec![Table::default(); depth];
        for (table, stage) in tables.iter_mut().zip(&program.stages) {
            if let Source::Fixed(values) = &stage.source {
                // A code that stands for nothing is no value of a fixed domain but one in 2^64.
                let value = |code| decode(code, stage.kind, &program.context.strings);
                let values = values
                    .iter()
                    .map(|code| value(*code).unwrap_or(Value::Int(*code)));
                *table = Table::of(values.collect());
            }
        }
        Builder {
            program,
            rules,
            tables,
            levels: (0..depth).map(|_| Unique::default()).collect(),
            memos: (0..depth).map(|_| Memo::default()).collect(),
            registers: program.registers.clone(),
            chosen: vec![0; depth],
            codes: vec![HashMap::default(); depth],
            buffers: buffers(program),
            listed: Vec::new(),
            edges: Vec::new(),
            state: Vec::new(),
            visits: 0,
        }
    }

    /// The node of what follows the values chosen before `depth`.
    fn descend(&mut self, depth: usize) -> Result<u32, Stop> {
        let program = self.program;
        let stage = &program.stages[depth];
        let mut values = std::mem::take(&mut self.buffers[depth]);
        if let Source::Listed(_) = stage.source {
            self.list(depth, &mut values)?;
        }
        let mark = self.edges.len();
        for &(value, id) in &values {
            self.visits += 1;
            self.chosen[depth] = id;
            self.registers[stage.slot as usize] = value;
            if !self.passes(depth)? {
                continue;
            }
            let child = if depth + 1 == program.stages.len() {
                0
            } else {
                self.follow(depth)?
            };
            if child != DEAD {
                self.edges.push((id, child));
            }
        }
        self.buffers[depth] = values;
        if self.visits > MOST_VISITS {
            return Err(Stop::Visits);
        }
        if self.edges.len() == mark {
            return Ok(DEAD);
        }
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let below = below.first().map(Unique::level);
        let node = above[depth].node(&self.edges[mark..], below)?;
        self.edges.truncate(mark);
        Ok(node)
    }

    /// Whether the conditions hold that have become known.
    fn passes(&mut self, depth: usize) -> Result<bool, Stop> {
        let program = self.program;
        let stage = &program.stages[depth];
        for step in &stage.steps {
            program.run(&step.code, &mut self.registers);
            let holds = match self.registers[step.test as usize] {
                UNKNOWN => self.ask(depth, step.condition)?,
                truth => truth != 0,
            };
            if !holds {
                return Ok(false);
            }
        }
        program.run(&stage.rest, &mut self.registers);
        Ok(true)
    }

    /// The node after the values chosen up to `depth`: a known one, if it was met in this state.
    fn follow(&mut self, depth: usize) -> Result<u32, Stop> {
        let program = self.program;
        let stage = &program.stages[depth];
        let Some(state) = &stage.state else {
            return self.descend(depth + 1);
        };
        let mark = self.state.len();
        let mut whole = false;
        write(state, &self.registers, &mut self.state, &mut whole);
        if whole {
            // Something in it is not known here: only equal values are surely the same.
            self.state
                .extend(self.chosen[..=depth].iter().map(|id| i64::from(*id)));
        }
        let hash = Memo::hash(&self.state[mark..]);
        let node = match self.memos[depth].get(hash, &self.state[mark..]) {
            Some(node) => node,
            None => {
                let node = self.descend(depth + 1)?;
                self.memos[depth].insert(hash, &self.state[mark..], node);
                node
            }
        };
        self.state.truncate(mark);
        Ok(node)
    }

    fn ask(&self, depth: usize, condition: usize) -> Result<bool, Stop> {
        let values = self.values(depth + 1);
        let answer = self.rules.conditions[condition].node().eval(&values, None);
        match answer.ok().and_then(|value| ops::truth(value).ok()) {
            Some(truth) => Ok(truth),
            None => Err(Stop::Condition(condition, values)),
        }
    }

    /// Lists a domain that depends on the parameters before it.
    fn list(&mut self, depth: usize, out: &mut Vec<(i64, u32)>) -> Result<(), Stop> {
        out.clear();
        let program = self.program;
        let stage = &program.stages[depth];
        let Source::Listed(outline) = &stage.source else {
            return Ok(());
        };
        self.listed.clear();
        if stage.kind != Kind::Mixed && outline.values(&self.registers, &mut self.listed).is_some()
        {
            for code in &self.listed {
                let id = match self.codes[depth].get(code) {
                    Some(id) => *id,
                    None => {
                        let value = decode(*code, stage.kind, &program.context.strings);
                        let id = self.tables[depth].add(value.unwrap_or(Value::Int(*code)));
                        self.codes[depth].insert(*code, id);
                        id
                    }
                };
                out.push((*code, id));
            }
            return Ok(());
        }
        let before = self.values(depth);
        let mut values = Vec::new();
        let list = self.rules.domains[depth].node();
        if list.values(&before, None, &mut values).is_err() {
            return Err(Stop::Domain(before));
        }
        for value in values {
            let code = match Kind::of(value) == stage.kind {
                true => encode(value, &program.context.strings),
                false => UNKNOWN,
            };
            let id = self.tables[depth].add(value);
            if code != UNKNOWN {
                self.codes[depth].insert(code, id);
            }
            out.push((code, id));
        }
        Ok(())
    }

    /// The values of the first parameters.
    fn values(&self, count: usize) -> Vec<Value> {
        let tables = self.tables.iter().zip(&self.chosen);
        tables
            .take(count)
            .map(|(table, id)| table.values[*id as usize])
            .collect()
    }
}

/// For each depth the values of its domain with their ids, where it is the same each time.
fn buffers(program: &Program) -> Vec<Vec<(i64, u32)>> {
    let values = |source: &Source| match source {
        Source::Fixed(values) => values
            .iter()
            .zip(0..)
            .map(|(value, id)| (*value, id))
            .collect(),
        Source::Listed(_) => Vec::new(),
    };
    program
        .stages
        .iter()
        .map(|stage| values(&stage.source))
        .collect()
}

/// Appends a state; sets `whole` if it holds something unknown.
fn write(state: &[Emit], registers: &[i64], out: &mut Vec<i64>, whole: &mut bool) {
    for emit in state {
        let (Emit::Push(id) | Emit::Choose(id, ..)) = emit;
        let value = registers[*id as usize];
        *whole |= value == UNKNOWN;
        out.push(value);
        if let Emit::Choose(_, yes, no) = emit {
            write(if value == 0 { no } else { yes }, registers, out, whole);
        }
    }
}
