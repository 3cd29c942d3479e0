//! A variant in C or C++ beside CUDA kernels: a library's call, with a stand-in for cuBLAS that works where kernels do.

use super::kernel::TYPES;
use crate::harness::{Call, Package};
use std::path::PathBuf;
use std::process::Command;

/// As cuBLAS has it, column by column; anything but 0 is an error, which a variable asks for.
const CUBLAS: &str = r#"
#include <stdlib.h>
struct context { void *stream; };
int cublasCreate_v2(struct context **handle)
{
    *handle = calloc(1, sizeof **handle);
    return *handle ? 0 : 3;
}
int cublasSetStream_v2(struct context *handle, void *stream)
{
    handle->stream = stream;
    return 0;
}
int cublasSgemm_v2(struct context *handle, int ta, int tb, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc)
{
    const char *fails = getenv("CUBLAS_STATUS");
    if (fails || !handle || !handle->stream || ta || tb)
        return fails ? atoi(fails) : 7;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i + l * lda] * b[l + j * ldb];
            c[i + j * ldc] = *alpha * sum + (*beta ? *beta * c[i + j * ldc] : 0);
        }
    return 0;
}
"#;

/// What calls it, in C and in C++: `WORSE` is a parameter of its own.
const CALL: &str = r#"
#include <stdint.h>
typedef struct cublasContext *cublasHandle_t;
typedef struct CUstream_st *cudaStream_t;
#ifdef __cplusplus
extern "C" {
#endif
int cublasCreate_v2(cublasHandle_t *);
int cublasSetStream_v2(cublasHandle_t, cudaStream_t);
int cublasSgemm_v2(cublasHandle_t, int, int, int, int, int, const float *, const float *, int, const float *, int,
                   const float *, float *, int);

int by_cublas(cudaStream_t stream, float *c, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k)
{
    static cublasHandle_t handle;
    float one = 1, zero = 0;
    if (!handle && cublasCreate_v2(&handle))
        return 1;
    int status = cublasSetStream_v2(handle, stream);
    for (int i = 0; i < WORSE && !status; i++)
        status = cublasSgemm_v2(handle, 0, 0, (int)n, (int)m, (int)k, &one, b, (int)n, a, (int)k, &zero, c, (int)n);
    return status;
}
#ifdef __cplusplus
}
#endif
"#;

const KERNEL: &str = r#"
__global__ void product(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k)
{
    unsigned j = blockIdx.x * BLOCK + threadIdx.x, i = blockIdx.y;
    for (volatile int spin = 0; spin < 20000; spin++) {
    }
    float sum = 0;
    for (unsigned l = 0; j < n && l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
    if (j < n)
        c[i * n + j] = sum;
}

__global__ void reference(float *c, const float *a, const float *b, unsigned m, unsigned n, unsigned k)
{
    unsigned j = threadIdx.x, i = blockIdx.x;
    for (; j < n; j += 32) {
        float sum = 0;
        for (unsigned l = 0; l < k; l++)
            sum += a[i * k + l] * b[l * n + j];
        c[i * n + j] = sum;
    }
}
"#;

const ITEM: &str = r#"
#[bico::tunable(
    variant(
        own,
        source = "kernels/product.cu",
        entry = "product",
        space(BLOCK in [8, 16]),
        flags = ["--use_fast_math"],
        launch(grid = (n.div_ceil(BLOCK), m), block = BLOCK),
    ),
    variant(cublas, source = "kernels/call.c", entry = "by_cublas", space(WORSE in [1, 3]), link = ["cublas"]),
    variant(in_cpp, source = "kernels/call.cpp", entry = "by_cublas", flags = ["-DWORSE=2"], link = ["cublas"]),
    flags = ["--extra-device-vectorization"],
    problem(m = 24, n = 20, k = 16),
    verify(reference = "reference", launch(grid = m, block = 32)),
    measure(cache = warm),
    budget(evaluations = 5, seconds = 30),
)]
pub fn product(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
"#;

const MAIN: &str = r#"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.new_stream()?;
    for (m, n, k) in [(1u32, 1u32, 1u32), (24, 20, 16), (7, 33, 5)] {
        let numbers = |count: u32| (0..count).map(|i| (i % 7) as f32).collect::<Vec<_>>();
        let (a, b) = (numbers(m * k), numbers(k * n));
        let (on_gpu, by) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
        let mut c = stream.alloc_zeros::<f32>((m * n) as usize)?;
        product(&stream, &mut c, &on_gpu, &by, m, n, k)?;
        let c = stream.clone_dtoh(&c)?;
        for (at, c) in c.iter().enumerate() {
            let (i, j) = (at as u32 / n, at as u32 % n);
            let right: f32 = (0..k).map(|l| a[(i * k + l) as usize] * b[(l * n + j) as usize]).sum();
            assert_eq!(*c, right, "{m} {n} {k}: {at}");
        }
    }
    println!("{}", product_tunable().config_on(&stream, &[24, 20, 16])?);
    println!("launches {}", product_tunable().launch_on(&stream, &[24, 20, 16])?.config);
    for status in product_tunable().status() {
        println!("{status}");
    }
    println!("all right");
    Ok(())
}
"#;

fn package(name: &str) -> Package {
    let package = Package::cuda(name);
    package.file("kernels/product.cu", KERNEL);
    package.file("kernels/call.c", CALL);
    package.file("kernels/call.cpp", CALL);
    package.file("src/main.rs", &format!("{TYPES}{ITEM}{MAIN}"));
    package
}

/// Makes the stand-in in a folder of the test.
fn cublas(package: &Package) -> PathBuf {
    let folder = package.folder().join("libraries");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("cublas.c"), CUBLAS).unwrap();
    let arguments = ["-shared", "-fPIC", "-O2", "cublas.c", "-o", "libcublas.so"];
    let made = Command::new("cc")
        .args(arguments)
        .current_dir(&folder)
        .status();
    assert!(made.unwrap().success());
    folder
}

/// A call that finds the library.
fn with(call: Call, folder: &std::path::Path) -> Call {
    call.env("LIBRARY_PATH", folder).library_path(folder)
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn it_wins_where_it_is_faster_and_others_serve_where_it_is_not() {
    let package = package("cublas");
    let folder = cublas(&package);
    let build = |mode: &str| with(package.cargo(&["build"]).env("BICO", mode), &folder).run();
    build("auto").ok().says_nothing_of("does without");
    let rows = package.trail("product");
    let tried = |variant: &str| {
        let mut rows = rows.iter();
        rows.any(|row| row["values"]["VARIANT"] == variant && row["seconds"].is_number())
    };
    assert!(
        tried("own") && tried("cublas") && tried("in_cpp"),
        "{rows:#?}"
    );
    let winner = package.winner("product");
    assert_eq!(
        (&winner["VARIANT"], &winner["WORSE"]),
        (&"cublas".into(), &1.into())
    );
    let served = with(package.start(), &folder).run().ok();
    served
        .says("n=20, k=16): VARIANT=cublas, WORSE=1 (")
        .says("launches VARIANT=own, BLOCK=")
        .says("all right");
    build("locked").ok();
    with(package.command(&["check"]), &folder).run().ok();
    package.command(&["status"]).run().ok().says("fresh");
    let compiled = with(package.command(&["compile", "--arch", "80"]), &folder);
    compiled.run().ok().says("product (");
    for what in ["show", "space"] {
        let said = with(package.command(&[what]), &folder);
        said.run().ok().says("cublas");
    }
    let exported = package.command(&["export", "--format", "header"]);
    exported.run().ok().says("#define WORSE 1");

    // The same program where the library is not, and where it fails.
    let without = package.start().run().ok();
    without
        .says("n=20, k=16): VARIANT=own, BLOCK=")
        .says("all right");
    let fails = with(package.start(), &folder).env("CUBLAS_STATUS", "13");
    fails.run().ok().says("all right");

    // Built where it is not.
    let lock = package.read("bico.lock");
    let built = package.build("locked").ok();
    built.says(
        "`product` does without its variant `cublas` here: the linker finds no library `cublas`",
    );
    package
        .start()
        .run()
        .ok()
        .says("n=20, k=16): VARIANT=own, BLOCK=")
        .says("all right");
    assert_eq!(package.read("bico.lock"), lock);
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn it_gets_the_stream_and_gives_back_whether_all_went_well() {
    let package = package("cublas-signature");
    let folder = cublas(&package);
    let build = || with(package.cargo(&["build"]).env("BICO", "tune"), &folder).run();
    for file in ["kernels/call.c", "kernels/call.cpp"] {
        package.edit(
            file,
            "int by_cublas(cudaStream_t stream, ",
            "int by_cublas(",
        );
        package.edit(file, "cublasSetStream_v2(handle, stream)", "0");
        let said = build().fails();
        let said =
            said.says("the arguments of the wrapper differ from those of the kernel `by_cublas`");
        let said = said.says(&format!("source = \"{file}\""));
        let said = said.says("the wrapper passes: int by_cublas(CUstream, float *, const float *, const float *, uint32_t");
        said.says("gets the stream first");
        package.file(file, CALL);
    }
    package.edit("kernels/call.c", "int by_cublas", "void by_cublas");
    package.edit("kernels/call.c", "return 1;", "return;");
    package.edit("kernels/call.c", "return status;", "");
    build()
        .fails()
        .says("gives back an `int`, 0 where all went well");
}
