//! Where threads wait for each other.

use super::block::Block;
use super::fibre::Fibre;

/// `__syncthreads`: opens when all threads that have not ended wait.
pub(crate) unsafe extern "C" fn block() {
    let fibre = Fibre::running();
    // SAFETY: called by a kernel, so on a fibre of a running block.
    unsafe {
        let block = (*fibre).block;
        let generation = (*block).generation;
        (*block).arrived += 1;
        ended(block);
        // Others count it up while this fibre is parked.
        while (&raw const (*block).generation).read() == generation {
            wait(block, fibre);
        }
    }
}

/// Opens the block's barrier if nobody is left to wait for.
///
/// # Safety
///
/// `block` runs.
pub(crate) unsafe fn ended(block: *mut Block) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*block).arrived > 0 && (*block).arrived == (*block).alive {
            (*block).arrived = 0;
            (*block).generation += 1;
        }
    }
}

/// `__syncwarp`: opens when the lanes of `mask` that have not ended wait.
pub(crate) unsafe extern "C" fn warp(mask: u32) {
    let fibre = Fibre::running();
    // SAFETY: called by a kernel, so on a fibre of a running block.
    unsafe {
        let (block, warp) = ((*fibre).block, (*fibre).warp);
        let own = 1 << (*fibre).lane;
        (*warp).waiting |= own;
        while (*warp).waiting & own != 0 {
            let needed = mask & (*warp).alive;
            if (*warp).waiting & needed == needed {
                (*warp).waiting &= !needed;
                break;
            }
            wait(block, fibre);
        }
    }
}

/// Lets the others run.
///
/// # Safety
///
/// `fibre` runs in `block`.
unsafe fn wait(block: *mut Block, fibre: *mut Fibre) {
    // SAFETY: the caller's promise.
    if !unsafe { Block::pass(block, fibre) } {
        // It waits for threads that are gone: on a GPU, too, this never ends.
        crate::library::driver::for_ever();
    }
}
