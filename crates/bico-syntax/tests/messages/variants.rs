//! `variant(..)`: several kernels of one tunable.

use crate::{bare, check};

/// A buffer and a number, for a CPU.
fn cpu(options: &str) -> String {
    bare(&format!("problem(n = 8),\n{options}"))
}

/// The same for a GPU.
fn gpu(options: &str) -> String {
    let item = cpu(options).replace("[f32]", "CudaSlice<f32>");
    item.replace("fn f(", "fn f(s: &Arc<CudaStream>, ")
}

#[test]
fn variants() {
    let a = "variant(a, source = \"a.c\", space(TILE in [1, 2]))";
    let mut items = [
        "variant()",
        "variant(source = \"a.c\")",
        "variant = \"a\"",
        "variant(\"a\", source = \"a.c\")",
        "variant(fn, source = \"a.c\")",
        "variant(a)",
        "variant(a, source = \"a.c\"), variant(a, source = \"b.c\")",
        "variant(a, source = \"a.c\", budget(evaluations = 3), spaces(A in [1]))",
        "source = \"k.c\", variant(a, source = \"a.c\")",
        "einsum = \"mk, kn -> mn\", variant(a, source = \"a.c\")",
        "variant(a, source = \"a.c\"), variant(b, source = \"b.cu\")",
        "space(TILE in [3]), variant(a, source = \"a.c\", space(TILE in [1, 2]))",
        "variant(a, source = \"a.c\", space(VARIANT in [1, 2], n in [3]))",
        "variant(a, source = \"a.c\", space(TILE in [1, \"x\"]), require(TILE), flags = [\"{OTHER\"])",
        "variant(a, source = \"a.c\", link = [\"-x\"], launch(grid = 1, block = 1), template = [A])",
    ]
    .map(cpu)
    .to_vec();
    // What only one of them has.
    for other in [
        "require(TILE < n)",
        "score = TILE",
        "flags = [\"-DX={TILE}\"]",
        "scratch(P: f32, len = TILE)",
        "variant(b, source = \"b.c\", entry = if TILE == 1 { \"b\" } else { \"c\" })",
        "default = { TILE: 1 }",
        "default = { VARIANT: \"b\", TILE: 1 }",
        "default = { VARIANT: \"a\" }",
        "default = { VARIANT: \"a\", TILE: 3 }",
        "default = { VARIANT: a, TILE: 1 }",
        "variant(b, source = \"b.c\", scratch(P: f32, len = n)), variant(c, source = \"c.c\", args(c, P, n))",
        "scratch(P: f32, len = n), variant(b, source = \"b.c\", scratch(P: f32, len = n))",
        "launch(grid = TILE, block = 1)",
        "variant(b, source = \"b.c\", score = TILE)",
    ] {
        items.push(cpu(&format!("{a}, {other}")));
    }
    items.push(cpu("variant(a, source = \"a.c\", score = n), variant(b, source = \"b.c\"), variant(c, source = \"c.c\")"));
    items.push(gpu("variant(a, source = \"a.cu\"), variant(b, source = \"b.cu\", link = [\"m\"], pass(entry = \"b\"))"));
    // Said once.
    items.push(gpu(
        "variant(a, source = \"a.cu\"), variant(b, source = \"b.cu\"), launch(grid = m, block = 1)",
    ));
    // Of a function of the host.
    items.push(gpu(
        "variant(a, source = \"a.cu\", launch(grid = 1, block = 1)), variant(b, source = \"b.c\", launch(grid = 1, block = 1), template = [A], link = [\".\", \"-x\"])",
    ));
    items.push(gpu(
        "variant(a, source = \"a.cu\", launch(grid = 1, block = 1)), variant(b, source = \"b.c\", pass(entry = \"b\"), pass(entry = \"c\"))",
    ));
    check("variants", &items);
}
