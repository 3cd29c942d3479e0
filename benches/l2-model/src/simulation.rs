//! A small simulation of the second-level cache, to hold the model to.

use crate::{Launch, Problem};

/// Bytes that a simulated launch moved between the cache and the device's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulated {
    /// Read from memory.
    pub read_bytes: u64,
    /// Written to it.
    pub written_bytes: u64,
    /// Read by blocks, from the cache or through it.
    pub requested_bytes: u64,
}

impl Simulated {
    /// To and from the device's memory.
    pub fn device_bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }
}

/// Runs all blocks of a launch. `delays` says how many steps late the block in each slot of the first wave begins; what
/// is missing is 0.
///
/// All blocks in flight make one step after the other in turn: each reads the lines of its tile of A, then of its tile of
/// B. At its last step a block reads its tile of D and writes its tile of C; its slot takes the next block in order.
pub fn simulate(launch: &Launch, delays: &[u64]) -> Simulated {
    let Launch {
        problem,
        mapping,
        tile,
        ..
    } = launch;
    let line_bytes = launch.line_bytes.max(1);
    let tensors = Tensors::new(problem, line_bytes);
    let mut cache = Cache::new(tensors.lines, launch.l2_bytes / line_bytes);
    let steps = problem.k.div_ceil(tile.k);
    let blocks = mapping.blocks();
    let in_flight = launch.in_flight();
    let mut next = 0;
    let mut slots: Vec<Slot> = (0..in_flight)
        .map(|slot| {
            next += 1;
            Slot {
                block: Some(next - 1),
                step: 0,
                wait: delays.get(slot as usize).copied().unwrap_or(0),
            }
        })
        .collect();
    let mut running = slots.len();
    let mut requested = 0;
    while running > 0 {
        for slot in &mut slots {
            let Some(number) = slot.block else { continue };
            if slot.wait > 0 {
                slot.wait -= 1;
                continue;
            }
            let block = mapping.block(number);
            let (rows, columns) = (
                part(block.row, tile.m, problem.m),
                part(block.column, tile.n, problem.n),
            );
            let depth = part(slot.step, tile.k, problem.k);
            let mut read = |tensor, from: (u64, u64), to: (u64, u64)| {
                tensors.lines(tensor, block.batch, from, to, |line| {
                    cache.touch(line, false);
                    requested += line_bytes;
                });
            };
            read(0, rows, depth);
            read(1, depth, columns);
            slot.step += 1;
            if slot.step == steps {
                if problem.last_bytes > 0 {
                    read(3, rows, columns);
                }
                tensors.lines(2, block.batch, rows, columns, |line| {
                    cache.touch(line, true)
                });
                slot.step = 0;
                slot.block = (next < blocks).then_some(next);
                next += 1;
                running -= usize::from(slot.block.is_none());
            }
        }
    }
    cache.flush();
    Simulated {
        read_bytes: cache.read * line_bytes,
        written_bytes: cache.written * line_bytes,
        requested_bytes: requested,
    }
}

struct Slot {
    block: Option<u64>,
    step: u64,
    wait: u64,
}

fn part(index: u64, size: u64, whole: u64) -> (u64, u64) {
    (index * size, (index * size + size).min(whole))
}

/// Where the row-major tensors lie, each from the start of a line on.
struct Tensors {
    first: [u64; 4],
    height: [u64; 4],
    width: [u64; 4],
    element: [u64; 4],
    line_bytes: u64,
    lines: u64,
}

impl Tensors {
    fn new(p: &Problem, line_bytes: u64) -> Tensors {
        let height = [p.m, p.k, p.m, p.m];
        let width = [p.k, p.n, p.n, p.n];
        let element = [p.input_bytes, p.input_bytes, p.output_bytes, p.last_bytes];
        let mut first = [0; 4];
        let mut lines = 0;
        for tensor in 0..4 {
            first[tensor] = lines;
            lines +=
                (p.batches * height[tensor] * width[tensor] * element[tensor]).div_ceil(line_bytes);
        }
        Tensors {
            first,
            height,
            width,
            element,
            line_bytes,
            lines,
        }
    }

    fn lines(
        &self,
        tensor: usize,
        batch: u64,
        rows: (u64, u64),
        columns: (u64, u64),
        mut visit: impl FnMut(usize),
    ) {
        let (width, element) = (self.width[tensor], self.element[tensor]);
        for row in rows.0..rows.1 {
            let start = ((batch * self.height[tensor] + row) * width + columns.0) * element;
            let end = start + (columns.1 - columns.0) * element;
            for line in start / self.line_bytes..=(end - 1) / self.line_bytes {
                visit((self.first[tensor] + line) as usize);
            }
        }
    }
}

const NONE: u32 = u32::MAX;

/// Least recently used, fully associative; what is written is written back when it leaves, and is not read before.
struct Cache {
    newer: Vec<u32>,
    older: Vec<u32>,
    present: Vec<bool>,
    dirty: Vec<bool>,
    newest: u32,
    oldest: u32,
    room: u64,
    read: u64,
    written: u64,
}

impl Cache {
    fn new(lines: u64, room: u64) -> Cache {
        let lines = lines as usize;
        Cache {
            newer: vec![NONE; lines],
            older: vec![NONE; lines],
            present: vec![false; lines],
            dirty: vec![false; lines],
            newest: NONE,
            oldest: NONE,
            room: room.max(1),
            read: 0,
            written: 0,
        }
    }

    fn touch(&mut self, line: usize, write: bool) {
        if self.present[line] {
            self.unlink(line);
        } else {
            if self.room == 0 {
                self.evict();
            }
            self.room -= 1;
            self.present[line] = true;
            self.read += u64::from(!write);
        }
        self.dirty[line] |= write;
        self.newer[line] = NONE;
        self.older[line] = self.newest;
        match self.newest {
            NONE => self.oldest = line as u32,
            newest => self.newer[newest as usize] = line as u32,
        }
        self.newest = line as u32;
    }

    fn unlink(&mut self, line: usize) {
        let (newer, older) = (self.newer[line], self.older[line]);
        match newer {
            NONE => self.newest = older,
            newer => self.older[newer as usize] = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.newer[older as usize] = newer,
        }
    }

    fn evict(&mut self) {
        let line = self.oldest as usize;
        self.unlink(line);
        self.present[line] = false;
        self.written += u64::from(std::mem::take(&mut self.dirty[line]));
        self.room += 1;
    }

    fn flush(&mut self) {
        self.written += self.dirty.iter().filter(|dirty| **dirty).count() as u64;
    }
}
