//! Buffers of arrays, which are structures or vectors to the kernel.

use crate::harness::Package;

const KERNEL: &str = r#"
struct particle {
    float x, y, z, mass;
};

void moved(struct particle *to, const struct particle *from, float by, unsigned n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (unsigned i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].y += by * from[i].mass;
    }
}

void plain(float *to, const float *from, float by, unsigned n)
{
    for (unsigned i = 0; i < 4 * n; i++)
        to[i] = from[i] + (i % 4 == 1 ? by * from[i + 2] : 0);
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/moved.c",
    space(SPIN in [400000, 0]),
    problem(n = 100, by = 0.5),
    verify(reference = "plain", live = true),
    budget(evaluations = 2, seconds = 20),
)]
fn moved(#[len(n)] to: &mut [[f32; 4]], #[len(n)] from: &[[f32; 4]], by: f32, n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let from = [[1.0, 2.0, 3.0, 4.0]; 3];
    let mut to = [[0.0; 4]; 4];
    moved(&mut to, &from, 0.25, 3)?;
    println!("{:?}", &to[2..]);
    println!("{}", moved(&mut to, &from, 0.25, 4).unwrap_err());
    Ok(())
}
"#;

#[test]
fn structures_are_arrays() {
    let package = Package::new("records");
    package.file("kernels/moved.c", KERNEL);
    package.file("src/main.rs", MAIN);
    package.build("auto").ok();
    let said = package.run();
    let mut said = said.lines();
    assert_eq!(
        said.next(),
        Some("[[1.0, 3.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0]]")
    );
    let refused = said.next().unwrap();
    assert!(
        refused.contains("`from`") && refused.contains('3'),
        "{refused}"
    );
    package.edit("kernels/moved.c", "to[i].y +=", "to[i].z +=");
    package
        .build("auto")
        .fails()
        .says("no config of `moved` (by=0.5, n=100) ran and was right")
        .says("(200 of 400 elements differ)");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn vectors_are_arrays() {
    let package = Package::cuda("vectors");
    package.file(
        "kernels/vectors.cu",
        r#"
__global__ void vectors(float4 *to, const float4 *from, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        float4 own = from[i];
        to[i] = make_float4(own.w, own.z, own.y, own.x);
    }
}
"#,
    );
    package.file(
        "kernels/plain.c",
        "void plain(float *to, const float *from, unsigned n)\n{\n    for (unsigned i = 0; i < 4 * n; i++)\n        to[i] = from[i / 4 * 4 + 3 - i % 4];\n}\n",
    );
    package.file(
        "src/main.rs",
        r#"
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr};
use std::sync::Arc;

#[bico::tunable(
    source = "kernels/vectors.cu",
    space(BLOCK in [32, 64]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 100),
    verify(reference = "kernels/plain.c", entry = "plain"),
    measure(cache = warm),
    budget(evaluations = 2, seconds = 20),
)]
fn vectors(
    stream: &Arc<CudaStream>,
    #[len(n)] to: &mut CudaSlice<[f32; 4]>,
    #[align(16)]
    #[len(n)]
    from: &impl DevicePtr<[f32; 4]>,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let from = stream.clone_htod(&[[1.0f32, 2.0, 3.0, 4.0]; 9])?;
    let mut to = stream.clone_htod(&[[0.0f32; 4]; 8])?;
    vectors(&stream, &mut to, &from.slice(1..), 8)?;
    println!("{:?}", stream.clone_dtoh(&to)?[7]);
    Ok(())
}
"#,
    );
    package.build("auto").ok();
    assert_eq!(package.run(), "[4.0, 3.0, 2.0, 1.0]\n");
}
