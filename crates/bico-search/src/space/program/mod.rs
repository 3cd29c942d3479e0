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
pub(super) use graph::{Id, UNKNOWN, decode, encode};
pub(super) use instr::Context;
pub(super) use outline::Outline;
pub(super) use residual::Emit;

use act::Act;
use bico_bind::{Expression, Rules};
use graph::Graph;
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
    pub(super) source: Source,
    pub(super) steps: Vec<Step>,
    /// Steps for later stages, once all tests are passed.
    pub(super) rest: Range<usize>,
    /// The state that the parameters after this one depend on; `None` where it holds all values so
    /// far, so that no two beginnings share it.
    pub(super) state: Option<Vec<Emit>>,
}

/// Where the values of a parameter come from.
#[derive(Debug)]
pub(super) enum Source {
    /// They do not depend on other parameters.
    Fixed(Vec<i64>),
    Listed(Outline),
}

/// Steps, and the test that they are for.
#[derive(Debug)]
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
        let roots: Vec<Id> = rules.conditions.iter().map(lower).collect();
        let early = early(&mut graph, &outlines, &roots, &rules.tests);
        let mut placing = Placing {
            placed: vec![false; graph.vertices.len()],
            graph: &graph,
            instrs: Vec::new(),
        };
        // What needs no parameter, but could not be folded.
        let everything: Vec<Id> = (0..graph.vertices.len() as Id).collect();
        placing.place(&everything, 0);
        let start = placing.instrs.len();
        let tests = Tests {
            roots: &roots,
            full: &rules.tests,
            early: &early,
        };
        let depths = 0..outlines.len();
        let mut stages: Vec<Stage> = depths
            .map(|depth| placing.stage(depth, &tests, &outlines))
            .collect();
        let instrs = placing.instrs;
        let mut registers = graph.registers();
        let context = Context {
            strings: graph.strings,
            facts: graph.facts,
        };
        for instr in &instrs[..start] {
            instr.run(&mut registers, &context);
        }
        for (stage, outline) in stages.iter_mut().zip(outlines) {
            stage.source = match outline {
                Outline::Values(codes, _) => Source::Fixed(codes),
                outline => Source::Listed(outline),
            };
        }
        Program {
            registers,
            stages,
            context,
            instrs,
        }
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
                    let codes = values.iter().map(|value| self.intern(*value)).collect();
                    Outline::Values(codes, kind)
                }
                None => self.outline(domain.node(), &mut Vec::new()),
            };
            self.parameter(&outline);
            outlines.push(outline);
        }
        outlines
    }

    /// The registers before anything has run: constants.
    fn registers(&self) -> Vec<i64> {
        let code = |act: &Act| match act {
            Act::Constant(code, _) => *code,
            _ => UNKNOWN,
        };
        self.vertices
            .iter()
            .map(|vertex| code(&vertex.act))
            .collect()
    }
}

/// What is tested at each depth.
struct Tests<'a> {
    /// The vertex of each condition.
    roots: &'a [Id],
    /// The conditions that become known.
    full: &'a [Vec<usize>],
    /// What later conditions already say.
    early: &'a [Vec<(usize, Id)>],
}

/// For each depth what later conditions already say there: the condition and the test.
fn early(
    graph: &mut Graph,
    outlines: &[Outline],
    roots: &[Id],
    tests: &[Vec<usize>],
) -> Vec<Vec<(usize, Id)>> {
    let mut early = vec![Vec::new(); tests.len()];
    for depth in (0..tests.len().saturating_sub(1)).rev() {
        // Nothing that might fail may be skipped.
        let safe = outlines[depth + 1].is_safe(graph)
            && tests[depth + 1]
                .iter()
                .all(|test| graph.get(roots[*test]).safe);
        if !safe {
            break;
        }
        for condition in tests[depth + 1..].iter().flatten() {
            let mut relax = Relax {
                graph,
                outlines,
                known: depth + 1,
            };
            let test = relax.condition(roots[*condition]);
            // What says no more than it did one parameter earlier is no test.
            if graph.get(test).known == depth + 1 && graph.get(test).safe {
                early[depth].push((*condition, test));
            }
        }
    }
    early
}

/// Gives each vertex its place among the steps.
struct Placing<'a> {
    graph: &'a Graph,
    placed: Vec<bool>,
    instrs: Vec<Instr>,
}

impl Placing<'_> {
    /// The stage of one parameter, with the steps for its tests; where its values come from is left open.
    fn stage(&mut self, depth: usize, tests: &Tests<'_>, outlines: &[Outline]) -> Stage {
        let graph = self.graph;
        let mut steps = Vec::new();
        let full = tests.full[depth].iter();
        let full = full.map(|condition| (*condition, tests.roots[*condition], false));
        let early = tests.early[depth].iter();
        let early = early.map(|(condition, test)| (*condition, *test, true));
        for (condition, test, early) in full.chain(early) {
            let code = self.place(&[test], depth + 1);
            steps.push(Step {
                code,
                test,
                condition,
                early,
            });
        }
        let later: Vec<Id> = tests.full[depth + 1..]
            .iter()
            .flatten()
            .map(|condition| tests.roots[*condition])
            .collect();
        let mut needed = later.clone();
        let early = tests.early[depth + 1..].iter().flatten();
        needed.extend(early.map(|(_, test)| *test));
        outlines[depth + 1..]
            .iter()
            .for_each(|outline| outline.vertices(&mut needed));
        let rest = self.place(&needed, depth + 1);
        Stage {
            slot: graph.slots[depth],
            kind: graph.get(graph.slots[depth]).kind,
            source: Source::Fixed(Vec::new()),
            steps,
            rest,
            state: state(graph, depth + 1, &later, outlines),
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
    later
        .iter()
        .for_each(|root| residual.vertex(*root, &mut state));
    outlines[known..]
        .iter()
        .for_each(|outline| residual.outline(outline, &mut state));
    let holds = |slot: Id| {
        let single = matches!(&outlines[slot_index(graph, slot)], Outline::Values(codes, _) if codes.len() < 2);
        single
            || state
                .iter()
                .any(|emit| matches!(emit, Emit::Push(id) if *id == slot))
    };
    (!graph.slots[..known].iter().all(|slot| holds(*slot))).then_some(state)
}

fn slot_index(graph: &Graph, slot: Id) -> usize {
    match graph.get(slot).act {
        Act::Slot(at) => at as usize,
        _ => 0,
    }
}
