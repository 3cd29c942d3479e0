//! What is printed parses, whatever is read.

use super::{faults, language, rules, wrapper};
use proptest::prelude::*;
use std::path::PathBuf;
use tempfile::TempDir;

/// A file of this name, in a folder that is a package's.
fn file(name: &str, text: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn new(name: &str, text: &str, entry: Option<&str>) -> Result<String, String> {
    let (_folder, path) = file(name, text);
    let made = wrapper(&path, entry, None).map_err(|error| error.to_string())?;
    assert_eq!(faults(&made), None, "{made}");
    Ok(made)
}

const ROWS: &str = r#"
#ifndef BLOCK
#define BLOCK 64
#endif
#define SCALE 2
/* y[r] = sum of x[r][c] */
template <int ITEMS, typename T>
__global__ void rowSums(T *__restrict__ Y, const T *X, int rows, int cols, float alpha)
{
    int r = blockIdx.x * BLOCK + threadIdx.x;
    if (r >= rows)
        return;
    T sum = 0;
#pragma unroll 4
    for (int c = 0; c < cols; ++c)
        sum += X[r * cols + c] * SCALE;
    Y[r] = alpha * sum;
}
"#;

const ROWS_NEW: &str = r#"// A guess that `cargo bico new` made of rows.cu: read it before you tune.
// - `SCALE` cannot vary as it stands: an `#ifndef` around its `#define` would make it a parameter
// - `#pragma unroll 4`: a name in place of the number would make it a parameter
use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

#[bico::tunable(
    source = "rows.cu",
    entry = "rowSums",
    template = [ITEMS, T],
    space(
        ITEMS in [1, 2, 4, 8], // of the template
        T in ["float"], // of the template
        BLOCK in powers_of_two(16..=256), // #ifndef, there 64
    ),
    launch(grid = rows.div_ceil(BLOCK), block = BLOCK),
    problem(rows = 1024, cols = 1024, alpha = 1.0),
    // verify(reference = ".."): without one, configs are compared with each other.
)]
pub fn row_sums(
    stream: &Arc<CudaStream>,
    #[len(rows)] y: &mut CudaSlice<f32>,
    #[len(cols * rows)] x: &CudaSlice<f32>,
    rows: i32,
    cols: i32,
    alpha: f32,
) -> bico::Result<()>;
"#;

#[test]
fn a_tensor_map_is_that_of_a_buffer() {
    let text = "__global__ void work(const __grid_constant__ CUtensorMap x, float *y, unsigned n) {\n    \
        unsigned i = blockIdx.x * 128 + threadIdx.x;\n    if (i < n)\n        y[i] = 1;\n}\n";
    let made = new("work.cu", text, None).unwrap();
    let note = "`x` is a tensor map: take its buffer in its place, and say so by `args(tensor_map(x, dims = (..), box = (..)), ..)`";
    assert!(made.contains(note), "{made}");
}

#[test]
fn a_kernel_of_cuda() {
    assert_eq!(new("rows.cu", ROWS, None).unwrap(), ROWS_NEW);
}

const AXPY: &str = r#"
void axpy_ref(float *y, const float *x, float a, unsigned n) { for (unsigned i = 0; i < n; i++) y[i] += a * x[i]; }
static void axpy(float *y, const float *x, float a, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        y[i] += a * x[i];
}
int main(void) { return 0; }
"#;

#[test]
fn a_kernel_for_one_kind_of_gpu() {
    let text = "__device__ void fence() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n\
        __global__ void k(float *y, int n)\n{\n    int i = blockIdx.x * BLOCK + threadIdx.x;\n    fence();\n    if (i < n)\n        y[i] = 1;\n}\n";
    let said = new("k.cu", text, None).unwrap();
    assert!(said.contains("\n    arch = \"exact\",\n"), "{said}");
    let said = new("k.cu", &text.replace("wgmma", "mma"), None).unwrap();
    assert!(!said.contains("arch"), "{said}");
}

#[test]
fn a_kernel_of_c() {
    let error = new("axpy.c", AXPY, None).unwrap_err();
    assert!(
        error.contains("axpy.c has 2 kernels\n  = help: choose by `--entry`: axpy_ref, axpy"),
        "{error}"
    );
    let error = new("axpy.c", AXPY, Some("nope")).unwrap_err();
    assert!(
        error.contains("has no function `nope`\n  = note: it has: axpy_ref, axpy, main"),
        "{error}"
    );
    let made = new("axpy.c", AXPY, Some("axpy")).unwrap();
    for line in [
        "#[len(n)] #[init(uniform(-1, 1))] y: &mut [f32],",
        "#[len(n)] x: &[f32],",
        "problem(a = 1.0, n = 1_048_576),",
        "verify(reference = \"axpy_ref\"),",
        "OPTIMIZE in [\"-O2\", \"-O3\"]",
        "`flags = [\"-Dstatic=\"]` makes it visible",
    ] {
        assert!(made.contains(line), "{line}\n{made}");
    }
}

#[test]
fn files_without_a_kernel() {
    let error = new(
        "a.cu",
        "__device__ float f(float *x) { return *x; } void host() {}",
        None,
    )
    .unwrap_err();
    assert!(
        error.contains("no function with a body is `__global__`"),
        "{error}"
    );
    assert!(
        error.contains("the functions that were found: f, host; choose by `--entry`"),
        "{error}"
    );
    let error = new("a.c", "int x;", None).unwrap_err();
    assert!(error.contains("no function was found at all"), "{error}");
    let error = language("a.f90".as_ref()).unwrap_err().to_string();
    assert!(
        error.contains("ends in .c, .cpp, .cc, .cu or .cuh"),
        "{error}"
    );
    let error = wrapper("nowhere/a.c".as_ref(), None, None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("cannot read nowhere/a.c"), "{error}");
    let (_folder, script) = file("t.py", "x = 1\n");
    let error = rules(&script).unwrap_err().to_string();
    assert!(
        error.contains("has no `tune_params` whose values are literals"),
        "{error}"
    );
}

const SCRIPT: &str = r#"
tune_params = {"block_size_x": [32, 64, 128], "ITEMS": [1, 2]}
kernel_tuner.tune_kernel("k", "k.cu", 1000, [n], tune_params, restrictions=["block_size_x * ITEMS <= 128"])
"#;

#[test]
fn a_script_for_kernel_tuner() {
    let (folder, script) = file("t.py", SCRIPT);
    let said = rules(&script).unwrap();
    assert!(said.contains("block_size_x in [32, 64, 128],"), "{said}");
    bico_search::space::spec(&said).unwrap();
    let kernel = folder.path().join("k.cu");
    let text = "__global__ void other(int *x) {}\n__global__ void k(float *y, int n) { int i = blockIdx.x * block_size_x + threadIdx.x; if (i * ITEMS < n) y[i * ITEMS] = 1; }";
    std::fs::write(&kernel, text).unwrap();
    let made = wrapper(&kernel, None, Some(&script)).unwrap();
    assert_eq!(faults(&made), None, "{made}");
    assert!(
        made.contains(
            "ITEMS in [1, 2],\n    ),\n    require(\n        block_size_x * ITEMS <= 128,"
        ),
        "{made}"
    );
    assert!(made.contains("block = block_size_x"), "{made}");
}

/// Pieces of sources, sensible or not.
const PIECES: [&str; 44] = [
    "template <int TILE, typename T>",
    "template <bool B = true>",
    "__global__ void",
    "static void",
    "float g(",
    "k(",
    "extern \"C\" {",
    "const float *x",
    "float *y",
    "int n",
    "T *t",
    "struct s q",
    "float a[n][m]",
    "int *restrict in",
    "unsigned type",
    "float4 *v",
    "void (*f)(int)",
    "half h",
    "double **p",
    ",",
    ")",
    "{",
    "}",
    ";",
    "int i = blockIdx.x * TILE + threadIdx.x;",
    "for (int j = 0; j < n; j++)",
    "if (i >= n) return;",
    "y[i * n + j] += x[j];",
    "y[-1] = 0;",
    "y[i - 3 * n] = 1;",
    "*y = BLOCK;",
    "q.z = 1;",
    "#define N 8\n",
    "#ifndef A\n#define A 4\n#endif\n",
    "#if device == 1\n#endif\n",
    "extern __shared__ float s[];",
    "__launch_bounds__(256)",
    "\"",
    "'",
    "/*",
    "const int w = w + 1;",
    "float *row = y + i * n; row[n * m] = 2;",
    "namespace a {",
    "$ä\u{7}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_read_what_is_printed_parses(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..40),
        cuda in any::<bool>(),
    ) {
        let name = if cuda { "k.cu" } else { "k.c" };
        let frame = match cuda {
            true => "__global__ void k(float *y, const T *t, int n, int m) {",
            false => "void k(float *y, const double *x, int n, long m) {",
        };
        for text in [pieces.join(" "), format!("{frame} {} }}", pieces.join(" ")), format!("{} {frame} y[n] = 1; }}", pieces.join("\n"))] {
            // An error for people is an answer, too; one of the grammar is ours.
            if let Err(error) = new(name, &text, Some("k")) {
                prop_assert!(!error.contains("no attribute can be made"), "{error}\n{text}");
            }
        }
    }
}

/// What a block of the tutorial's text is copied to, a guess reads right but for the domains.
#[test]
fn the_tutorials_kernel() {
    let page = include_str!("../../../docs/tutorial.md");
    let (_, text) = page.split_once("/* kernels/matmul.c */").unwrap();
    let text = text.split("```").next().unwrap();
    let made = new("matmul.c", text, Some("matmul")).unwrap();
    for line in [
        "ROWS in ",
        "INNER in ",
        "UNROLL in ",
        "problem(n = 1024),",
        "verify(reference = \"matmul_plain\"),",
        "#[len(n * n)] #[init(uniform(-1, 1))] c: &mut [f32],",
        "#[len(n * n)] a: &[f32],",
        "#[len(n * n)] b: &[f32],",
    ] {
        assert!(made.contains(line), "{line}\n{made}");
    }
}

/// A block's extent that only the kernel knows is none of the attribute's names.
#[test]
fn shared_memory_follows_the_blocks_extents() {
    let text = "extern \"C\" __global__ void sums(float *y, const float *x, int n, int size)\n{\n\
        extern __shared__ float shared[];\n    const int rows = size / 32;\n\
        int i = blockIdx.x * rows + threadIdx.x;\n    shared[threadIdx.x] = x[i];\n    if (i < n)\n        y[i] = shared[threadIdx.x];\n}\n";
    let made = new("sums.cu", text, None).unwrap();
    assert!(made.contains("block = 256, shared = 4 * 256),"), "{made}");
}
