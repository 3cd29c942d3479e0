//! Rust functions that are tuned themselves.

use crate::check;

/// A function with this head between its name and its braces, and these options.
fn item(options: &str, head: &str) -> String {
    format!("#[bico::tunable(problem(n = 8),\n{options}\n)]\n{head} {{ }}\n")
}

const SPACE: &str = "space(TILE in [4, 8])";

#[test]
fn functions_with_a_body() {
    let heads = [
        "pub fn f<T, const TILE: usize>(#[len(n)] y: &mut [f32], n: u32)",
        "pub fn f<'a, const TILE: usize>(#[len(n)] y: &'a mut [f32], n: u32)",
        "pub fn f<const TILE: [u8; 2]>(#[len(n)] y: &mut [f32], n: u32)",
        "pub fn f<const TILE: usize, const WIDE: bool>(#[len(n)] y: &mut [f32], n: u32)",
        "pub fn f<const TILES: usize>(#[len(n)] y: &mut [f32], n: u32)",
        "pub fn f<const TILE: bool>(#[len(n)] y: &mut [f32], n: u32)",
        "pub async fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32)",
        "pub extern \"C\" fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32)",
        "pub fn f<const TILE: usize>(&self, n: u32)",
        "pub fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32) -> u32",
        "pub fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>",
        "pub fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32) where [f32; TILE]: Copy",
        "#[target_feature(enable = \"avx2\")]\npub fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32)",
        "let f = |y: &mut [f32]|",
    ];
    let plain = "pub fn f<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32)";
    let options = [
        "flags = [\"-O3\"], space(TILE in [4, 8])",
        "scratch(S: f32, len = n), args(y, n), space(TILE in [4, 8])",
        "entry = \"g\", include = [\"include\"], link = [\"m\"], space(TILE in [4, 8])",
        "launch(grid = n, block = 1), space(TILE in [4, 8])",
        "space(TILE in [4, 8], DEPTH in [1, 2])",
        "space(TILE in [4, 8], DEPTH in [1, 2]), ship = measured, flags = [\"-Copt-level={OTHER}\"]",
        "space(TILE in [4, 8]), ship = compiled",
        "space(TILE in [0.5, 1.0])",
        "space(TILE in [4, 8]), problem(n = 9, const ACT = 1)",
        "space(TILE in [4, 8]), verify(reference = \"g\", with(TILE = 4))",
        "space(TILE in [4, 8]), verify(reference = \"g\", launch(grid = 1, block = 1))",
    ];
    let letters = "pub fn f<const ORDER: char>(#[len(n)] y: &mut [f32], n: u32)";
    let mut items: Vec<String> = heads.iter().map(|head| item(SPACE, head)).collect();
    items.extend(options.iter().map(|options| item(options, plain)));
    items.push(item("space(ORDER in [\"row\", \"c\"])", letters));
    items.push(item("space(ORDER in [1, 2])", letters));
    items.push(item("source = \"k.c\", space(TILE in [4, 8])", plain));
    check("rust_functions", &items);
}
