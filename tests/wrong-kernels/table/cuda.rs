//! The kernels in CUDA.

use super::Today::{Caught, Open};
use super::{Row, row};

/// What threads and blocks do at the same time.
const TOGETHER: [Row; 7] = [
    // Threads begin in an order of their own at each launch: whoever begins before its neighbour reads poison.
    row(
        "no_barrier_right",
        "does not wait for its right neighbour",
        Caught("wrong: y[..] is NaN, expected"),
    ),
    row(
        "no_barrier_left",
        "does not wait for its left neighbour",
        Caught("wrong: y["),
    ),
    row(
        "no_barrier_behind",
        "stores a tile while another one is read",
        Caught("wrong: y[0] is"),
    ),
    row(
        "lost_updates",
        "blocks add to one number without an atomic",
        Caught("wrong: y[0] is"),
    ),
    row(
        "lost_updates_in_a_block",
        "threads add to one number without an atomic",
        Caught("wrong: y["),
    ),
    row(
        "order_of_blocks",
        "goes on where the block before ended",
        Caught("wrong: y["),
    ),
    row(
        "last_block_is_last",
        "takes the last block for the last to end",
        Caught("wrong: y[0] is"),
    ),
];

/// Sizes and grids.
const SIZES: [Row; 5] = [
    row(
        "capped_grid",
        "the grid ends at eight blocks",
        Caught("unwritten: it leaves 244 of 500 elements of `y` unwritten"),
    ),
    row(
        "capped_grid_unseen",
        "the grid ends at 65,535 blocks, the problem before",
        Open("one size of more blocks than 2^16, with one thread's work each"),
    ),
    row(
        "last_elements",
        "what is left of a vector is left alone",
        Caught("unwritten: it leaves 1 of 1 element of `y` unwritten"),
    ),
    row(
        "index_of_16_bits",
        "counts in 16 bits; the problem is larger",
        Caught("unwritten: it leaves 4464 of 70000 elements of `y` unwritten"),
    ),
    row(
        "pairs_of_blocks",
        "takes the number of blocks for odd, which divide the size",
        Caught("unwritten: it leaves 64 of 128 elements of `y` unwritten"),
    ),
];

/// Where it reads and writes.
const MEMORY: [Row; 14] = [
    row(
        "shared_of_zeros",
        "takes dynamic shared memory for zeros",
        Caught("wrong: y[0] is NaN"),
    ),
    row(
        "static_shared_of_zeros",
        "takes static shared memory for zeros",
        Caught("wrong: y[0] is NaN"),
    ),
    row(
        "adds_to_the_output",
        "takes its output for zeros",
        Caught("wrong: y[0] is NaN"),
    ),
    row(
        "no_bound",
        "does not ask whether its element is there",
        Caught("out_of_bounds: it writes behind `y`"),
    ),
    row(
        "writes_far_outside",
        "writes far outside",
        Caught("crash: "),
    ),
    row(
        "reads_before",
        "reads the element before the first one, times 0",
        Caught("crash: "),
    ),
    row(
        "borrows_its_input",
        "changes its input and puts back what was there",
        Open(
            "compute-sanitizer's race check; a GPU's pages cannot be made read-only for one kernel by us",
        ),
    ),
    row(
        "aligned_only",
        "loads four elements at once",
        Caught("crash: "),
    ),
    row(
        "aligned_rows_only",
        "loads four elements of a row at once",
        Caught("crash: "),
    ),
    row(
        "cached_in_scratch",
        "finds an old answer in its scratch buffer",
        Caught("and other inputs"),
    ),
    row(
        "counts_its_calls",
        "a number of the module that is zero at the first call only",
        Caught("and other inputs"),
    ),
    row(
        "remembers_a_size",
        "a number of the module that the first call of any size sets",
        Open("calls of several sizes in a row, with the module as the one before left it"),
    ),
    row(
        "table_backwards",
        "reads constant memory from its end",
        Caught("wrong: y["),
    ),
    row(
        "leaves_a_lock",
        "does not leave its zeroed scratch buffer so",
        Caught("wrong: scratch `DONE` is not zero when the kernel ends"),
    ),
];

/// All of them.
pub(crate) fn rows() -> Vec<Row> {
    let parts: [&[Row]; 3] = [&TOGETHER, &SIZES, &MEMORY];
    parts.concat()
}
