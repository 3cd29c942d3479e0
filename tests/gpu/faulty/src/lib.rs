//! One good config among faulty ones.

use cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// y = x + 1, where `FAULT` is "none".
#[bico::tunable(
    source = "kernels/faulty.cu",
    entry = "increase",
    space(
        FAULT in ["illegal", "none", "misaligned", "hang", "trap", "wrong", "outside", "unwritten", "input"],
        MODE = match FAULT {
            "none" => 0,
            "illegal" => 1,
            "misaligned" => 2,
            "hang" => 3,
            "trap" => 4,
            "wrong" => 5,
            "outside" => 6,
            "unwritten" => 7,
            _ => 8,
        },
    ),
    launch(grid = n.div_ceil(256), block = 256),
    problem(n = 100_003),
    work(bytes = 8 * n),
    verify(reference = "increase_reference", launch(grid = n.div_ceil(256), block = 256)),
    budget(evaluations = 9, seconds = 120, strategy = "sequential"),
)]
pub fn increase(
    stream: &Arc<CudaStream>,
    #[len(n)] y: &mut CudaSlice<f32>,
    #[len(n)] x: &CudaSlice<f32>,
    n: u32,
) -> bico::Result<()>;
