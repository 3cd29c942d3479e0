//! Items as a user writes them, cut into what the macro receives.
#![allow(dead_code)] // each test file uses its part

use bico_syntax::{Errors, Wrapper, parse};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The example of the design.
pub(crate) const GEMM: &str = r#"
/// C = A * B, row-major, FP32.
#[bico::tunable(
    source = "kernels/gemm.cu",
    entry = "matrix_multiply_kernel",
    template = [TILE_M, TILE_N, TILE_K, BLOCK_X, BLOCK_Y],
    space(
        TILE_M in [4, 8, 16, 32, 64, 128],
        TILE_N in [4, 8, 16, 32, 64, 128, 256],
        TILE_K in [4, 8, 16, 32, 64],
        BLOCK_X = TILE_N,
        BLOCK_Y = TILE_M,
    ),
    require(
        BLOCK_X * BLOCK_Y <= device.max_threads_per_block,
        4 * TILE_K * (TILE_M + TILE_N) <= device.shared_memory_per_block,
    ),
    launch(
        grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)),
        block = (BLOCK_X, BLOCK_Y),
        shared = 4 * TILE_K * (TILE_M + TILE_N),
    ),
    problem(m = 1024, n = 12288, k = 4096),
    work(flops = 2 * m * n * k, bytes = 4 * m * n * k / TILE_M + 4 * m * n * k / TILE_N),
    verify(reference = "gemm_naive", rtol = 1e-3),
    budget(evaluations = 20, seconds = 60),
)]
pub fn gemm(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32, n: u32, k: u32,
) -> bico::Result<()>;
"#;

/// Every option that the example lacks.
pub(crate) const ALL: &str = r#"
#[cfg(unix)]
#[bico::tunable(
    name = "f32-gemm.v2",
    crate = ::my :: bico,
    source = "k.cu",
    space(T in TILES, U in [1, 2]),
    problem(n = 8, const K = 3),
    problem(n = 8, const K = 4),
    launch(grid = n / T, block = (T, 1, 1)),
    scratch(PARTIAL: f64, len = n * device.multiprocessors),
    scratch(COUNT: u32, len = 1, zeroed),
    flags = ["-O3", "-DX={T}", "{{}}{ISA}", "-DK={K}"],
    score = -(n as f64) / T + 0.5,
    work(bytes = n.div_ceil(T) * 1.5),
    verify(reference = "ref/gemm.c", entry = "gemm_ref", atol = 1),
    budget(strategy = "guided", seed = 0xff, seconds = 0.5),
    budget_scale = 4 * T / LANES,
    measure(cache = warm),
)]
pub(crate) unsafe fn gemm(
    stream: &Arc<CudaStream>,
    #[len(n)] c: &mut CudaViewMut<'_, f64>,
    #[len(n)] a: &CudaView<'_, f16>,
    n: i32,
    k: u8,
) -> Result<(), bico::Error>;
"#;

/// A contraction without a kernel source.
pub(crate) const EINSUM: &str = r#"
#[bico::tunable(
    einsum = "cmk, ckn, cmn -> cmn",
    space(M_PRIM in [24, 48], K_PRIM = 128),
    require(M_PRIM <= m),
    problem(c = 4, m = 512, n = 512, k = 512),
    verify(rtol = 1e-3),
)]
pub fn contract(o: &mut [f32], a: &[f32], b: &[f32], d: &[f32], c: u32, m: u32, n: u32, k: u32) -> bico::Result<()>;
"#;

/// The attribute's tokens and all others of an item marked `#[bico::tunable(..)]`.
pub(crate) fn cut(source: &str) -> (TokenStream, TokenStream) {
    let tokens: TokenStream = source.parse().expect("the example has balanced brackets");
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut attribute = TokenStream::new();
    let mut item = Vec::new();
    for tree in trees {
        if let TokenTree::Group(group) = &tree
            && group.delimiter() == Delimiter::Bracket
            && group
                .stream()
                .to_string()
                .replace(' ', "")
                .starts_with("bico::tunable(")
        {
            let Some(TokenTree::Group(inner)) = group.stream().into_iter().last() else {
                unreachable!()
            };
            attribute = inner.stream();
            item.pop();
            continue;
        }
        item.push(tree);
    }
    (attribute, item.into_iter().collect())
}

/// Parses an item written as a user does.
pub(crate) fn read(source: &str) -> Result<Wrapper, Errors> {
    let (attribute, item) = cut(source);
    parse(attribute, item)
}

/// Parses an item that is right.
pub(crate) fn right(source: &str) -> Wrapper {
    match read(source) {
        Ok(wrapper) => wrapper,
        Err(errors) => panic!("{}", errors.render("src/lib.rs", source)),
    }
}
