//! The simulation, where the answer is known.

use crate::{Launch, Problem, Simulated, Tile, simulate};

/// Two rows and two columns of tiles, two steps; a tile of A has 32 lines, one of B and of C too.
fn launch(slots: u64, lines: u64) -> Launch {
    let problem = Problem {
        batches: 1,
        m: 64,
        n: 64,
        k: 64,
        input_bytes: 4,
        output_bytes: 4,
        last_bytes: 0,
    };
    let tile = Tile {
        m: 32,
        n: 32,
        k: 32,
    };
    Launch::new(problem, tile, slots, lines * 128)
}

fn lines(simulated: Simulated) -> (u64, u64, u64) {
    let line = |bytes: u64| bytes / 128;
    (
        line(simulated.read_bytes),
        line(simulated.written_bytes),
        line(simulated.requested_bytes),
    )
}

#[test]
fn a_large_cache_reads_everything_once() {
    for slots in 1..6 {
        // A and B have 128 lines each, C too; four blocks read 2 * (32 + 32) each.
        assert_eq!(
            lines(simulate(&launch(slots, 1 << 20), &[])),
            (256, 128, 512)
        );
    }
}

#[test]
fn a_cache_of_one_step_shares_nothing_between_waves() {
    // One block at a time reads all of its 128 lines; what the one before it left is 64 lines of its last step, and
    // these are wanted again only after the 64 of the first.
    assert_eq!(lines(simulate(&launch(1, 64), &[])), (512, 128, 512));
    // Four blocks in step need two tiles of A, two of B and, at the end, room for C that is written in between.
    assert_eq!(lines(simulate(&launch(4, 192), &[])), (256, 128, 512));
    // Without it the third and the fourth block miss one of B each.
    assert_eq!(lines(simulate(&launch(4, 128), &[])), (320, 128, 512));
}

#[test]
fn least_recently_used_leaves_first() {
    // Two blocks in step share a row. A wave touches two tiles of A, four of B, two of C; the next one wants B again.
    assert_eq!(lines(simulate(&launch(2, 96), &[])), (128 + 256, 128, 512));
    // Nine tiles hold all of these and the first of the other row of A. With eight it replaces the first of B, whose next
    // step has the same fate.
    assert_eq!(lines(simulate(&launch(2, 9 * 32), &[])), (256, 128, 512));
    assert_eq!(lines(simulate(&launch(2, 8 * 32), &[])), (320, 128, 512));
}

#[test]
fn blocks_that_begin_late_share_if_the_cache_waits() {
    let delays = [0, 1, 2, 3];
    assert_eq!(
        lines(simulate(&launch(4, 1 << 20), &delays)),
        (256, 128, 512)
    );
    let small = lines(simulate(&launch(4, 64), &delays));
    assert!(small.0 > 256, "{small:?}");
}

#[test]
fn tiles_of_half_a_line_share_it() {
    let half = Launch {
        tile: Tile {
            m: 32,
            n: 16,
            k: 32,
        },
        ..launch(1, 1 << 20)
    };
    let half = Launch::new(half.problem, half.tile, 8, 1 << 30);
    // Eight blocks read 2 * (32 + 32) lines each, of which B's are half used.
    assert_eq!(lines(simulate(&half, &[])), (256, 128, 1024));
}
