//! The sort of ips4o.

/// Sorts in place.
#[bico::tunable(
    source = "c/call.cpp",
    include = ["../sources/ips4o/include", "c"],
    space(
        IPS4OML_ALLOW_EQUAL_BUCKETS in [true, false],
        IPS4OML_BASE_CASE_SIZE in powers_of_two(8..=64),
        IPS4OML_BASE_CASE_MULTIPLIER in [4, 8, 16],
        IPS4OML_BLOCK_SIZE in [1024, 2048, 4096],
        IPS4OML_LOG_BUCKETS in [4, 6, 8],
        IPS4OML_UNROLL_CLASSIFIER in [1, 2, 4, 7],
    ),
    flags = ["-std=c++17"],
    link = ["stdc++"],
    problem(n = 200_000),
    work(bytes = 8 * n),
    verify(reference = "c/sort.c"),
    budget(evaluations = 12, seconds = 120),
)]
pub fn sort(
    #[len(n)]
    #[init(uniform(0, 1_000_000))]
    x: &mut [u32],
    n: u32,
) -> bico::Result<()>;
