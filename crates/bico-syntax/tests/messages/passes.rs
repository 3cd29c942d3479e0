//! `pass(..)`: kernels that a call runs one after the other.

use crate::{bare, check};

/// Two buffers and a number, for a CPU.
fn cpu(options: &str) -> String {
    let options = format!(
        "source = \"k.c\", space(A in [1, 2]), problem(n = 8), scratch(P: f32, len = n / A),
{options}"
    );
    bare(&options).replace("n: u32", "#[len(n * A)] x: &[f32], n: u32")
}

/// The same for a GPU.
fn gpu(options: &str) -> String {
    let item = cpu(options).replace("k.c", "k.cu");
    let item = item.replace("[f32]", "CudaSlice<f32>");
    item.replace("fn f(", "fn f(s: &Arc<CudaStream>, ")
}

#[test]
fn drives() {
    let drive = "drive(file = \"d.c\", entry = \"d\")";
    let passes = "pass(entry = \"a\"), pass(entry = \"b\")";
    let mut items = [
        format!("{passes}, drive = \"d\""),
        format!("{passes}, drive()"),
        format!("{passes}, drive(file = \"d.cu\", entry = \"not a name\")"),
        format!("{passes}, {drive}, {drive}"),
        format!("{passes}, {passes}, {drive}"),
        format!("entry = if A == 1 {{ \"a\" }} else {{ \"b\" }}, {drive}"),
        format!("entry = \"a::b\", {drive}"),
    ]
    .map(|options| cpu(&options))
    .to_vec();
    items.push(bare(&format!(
        "variant(a, source = \"k.c\", space(A in [1, 2])), problem(n = 8), {drive}"
    )));
    items.push(format!(
        "#[bico::tunable(einsum = \"mk, kn -> mn\", problem(m = 8, n = 8, k = 8),\n{drive})]\nfn f(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;\n"
    ));
    let launched = format!("launch(grid = 1, block = 1), {drive}");
    let item = gpu(&launched);
    let item_of_host = item.replace("x: &CudaSlice<f32>", "x: &[f32]");
    items.push(item_of_host.replace("#[len(n * A)] x", "#[constant(W)] #[len(n)] x"));
    items.push(item.replace("n: u32", "plan: Plan, n: u32"));
    check("drives", &items);
}

#[test]
fn passes() {
    let mut items = [
        "pass()",
        "pass = \"a\"",
        "pass(\"a\", \"b\")",
        "pass(entry = \"a\", entries = 3), pass(entry = \"not a name\", entry = \"b\")",
        "entry = \"a\", args(x, c, P), pass(args(x, P, n)), pass(entry = \"b\", args(P, P))",
        "pass(entry = \"a\", args(x, n)), pass(entry = \"b\", args(x, y))",
        "pass(entry = \"a\", launch(grid = 1, block = 1), template = [A]), pass(entry = 3)",
        "pass(entry = \"a\"), pass(entry = \"b\"), verify(reference = \"r\", launch(grid = 1, block = 1))",
    ]
    .map(cpu)
    .to_vec();
    items.push(cpu("").replace(
        "len(n)] c",
        "len(n + if A == 1 { A } else { 2 })] #[init(ones)] c",
    ));
    let launch = "launch(grid = n, block = A)";
    let pass = format!("pass(entry = \"a\", {launch})");
    items.extend([
        gpu(&format!("{pass}, pass(entry = \"b\")")),
        gpu(&format!("{pass}, {launch}, template = [A]")),
        gpu(&format!(
            "{pass}, pass(entry = \"b\", template = [B], launch(grid = n))"
        )),
        gpu(&format!("{pass}, {pass}, verify(reference = \"r\")")),
        gpu(&format!("{pass}, einsum = \"mk, kn -> mn\"")),
    ]);
    check("passes", &items);
}

#[test]
fn tensors() {
    let args = |args: &str| {
        gpu(&format!(
            "launch(grid = n, block = A), args(c, P, x, {args})"
        ))
    };
    let mut items = [
        "tensor_map()",
        "tensor_map(n, dims = n, box = A)",
        "tensor_map(none, dims = n, box = A)",
        "tensor_map(x, dims = (), box = ())",
        "tensor_map(x, dims = (1, 2, 3, 4, 5, 6), box = 1)",
        "tensor_map(x, dims = (n, n), box = A, strides = (n, n))",
        "tensor_map(x, dims = (n, n), box = (A, 8), strides = (n, n))",
        "tensor_map(x, dims = n, box = 512, swizzle = 16, l2_promotion = 32, fill = one)",
        "tensor_map(x, dims = n, box = 0, fill = 0.0)",
        "tensor_map(x, dims = n), tensor_map(P, box = A, size = 3)",
        "tensor_map(x, dims = 2.0 * n, box = \"A\", swizzle = unknown)",
        "tensor_map",
    ]
    .map(args)
    .to_vec();
    items.push(
        args("tensor_map(x, dims = n, box = A, fill = nan)")
            .replace("x: &CudaSlice<f32>", "x: &CudaSlice<u8>"),
    );
    items.push(cpu("args(c, P, x, tensor_map(x, dims = n, box = A))"));
    check("tensors", &items);
}
