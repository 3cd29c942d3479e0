//! A kernel with threads of its own, and the library that it needs for them.

use crate::harness::{MAIN, Package};

/// Wrong on any other number of threads than it is tuned for.
const KERNEL: &str = r#"
#include <omp.h>
#include <stdint.h>

void work(float *y, const float *x, uint32_t n)
{
    int threads = 0;
    #pragma omp parallel for reduction(+ : threads)
    for (int i = 0; i < omp_get_max_threads(); i++)
        threads++;
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    #pragma omp parallel for
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + (threads == 3);
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
"#;

const ITEM: &str = r#"
const THREADS: i64 = 3;

#[bico::tunable(
    source = "kernels/work.c",
    flags = ["-fopenmp"],
    link = ["gomp"],
    threads = THREADS.min(device.cores + 2),
    space(SPIN in [4000000, 0]),
    problem(n = 256),
    verify(reference = "work_reference"),
    budget(evaluations = 8, seconds = 20),
)]
pub fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_kernel_with_threads() {
    let package = Package::new("threads");
    package.file("kernels/work.c", KERNEL);
    // The wrapper lies in a library, which passes on what it is linked with.
    package.file("src/lib.rs", ITEM);
    package.file("src/main.rs", &format!("use threads::*;\n{MAIN}"));
    // What happens to be set where it is built is not what programs will have.
    let build = |mode: &str| {
        let call = package.cargo(&["build"]).env("OMP_NUM_THREADS", "1");
        call.env("BICO", mode).run()
    };
    build("auto").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
    let run = package.start().env("OMP_NUM_THREADS", "3").run();
    run.ok().says("y[3] = 7");

    // Another library may be another kernel.
    let lock = package.read("bico.lock");
    let item = package.read("src/lib.rs");
    package.edit("src/lib.rs", "\"gomp\"", "\"no_such\"");
    let stale = "bico.lock is stale for `work` (n=256): its flags changed";
    build("locked").fails().says(stale);
    let missing = "the library `no_such` cannot be linked: ";
    let built = build("auto").fails();
    built.says(missing).says("--> src/lib.rs:7:13");
    package.file("src/lib.rs", &item);
    package.edit("src/lib.rs", "THREADS.", "0.");
    let none = "a kernel runs on one thread at least";
    build("auto").fails().says(none).says("--> src/lib.rs:8:15");
    package.file("src/lib.rs", &item);
    build("locked").ok();
    assert_eq!(package.read("bico.lock"), lock);
}
