//! Runs a kernel's grid: its blocks one after another on the calling thread, the threads of a block
//! as fibres that a barrier switches between.

mod barrier;
mod block;
mod fibre;
mod signal;
mod stack;

use std::cell::RefCell;
use std::ffi::c_void;

use crate::library::memory::Region;
use crate::library::status::{Answer, Status};
use block::Block;
use stack::Stacks;

/// The compiled kernel for one thread: takes the launch's arguments, finds its indices on its stack.
pub(crate) type Run = unsafe extern "C" fn(arguments: *const *const c_void);

/// One launch.
pub(crate) struct Launch {
    pub(crate) run: Run,
    pub(crate) arguments: *const *const c_void,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(crate) shared: usize,
}

/// What a host thread keeps from launch to launch.
struct Engine {
    stacks: Stacks,
}

thread_local! {
    static ENGINE: RefCell<Engine> = const { RefCell::new(Engine { stacks: Stacks::new() }) };
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
    // Its end touches a guard page: running over it is an error, as it is on a GPU that finds out.
    let shared = Region::new(launch.shared.max(16), 16).ok_or(Status::OutOfMemory)?;
    ENGINE.with_borrow_mut(|engine| {
        let mut block = Block::new(launch, &mut engine.stacks, shared.start)?;
        for z in 0..launch.grid[2] {
            for y in 0..launch.grid[1] {
                for x in 0..launch.grid[0] {
                    // Nobody may rely on what an earlier block left.
                    // SAFETY: the region holds that many bytes.
                    unsafe { libc::memset(shared.start.cast(), 0xFF, launch.shared) };
                    // SAFETY: as promised by the caller.
                    unsafe { block.run([x, y, z]) }?;
                }
            }
        }
        Ok(())
    })
}
