//! Runs a kernel's grid on the calling thread, the threads of a block as fibres that barriers switch between. Fibres
//! pause in between as well, and now and then another block goes on: not more than two have begun at a time.

mod barrier;
mod block;
mod fibre;
mod signal;
mod stack;
mod statics;
mod turns;

use std::cell::RefCell;
use std::ffi::c_void;

use crate::library::memory::Region;
use crate::library::status::{Answer, Status};
use block::Block;
use stack::Stacks;
pub(crate) use statics::Statics;
use turns::{Order, Random};

/// The compiled kernel for one thread: takes the launch's arguments, finds its indices on its stack.
pub(crate) type Run = unsafe extern "C" fn(arguments: *const *const c_void);

/// One launch.
pub(crate) struct Launch {
    pub(crate) run: Run,
    pub(crate) arguments: *const *const c_void,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    /// Whether it may begin before the launch ahead of it ends.
    pub(crate) dependent: bool,
    /// Bytes of dynamic shared memory, and where the static one is.
    pub(crate) shared: usize,
    pub(crate) statics: Statics,
    /// How often the kernel was launched before.
    pub(crate) number: u64,
}

/// Blocks of a cluster that every GPU with clusters has room for.
pub(crate) const MOST: u32 = 8;

/// How many blocks have begun at most, if they are of no cluster; the blocks of a cluster begin together.
const PLACES: usize = 2;

thread_local! {
    /// What a host thread keeps from launch to launch.
    static STACKS: RefCell<[Stacks; MOST as usize]> =
        const { RefCell::new([const { Stacks::new() }; MOST as usize]) };
}

/// Where a block runs.
struct Place {
    block: Box<Block>,
    shared: Region,
    /// What its static shared memory holds, while another block runs.
    kept: Vec<u8>,
}

impl Place {
    fn new(launch: &Launch, stacks: *mut Stacks) -> Answer<Place> {
        // Its end touches a guard page: running over it is an error, as it is on a GPU that finds out.
        let shared = Region::new(launch.shared.max(16), 16).ok_or(Status::OutOfMemory)?;
        let statics = launch.statics.range();
        Ok(Place {
            block: Box::new(Block::new(launch, stacks, shared.start, statics)),
            shared,
            kept: Vec::new(),
        })
    }

    fn begin(&mut self, launch: &Launch, index: [u32; 3], random: Random) -> Answer {
        // Nobody may rely on what an earlier block left.
        // SAFETY: the region holds that many bytes, and no block runs in it.
        unsafe { libc::memset(self.shared.start.cast(), 0xFF, launch.shared) };
        launch.statics.fill(0xFF);
        self.block.begin(index, random)
    }
}

/// Where the block of a rank in a cluster is in the grid.
fn index(launch: &Launch, cluster: u64, rank: u64) -> [u32; 3] {
    let part = |mut number: u64, of: [u32; 3]| {
        of.map(|extent| {
            let at = number % u64::from(extent);
            number /= u64::from(extent);
            at as u32
        })
    };
    let [grid, of] = [launch.grid, launch.cluster];
    let clusters = [grid[0] / of[0], grid[1] / of[1], grid[2] / of[2]];
    let (at, within) = (part(cluster, clusters), part(rank, of));
    [0, 1, 2].map(|axis| at[axis] * of[axis] + within[axis])
}

/// Runs all of it.
///
/// # Errors
///
/// What a GPU would report if the kernel touches what is not its own.
///
/// # Safety
///
/// `run` is a kernel that our header compiled, and the arguments are of its parameters' types.
pub(crate) unsafe fn run(launch: &Launch) -> Answer {
    signal::prepare();
    let count = |of: [u32; 3]| -> u64 { of.iter().map(|extent| u64::from(*extent)).product() };
    let together = count(launch.cluster);
    let clusters = count(launch.grid) / together;
    let mut random = Random::new(launch.number);
    let order = Order::new(clusters, &mut random);
    let most = if together == 1 {
        PLACES
    } else {
        together as usize
    };
    STACKS.with_borrow_mut(|stacks| {
        let mut places: Vec<Place> = Vec::new();
        let mut peers: Vec<*mut Block> = Vec::new();
        let (mut now, mut begun) = (0, 0);
        loop {
            let runs = |place: &Place| place.block.runs();
            if !places.get(now).is_some_and(runs) {
                let other = places.iter().position(runs);
                if begun < clusters && (together == 1 || other.is_none()) {
                    now = if together == 1 { now } else { 0 };
                    let had = places.len();
                    for rank in 0..together {
                        let at = now + rank as usize;
                        if at == places.len() {
                            places.push(Place::new(launch, &raw mut stacks[at])?);
                        }
                        let random = Random::new(random.below(u64::MAX));
                        let index = index(launch, order.at(begun), rank);
                        places[at].begin(launch, index, random)?;
                        if together > 1 {
                            launch.statics.keep(&mut places[at].kept);
                        }
                    }
                    begun += 1;
                    if places.len() > had {
                        link(&mut places, &mut peers, together as usize);
                    }
                    if together > 1 {
                        launch.statics.restore(&places[now].kept);
                    }
                } else if let Some(other) = other {
                    now = other;
                    launch.statics.restore(&places[now].kept);
                } else {
                    return Ok(());
                }
            }
            // SAFETY: as promised by the caller; the block runs, in a place of its own.
            unsafe { Block::go_on(&raw mut *places[now].block) }?;
            if places[now].block.runs() {
                launch.statics.keep(&mut places[now].kept);
                now = (now + 1) % most;
                if let Some(other) = places.get(now).filter(|other| other.block.runs()) {
                    launch.statics.restore(&other.kept);
                }
            }
        }
    })
}

/// Tells the blocks that run which ones are of their cluster.
fn link(places: &mut [Place], peers: &mut Vec<*mut Block>, together: usize) {
    *peers = places
        .iter_mut()
        .map(|place| &raw mut *place.block)
        .collect();
    for (at, place) in places.iter_mut().enumerate() {
        place.block.peers = if together == 1 {
            &raw const peers[at]
        } else {
            peers.as_ptr()
        };
    }
}
