//! The compact form of a whole space: steps over registers, in the order in which parameters get values.
//!
//! Each step runs as soon as its operands are known, each test as soon as it can: after the last
//! parameter that it reads. What the form can't decide is left to the interpreter (see [`graph`]).

mod act;
mod graph;
mod instr;
mod interval;
mod lower;
mod outline;
mod relax;
mod residual;

pub(super) use act::Kind;
pub(super) use graph::{Id, UNKNOWN, encode};
pub(super) use instr::Context;
pub(super) use outline::Outline;
pub(super) use residual::Emit;

use act::Act;
use bico_core::{Lists, Value};
use bico_syntax::bind::{Expression, Rules};
use graph::{Graph, Vertex, decode};
use instr::Instr;
use relax::Relax;
use residual::Residual;
use std::ops::Range;

/// The compact form of a space.
#[derive(Debug)]
pub(super) struct Program {
    /// All registers before the first parameter has a value.
    pub(super) registers: Vec<i64>,
    pub(super) stages: Vec<Stage>,
    pub(super) context: Context,
    instrs: Vec<Instr>,
}

/// What happens when one parameter gets a value.
#[derive(Debug)]
pub(super) struct Stage {
    /// The parameter's register.
    pub(super) slot: Id,
    pub(super) kind: Kind,
    pub(super) outline: Outline,
    pub(super) steps: Vec<Step>,
    /// Steps for later stages, once all tests are passed.
    pub(super) rest: Range<usize>,
    /// The state that the parameters after this one depend on; `None` where it holds all values so
    /// far, so that no two beginnings share it.
    pub(super) state: Option<Vec<Emit>>,
}

/// Steps, and the test that they are for.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) code: Range<usize>,
    pub(super) test: Id,
    /// The condition that the interpreter is asked for where the test is [`UNKNOWN`].
    pub(super) condition: usize,
    /// Whether the test is only what the condition says before all of its parameters have values.
    pub(super) early: bool,
}

impl Program {
    /// Compiles domains and conditions.
    pub(super) fn new(rules: &Rules) -> Program {
        let mut graph = Graph::default();
        let outlines = graph.parameters(rules);
        let lower = |condition: &Expression| {
            let root = graph.lower(condition.node(), &mut Vec::new());
            graph.condition(root)
        };
        let roots: Vec<Id> = rules.conditions.iter().map(lower).collect_vec();
        let step = |condition: &usize| Step {
            code: 0..0,
            test: roots[*condition],
            condition: *condition,
            early: false,
        };
        let full = rules.tests.iter();
        let mut tests: Vec<Vec<Step>> = full
            .map(|tests| tests.iter().map(step).collect_vec())
            .collect_vec();
        add_early(&mut graph, &outlines, &mut tests);
        let mut placing = Placing {
            placed: vec![false; graph.vertices.len()],
            graph: &graph,
            instrs: Vec::new(),
        };
        // What needs no parameter, but could not be folded.
        let everything: Vec<Id> = (0..graph.vertices.len() as Id).collect_vec();
        placing.place(&everything, 0);
        let start = placing.instrs.len();
        let stage = |depth| placing.stage(depth, &tests, &outlines);
        let stages: Vec<Stage> = (0..outlines.len()).map(stage).collect_vec();
        let instrs = placing.instrs;
        let constant = |vertex: &Vertex| match vertex.act {
            Act::Constant(code, _) => code,
            _ => UNKNOWN,
        };
        let mut registers: Vec<i64> = graph.vertices.iter().map(constant).collect_vec();
        for instr in &instrs[..start] {
            instr.run(&mut registers, &graph.context);
        }
        Program {
            registers,
            stages,
            context: graph.context,
            instrs,
        }
    }

    /// The value that a code of this kind stands for.
    pub(super) fn value(&self, code: i64, kind: Kind) -> Value {
        // A code that stands for nothing is no value of a domain but one in 2^64.
        decode(code, kind, &self.context.strings).unwrap_or(Value::Int(code))
    }

    pub(super) fn run(&self, code: &Range<usize>, registers: &mut [i64]) {
        for instr in &self.instrs[code.clone()] {
            instr.run(registers, &self.context);
        }
    }
}

impl Graph {
    /// Lowers the domains; each adds its parameter.
    fn parameters(&mut self, rules: &Rules) -> Vec<Outline> {
        let mut outlines = Vec::with_capacity(rules.domains.len());
        for domain in &rules.domains {
            let outline = match domain.fixed() {
                Some(values) => {
                    let kind = values.first().map_or(Kind::Int, |value| Kind::of(*value));
                    let codes = values.iter().map(|value| self.intern(*value)).collect_vec();
                    Outline::Values(codes, kind)
                }
                None => self.outline(domain.node(), &mut Vec::new()),
            };
            self.parameter(&outline);
            outlines.push(outline);
        }
        outlines
    }
}

/// Adds to the tests of each depth what later conditions already say there.
fn add_early(graph: &mut Graph, outlines: &[Outline], tests: &mut [Vec<Step>]) {
    for depth in (0..tests.len().saturating_sub(1)).rev() {
        let (known, later) = tests.split_at_mut(depth + 1);
        // Nothing that might fail may be skipped; what was added is safe.
        let is_safe = |test: &Step| graph.get(test.test).safe;
        if !outlines[depth + 1].is_safe(graph) || !later[0].iter().all(is_safe) {
            break;
        }
        for test in later.iter().flatten().filter(|test| !test.early) {
            let mut relax = Relax {
                graph,
                outlines,
                known: depth + 1,
            };
            let weaker = relax.condition(test.test);
            // What says no more than it did one parameter earlier is no test.
            if graph.get(weaker).known == depth + 1 && graph.get(weaker).safe {
                known[depth].push(Step {
                    test: weaker,
                    early: true,
                    ..test.clone()
                });
            }
        }
    }
}

/// Gives each vertex its place among the steps.
struct Placing<'a> {
    graph: &'a Graph,
    placed: Vec<bool>,
    instrs: Vec<Instr>,
}

impl Placing<'_> {
    /// The stage of one parameter, with the steps for its tests.
    fn stage(&mut self, depth: usize, tests: &[Vec<Step>], outlines: &[Outline]) -> Stage {
        let graph = self.graph;
        let mut steps = tests[depth].clone();
        for step in &mut steps {
            step.code = self.place(&[step.test], depth + 1);
        }
        let later = || tests[depth + 1..].iter().flatten();
        let mut needed: Vec<Id> = later().map(|test| test.test).collect_vec();
        let rest = outlines[depth + 1..].iter();
        rest.for_each(|outline| outline.vertices(&mut needed));
        let rest = self.place(&needed, depth + 1);
        let full = later().filter(|test| !test.early).map(|test| test.test);
        Stage {
            slot: graph.slots[depth],
            kind: graph.kind(graph.slots[depth]),
            outline: outlines[depth].clone(),
            steps,
            rest,
            state: state(graph, depth + 1, &full.collect_vec(), outlines),
        }
    }

    /// Places what `roots` need and what becomes known with this many parameters.
    fn place(&mut self, roots: &[Id], known: usize) -> Range<usize> {
        let start = self.instrs.len();
        for root in roots {
            self.vertex(*root, known);
        }
        start..self.instrs.len()
    }

    fn vertex(&mut self, id: Id, known: usize) {
        let graph = self.graph;
        let vertex = graph.get(id);
        if self.placed[id as usize] || vertex.known < known {
            return;
        }
        vertex.act.operands().for_each(|id| self.vertex(id, known));
        if vertex.known == known {
            self.placed[id as usize] = true;
            self.instrs.extend(Instr::of(graph, id));
        }
    }
}

/// The state after the first `known` parameters.
fn state(graph: &Graph, known: usize, later: &[Id], outlines: &[Outline]) -> Option<Vec<Emit>> {
    let mut residual = Residual::new(graph, known);
    let mut state = Vec::new();
    for root in later {
        residual.vertex(*root, &mut state);
    }
    for outline in &outlines[known..] {
        residual.outline(outline, &mut state);
    }
    let holds = |(slot, outline): (&Id, &Outline)| {
        let single = matches!(outline, Outline::Values(codes, _) if codes.len() < 2);
        let pushed = |emit: &Emit| matches!(emit, Emit::Push(id) if id == slot);
        single || state.iter().any(pushed)
    };
    let mut slots = graph.slots[..known].iter().zip(outlines);
    (!slots.all(holds)).then_some(state)
}
