//! `pass(..)` of CUDA kernels: several launches on one stream.

use super::kernel::TYPES;
use crate::harness::Package;

/// A reduction in two launches, which meet in scratch and in a variable of their module. FEW leaves a partial sum out.
const SUM: &str = r#"
__device__ float weight;

template <int BLOCK>
__global__ void sums(const float *x, float *part, int n)
{
    __shared__ float own[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (volatile int spin = 0; spin < (i == 0 ? SPIN : 0); spin++) {
    }
    own[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            own[threadIdx.x] += own[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = own[0];
    if (i == 0)
        weight = 2;
}

namespace last {
__global__ void total(float *out, const float *part, unsigned parts)
{
    float sum = 0;
    for (unsigned p = 0; p + FEW < parts; p++)
        sum += part[p];
    *out = weight * sum;
}
}

__global__ void plain(float *out, const float *x, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += x[i];
    *out = 2 * sum;
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/sum.cu",
    space(FEW in [1, 0], SPIN in [1000000, 0], BLOCK in [32, 64]),
    scratch(PARTIAL: f32, len = n.div_ceil(BLOCK)),
    pass(
        entry = "sums",
        template = [BLOCK],
        launch(grid = n.div_ceil(BLOCK), block = BLOCK),
        args(x, PARTIAL, n as i32),
    ),
    pass(
        entry = "last::total",
        launch(grid = 1, block = 1),
        args(out, PARTIAL, n.div_ceil(BLOCK) as u32),
    ),
    problem(n = 1000),
    verify(reference = "plain", rtol = 1e-3, launch(grid = 1, block = 1)),
    measure(cache = warm),
    budget(evaluations = 8, seconds = 30),
)]
fn sum(
    stream: &Arc<CudaStream>, #[len(1)] out: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for n in [1, 64, 65, 1000, 2000, 0] {
        let x: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let sum_of_x = x.iter().sum::<f32>();
        let x = stream.clone_htod(&[x, vec![0.0]].concat())?;
        let mut out = stream.clone_htod(&[-1.0f32])?;
        let served = sum(&stream, &mut out, &x, n);
        if let Err(error) = served {
            println!("{error}");
            continue;
        }
        println!("{n} {}", stream.clone_dtoh(&out)?[0] == 2.0 * sum_of_x);
    }
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn launches_follow_each_other() {
    let package = Package::cuda("passes");
    package.file("kernels/sum.cu", SUM);
    package.file("src/main.rs", &format!("{TYPES}{MAIN}"));
    package.build("auto").ok();
    package.only_zero_is_right("sum", "FEW");
    let right = "1 true\n64 true\n65 true\n1000 true\n2000 true\n0 true\n";
    assert_eq!(package.run(), right);
    // The first has run then: nobody else takes its place.
    let refused = package.start().gpus("A100", "out-of-resources:total").run();
    refused
        .ok()
        .says("sum: the launch of `last::total` of FEW=0, SPIN=0, BLOCK=")
        .says_nothing_of("true");
    // From the source, on the program's own machine.
    let bare = package.cargo(&["build"]).env("BICO", "locked");
    bare.env("BICO_NVRTC", "/nowhere").run().ok();
    assert_eq!(package.run(), right);
    // What a kernel takes is looked at for each of them, and told by its name.
    package.edit(
        "src/main.rs",
        "args(out, PARTIAL, n",
        "args(out, PARTIAL, n, n",
    );
    package
        .build("tune")
        .fails()
        .says("the arguments of the wrapper differ from those of the kernel `last::total`");
}
