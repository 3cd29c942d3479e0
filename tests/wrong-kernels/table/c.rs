//! The kernels in C.

use super::Today::{Caught, Never, Open};
use super::{Row, row};

/// Right or wrong by what was called before.
const MEMORY_OF_CALLS: [Row; 10] = [
    row(
        "cached_by_pointer",
        "remembers the answer for the buffers' addresses",
        Caught("at n = 1000 and other inputs"),
    ),
    row(
        "cached_by_head",
        "remembers the answer for the first 16 elements",
        Caught("and other inputs"),
    ),
    row(
        "cached_in_scratch",
        "finds an old answer in its scratch buffer",
        Caught("and other inputs"),
    ),
    row(
        "trusts_old_output",
        "does nothing if the output's first element is right",
        Caught("and other inputs"),
    ),
    row(
        "from_the_fourth_call",
        "wrong from the fourth call on",
        Caught("wrong: y["),
    ),
    row(
        "from_the_fortieth_call",
        "wrong from the fortieth call on, while it is timed",
        Caught("wrong: y[50] is 0.0"),
    ),
    row(
        "from_the_billionth_call",
        "wrong from a call on that no build makes",
        Never("nobody can call it so often"),
    ),
    row(
        "one_call_of_fifty",
        "wrong in every fiftieth call",
        Caught("wrong: y["),
    ),
    row(
        "only_the_hundredth_call",
        "wrong in one call among those that are timed",
        Caught("wrong: y["),
    ),
    row(
        "static_sums",
        "a static array that is zero at the first call only",
        Caught("wrong: y[0] is"),
    ),
];

/// Wrong at sizes that the problem does not have.
const SIZES: [Row; 15] = [
    row(
        "last_element",
        "the elements behind the last whole vector are left alone",
        Caught("unwritten: it leaves 1 of 1 element of `y` unwritten"),
    ),
    row(
        "last_row",
        "an odd last row is left alone",
        Caught("unwritten: it leaves 1 of 1 element of `c` unwritten"),
    ),
    row(
        "last_column",
        "the columns behind the last whole vector are left alone",
        Caught("unwritten: it leaves 1 of 1 element of `c` unwritten"),
    ),
    row(
        "last_k_slice",
        "what is left of k is not summed up",
        Caught("wrong: c[0] is 0.0"),
    ),
    row(
        "square_only",
        "one stride for both matrices",
        Caught("wrong: c["),
    ),
    row(
        "hidden_tile",
        "a part of a tile is lost, of a tile that no parameter tells of",
        Caught("unwritten: it leaves 63 of 1023 elements of `y` unwritten"),
    ),
    row(
        "second_tile",
        "exchanges tiles as large as the problem, of which conditions allow whole ones only",
        Caught("at m = 128, n = 128"),
    ),
    row(
        "second_sweep",
        "loses an element between sweeps that are larger than the problem",
        Caught("unwritten: it leaves 1 of 2000000 elements of `y` unwritten"),
    ),
    row(
        "powers_of_two_only",
        "finds columns by a mask",
        Caught("at m = 13, n = 13"),
    ),
    row(
        "multiples_of_four_only",
        "takes rows for padded",
        Caught("at m = 13, n = 13"),
    ),
    row(
        "nothing_to_sum",
        "leaves the output unwritten where there is nothing to sum up",
        Caught(
            "unwritten: it leaves 2 of 2 elements of `y` unwritten, the first is 0, at m = 2, k = 0",
        ),
    ),
    row(
        "rotated_primes",
        "right values one place further on, if n is a prime",
        Caught("wrong: y[0] is"),
    ),
    row(
        "index_of_16_bits",
        "counts in 16 bits; the problem is larger",
        Caught("unwritten: it leaves 4464 of 70000 elements of `y` unwritten"),
    ),
    row(
        "index_of_16_bits_unseen",
        "counts in 16 bits; the problem is smaller",
        Caught("unwritten: it leaves 1 of 65537 elements of `y` unwritten"),
    ),
    row(
        "index_of_32_bits",
        "counts in 32 bits, wrong beyond 2^32 elements",
        Open(
            "`cargo bico check --large`: more than 2^32 elements (`an_index_of_32_bits` in main.rs)",
        ),
    ),
];

/// Outside of its buffers, or in those that are not for it to write.
const BOUNDS: [Row; 13] = [
    row(
        "reads_before",
        "reads the element before the first one, times 0",
        Caught("out_of_bounds: it reads or writes before `x`"),
    ),
    row(
        "reads_behind",
        "reads the element behind the last one, times 0",
        Caught("out_of_bounds: it reads or writes behind `x`"),
    ),
    row(
        "reads_far_outside",
        "reads far outside, times 0",
        Caught("crash: SIGSEGV"),
    ),
    row(
        "writes_before",
        "writes before its output",
        Caught("out_of_bounds: it writes before `y`"),
    ),
    row(
        "writes_behind",
        "writes whole vectors, the last one too",
        Caught("out_of_bounds: it reads or writes behind `y`"),
    ),
    row(
        "writes_far_outside",
        "writes far outside",
        Caught("crash: SIGSEGV"),
    ),
    row(
        "writes_behind_and_restores",
        "writes behind its output, and puts back what was there",
        Caught("out_of_bounds: it reads or writes behind `y`"),
    ),
    row(
        "writes_its_input",
        "leaves its input changed",
        Caught("wrong: it changes its input `x`"),
    ),
    row(
        "borrows_its_input",
        "changes its input and puts back what was there",
        Caught("wrong: it writes to its input `x`"),
    ),
    row(
        "takes_a_for_b",
        "takes one input for both if they are of equal length",
        Caught("wrong: y[0] is"),
    ),
    row(
        "takes_a_for_its_equal",
        "takes one input for both, where `#[init]` fills them alike",
        Never("`#[init(..)]` says what inputs hold, and nothing else is ever put there"),
    ),
    row(
        "aligned_only",
        "takes buffers for aligned to 64 bytes",
        Caught("crash: SIGSEGV"),
    ),
    row(
        "aligned_rows_only",
        "takes rows for aligned to 16 bytes",
        Caught("crash: SIGSEGV, at m = 13, n = 13"),
    ),
];

/// Believes to know what is in memory that it did not write.
const OLD_CONTENTS: [Row; 8] = [
    row(
        "adds_to_the_output",
        "takes its output for zeros",
        Caught("wrong: y[0] is NaN"),
    ),
    row(
        "adds_to_integers",
        "takes its output for zeros, of integers",
        Caught("expected 55 (16 of 16 elements differ), at n = 1000"),
    ),
    row(
        "largest_so_far",
        "a maximum that begins with what is in the output",
        Caught("wrong: y["),
    ),
    row(
        "stack_of_zeros",
        "takes a row on the stack for zeros",
        Caught("wrong: y[0] is"),
    ),
    row(
        "heap_of_zeros",
        "takes what malloc gives for zeros",
        Caught("wrong: y[0] is"),
    ),
    row(
        "scratch_of_zeros",
        "takes its scratch buffer for zeros",
        Caught("wrong: y[0] is NaN"),
    ),
    row(
        "scratch_of_small_numbers",
        "maxima in scratch memory that is not cleared",
        Caught("wrong: y[0] is"),
    ),
    row(
        "leaves_dirt",
        "does not leave its zeroed scratch buffer so",
        Caught("wrong: scratch `SEEN` is not zero when the kernel ends"),
    ),
];

/// Right for some numbers only.
const NUMBERS: [Row; 15] = [
    row(
        "off_by_one",
        "one integer is one too large",
        Caught("wrong: y[500] is 999995, expected 999994"),
    ),
    row(
        "off_by_one_of_floats",
        "a count of floats is one too large",
        Caught("wrong: y[0] is"),
    ),
    row(
        "softmax_overflows",
        "does not subtract the maximum",
        Caught("is NaN, expected 0.0"),
    ),
    row(
        "clamped_at_ten",
        "takes what is beyond 10 for 10",
        Caught("and other inputs"),
    ),
    row(
        "positive_only",
        "takes all inputs for positive",
        Caught("wrong: y[0] is"),
    ),
    row(
        "low_byte",
        "takes the low byte of integers only",
        Never(
            "integers may be indices: larger ones are the author's to allow, by `#[init(uniform(0, 100_000))]`",
        ),
    ),
    row(
        "low_byte_of_large",
        "takes the low byte of integers only, which may be large",
        Caught("wrong: y["),
    ),
    row(
        "low_byte_of_bytes",
        "sums up bytes in a byte",
        Caught("wrong: y[0] is"),
    ),
    row(
        "sums_in_sixteen_bits",
        "sums up as bfloat16; the problem is long",
        Caught("wrong: y[0] is 256.0"),
    ),
    row(
        "sums_in_sixteen_bits_unseen",
        "sums up as binary16; the problem is short",
        Caught("at m = 2, k = 65537"),
    ),
    row(
        "swallows_nan",
        "a maximum that is 0 for a NaN",
        Caught("is 0.0, expected NaN"),
    ),
    row(
        "swallows_infinity",
        "a NaN where an infinity has a limit",
        Caught("is NaN, expected 1.0"),
    ),
    row(
        "ignores_a_number",
        "does without a factor that is 1 in the problem",
        Never("nobody knows which other values are allowed: a second `problem(..)` says so"),
    ),
    row(
        "ignores_a_flag",
        "does without a flag that is false in the problem",
        Never("nobody knows whether the other value is allowed: a second `problem(..)` says so"),
    ),
    row(
        "loses_small_results",
        "small results are 0 beside large ones",
        Caught("and other inputs"),
    ),
];

/// Right in some surroundings only.
const SURROUNDINGS: [Row; 4] = [
    row(
        "leaves_the_rounding_mode",
        "leaves its caller with another rounding mode",
        Caught("wrong: y["),
    ),
    row(
        "relies_on_the_rounding_mode",
        "rounds to the nearest only if that is the caller's mode",
        Never(
            "Rust and C promise to call with the default mode: so only the kernel before it is to blame",
        ),
    ),
    row(
        "right_in_builds_only",
        "right where `OUT_DIR` is set",
        Caught("wrong: y["),
    ),
    row(
        "one_thread_only",
        "loses the remainder where a variable asks for threads",
        Never(
            "nobody can guess the variables that a kernel reads; `OMP_NUM_THREADS` alone could be varied",
        ),
    ),
];

/// All of them.
pub(crate) fn rows() -> Vec<Row> {
    let parts: [&[Row]; 6] = [
        &MEMORY_OF_CALLS,
        &SIZES,
        &BOUNDS,
        &OLD_CONTENTS,
        &NUMBERS,
        &SURROUNDINGS,
    ];
    parts.concat()
}
