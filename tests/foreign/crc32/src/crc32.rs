//! A checksum by eight algorithms.

/// CRC-32 of `data`, going on from `previous`.
#[bico::tunable(
    source = ["../sources/crc32/Crc32.cpp", "c/call.cpp"],
    entry = "call",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        ALGORITHM in [
            "halfbyte",
            "1byte",
            "1byte_tableless",
            "1byte_tableless2",
            "4bytes",
            "8bytes",
            "4x8bytes",
            "16bytes",
        ],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
    ),
    require(device.has(ISA)),
    flags = ["-march={ISA}", "-f{LOOPS}"],
    problem(n = 262_144, previous = 0),
    work(bytes = n),
    verify(reference = "c/crc32.c"),
    budget(evaluations = 24, seconds = 60),
)]
pub fn crc32(
    #[len(1)] out: &mut [u32],
    #[len(n)] data: &[u8],
    n: u32,
    #[value] previous: u32,
) -> bico::Result<()>;
