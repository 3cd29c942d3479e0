//! The kernels on a CPU.

/// y = x / sqrt(mean of x^2 + eps) * w for each row of x.
#[bico::tunable(
    source = "kernels/rms_norm.c",
    entry = "rms_norm",
    family(T in [f32 = "float", f64 = "double"]),
    space(LANES in powers_of_two(1..=32)),
    problem(rows = 16, columns = 2048, eps = 1e-5),
    work(flops = 4 * rows * columns),
    verify(reference = "rms_norm_reference"),
    budget(evaluations = 8, seconds = 10),
)]
pub fn rms_norm<T>(
    #[len(rows * columns)] y: &mut [T],
    #[len(rows * columns)] x: &[T],
    #[len(columns)] w: &[T],
    rows: u32,
    columns: u32,
    eps: f32,
) -> bico::Result<()>;

/// y = softmax of each row of x.
#[bico::tunable(
    source = "kernels/softmax.c",
    space(LANES in powers_of_two(1..=32)),
    problem(rows = 64, columns = 512),
    work(flops = 5 * rows * columns),
    verify(reference = "softmax_reference"),
    budget(evaluations = 8, seconds = 10),
)]
pub fn softmax(
    #[len(rows * columns)] y: &mut [f32],
    #[len(rows * columns)] x: &[f32],
    rows: u32,
    columns: u32,
) -> bico::Result<()>;

/// y = W x + b, where W is in blocks of 32 columns as candle's `Q4_0` has them.
#[bico::tunable(
    source = "kernels/linear_q4_0.c",
    space(ROWS in powers_of_two(1..=8)),
    require(columns % 32 == 0),
    problem(rows = 256, columns = 1024),
    work(flops = 2 * rows * columns),
    verify(reference = "linear_q4_0_reference"),
    budget(evaluations = 8, seconds = 10),
)]
pub fn linear_q4_0(
    #[len(rows)] y: &mut [f32],
    #[len(rows * (columns / 32) * 18)]
    #[init(uniform(0, 123))] // no scale is infinite, or none
    w: &[u8],
    #[len(columns)] x: &[f32],
    #[len(rows)] b: &[f32],
    rows: u32,
    columns: u32,
) -> bico::Result<()>;
