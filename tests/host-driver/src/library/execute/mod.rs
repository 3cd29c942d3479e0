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
    /// Bytes of dynamic shared memory, and where the static one is.
    pub(crate) shared: usize,
    pub(crate) statics: Statics,
    /// How often the kernel was launched before.
    pub(crate) number: u64,
}

/// How many blocks have begun at most.
const PLACES: usize = 2;

thread_local! {
    /// What a host thread keeps from launch to launch.
    static STACKS: RefCell<[Stacks; PLACES]> =
        const { RefCell::new([const { Stacks::new() }; PLACES]) };
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

    fn begin(&mut self, launch: &Launch, number: u64, random: Random) -> Answer {
        // Nobody may rely on what an earlier block left.
        // SAFETY: the region holds that many bytes, and no block runs in it.
        unsafe { libc::memset(self.shared.start.cast(), 0xFF, launch.shared) };
        launch.statics.fill(0xFF);
        let [x, y, _] = launch.grid.map(u64::from);
        let index = [number % x, number / x % y, number / (x * y)].map(|one| one as u32);
        self.block.begin(index, random)
    }
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
    let blocks: u64 = launch
        .grid
        .iter()
        .map(|extent| u64::from(*extent))
        .product();
    let mut random = Random::new(launch.number);
    let order = Order::new(blocks, &mut random);
    STACKS.with_borrow_mut(|stacks| {
        let mut places: Vec<Place> = Vec::new();
        let (mut now, mut begun) = (0, 0);
        loop {
            if now == places.len() {
                places.push(Place::new(launch, &raw mut stacks[now])?);
            }
            let place = &mut places[now];
            if !place.block.runs() {
                if begun == blocks {
                    let Some(other) = places.iter().position(|place| place.block.runs()) else {
                        return Ok(());
                    };
                    launch.statics.restore(&places[other].kept);
                    now = other;
                    continue;
                }
                let random = Random::new(random.below(u64::MAX));
                place.begin(launch, order.at(begun), random)?;
                begun += 1;
            }
            // SAFETY: as promised by the caller; the block runs, in a place of its own.
            unsafe { Block::go_on(&raw mut *place.block) }?;
            if place.block.runs() {
                launch.statics.keep(&mut place.kept);
                now = 1 - now;
                if let Some(other) = places.get(now).filter(|other| other.block.runs()) {
                    launch.statics.restore(&other.kept);
                }
            }
        }
    })
}
