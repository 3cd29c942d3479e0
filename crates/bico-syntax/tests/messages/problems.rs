//! Problems, functions and their arguments.

use crate::{check, cpu_argument, function, gpu_argument, problem};

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
        "problem(m = 1..=8, n = 1..64, x = 0.5, const BY = \"a\")",
        "problem(m = 1..=256, n = 1, x = 0.0..=1.0, const BY = \"a\")",
        "problem(m = 0..=8, n = 1, x = 0.5, const BY = \"a\")",
        "problem(m = -4..=8, n = 1, x = 0.5, const BY = \"a\")",
        "problem(m = 8..=4, n = 1, x = 0.5, const BY = \"a\")",
        "problem(m = 8..8, n = m, x = 0.5, const BY = \"a\")",
        "problem(m = (1..=8).step_by(2), n = 1, x = 0.5, const BY = \"a\")",
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
            "#[len(n)] #[align(48)] c: &mut [f32]",
            "#[len(n)] #[align(8192)] c: &mut [f32]",
            "#[len(n)] #[align(n)] c: &mut [f32]",
            "#[len(n)] #[align] c: &mut [f32]",
            "#[align(8)] a: f64",
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
