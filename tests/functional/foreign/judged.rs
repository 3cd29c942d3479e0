//! Results of which many are right, looked at by a judge of the author's.

use crate::harness::Package;

/// MODE 0 and 1 are right, each in its own way; 2 is faster and wrong.
const KERNELS: &str = r#"
#include <stdint.h>

static void spin(void)
{
    for (volatile int i = 0; i < (MODE == 2 ? 0 : 100000); i++) {
    }
}

/* Those above 0, in any order. What lies behind them is left alone. */
void keep(int32_t *out, uint32_t *count, const int32_t *x, uint32_t n)
{
    spin();
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t own = x[MODE == 1 ? n - 1 - i : i];
        if (own > 0)
            out[(*count)++] = MODE == 2 && own == 7 ? 6 : own;
    }
}

/* Sorts in place. */
void sort(uint32_t *x, uint32_t n)
{
    spin();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t own = x[i], at = i;
        for (; at && x[at - 1] > own; at--)
            x[at] = x[at - 1];
        x[at] = own;
    }
    if (MODE == 2 && n > 20)
        x[0] = x[1];
}

void sort_plain(uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j + 1 < n; j++)
            if (x[j] > x[j + 1]) {
                uint32_t own = x[j];
                x[j] = x[j + 1];
                x[j + 1] = own;
            }
}
"#;

const JUDGES: &str = r#"
#include <stdint.h>
#include <stdio.h>

int same_kept(const int32_t *out, const uint32_t *count, const int32_t *x, uint32_t n, char *why, size_t room)
{
    int left[16] = {0};
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < n; i++)
        if (x[i] > 0)
            left[x[i]]++, wanted++;
    if (*count != wanted)
        return snprintf(why, room, "%u are kept, not %u", *count, wanted);
    for (uint32_t i = 0; i < wanted; i++)
        if (out[i] < 1 || out[i] > 15 || --left[out[i]] < 0)
            return snprintf(why, room, "out[%u] is one %d too many", i, out[i]);
    return 0;
}

/* What the buffer held, and what is right. */
int sorted(const uint32_t *x, uint32_t n, const uint32_t *before, const uint32_t *expected, char *why, size_t room)
{
    (void)why, (void)room;
    uint64_t sum = 0;
    int same = 1;
    for (uint32_t i = 0; i < n; i++) {
        sum += (uint64_t)x[i] - before[i];
        same &= x[i] == expected[i];
    }
    return sum != 0 ? 2 : !same;
}
"#;

const PROGRAM: &str = r#"
#[bico::tunable(
    source = "kernels/judged.c",
    space(MODE in [0, 1, 2]),
    problem(n = 400),
    verify(judge(file = "kernels/judges.c", entry = "same_kept")),
    budget(evaluations = 6, seconds = 20),
)]
fn keep(#[len(n)] out: &mut [i32], #[len(1)] count: &mut [u32], #[len(n)] x: &[i32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/judged.c",
    space(MODE in [0, 1, 2]),
    problem(n = 200),
    verify(reference = "sort_plain", judge(file = "kernels/judges.c", entry = "sorted")),
    budget(evaluations = 6, seconds = 20),
)]
fn sort(
    #[len(n)]
    #[init(uniform(0, 2 * n))]
    x: &mut [u32],
    n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let (mut out, mut count) = ([0; 3], [0]);
    keep(&mut out, &mut count, &[5, -1, 5], 3)?;
    let mut x = [3, 1, 2];
    sort(&mut x, 3)?;
    println!("{out:?} {count:?} {x:?}");
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn orders_and_sets() {
    let package = Package::new("judged");
    package.file("kernels/judged.c", KERNELS);
    package.file("kernels/judges.c", JUDGES);
    package.file("src/main.rs", PROGRAM);
    package.build("auto").ok();
    for (key, verified, why) in [
        ("keep", "judge, rules 2", "the judge `same_kept`: out["),
        (
            "sort",
            "reference, rules 2",
            "the judge `sorted` gives 2, at n = ",
        ),
    ] {
        let entries = package.entries(key);
        let entry = entries.as_object().unwrap().values().next().unwrap();
        assert_eq!(entry["verified"], verified);
        let trail = package.trail(key);
        let mut wrong = trail.iter().filter(|row| row["failure"] == "wrong");
        let row = wrong.next().unwrap();
        assert_eq!(row["values"]["MODE"], 2);
        assert!(row["detail"].to_string().contains(why), "{row:#}");
        assert!(wrong.next().is_none(), "{key}");
    }
    assert!(package.run().contains("[5, 5, 0] [2] [1, 2, 3]"));

    // A judge that knows no wrong is none.
    let judge = |from: &str, to: &str, said: &str| {
        package.file("kernels/judges.c", JUDGES);
        package.edit("kernels/judges.c", from, to);
        package
            .build("tune")
            .fails()
            .says(said)
            .says("src/main.rs:6:25");
    };
    package.build("locked").ok();
    judge(
        "    int left[16] = {0};",
        "    return 0; int left[16] = {0};",
        "the judge `same_kept` accepts results that nobody has written",
    );
    package
        .build("locked")
        .fails()
        .says("verify changed since it was tuned");
    judge(
        "if (*count != wanted)",
        "if (*count <= n) return 0; else",
        "the judge `same_kept` accepts the results of other inputs",
    );
    judge(
        "if (*count != wanted)",
        "left[out[0]]++; if (*count != wanted)",
        "the judge `same_kept` crashed on results that nobody has written",
    );
    judge(
        "int same_kept",
        "void same_kept",
        "the wrapper passes: int same_kept(const int32_t *, const uint32_t *, const int32_t *, uint32_t, uint8_t *, size_t)",
    );
    package.file("kernels/judges.c", JUDGES);
    package.edit(
        "kernels/judges.c",
        "return sum != 0 ? 2 : !same;",
        "return 3;",
    );
    package.build("tune").fails().says(
        "the judge `sorted` does not accept what the reference gives: the judge `sorted` gives 3",
    );
}

#[cfg(target_arch = "x86_64")]
const COMPACT: &str = r#"
/* Atomics decide where each goes. */
__global__ void compact(int *out, unsigned *count, const int *x, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && x[i] > 0)
        out[atomicAdd(count, 1u)] = RIGHT || x[i] < 7 ? x[i] : 6;
}
"#;

#[cfg(target_arch = "x86_64")]
const COMPACT_MAIN: &str = r#"
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "kernels/compact.cu",
    space(BLOCK in [32, 64], RIGHT in [true, false]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 300),
    verify(judge(file = "kernels/judge.c", entry = "same_kept")),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn compact(
    stream: &Arc<CudaStream>,
    #[len(n)] out: &mut CudaSlice<i32>,
    #[len(1)]
    #[init(zeros)]
    count: &mut CudaSlice<u32>,
    #[len(n)] x: &CudaSlice<i32>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let (mut out, mut count) = (stream.alloc_zeros(4)?, stream.alloc_zeros(1)?);
    let x = stream.clone_htod(&[-1, 5, 0, 5])?;
    compact(&stream, &mut out, &mut count, &x, 4)?;
    println!("{:?} {:?}", stream.clone_dtoh(&out)?, stream.clone_dtoh(&count)?);
    Ok(())
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "slow: .ci/run runs it"]
fn atomics_on_a_gpu() {
    let package = Package::cuda("compact");
    package.file("kernels/compact.cu", COMPACT);
    // What the counter held before is an argument of its own.
    let before = "uint32_t n, const uint32_t *before, char *why";
    let judge = JUDGES.replacen("uint32_t n, char *why", before, 1);
    let judge = judge.replace("*count != wanted", "*before != 0 || *count != wanted");
    package.file("kernels/judge.c", &judge);
    package.file("src/main.rs", COMPACT_MAIN);
    package.build("auto").ok();
    assert_eq!(package.winner("compact")["RIGHT"], true);
    let trail = package.trail("compact");
    let wrong = trail.iter().find(|row| row["failure"] == "wrong");
    let why = wrong.unwrap()["detail"].to_string();
    assert!(why.contains("the judge `same_kept`: out["), "{why}");
    assert!(package.run().contains("[5, 5, 0, 0] [2]"));
    package.edit(
        "kernels/judge.c",
        "if (*before",
        "if (*count <= n) return 0; else if (*before",
    );
    package
        .build("tune")
        .fails()
        .says("the judge `same_kept` accepts the results of other inputs");
}
