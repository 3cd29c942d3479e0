//! Correct items become the spec that they say.

mod common;

use bico_syntax::*;
use common::{ALL, GEMM, right};

#[test]
fn the_example_of_the_design() {
    let wrapper = right(GEMM);
    let spec = &wrapper.spec;
    assert_eq!(spec.key.text, "gemm");
    assert_eq!(spec.function.text, "gemm");
    assert_eq!(spec.kernels[0].source.path.text, "kernels/gemm.cu");
    assert_eq!(spec.language(), Language::Cuda);
    let [pass] = spec.kernels[0].passes.as_slice() else {
        panic!("{:?}", spec.kernels[0].passes);
    };
    assert_eq!(pass.entry.to_string(), "\"matrix_multiply_kernel\"");
    let names: Vec<&str> = pass.template.iter().map(|name| &*name.text).collect();
    assert_eq!(names, ["TILE_M", "TILE_N", "TILE_K", "BLOCK_X", "BLOCK_Y"]);
    let space: Vec<String> = spec
        .parameters
        .iter()
        .map(|parameter| match &parameter.domain {
            Domain::In(list) => format!("{} in {list}", parameter.name.text),
            Domain::Derived(value) => format!("{} = {value}", parameter.name.text),
        })
        .collect();
    assert_eq!(space[1], "TILE_N in [4, 8, 16, 32, 64, 128, 256]");
    assert_eq!(space[3], "BLOCK_X = TILE_N");
    assert_eq!(spec.require.len(), 2);
    assert_eq!(
        spec.require[1].to_string(),
        "4 * TILE_K * (TILE_M + TILE_N) <= device.shared_memory_per_block"
    );
    let launch = pass.launch.as_ref().unwrap();
    assert_eq!(
        launch
            .grid
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["n.div_ceil(TILE_N)", "m.div_ceil(TILE_M)"]
    );
    assert_eq!(launch.block.len(), 2);
    assert_eq!(
        launch.shared.as_ref().unwrap().to_string(),
        "4 * TILE_K * (TILE_M + TILE_N)"
    );
    assert_eq!(spec.problems.len(), 1);
    let sizes: Vec<String> = spec.problems[0]
        .sizes
        .iter()
        .map(|(name, value)| format!("{}={value}", name.text))
        .collect();
    assert_eq!(sizes, ["m=1024", "n=12288", "k=4096"]);
    assert!(spec.work.flops.is_some() && spec.work.bytes.is_some());
    assert!(
        matches!(&spec.verify.reference.as_ref().unwrap().kind, ReferenceKind::Entry(entry) if entry == "gemm_naive")
    );
    assert_eq!((spec.budget.evaluations, spec.budget.seconds), (20, 60.0));
    assert!(spec.consts.is_empty());
    assert_eq!(spec.arguments.len(), 7);
    assert!(matches!(spec.arguments[0].kind, ArgumentKind::Stream));
    assert!(
        matches!(&spec.arguments[1].kind, ArgumentKind::Buffer { layout, mutable: true, len, init: None, align: Align::Allocation, symbol: None } if layout.number() == Some(Element::F32) && len.to_string() == "m * n")
    );
    assert!(matches!(
        spec.arguments[4].kind,
        ArgumentKind::Scalar(Element::U32)
    ));
    assert_eq!(wrapper.function.attributes.len(), 1);
    assert_eq!(spec.crate_path, "::bico");
    assert!(!spec.is_unsafe);
    let inputs: Vec<bool> = wrapper
        .function
        .inputs
        .iter()
        .map(|input| input.kind.is_some() && input.attributes.is_empty())
        .collect();
    assert_eq!(inputs, [true; 7]);
}

#[test]
fn tolerances_go_by_the_outputs() {
    let without = GEMM.replace(", rtol = 1e-3", "");
    assert_ne!(without, GEMM);
    let spec = |verify: &str, c: &str, element: Element| {
        let text = without
            .replace("c: &mut CudaSlice<f32>", &format!("c: &mut CudaSlice<{c}>"))
            .replace("verify(", &format!("verify({verify}"));
        right(&text).spec.tolerance("c", element)
    };
    for (c, element, rtol) in [
        ("half::bf16", Element::Bf16, 8e-3),
        ("f16", Element::F16, 1e-3),
        ("f32", Element::F32, 1e-4),
        ("f64", Element::F64, 1e-10),
        ("i32", Element::I32, 0.0),
    ] {
        assert_eq!(spec("", c, element), (rtol, None), "{c}");
        // Said of all outputs, which there are no others of.
        assert_eq!(spec("rtol = 0.5, ", c, element), (0.5, None), "{c}");
        let own = spec("rtol = 0.5, rtol(c = 0.25), atol(c = 2), ", c, element);
        assert_eq!(own, (0.25, Some(2.0)), "{c}");
    }
    // Beside floats integers are exact, unless they are named.
    let two = without.replace(
        "c: &mut CudaSlice<f32>",
        "c: &mut CudaSlice<f32>, #[len(1)] d: &mut CudaSlice<u32>",
    );
    let of = |verify: &str| {
        let text = two.replace("verify(", &format!("verify({verify}"));
        right(&text).spec.tolerance("d", Element::U32)
    };
    assert_eq!(of("rtol = 0.5, atol = 1, "), (0.0, None));
    assert_eq!(of("atol(d = 1), "), (0.0, Some(1.0)));
}

const CPU: &str = r#"
#[bico::tunable(
    source = "kernels/mix.cpp",
    entry = if WIDE { "mix_wide" } else { "mix" },
    space(
        VEC in powers_of_two(1..=LANES),
        MUL in if VEC == 1 { 0..1 } else { 0..2 },
        BLK in (8..32).step_by(8),
        WIDE in [true, false],
        TYPE in ["float", "half"],
        unroll = match VEC { 1 | 2 => 1, 3..=4 => -1, _ => { let half = VEC / 2; half.max(LIMIT) } },
    ),
    require(device.has("avx2") || VEC <= device.vector_bits / 32, n.is_multiple_of(VEC), !WIDE),
    problem(n = 1 << 0 + 1),
)]
pub fn mix() -> bico::Result<()>;
"#;

#[test]
fn every_kind_of_expression() {
    // A shift is outside the subset: put right here, so that the one above shows it is found.
    let wrapper = right(
        &CPU.replace("1 << 0 + 1", "LANES * 64, scale = -0.5, exact = true, const ACT = \"silu\"").replace(
            "mix()",
            "mix(#[len(n * VEC)] #[init(iota)] a: &[half::bf16], #[len(n)] #[init(uniform(-1, 2.5))] b: &mut [i8],
             act: &str, exact: bool, n: usize, scale: f64)",
        ),
    );
    let spec = &wrapper.spec;
    assert_eq!(spec.language(), Language::Cpp);
    assert_eq!(
        spec.kernels[0].passes[0].entry.to_string(),
        "if WIDE { \"mix_wide\" } else { \"mix\" }"
    );
    let domains: Vec<String> = spec
        .parameters
        .iter()
        .map(|parameter| match &parameter.domain {
            Domain::In(expr) | Domain::Derived(expr) => expr.to_string(),
        })
        .collect();
    assert_eq!(
        domains,
        [
            "powers_of_two(1..=LANES)",
            "if VEC == 1 { 0..1 } else { 0..2 }",
            "(8..32).step_by(8)",
            "[true, false]",
            "[\"float\", \"half\"]",
            "match VEC { 1 | 2 => 1, 3..=4 => -1, _ => { let half = VEC / 2; half.max(LIMIT) } }",
        ]
    );
    assert_eq!(
        spec.require[0].to_string(),
        "device.has(\"avx2\") || VEC <= device.vector_bits / 32"
    );
    // Sizes in the order of the arguments, whatever the order in the problem; selectors have none.
    let sizes: Vec<&str> = spec.problems[0]
        .sizes
        .iter()
        .map(|(name, _)| &*name.text)
        .collect();
    assert_eq!(sizes, ["exact", "n", "scale"]);
    assert_eq!(spec.problems[0].consts[0].0.text, "ACT");
    assert!(matches!(
        spec.arguments[2].kind,
        ArgumentKind::Selector(Element::Str)
    ));
    assert!(matches!(
        spec.arguments[3].kind,
        ArgumentKind::Scalar(Element::Bool)
    ));
    assert!(matches!(
        &spec.arguments[0].kind,
        ArgumentKind::Buffer {
            layout,
            mutable: false,
            init: Some(Init::Iota),
            ..
        } if layout.number() == Some(Element::Bf16)
    ));
    assert!(matches!(
        spec.arguments[1].kind,
        ArgumentKind::Buffer {
            init: Some(Init::Uniform(..)),
            ..
        }
    ));
    let consts: Vec<&str> = spec.consts.iter().map(|name| &*name.text).collect();
    assert_eq!(consts, ["LANES", "LIMIT"]);
}

/// Where buffers may begin, which hashes say only where the attribute does.
#[test]
fn alignments() {
    let of = |align: &str| {
        let item = format!(
            "fn f(#[len(n)] {align} x: &[f32], #[len(n)] y: &mut [f64], n: u32) -> bico::Result<()>;"
        );
        let options = r#"source = "k.c", space(T in [1, 2]), problem(n = 4)"#;
        let wrapper = parse(options.parse().unwrap(), item.parse().unwrap()).unwrap();
        let aligns: Vec<usize> = wrapper.spec.arguments[..2]
            .iter()
            .map(|argument| match &argument.kind {
                ArgumentKind::Buffer { layout, align, .. } => align.bytes(layout),
                _ => 0,
            })
            .collect();
        (aligns, fingerprint(&wrapper.spec))
    };
    let (plain, declared) = (of(""), of("#[align(64)]"));
    assert_eq!((&*plain.0, &*declared.0), (&[4, 8][..], &[64, 8][..]));
    assert_ne!(plain.1, declared.1);
}

#[test]
fn all_other_options() {
    let spec = right(ALL).spec;
    assert_eq!(spec.key.text, "f32-gemm.v2");
    assert_eq!(spec.crate_path, "::my::bico");
    assert!(spec.is_unsafe && spec.measure.cache_warm);
    assert_eq!(spec.problems.len(), 2);
    assert_eq!(spec.launches()[0].block.len(), 3);
    assert_eq!(spec.scratch[0].element, Element::F64);
    assert_eq!(spec.scratch[1].name.text, "COUNT");
    assert!(!spec.scratch[0].zeroed && spec.scratch[1].zeroed);
    let flags: Vec<String> = spec
        .flags
        .iter()
        .map(|flag| format!("{:?}", flag))
        .collect();
    assert_eq!(
        flags,
        [
            r#"[Text("-O3")]"#,
            r#"[Text("-DX="), Name("T")]"#,
            r#"[Text("{}"), Name("ISA")]"#,
            r#"[Text("-DK="), Name("K")]"#,
        ]
    );
    assert_eq!(spec.score.unwrap().to_string(), "-(n as f64) / T + 0.5");
    assert!(spec.work.flops.is_none());
    let said = spec.verify.tolerance;
    assert_eq!((said.rtol, said.atol), (None, Some(1.0)));
    assert!(matches!(
        spec.verify.reference.unwrap().kind,
        ReferenceKind::File { path, entry } if path == "ref/gemm.c" && entry == "gemm_ref"
    ));
    assert_eq!(spec.budget.strategy.unwrap().text, "guided");
    assert_eq!(
        (
            spec.budget.evaluations,
            spec.budget.seconds,
            spec.budget.seed
        ),
        (64, 0.5, 255)
    );
    // `k` selects among the problems, which differ in `K`.
    assert!(matches!(
        spec.arguments[4].kind,
        ArgumentKind::Selector(Element::U8)
    ));
    let mut consts: Vec<&str> = spec.consts.iter().map(|name| &*name.text).collect();
    consts.sort_unstable();
    assert_eq!(consts, ["ISA", "LANES", "TILES"]);
    let scale = spec.budget_scale.unwrap();
    assert_eq!(scale.expr.to_string(), "4 * T / LANES");
    assert_eq!(scale.consts, ["LANES"]);
}

#[test]
fn what_only_the_scale_of_a_budget_names_makes_nothing_stale() {
    let with = |options: &str| right(&GEMM.replace("budget(", &format!("{options}, budget("))).spec;
    let own = with("budget_scale = TILE_M * LIMIT");
    assert_eq!(canonical(&own).space, canonical(&right(GEMM).spec).space);
    let shared = with("score = LIMIT, budget_scale = TILE_M * LIMIT");
    assert!(shared.budget_scale.as_ref().unwrap().consts.is_empty());
    assert_eq!(
        canonical(&shared).space,
        canonical(&with("score = LIMIT")).space
    );
    assert_ne!(fingerprint(&own), fingerprint(&right(GEMM).spec));
}

#[test]
fn a_const_of_the_file_is_an_expression() {
    let read = |text: &str| parse_const_expr(text.parse().unwrap());
    assert_eq!(read("4 * TILE + 1").unwrap().to_string(), "4 * TILE + 1");
    assert_eq!(read("&[1, 2, 4]").unwrap().to_string(), "[1, 2, 4]");
    assert_eq!(
        read("-9223372036854775808").unwrap().to_string(),
        "-9223372036854775808"
    );
    assert!(read("").is_err());
    assert!(read("f(3)").is_err());
    assert!(read("lower").is_err());
}

#[test]
fn an_expression_reads_the_names_it_is_given() {
    let read = |text: &str| {
        parse_expr(
            text.parse().unwrap(),
            &["block_x", "n"],
            Arithmetic::Integer,
        )
    };
    let text = "n.div_ceil(block_x) + device.warp_size";
    assert_eq!(read(text).unwrap().to_string(), text);
    let message = |text: &str| read(text).unwrap_err().to_string();
    assert!(
        message("blok_x + 1").contains("blok_x"),
        "{}",
        message("blok_x + 1")
    );
    assert!(message("device.cores").contains("cores"));
    assert!(message("").contains("expected an expression"));
    assert!(read("n = 3").is_err());
}

#[test]
fn the_stub_accepts_a_body_and_loses_our_attributes() {
    let function = parse_item(
        "/// Doc\npub fn f(#[len(n)] #[allow(unused)] a: &[f32]) -> u32 { 3 }"
            .parse()
            .unwrap(),
    )
    .unwrap();
    assert_eq!(function.attributes.len(), 1);
    assert_eq!(function.inputs[0].attributes.len(), 1);
    assert!(parse_item("struct S;".parse().unwrap()).is_err());
}

#[test]
fn text_of_an_expression_means_the_same_when_read_again() {
    for text in [
        "(a + b) * c - (d - e)",
        "a - (b - c) / (d / e) % f",
        "(a < b) == (c < d) && !(x || y) || z",
        "-(a + b) as f64",
        "(-a).pow(2) + (-1).abs()",
        "(if a { 1 } else { 2 }) + 3",
        "(a as f64).max(b)",
        "if a { 1 } else if b { 2 } else { 3 }",
    ] {
        let upper = text.replace("as F64", "as f64");
        let read = |text: &str| parse_const_expr(upper_names(text).parse().unwrap());
        let first = match read(&upper) {
            Ok(expr) => expr.to_string(),
            Err(errors) => panic!("{text}: {errors}"),
        };
        assert_eq!(first, upper_names(text), "{text}");
        assert_eq!(read(&first).unwrap().to_string(), first);
    }
}

/// One-letter names in upper case: constants of the file.
fn upper_names(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric());
    words
        .map(|word| {
            if word.trim_end_matches(|c: char| !c.is_alphanumeric()).len() == 1 {
                word.to_uppercase()
            } else {
                word.into()
            }
        })
        .collect()
}

#[test]
fn real_arithmetic_mixes_numbers() {
    let spec = right(&GEMM.replace(
        "work(",
        "score = if m > 0.5 { m.div_ceil(TILE_M).min(0.5) } else { match TILE_K { 4 => 1, _ => 2.0 } }, work(",
    ));
    assert!(spec.spec.score.is_some());
}
