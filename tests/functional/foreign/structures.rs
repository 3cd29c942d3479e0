//! Buffers of structures: the build reads the `struct`, and compares them field by field.

use crate::harness::Package;

const KERNEL: &str = r#"
#include <stdint.h>

struct particle {
    float pos[3];
    float mass;
    struct { int32_t cell; uint8_t kind; uint8_t gap[3]; } at;
};

void moved(struct particle *to, const struct particle *from, float by, unsigned n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (unsigned i = 0; i < n; i++) {
        for (int axis = 0; axis < 3; axis++)
            to[i].pos[axis] = from[i].pos[axis] + by * from[i].mass;
        to[i].mass = from[i].mass;
        to[i].at.cell = from[i].at.cell + 1;
        to[i].at.kind = from[i].at.kind;
    }
}

void plain(struct particle *to, const struct particle *from, float by, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].at.cell++;
        for (int axis = 0; axis < 3; axis++)
            to[i].pos[axis] += by * from[i].mass;
    }
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/moved.c",
    space(SPIN in [400000, 0]),
    problem(n = 100, by = 0.5),
    verify(reference = "plain"),
    budget(evaluations = 2, seconds = 20),
)]
fn moved(#[len(n)] to: &mut [Particle], #[len(n)] from: &[Particle], by: f32, n: u32) -> bico::Result<()>;

/// One of many.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Particle {
    /// Where it is.
    pos: [f32; 3],
    pub mass: f32,
    at: Cell,
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Cell {
    cell: i32,
    kind: u8,
    _gap: [u8; 3],
}

fn main() -> bico::Result<()> {
    let from = [Particle { pos: [1.0, 2.0, 3.0], mass: 4.0, at: Cell { cell: 7, kind: 2, _gap: [0; 3] } }; 3];
    let mut to = [Particle::default(); 4];
    moved(&mut to, &from, 0.25, 3)?;
    println!("{:?} {} {}", to[2].pos, to[2].mass, to[2].at.cell);
    println!("{}", moved(&mut to, &from, 0.25, 4).unwrap_err());
    Ok(())
}
"#;

#[test]
fn fields_are_compared() {
    let package = Package::new("structures");
    package.file("kernels/moved.c", KERNEL);
    package.file("src/main.rs", MAIN);
    package.build("auto").ok();
    let said = package.run();
    let mut said = said.lines();
    assert_eq!(said.next(), Some("[2.0, 3.0, 4.0] 4 8"));
    let refused = said.next().unwrap();
    assert!(
        refused.contains("`from`") && refused.contains('3'),
        "{refused}"
    );
    let wrong = |right: &str, wrong: &str, said: &str| {
        package.file("kernels/moved.c", &KERNEL.replace(right, wrong));
        package
            .build("auto")
            .fails()
            .says("no config of `moved` (by=0.5, n=100) ran and was right")
            .says(said);
    };
    wrong(
        "mass = from[i].mass",
        "mass = 0.5f",
        "to[0].mass is 0.5, expected ",
    );
    wrong(
        "axis < 3; axis++)\n            to[i].pos[axis] = ",
        "axis < 3; axis++)\n            to[i].pos[2 - axis] = ",
        "to[0].pos[0] is ",
    );
    wrong(
        "from[i].at.cell + 1",
        "from[i].at.cell",
        "(100 of 100 elements differ)",
    );
    wrong(
        "to[i].at.kind = from[i].at.kind;",
        "",
        "it leaves 100 of 100 elements of `to.at.kind` unwritten, the first is to[0].at.kind",
    );
    wrong(
        "to[i].at.kind = from[i].at.kind;",
        "to[i + 1].at.kind = from[i].at.kind;",
        "writes behind `to`",
    );
}

#[test]
fn what_is_read_of_a_struct_holds() {
    let package = Package::new("structures-unfit");
    package.file("kernels/moved.c", KERNEL);
    let says = |right: &str, wrong: &str, said: &str| {
        package.file("src/main.rs", &MAIN.replace(right, wrong));
        package.build("auto").fails().says(said);
    };
    says(
        "#[repr(C)]\nstruct",
        "struct",
        "`Particle` is not `#[repr(C)]`",
    );
    says(
        "#[repr(C)]\nstruct",
        "#[repr(C, packed)]\nstruct",
        "`Particle` is not `#[repr(C)]`",
    );
    says(
        "_gap: [u8; 3]",
        "_gap: [u8; 2]",
        "`Cell` has a gap of 1 byte at its end",
    );
    says(
        "kind: u8,",
        "kind: u8, next: i32,",
        "`Cell` has a gap of 3 bytes before `next`",
    );
    says(
        "mass: f32",
        "mass: Option<f32>",
        "`mass` of `Particle` is neither a number, an array of numbers nor a structure",
    );
    says(
        "struct Cell",
        "struct Sell",
        "`Cell` is neither a number nor a `struct` of this file",
    );
    says(
        "struct Particle {",
        "struct Particle<T = f32> {",
        "`Particle` is no structure of named fields",
    );
}

#[cfg(target_arch = "x86_64")]
const ON_A_GPU: &str = r#"
struct __align__(16) Particle {
    float pos[3];
    unsigned charge;
};

__constant__ Particle around[2];

struct Push {
    double by;
    int axis[2];
};

__global__ void pushed(Particle *to, const Particle *from, Push push, unsigned n)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        Particle own = from[i];
        for (int axis = 0; axis < 3; axis++)
            own.pos[axis] += around[own.charge & 1].pos[axis] + (float)push.by * push.axis[axis % 2];
        to[i] = own;
    }
}

__global__ void plain(Particle *to, const Particle *from, Push push, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int axis = 0; axis < 3; axis++)
        to[i].pos[axis] = from[i].pos[axis] + around[from[i].charge % 2].pos[axis] + (float)push.by * push.axis[axis & 1];
    to[i].charge = from[i].charge;
}
"#;

#[cfg(target_arch = "x86_64")]
const LAUNCHED: &str = r#"
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DeviceRepr};
use std::sync::Arc;

mod particles {
    #[repr(C, align(16))]
    #[derive(Clone, Copy, Debug)]
    pub struct Particle {
        pub pos: [f32; 3],
        pub charge: u32,
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Push {
    by: f64,
    axis: [i32; 2],
}

// SAFETY: plain numbers.
unsafe impl DeviceRepr for particles::Particle {}

#[bico::tunable(
    source = "kernels/pushed.cu",
    space(BLOCK in [32, 64]),
    launch(grid = n.div_ceil(BLOCK), block = BLOCK),
    problem(n = 100),
    verify(reference = "plain", launch(grid = n, block = 1)),
    measure(cache = warm),
    budget(evaluations = 2, seconds = 20),
)]
fn pushed(
    stream: &Arc<CudaStream>,
    #[len(n)] to: &mut CudaSlice<particles::Particle>,
    #[align(16)]
    #[len(n)]
    from: &impl DevicePtr<particles::Particle>,
    #[constant(around)]
    #[len(2)]
    around: &[particles::Particle],
    push: Push,
    n: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let at = |at: f32, charge| particles::Particle { pos: [at, 0.0, -at], charge };
    let from = stream.clone_htod(&[at(1.0, 4); 9])?;
    let mut to = stream.clone_htod(&[at(0.0, 0); 8])?;
    pushed(&stream, &mut to, &from.slice(1..), &[at(0.5, 0), at(9.0, 0)], Push { by: 0.5, axis: [0, 1] }, 8)?;
    println!("{:?}", stream.clone_dtoh(&to)?[7]);
    Ok(())
}
"#;

#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "slow: .ci/run runs it"]
fn structures_on_a_gpu() {
    let package = Package::cuda("structures-gpu");
    package.file("kernels/pushed.cu", ON_A_GPU);
    package.file("src/main.rs", LAUNCHED);
    package.build("auto").ok();
    assert_eq!(
        package.run(),
        "Particle { pos: [1.5, 0.5, -1.5], charge: 4 }\n"
    );
    package.edit(
        "kernels/pushed.cu",
        "to[i] = own;",
        "own.charge++;\n        to[i] = own;",
    );
    package
        .build("auto")
        .fails()
        .says("no config of `pushed` (n=100) ran and was right")
        .says("to[0].charge is ");
    // Where nobody compiles, too.
    package.edit(
        "kernels/pushed.cu",
        "unsigned n)\n{\n    unsigned i = blockIdx.x * BLOCK",
        "cudaTextureObject_t image, unsigned n)\n{\n    unsigned i = blockIdx.x * BLOCK",
    );
    package
        .build("locked")
        .fails()
        .says("the kernel `pushed` takes a texture or surface (`cudaTextureObject_t` in line 14 of `kernels/pushed.cu`)");
}
