//! Every message, as a user sees it: wording, place, help.
//!
//! Each list below gives items with one or more mistakes; what is said about them lies in
//! `tests/messages/*.txt`. A test that fails rewrites its file: review it with `git diff`.

mod common;

use common::read;
use std::fmt::Write;

/// An item for a CPU with these options in addition.
fn cpu(options: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", space(A in [1, 2], S in [\"x\", \"y\"], F in [0.5, 1.0], B in [true, false]), problem(n = 8, x = 0.5, on = true),
{options}
)]
fn f(#[len(n)] c: &mut [f32], n: u32, x: f64, on: bool) -> bico::Result<()>;
"
    )
}

/// An item for a GPU with these options in addition.
fn gpu(options: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.cu\", space(A in [1, 2]), problem(n = 8),
{options}
)]
fn f(s: &Arc<CudaStream>, #[len(n)] c: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;
"
    )
}

/// An item with nothing but these options.
fn bare(options: &str) -> String {
    format!(
        "#[bico::tunable(
{options}
)]
fn f(#[len(n)] c: &mut [f32], n: u32) -> bico::Result<()>;
"
    )
}

/// A CPU item with another space.
fn space(entries: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", problem(n = 8, const ACT = \"silu\"), space(
{entries}
))]
fn f(#[len(n)] c: &mut [f32], n: u32) -> bico::Result<()>;
"
    )
}

/// A CPU item with other problems.
fn problem(problems: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", space(A in [1, 2]),
{problems}
)]
fn f(#[len(n)] c: &mut [f32], m: u8, n: u32, x: f64, by: &str) -> bico::Result<()>;
"
    )
}

/// A CPU or GPU item with another function.
fn function(source: &str, text: &str) -> String {
    format!(
        "#[bico::tunable(source = \"{source}\", space(A in [1, 2]), problem(n = 8){})]
{text}
",
        if source.ends_with("cu") {
            ", launch(grid = n, block = 1)"
        } else {
            ""
        }
    )
}

/// A CPU item with other arguments beside `n`.
fn cpu_argument(text: &str) -> String {
    function(
        "k.c",
        &format!("fn f(\n    {text},\n    n: u32) -> bico::Result<()>;"),
    )
}

/// A GPU item with other arguments beside `n`.
fn gpu_argument(text: &str) -> String {
    function(
        "k.cu",
        &format!("fn f(s: &Arc<CudaStream>,\n    {text},\n    n: u32) -> bico::Result<()>;"),
    )
}

/// Compares what is said about each item with the file `name`.
fn check(name: &str, items: &[String]) {
    let mut found = String::new();
    for item in items {
        let said = match read(item) {
            Ok(_) => panic!("no mistake was found in\n{item}"),
            Err(errors) => errors.render("lib.rs", item),
        };
        let _ = writeln!(found, "{said}");
    }
    let path = format!("{}/tests/messages/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    if found != expected {
        std::fs::write(&path, &found).unwrap();
        panic!("{path} was rewritten: review it with `git diff`");
    }
}

#[test]
fn options() {
    let mut items = vec![
        bare(""),
        bare("space(), problem(n = 8), source = \"k.c\""),
        bare("source = \"k.c\", einsum = 3"),
    ];
    items.extend(
        [
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
            "scratch()",
            "scratch(P: f32)",
            "scratch(P = 3, len = 1)",
            "scratch(P: String, len = 1.5)",
            "scratch(A: f32, len = 1), scratch(fn: f32, len = 1)",
            "scratch(P: u32, len = 1, zero), scratch(Q: u32, zeroed, zeroed, len = 1, len)",
            "scratch(P: u32, len = 1, zeroed = true), scratch(Q: u32, len = 1, zeroed(2), size = 3)",
            "crate = \"x\"",
            "crate = a::<b>",
        ]
        .map(cpu),
    );
    items.extend(
        [
            "require(true)",
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

#[test]
fn expressions() {
    let mut items: Vec<String> = [
        "A & 3 == 0",
        "|x| x",
        "f(A)",
        "min(A, 3) > 1",
        "(f)(A)",
        "vec![1]",
        "A[0]",
        "(A, 3)",
        "&A",
        "*A > 1",
        "A = 1",
        "Foo { a: 1 }",
        "std::f64::MAX > 1.0",
        "self > 1",
        "A.b > 1",
        "A.0 > 1",
        "[0; 3]",
        "if let A = 1 { true } else { false }",
        "unsafe { true }",
        "loop {}",
        "return",
        "A?",
        "'x' == 'y'",
        "if A == 1 { true }",
        "if A { true } else { false }",
        "if A == 1 { true } else { 3 }",
        "match A { 1 => true }",
        "match A { 1 if A == 1 => true, _ => false }",
        "match A { x => true }",
        "match A { 1..3 => true, _ => false }",
        "match A { 4..=1 => true, \"x\" => true, 'c'..='d' => true, _ => false }",
        "match A { 1 => true, _ => 3 }",
        "match [1] { _ => true }",
        "match B { true => A }",
        "{ let x = 1; }",
        "{ A; true }",
        "{ let y = 1; y += 1; y = 2; true }",
        "{ let X = 1; true }",
        "{ let n = 1; true }",
        "{ let mut x: i64; true }",
        "{ let (a, b) = 3; true }",
        "{ fn g() {} true }",
        "A.minn(3) > 1",
        "A.clone() > 1",
        "A.min() > 1",
        "A.abs(1, 2) > 1",
        "A.pow::<u32>(3) > 1",
        "A.pow(-1) > 1",
        "F.div_ceil(2) > 1",
        "S.is_power_of_two()",
        "A as u32 > 1",
        "A as f64 < F",
        "(2 * (A as f64 < F))",
        "A.pow::<3",
        "F.div_ceil(2) == (A as f64).div_ceil(2)",
        "S as i64 > 1",
        "4u32 > 1",
        "0.5f32 > 1.0",
        "9223372036854775808 > 1",
        "1e999 > 1.0",
        "A",
        "S",
        "[true]",
        "A + F > 1.5",
        "A * F > 1.5",
        "1 + F > 1.5",
        "A + B > 1",
        "A == \"x\"",
        "A == [1]",
        "S < \"y\"",
        "!A == 1",
        "-S == 1",
        "A && B",
        "x > 1",
        "c > 1",
        "device > 1",
        "device.l2 > 1",
        "device.warp_size > 1",
        "device.hass(\"avx2\")",
        "device.has(3)",
        "device.has(avx2)",
        "device.has()",
        "nn > 1, nope > 2, A > 3.0",
        "true true",
        "(A > 1",
    ]
    .iter()
    .filter(|text| !text.starts_with("(A > 1") || text.ends_with(')'))
    .map(|text| cpu(&format!("require({text})")))
    .collect();
    items.extend(
        [
            "work(flops = true, bites = 3)",
            "score = \"x\"",
            "entry = A",
            "entry = device.cores",
        ]
        .map(cpu),
    );
    items.extend(
        [
            "work(flops = [1]), score = A.has()",
            "entry = if n > 1 { \"a\" } else { \"b\" }",
        ]
        .map(cpu),
    );
    items.extend(
        ["launch(grid = n, block = 1), require(device.has(\"avx2\"), device.cores > 1, device.warp_sise == 32)"].map(gpu),
    );
    check("expressions", &items);
}

#[test]
fn problems() {
    let rest = "n = 1, x = 0.5";
    let mut items: Vec<String> = [
        "problem()",
        "problem(m, n: 3, x = 0.5, const BY = \"a\")",
        "problem(m = 1, m = 2, n = 1, x = 0.5, const BY = \"a\")",
        "problem(m = 256, n = -1, x = 1, const BY = \"a\")",
        "problem(m = \"a\", n = 0.5, x = true, const BY = \"a\")",
        "problem(m = n, n = m, x = 0.5, const BY = \"a\")",
        "problem(m = A, n = device.cores, x = 0.5, const BY = \"a\")",
        "problem(m = 1, n = BY, x = 0.5, const BY = m)",
        "problem(m = 1, n = 1, x = 0.5, by = \"a\")",
        "problem(m = 1, n = 1, x = 0.5, c = 3, xx = 4, const BY = \"a\")",
        "problem(m = 1, n = 1, x = 0.5, const BY = 3)",
        "problem(m = 1, n = 1, x = 0.5, const BY = [3], const c = 3)",
        "problem(m = 1, n = 1, x = 0.5, const fn = 3, const BY = \"a\")",
    ]
    .map(problem)
    .to_vec();
    for two in [
        format!(
            "problem(m = 1, {rest}, const BY = \"a\"), problem(m = 1, {rest}, const BY = \"a\")"
        ),
        format!("problem(m = 1, {rest}, const BY = \"a\"), problem(m = 2, {rest})"),
        format!(
            "problem(m = 1, {rest}, const BY = \"a\", const K = 1), problem(m = 2, {rest}, const BY = \"a\", const K = 2)"
        ),
        format!(
            "problem(m = 1, {rest}, const BY = \"a\", const K = 1), problem(m = 2, {rest}, const BY = \"a\", const K = \"a\")"
        ),
        format!("problem(m = 1, {rest}, const BY = \"a\"), problem(m = 2, {rest}, const BY = 2)"),
    ] {
        items.push(problem(&two));
    }
    check("problems", &items);
}

#[test]
fn functions() {
    let good = "(#[len(n)] c: &mut [f32], n: u32)";
    let mut items: Vec<String> = [
        format!("fn f{good} -> bico::Result<()> {{ Ok(()) }}"),
        format!("fn f{good} -> bico::Result<()>"),
        format!("fn f{good};"),
        format!("fn f{good} -> Result<u32>;"),
        format!("fn f{good} -> ();"),
        format!("const fn f{good} -> bico::Result<()>;"),
        format!("async fn f{good} -> bico::Result<()>;"),
        format!("extern \"C\" fn f{good} -> bico::Result<()>;"),
        format!("fn f<T>{good} -> bico::Result<()> where T: Copy;"),
        format!("fn f{good} -> bico::Result<()>; fn g();"),
        "struct S;".to_string(),
        "fn f(&self, n: u32) -> bico::Result<()>;".to_string(),
        "fn f(n: u32, n: u32) -> bico::Result<()>;".to_string(),
        String::new(),
    ]
    .iter()
    .map(|text| function("k.c", text))
    .collect();
    items.push(function("k.cu", "fn f(n: u32) -> bico::Result<()>;"));
    items.push(function(
        "k.cu",
        "fn f(s: &Arc<CudaStream>, t: &Arc<CudaStream>, n: u32) -> bico::Result<()>;",
    ));
    items.extend(
        [
            "(a, b): (u32, u32)",
            "mut a: u32",
            "_: u32",
            "c: &[f32]",
            "#[len] c: &[f32]",
            "#[len(n)] #[len(n)] c: &[f32]",
            "#[len(n * 0.5)] c: &[f32]",
            "#[len(device.cores)] c: &[f32]",
            "#[len(c)] c: &[f32]",
            "#[len(n)] #[init(random)] c: &mut [f32]",
            "#[len(n)] #[init(uniform(1, -1))] c: &mut [f32]",
            "#[cfg(unix)] a: u8",
            "#[len(n)] a: f64",
            "c: Vec<f32>",
            "c: &Vec<f32>",
            "a: &u32",
            "a: String",
            "a: u128",
            "a: [f32; 3]",
            "a: impl Copy",
            "a: *const f32",
            "#[len(n)] c: &[String]",
            "#[len(n)] c: &CudaSlice<f32>",
            "s: &Arc<CudaStream>",
            "by: &str",
        ]
        .map(cpu_argument),
    );
    items.extend(
        [
            "#[len(n)] c: &[f32]",
            "#[len(n)] c: &mut [f32]",
            "#[len(n)] c: CudaSlice<f32>",
            "#[len(n)] c: &CudaSlice<String>",
            "#[len(n)] c: &CudaSlice",
            "#[len(n)] c: &mut CudaView<'_, f32>",
            "#[len(n)] c: &CudaViewMut<'_, f32>",
            "t: &CudaStream",
            "t: Arc<CudaStream>",
            "c: CudaView<'_, f32>",
            "c: CudaViewMut<'_, f32>",
            "c: &Option<f32>",
        ]
        .map(gpu_argument),
    );
    check("functions", &items);
}

/// A contraction on a CPU with other options.
fn einsum(einsum: &str, options: &str) -> String {
    let comma = if options.is_empty() { "" } else { ", " };
    format!(
        "#[bico::tunable(problem(m = 8, n = 8, k = 8),
einsum = {einsum}{comma}{options}
)]
fn f(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;
"
    )
}

/// A contraction with other arguments.
fn operands(arguments: &str) -> String {
    format!(
        "#[bico::tunable(problem(m = 8, n = 8, k = 8), einsum = \"mk, kn -> mn\")]
fn f({arguments}) -> bico::Result<()>;
"
    )
}

#[test]
fn einsums() {
    let mut items: Vec<String> = [
        // The text.
        "\"\"",
        "\"mk, kn\"",
        "\"mk -> m\"",
        "\"mk, kn, mn, mn -> mn\"",
        "\"mk, kn, m -> mn\"",
        "\"mk, kn -> mnz\"",
        "\"mkq, kn -> mn\"",
        "\"mmk, kn -> mn\"",
        "\"mk, k1 -> mn\"",
        "\"m..., kn -> mn\"",
        "\"mk, kn => mn\"",
        "\"mk, kn, -> mn\"",
        "r#\"mk, kn -> mz\"#",
        "\"mk, kn \\x2d> mz\"",
        "\"mk, kn -> mnz, qq\"",
        "\"mk, kµ -> mn\"",
        // What a tile lacks.
        "\"mk, k -> m\"",
        "\"mkn, mkn -> m\"",
        // Letters and arguments.
        "\"mk, kj -> mj\"",
        "mk",
    ]
    .iter()
    .map(|text| einsum(text, ""))
    .collect();
    let right = "\"mk, kn -> mn\"";
    items.extend(
        [
            "source = \"k.c\"",
            "entry = \"k\", template = [MR], launch(grid = 1, block = 1), scratch(P: f32, len = m)",
            "space(MPRIM in [64])",
            "space(M_PRIM in [64], M_PRIM in [32])",
            "space(M_PRIM)",
            "space(const M_PRIM = 3)",
            "space(M_PRIM in [m])",
            "require(M_PRIM < q)",
            "verify(reference = \"naive\", rtol = 1e-3)",
            "verify(entry = \"naive\")",
            "problem(m = 8, n = 8)",
            "problem(m = 1, n = 2, k = 3, const ACT = 3)",
            "flags = [\"-DX={Q}\"], flags = []",
            "score = MR +",
            "einsum = \"mk, kn -> mn\"",
        ]
        .map(|options| einsum(right, options)),
    );
    items.extend(
        [
            "c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32",
            "c: &mut [f32], a: &[f32], b: &[f32], m: f32, n: bool, k: &[u32]",
            "c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32, alpha: f32, by: &str",
            "a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], d: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], a: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], a: &[f32], b: &[f32], d: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f64], a: &[f16], b: &[i32], m: u32, n: u32, k: u32",
            "#[init(zeros)] c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], a: &Vec<f32>, b: &[f32], m: u32, n: u32, k: u32",
            "#[len(q)] c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut CudaSlice<f32>, a: &CudaSlice<f32>, b: &CudaSlice<f32>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut CudaSlice<bf16>, a: &CudaSlice<f16>, b: &CudaSlice<f32>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut CudaSlice<f16>, a: &CudaSlice<f32>, b: &CudaSlice<f32>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut CudaSlice<f32>, a: &CudaSlice<f64>, b: &CudaSlice<f64>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
        ]
        .map(operands),
    );
    check("einsums", &items);
}
