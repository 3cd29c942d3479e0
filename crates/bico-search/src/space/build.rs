//! Building the diagram of the valid configs, depth first.
//!
//! Every condition is tested as soon as its parameters have values, those of one depth in the order
//! of the attribute; conditions without parameters once. So a condition guards those that are
//! written after it and that need no earlier parameters: `B != 0, A % B == 0`.
//!
//! What follows a beginning is built once for all beginnings that leave the same state (see
//! [`Emit`]). The first of them in order is the one that is walked, so a mistake is found at the
//! same place as by a walk through all configs.

use super::diagram::{DEAD, Diagram, Memo, Unique};
use super::mix::Mixed;
use super::program::{Emit, Kind, Outline, Program, Stage, UNKNOWN, encode};
use super::table::Table;
use bico_core::{Lists, Value};
use bico_syntax::bind::{Rules, SpaceError};
use proc_macro2::Span;
use std::collections::HashMap;

/// Partial configs that are looked at before giving up: minutes of a build script.
const MOST_VISITS: u64 = 500_000_000;

/// Builds a space with at least one parameter; `span` is the place of what is wrong with it as a whole.
pub(super) fn build(
    program: &Program,
    rules: &Rules,
    span: Span,
) -> Result<(Vec<Table>, Diagram), SpaceError> {
    let mut builder = Builder::new(program, rules, span);
    let root = builder.descend(0)?;
    Ok((builder.tables, Diagram::new(builder.levels, root)))
}

/// What building needs and makes.
struct Builder<'a> {
    program: &'a Program,
    /// The interpreter's form, which is asked what the compact one leaves open.
    rules: &'a Rules,
    span: Span,
    /// The ids of values by their codes, for domains that are not the same each time.
    codes: Vec<HashMap<i64, u32, Mixed>>,
    tables: Vec<Table>,
    levels: Vec<Unique>,
    memos: Vec<Memo>,
    registers: Vec<i64>,
    /// The ids of the values chosen so far.
    chosen: Vec<u32>,
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
    fn new(program: &'a Program, rules: &'a Rules, span: Span) -> Builder<'a> {
        let depth = program.stages.len();
        let mut tables = vec![Table::default(); depth];
        let mut buffers = vec![Vec::new(); depth];
        for (at, stage) in program.stages.iter().enumerate() {
            if let Outline::Values(codes, _) = &stage.outline {
                let values = codes.iter().map(|code| program.value(*code, stage.kind));
                tables[at] = Table::of(values.collect_vec());
                buffers[at] = codes.iter().copied().zip(0..).collect_vec();
            }
        }
        Builder {
            program,
            rules,
            span,
            codes: vec![HashMap::default(); depth],
            tables,
            levels: (0..depth).map(|_| Unique::default()).collect_vec(),
            memos: (0..depth).map(|_| Memo::default()).collect_vec(),
            registers: program.registers.clone(),
            chosen: vec![0; depth],
            buffers,
            listed: Vec::new(),
            edges: Vec::new(),
            state: Vec::new(),
            visits: 0,
        }
    }

    /// The node of what follows the values chosen before `depth`.
    fn descend(&mut self, depth: usize) -> Result<u32, SpaceError> {
        let program = self.program;
        let stage = &program.stages[depth];
        let mut values = std::mem::take(&mut self.buffers[depth]);
        self.list(depth, &mut values)?;
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
            let message = format!(
                "the space is too large to enumerate: {MOST_VISITS} partial configs were looked at; \
                 use fewer values, or conditions on earlier parameters"
            );
            return Err(SpaceError::new(self.span, message));
        }
        if self.edges.len() == mark {
            return Ok(DEAD);
        }
        let (above, below) = self.levels.split_at_mut(depth + 1);
        let below = below.first().map(|below| &below.level);
        let node = above[depth].node(&self.edges[mark..], below);
        self.edges.truncate(mark);
        node.map_err(|message| SpaceError::new(self.span, message))
    }

    /// Whether the conditions hold that have become known.
    fn passes(&mut self, depth: usize) -> Result<bool, SpaceError> {
        let program = self.program;
        let stage = &program.stages[depth];
        for step in &stage.steps {
            program.run(&step.code, &mut self.registers);
            let holds = match self.registers[step.test as usize] {
                UNKNOWN => self.rules.conditions[step.condition].test(&self.values(depth + 1))?,
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
    fn follow(&mut self, depth: usize) -> Result<u32, SpaceError> {
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

    /// Lists a domain, where it depends on the parameters before it.
    fn list(&mut self, depth: usize, out: &mut Vec<(i64, u32)>) -> Result<(), SpaceError> {
        let program = self.program;
        let Stage { outline, kind, .. } = &program.stages[depth];
        if matches!(outline, Outline::Values(..)) {
            return Ok(());
        }
        out.clear();
        self.listed.clear();
        if *kind != Kind::Mixed && outline.values(&self.registers, &mut self.listed).is_some() {
            for code in &self.listed {
                let add = || self.tables[depth].add(program.value(*code, *kind));
                let id = *self.codes[depth].entry(*code).or_insert_with(add);
                out.push((*code, id));
            }
            return Ok(());
        }
        let mut values = Vec::new();
        self.rules.domains[depth].values(&self.values(depth), &mut values)?;
        for value in values {
            let code = match Kind::of(value) == *kind {
                true => encode(value, &program.context.strings),
                false => UNKNOWN,
            };
            out.push((code, self.tables[depth].add(value)));
        }
        Ok(())
    }

    /// The values of the first parameters.
    fn values(&self, count: usize) -> Vec<Value> {
        let tables = self.tables.iter().zip(&self.chosen);
        tables
            .take(count)
            .map(|(table, id)| table.values[*id as usize])
            .collect_vec()
    }
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
