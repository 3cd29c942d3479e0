//! What buffers are filled with.

use crate::check;

/// An item with these options and this argument before `n`.
fn item(options: &str, argument: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", space(A in [1, 2]), problem(n = 8, seed = 1),
{options}
)]
fn f(#[len(n)] y: &mut [f32],
    {argument},
    n: u32, #[value] seed: u32) -> bico::Result<()>;
"
    )
}

#[test]
fn fillings() {
    let items = [
        "#[init(uniform(0, A))] x: &[u32]",
        "#[init(uniform(0, seed))] x: &[u32]",
        "#[init(uniform(0, m))] x: &[u32]",
        "#[init(uniform(0, device.cores))] x: &[u32]",
        "#[init(uniform(0, 0.5 * n))] x: &[u32]",
        "#[init(uniform(0, n > 3))] x: &[f32]",
        "#[init(uniform(n))] x: &[f32]",
        "#[init(uniform)] x: &[f32]",
        "#[init(uniform(2, 1 + ))] x: &[f32]",
        "#[init(normal)] x: &[u32]",
        "#[init(normal(0, 0))] x: &[f32]",
        "#[init(normal(0, A))] x: &[f64]",
        "#[init(normal(1))] x: &[f32]",
        "#[init(zeros, ones)] x: &[f32]",
        "#[init(iota(3))] x: &[f32]",
        "#[init(file = \"x.npz\")] x: &[f32]",
        "#[init(file = \"/data/x.npy\")] x: &[f32]",
        "#[init(file = x)] x: &[f32]",
        "#[init(file = \"x.npy\", file = \"y.npy\")] x: &[f32]",
        "#[init(file(\"x.npy\"))] x: &[f32]",
        "#[init(zeros)] #[init(ones)] x: &[f32]",
    ];
    let items = items.map(|argument| item("", &format!("#[len(n)] {argument}")));
    check("fillings", &items);
}

#[test]
fn functions() {
    let argument = "#[len(n)] x: &[f32]";
    let mut items: Vec<String> = [
        "inputs()",
        "inputs = \"fill.c\"",
        "inputs(entry = \"fill\")",
        "inputs(file = \"fill.cpp\")",
        "inputs(file = \"/fill.c\", entry = \"a b\")",
        "inputs(file = fill)",
        "inputs(file = \"a.c\"), inputs(file = \"b.c\")",
        "inputs(file = \"a.c\", sed = 3)",
        "verify(judge = \"judge.c\", entry = \"right\")",
        "verify(judge(\"judge.c\"))",
        "verify(judge(file = \"judge.rs\", entry = \"\"))",
        "verify(judge(file = \"judge.c\"), rtol = 1e-3, atol(y = 1), live = true)",
    ]
    .map(|options| item(options, argument))
    .into();
    let einsum = "einsum = \"mk, kn -> mn\", problem(m = 8, n = 8, k = 8)";
    for option in ["inputs(file = \"a.c\")", "verify(judge(file = \"a.c\"))"] {
        items.push(format!(
            "#[bico::tunable({einsum},\n{option}\n)]\nfn f(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;\n"
        ));
    }
    check("c_functions", &items);
}
