//! What wrappers become, as a person reads it: one file per wrapper in `tests/expanded`.
//!
//! A test that fails rewrites its file: review it with `git diff`.

use bico_expand::{Package, expand};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use std::fmt::Write;

/// Compares the expansion of `#[bico::tunable(attribute)] item` with the file `name`.
fn check(name: &str, attribute: TokenStream, item: TokenStream) {
    let wrapper = bico_syntax::parse(attribute, item).unwrap_or_else(|errors| panic!("{errors}"));
    let package = Package {
        name: "my-lib".to_string(),
        version: "0.1.0".to_string(),
        out_dir: "out".into(),
    };
    let tokens = expand(&wrapper, &package).unwrap_or_else(|errors| panic!("{errors}"));
    let (mut found, mut line) = (String::new(), String::new());
    lines(tokens, 0, &mut line, &mut found);
    end(0, &mut line, &mut found);
    let path = format!("{}/tests/expanded/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    if found != expected {
        std::fs::write(&path, &found).unwrap();
        panic!("{path} was rewritten: review it with `git diff`");
    }
}

/// One line per statement, and what stands in braces indented.
fn lines(tokens: TokenStream, depth: usize, line: &mut String, out: &mut String) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Brace => {
                    line.push_str(" {");
                    end(depth, line, out);
                    lines(group.stream(), depth + 1, line, out);
                    end(depth + 1, line, out);
                    line.push('}');
                    if depth == 0 {
                        end(depth, line, out);
                    }
                }
                Delimiter::Parenthesis => {
                    line.push('(');
                    lines(group.stream(), depth, line, out);
                    line.push(')');
                }
                Delimiter::Bracket => {
                    let text = group.stream().to_string();
                    line.push_str(&format!(
                        "[{}]",
                        text.replace(" :: ", "::").replace(" ::<", "::<")
                    ));
                }
                Delimiter::None => lines(group.stream(), depth, line, out),
            },
            TokenTree::Punct(punct) => {
                line.push(punct.as_char());
                if punct.as_char() == ';' {
                    end(depth, line, out);
                }
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let text = tree.to_string();
                if line.ends_with(|c: char| c.is_alphanumeric() || "_\"}".contains(c)) {
                    line.push(' ');
                }
                line.push_str(&text);
            }
        }
    }
}

fn end(depth: usize, line: &mut String, out: &mut String) {
    if !line.trim().is_empty() {
        let _ = writeln!(out, "{}{}", "  ".repeat(depth), line.trim());
    }
    line.clear();
}

#[test]
fn a_plain_wrapper() {
    check(
        "plain",
        quote!(
            source = "dot.c",
            space(LANES in [4, 8]),
            problem(n = 1024)
        ),
        quote!(
            pub fn dot(#[len(n)] c: &mut [f32], #[len(n)] a: &[f32], n: u32) -> bico::Result<()>;
        ),
    );
}

#[test]
fn a_wrapper_with_every_option() {
    check(
        "options",
        quote!(
            source = "kernels/gemm.cpp",
            name = "f32::gemm",
            crate = crate::mine,
            entry = if WIDE { "wide" } else { "narrow" },
            space(TILE in TILES, WIDE in [true, false]),
            require(TILE <= m, device.has("avx2") || !WIDE, {
                let half = TILE / 2;
                match half {
                    1 | 2..=4 => true,
                    _ => half < device.cores,
                }
            }),
            problem(m = 1024, beta = 0.5, const ACT = "silu"),
            problem(m = 1024, beta = 0.5, const ACT = "relu"),
            scratch(PACKED: f16, len = TILE * m),
            scratch(COUNT: u32, len = 1, zeroed),
            score = m as f64 / TILE,
            verify(reference = "naive", atol = 1e-3, live = true),
        ),
        quote! {
            /// Docs.
            #[cfg(unix)]
            pub(crate) unsafe fn gemm(
                #[len(m)] c: &mut [f64],
                #[len(m * TILE)] a: &[u8],
                act: &str,
                m: usize,
                beta: f32,
            ) -> Result<(), bico::Error>;
        },
    );
}

#[test]
fn a_wrapper_on_a_gpu() {
    check(
        "gpu",
        quote!(
            source = "gemm.cu",
            template = [TILE],
            space(TILE in [16, 32]),
            launch(grid = (n.div_ceil(TILE), m), block = TILE, shared = 4 * TILE),
            problem(m = 1024, n = 512),
            work(flops = 2 * m * n),
            scratch(PART: f32, len = m * TILE),
        ),
        quote! {
            pub fn gemm(
                #[len(m * n)] c: &mut CudaSlice<f32>,
                stream: &Arc<CudaStream>,
                #[len(m.max(TILE))] a: &CudaView<'_, f32>,
                m: u32,
                n: i64,
            ) -> bico::Result<()>;
        },
    );
}
