//! `#[value]`: arguments that are no sizes.

use crate::check;

/// An item with these options and these arguments before `n`.
fn item(options: &str, arguments: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.cu\", space(A in [1, 2]),
{options}
)]
fn f(s: &Arc<CudaStream>, #[len(n)] c: &mut CudaSlice<f32>,
    {arguments},
    n: u32) -> bico::Result<()>;
"
    )
}

#[test]
fn values() {
    let launch = "launch(grid = n, block = A)";
    let mut items: Vec<String> = [
        "require(seed < 3)",
        "require(A * n > seed as i64 && A > 0)",
        "work(flops = 2 * seed, bytes = n)",
        "score = seed",
        "budget_scale = A * seed",
        "scratch(P: f32, len = seed)",
        "entry = if seed == 1 { \"a\" } else { \"b\" }",
        "flags = [\"-DS={seed}\"]",
    ]
    .map(|option| {
        item(
            &format!("{launch}, problem(n = 8, seed = 1), {option}"),
            "#[value] seed: u32",
        )
    })
    .to_vec();
    items.push(
        item(
            &format!("{launch}, problem(n = 8, seed = 1)"),
            "#[value] seed: u32",
        )
        .replace("in [1, 2]", "in [1, seed]"),
    );
    for (problems, argument) in [
        ("problem(n = 8)", "#[value] seed: u32"),
        ("problem(n = seed, seed = 8)", "#[value] seed: u32"),
        ("problem(n = 8, seed = -1)", "#[value] seed: u32"),
        (
            "problem(n = 8, seed = 1), problem(n = 8, seed = 2)",
            "#[value] seed: u32",
        ),
        ("problem(n = 8)", "#[value] b: &CudaSlice<f32>"),
        ("problem(n = 8)", "#[len(n)] #[value] b: &CudaSlice<f32>"),
        ("problem(n = 8, x = 1)", "#[value] #[value] x: u32"),
        ("problem(n = 8)", "#[value(3)] x: u32"),
        ("problem(n = 8)", "#[value([1, 2])] x: u32"),
        ("problem(n = 8)", "#[value(powers_of_two(1..=8))] x: u32"),
        ("problem(n = 8)", "#[value()] x: u32"),
        ("problem(n = 8, x = 1)", "#[value = 3] x: u32"),
        ("problem(n = 8)", "#[value(0..=256)] x: u8"),
        ("problem(n = 8)", "#[value(5..=4)] x: u8"),
        ("problem(n = 8)", "#[value(4..4)] x: u8"),
        ("problem(n = 8)", "#[value(0..=1)] x: f32"),
        ("problem(n = 8)", "#[value(0..A)] x: u32"),
        ("problem(n = 8)", "#[value(0..=x)] x: u32"),
        ("problem(n = 8)", "#[value(0..=m)] x: u32"),
        ("problem(n = 8)", "#[value(0..=device.l2_bytes)] x: u32"),
    ] {
        items.push(item(&format!("{launch}, {problems}"), argument));
    }
    check("values", &items);
}
