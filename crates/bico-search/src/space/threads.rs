//! Building on several threads, with the same result as on one.
//!
//! What takes long is cut where its first parameters have values: each state that they leave is a task.
//! Every thread builds its tasks' diagrams for itself; they are then put together in the order of the
//! tasks, which is that of the walk, so values and nodes get the numbers that one thread gives them.

use super::build::{Builder, Interpreter, Stop};
use super::diagram::{DEAD, Full, Unique};
use super::program::{Program, Source};
use super::table::Table;
use super::task::Task;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Partial configs that one thread looks at before others are started: some milliseconds.
pub(super) const PATIENCE: u64 = 1 << 17;

/// Tasks for each thread, if there are as many: they differ in length.
const TASKS: usize = 16;

/// What was built.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) tables: Vec<Table>,
    pub(super) levels: Vec<Unique>,
    pub(super) root: u32,
}

/// Builds a space with at least one parameter.
pub(super) fn build(
    program: &Program,
    interpreter: &Interpreter<'_>,
    threads: usize,
    patience: u64,
) -> Result<Built, Stop> {
    let mut first = Builder::new(program, interpreter);
    first.patience = if threads > 1 { patience } else { u64::MAX };
    match first.descend(0) {
        Ok(root) => return Ok(first.built(root)),
        Err(Stop::Patience) => first.restart(),
        Err(stop) => return Err(stop),
    }
    let (mut whole, tasks, end) = cut(program, interpreter, threads * TASKS);
    let depth = whole.cut;
    let next = AtomicUsize::new(0);
    // The first task that failed: those after it are of no interest.
    let failed = AtomicUsize::new(usize::MAX);
    let mut workers = vec![Worker::new(first)];
    workers.resize_with(threads.clamp(1, tasks.len().max(1)), || {
        Worker::new(Builder::new(program, interpreter))
    });
    std::thread::scope(|scope| {
        let (own, others) = workers.split_at_mut(1);
        for worker in others {
            scope.spawn(|| worker.work(&tasks, &next, &failed));
        }
        own[0].work(&tasks, &next, &failed);
    });
    let mut done: Vec<(usize, usize, Result<u32, Stop>)> = Vec::with_capacity(tasks.len());
    for (at, worker) in workers.iter_mut().enumerate() {
        let results = std::mem::take(&mut worker.results);
        done.extend(results.into_iter().map(|(task, result)| (task, at, result)));
    }
    done.sort_by_key(|(task, ..)| *task);
    if let Some(at) = done.iter().position(|(.., result)| result.is_err())
        && let (.., Err(stop)) = done.swap_remove(at)
    {
        return Err(stop);
    }
    if let Some(stop) = end {
        return Err(stop);
    }
    tables(&mut whole, &workers, &done, program, depth);
    let mut imports: Vec<Import> = workers
        .iter()
        .map(|worker| Import::new(worker, &whole))
        .collect();
    for (task, worker, result) in done {
        let node = match result {
            Ok(DEAD) | Err(_) => DEAD,
            Ok(node) => imports[worker].node(&mut whole.levels, depth + 1, node)?,
        };
        whole.solve(&tasks[task], node);
    }
    let root = whole.descend(0)?;
    Ok(whole.built(root))
}

/// Walks the first parameters: a builder that knows their values, and a task for each state that
/// they leave. Ends early where something fails.
fn cut<'a>(
    program: &'a Program,
    interpreter: &'a Interpreter<'a>,
    wanted: usize,
) -> (Builder<'a>, Vec<Task>, Option<Stop>) {
    let mut depth = 0;
    loop {
        let mut whole = Builder::new(program, interpreter);
        whole.cut = depth;
        let (tasks, end) = whole.scout();
        if tasks.len() >= wanted || depth + 2 >= program.stages.len() || end.is_some() {
            return (whole, tasks, end);
        }
        depth += 1;
    }
}

/// One thread's builder and what it found.
#[derive(Debug)]
struct Worker<'a> {
    builder: Builder<'a>,
    /// How many values each parameter had before the first task.
    before: Vec<usize>,
    /// For each task the values that appeared with it, for each parameter.
    fresh: Vec<(usize, Vec<Range<usize>>)>,
    results: Vec<(usize, Result<u32, Stop>)>,
}

impl<'a> Worker<'a> {
    fn new(builder: Builder<'a>) -> Worker<'a> {
        Worker {
            before: lengths(&builder),
            builder,
            fresh: Vec::new(),
            results: Vec::new(),
        }
    }

    fn work(&mut self, tasks: &[Task], next: &AtomicUsize, failed: &AtomicUsize) {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= tasks.len() || at > failed.load(Ordering::Relaxed) {
                return;
            }
            let before = lengths(&self.builder);
            let result = self.builder.task(&tasks[at]);
            let after = lengths(&self.builder);
            let fresh = before.into_iter().zip(after).map(|(a, b)| a..b);
            self.fresh.push((at, fresh.collect()));
            if result.is_err() {
                failed.fetch_min(at, Ordering::Relaxed);
            }
            self.results.push((at, result));
        }
    }
}

fn lengths(builder: &Builder<'_>) -> Vec<usize> {
    builder
        .tables
        .iter()
        .map(|table| table.values.len())
        .collect()
}

/// Gives the values of later parameters their ids: in the order in which the walk meets them.
fn tables(
    whole: &mut Builder<'_>,
    workers: &[Worker<'_>],
    done: &[(usize, usize, Result<u32, Stop>)],
    program: &Program,
    depth: usize,
) {
    let mut at = vec![0; workers.len()];
    for parameter in depth + 1..program.stages.len() {
        if let Source::Fixed(_) = program.stages[parameter].source {
            continue;
        }
        at.fill(0);
        let table = &mut whole.tables[parameter];
        // The first builder had begun with the beginning of the walk.
        let values = &workers[0].builder.tables[parameter].values;
        for value in &values[..workers[0].before[parameter]] {
            table.add(*value);
        }
        for (_, worker, _) in done {
            let (_, fresh) = &workers[*worker].fresh[at[*worker]];
            at[*worker] += 1;
            let values = &workers[*worker].builder.tables[parameter].values;
            for value in &values[fresh[parameter].clone()] {
                table.add(*value);
            }
        }
    }
}

/// Takes nodes over from one worker.
struct Import<'a> {
    levels: &'a [Unique],
    /// The new ids of each parameter's values.
    ids: Vec<Vec<u32>>,
    /// The new nodes; [`DEAD`] for those not taken over yet.
    nodes: Vec<Vec<u32>>,
}

impl<'a> Import<'a> {
    fn new(worker: &'a Worker<'a>, whole: &Builder<'_>) -> Import<'a> {
        let levels = &worker.builder.levels;
        let tables = worker.builder.tables.iter().zip(&whole.tables);
        Import {
            levels,
            // Values that only tasks of no interest met have no new id, and no node holds them.
            ids: tables
                .map(|(old, new)| {
                    let ids = old.values.iter().map(|value| new.id(*value));
                    ids.map(|id| id.unwrap_or(0)).collect()
                })
                .collect(),
            nodes: levels.iter().map(|level| vec![DEAD; level.len()]).collect(),
        }
    }

    fn node(&mut self, into: &mut [Unique], depth: usize, node: u32) -> Result<u32, Full> {
        let known = self.nodes[depth][node as usize];
        if known != DEAD {
            return Ok(known);
        }
        let level = self.levels[depth].level();
        let mut edges = Vec::new();
        for (id, child) in level.list(node) {
            let child = if depth + 1 == self.levels.len() {
                0
            } else {
                self.node(into, depth + 1, child)?
            };
            edges.push((self.ids[depth][id as usize], child));
        }
        let (above, below) = into.split_at_mut(depth + 1);
        let made = above[depth].node(&edges, below.first().map(Unique::level))?;
        self.nodes[depth][node as usize] = made;
        Ok(made)
    }
}
