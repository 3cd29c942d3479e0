//! A range of sizes: the search places anchors, and the nearest one serves.

use crate::harness::Package;

/// Each `SIZE` fits numbers of elements up to it, and from a quarter of it on: for others it spins, and the more
/// the further off they are.
const KERNEL: &str = r#"
#include <stdint.h>

void work(float *y, const float *x, uint32_t n, uint32_t m)
{
    uint32_t off = 0, some = n > 0 ? n : 1;
    for (uint32_t size = some; size > SIZE; size /= 2)
        off++;
    for (uint32_t size = some; size * 16 <= SIZE; size *= 2)
        off++;
    for (volatile uint32_t spin = 0; spin < off * 100000; spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] * m;
}

void work_reference(float *y, const float *x, uint32_t n, uint32_t m)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] * m;
}
"#;

const MAIN: &str = r#"
const A: i64 = -3;
const B: i64 = 5;

#[bico::tunable(
    source = "kernels/work.c",
    space(SIZE in [8, 128, 2048]),
    problem(n = 1..=2048, m = 3),
    verify(reference = "work_reference"),
    budget(evaluations = 8, seconds = 20),
)]
fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32, m: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    for n in [1, 5, 60, 1500, 6000] {
        let mut y = vec![0.0; n];
        work(&mut y, &vec![1.0; n], n as u32, 3)?;
        assert!(y.iter().all(|y| *y == 3.0));
        let choice = bico::config_of(work_tunable(), &[n as i64, 3])?;
        println!("{}", choice.to_string().replace(&choice.device, "DEVICE"));
    }
    Ok(())
}
"#;

/// The sizes of the lock's entries, and the winner at each, by size.
fn anchors(package: &Package) -> Vec<(i64, i64)> {
    let entries = package.entries("work");
    let entries = entries.as_object().unwrap().iter();
    let mut anchors: Vec<(i64, i64)> = entries
        .map(|(problem, entry)| {
            let size = problem.split("n=").nth(1).unwrap();
            let winner = entry["winner"]["config"]["SIZE"].as_i64();
            (size.parse().unwrap(), winner.unwrap())
        })
        .collect();
    anchors.sort_unstable();
    anchors
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_search_places_anchors_where_winners_change() {
    let package = Package::new("ranges");
    package.file("kernels/work.c", KERNEL);
    package.file("src/main.rs", MAIN);
    let said = package.build("auto").ok();
    let said = said
        .says("`work` (n=1..=2048): ")
        .says(" anchors at n = 1, ");
    said.says("; sizes in between lose an estimated ");
    let placed = anchors(&package);
    let sizes: Vec<i64> = placed.iter().map(|(size, _)| *size).collect();
    assert_eq!((sizes[0], sizes[sizes.len() - 1]), (1, 2048), "{placed:?}");
    assert!((4..=12).contains(&sizes.len()), "{placed:?}");
    for (size, winner) in &placed {
        let fits = *size <= *winner && *winner < 16 * size.max(&1);
        assert!(fits, "{placed:?}");
    }
    let lock = package.read("bico.lock");

    // What is no anchor is nothing that is missing.
    let trail = package.trail("work").len();
    package.build("auto").ok();
    package.file("src/other.rs", "");
    package.build("locked").ok();
    package
        .command(&["status"])
        .run()
        .ok()
        .says("fresh")
        .says_nothing_of("missing");
    package.command(&["show"]).run().ok().says("SIZE=");
    assert_eq!(
        (package.read("bico.lock"), package.trail("work").len()),
        (lock, trail)
    );

    what_serves(&package);

    // Where nothing changes any more, those that were go; a wide gap has one all the same.
    package.edit("kernels/work.c", "off * 100000", "(SIZE != 128) * 100000");
    package
        .build("tune")
        .ok()
        .says("`work` (n=1..=2048): 5 anchors at n = 1, 7, 48, 320, 2048; ");
    let placed = anchors(&package);
    assert!(
        placed.len() == 5 && placed.iter().all(|(_, winner)| *winner == 128),
        "{placed:?}"
    );
    package.edit("kernels/work.c", "(SIZE != 128) * 100000", "off * 100000");

    // An end that is gone is missing, and a changed kernel makes all of them stale.
    package.edit("kernels/work.c", "100000", "110000");
    package
        .build("locked")
        .fails()
        .says("bico.lock is stale for `work` (n=1, m=3)");
    package.edit("kernels/work.c", "110000", "100000");
    package.edit("src/main.rs", "1..=2048", "1..=4096");
    package
        .build("locked")
        .fails()
        .says("does not know `work` (n=4096, m=3) on any device");
}

/// At anchors, between them, and far from the last one.
fn what_serves(package: &Package) {
    let printed = package
        .start()
        .env("BICO_RUNTIME", "fixed")
        .run()
        .ok()
        .stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "work (n=1, m=3): SIZE=8 (tuned on DEVICE)");
    assert!(
        lines[2].starts_with("work (n=60, m=3): SIZE=128 (nearest size n="),
        "{printed}"
    );
    assert!(
        lines[3].contains("SIZE=2048 (nearest size n=") && !lines[3].contains("factor"),
        "{printed}"
    );
    assert_eq!(
        lines[4],
        "work (n=6000, m=3): SIZE=2048 (nearest size n=2048, m=3 on DEVICE, further away than a factor of two)"
    );
}

#[test]
fn ranges_that_are_none() {
    let package = Package::new("wrong-ranges");
    package.file("kernels/work.c", KERNEL);
    package.file("src/main.rs", MAIN);
    let mut range = "1..=2048";
    let mut tries = |other: &'static str, message: &str| {
        package.edit("src/main.rs", range, other);
        range = other;
        package
            .build("off")
            .fails()
            .says(message)
            .says("src/main.rs:");
    };
    tries(
        "A..=B",
        "the range begins at -3: sizes of a range are 1 or above",
    );
    tries(
        "B..A.max(5)",
        "the range is empty: it begins at 5 and ends at 4",
    );
    tries(
        "1..=64, m = 3), problem(n = 48",
        "the range `n = 1..=64` holds the sizes of another problem (n=48, m=3)",
    );
    tries(
        "1..=64, m = 3), problem(n = 64..=B * 20",
        "the range `n = 1..=64` holds the sizes of another problem (n=64, m=3)",
    );
    // Other values beside the range are another problem.
    package.edit(
        "src/main.rs",
        range,
        "1..=64, m = 3), problem(n = 48, m = 4), problem(n = 65..=B * 20",
    );
    package.build("off").ok();
}
