//! Options, and what stands in `space(..)`.

use crate::{bare, check, cpu, gpu, space};

/// More options of a CPU item.
const MORE: &[&str] = &[
    "sorce = \"k.c\"",
    "name = \"a\", name = \"b\"",
    "require = 3",
    "score(3)",
    "name",
    "name = ",
    ", name = \"a\",",
    "3",
    "name: \"a\"",
    "name == \"a\"",
    "require(true) measure(cache = warm)",
    "name = \"a\" score = 3",
    "score = A +",
    "#[cfg(unix)] name = \"a\"",
    "name = 3",
    "name = \"a/b\"",
    "name = \"\"",
    "entry = \"two words\"",
    "entry = \"\"",
    "launch(grid = 1, block = 1)",
    "template = [A]",
    "template = A",
    "measure(cache = hot)",
    "measure(clock = steady)",
    "budget_scale = 4 * 1024",
    "budget_scale = true",
    "budget_scale = { let b = n; b * LIMIT }",
    "budget_scale(A)",
    "budget(evaluations = 0, seconds = 0, seed = -1, strategy = \"gided\")",
    "budget(evaluations = 1.5, evals = 3)",
    "verify(reference = \"a.cpp\", rtol = -1, atol = \"x\")",
    "verify(reference = \"f\", entry = \"g\", launch(grid = 1, block = 1))",
    "verify(reference = \"ref/f.c\", launch(grid = 1, block = 1))",
    "verify(entry = \"g\")",
    "verify(reference = \"r.c\", entry = \"g h\")",
    "verify(reference = A)",
    "flags = [\"-O3\", 3, \"\", \"{\", \"{a b}\", \"-D{n}\", \"{aa}\", \"}\"]",
    "flags = \"-O3\"",
    "include = [\"\", \"/usr/include\", 3, \"a:b\"]",
    "include = \"include\"",
    "include = []",
    "link = [\"\", \"-lgomp\", 3, \"a b\"]",
    "link = \"gomp\"",
    "threads = A, link = [\"gomp\"]",
    "threads = n + 1.5",
    "compiler = \"nvcc\"",
    "arch = \"exact\"",
    "ship = measured",
    "like = f",
    "like = 3",
    "scratch()",
    "scratch(P: f32)",
    "scratch(P = 3, len = 1)",
    "scratch(P: String, len = 1.5)",
    "scratch(A: f32, len = 1), scratch(fn: f32, len = 1)",
    "scratch(P: u32, len = 1, zero), scratch(Q: u32, zeroed, zeroed, len = 1, len)",
    "scratch(P: u32, len = 1, zeroed = true), scratch(Q: u32, len = 1, zeroed(2), size = 3)",
    "crate = \"x\"",
    "crate = a::<b>",
];

#[test]
fn options() {
    let mut items = vec![
        bare(""),
        bare("space(), problem(n = 8), source = \"k.c\""),
        bare("source = \"k.c\", einsum = 3"),
    ];
    items.extend(MORE.iter().map(|text| cpu(text)));
    items.extend(
        [
            "require(true)",
            "launch(grid = 1, block = 1), compiler = \"clang\"",
            "launch(grid = 1, block = 1), arch = \"sm_90a\"",
            "launch(grid = 1, block = 1), link = [\"gomp\"], threads = device.warp_size",
            "launch()",
            "launch(grid = (), block = (1, 2, 3, 4))",
            "launch(grid = 0.5, block = (1, \"x\"), shared = [1])",
            "launch(grid = 1, block = 1, sharde = 1)",
            "launch(grid = 1, block = 1), template = [A, A, B, a, 3]",
        ]
        .map(gpu),
    );
    let end = "space(A in [1]), problem(n = 8)";
    for source in [
        "\"k.rs\"",
        "\"k\"",
        "\"/k.c\"",
        "\"a\\\\k.c\"",
        "[\"k.c\", \"k.h\", \"l.cpp\"]",
        "[\"k.h\", \"k.inl\"]",
        "[\"/k.c\", 3, \"\"]",
        "[]",
        "3",
        "concat!(\"k\", \".c\")",
        "\"k\\n.c\"",
    ] {
        items.push(bare(&format!("source = {source}, {end}")));
    }
    check("options", &items);
}

#[test]
fn spaces() {
    let items = [
        "",
        "A",
        "A in",
        "A: 3",
        "A(3)",
        "A == 3",
        "const A = 3",
        "fn in [1]",
        "device in [1]",
        "A in [1], A in [2]",
        "n in [1], c in [2], ACT in [3]",
        "A in 3",
        "A in []",
        "A in [1, 2, 1]",
        "A in [1, 0.5, true, B], B in [1]",
        "A in [[1], [2]]",
        "A = [1, 2]",
        "A = B, B in [1]",
        "A in [n, ACT]",
        "A in [nn]",
        "TILE in [1], A = tile",
        "A in 1..",
        "A in 4..=1, B in 4..4",
        "A in 1..=0.5",
        "A in 1..=32.step_by(8)",
        "A in (1..=32).step_by(0)",
        "A in (1..=32).step_by(0.5)",
        "A in (1..=32).step_by()",
        "A in [1, 2].step_by(2)",
        "A in powers_of_two(4)",
        "A in powers_of_two(4, 8)",
        "A in power_of_two(4..=8)",
        "A in if true { [1] } else { [0.5] }",
        "A in if true { 0..2 } else { 3 }",
    ];
    check("spaces", &items.map(space));
}
