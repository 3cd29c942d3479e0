//! `pass(..)`: what a call runs, as data and in hashes.

mod common;

use bico_syntax::{Callee, KernelArgument, TunableSpec, canonical, fingerprint};
use common::right;

/// Two kernels, the first of them a template.
const ITEM: &str = r#"
#[bico::tunable(
    source = "k.cu",
    space(TILE in [1, 2], WIDE in [false, true]),
    scratch(PART: f32, len = n.div_ceil(TILE)),
    pass(
        entry = if WIDE { "wide" } else { "sums" },
        template = [TILE],
        launch(grid = n.div_ceil(TILE), block = 32),
        args(x, PART, n),
    ),
    pass(entry = "total", launch(grid = 1, block = 32 * TILE)),
    problem(n = 8),
)]
fn total(s: &Arc<CudaStream>, #[len(1)] y: &mut CudaSlice<f32>, #[len(n * TILE)] x: &CudaSlice<f32>, n: u32) -> bico::Result<()>;
"#;

fn spec(from: &str, to: &str) -> TunableSpec {
    assert!(ITEM.contains(from), "{from}");
    right(&ITEM.replace(from, to)).spec
}

#[test]
fn each_has_its_own() {
    let spec = spec("", "");
    let [first, second] = spec.kernels[0].passes.as_slice() else {
        panic!("{:?}", spec.kernels[0].passes);
    };
    assert_eq!(second.entry.to_string(), "\"total\"");
    assert_eq!((first.template.len(), second.template.len()), (1, 0));
    assert!(spec.kernels[0].is_templated("TILE") && !spec.kernels[0].is_templated("WIDE"));
    let blocks = spec.kernels[0]
        .launches()
        .map(|launch| launch.block[0].to_string());
    assert_eq!(blocks.collect::<Vec<_>>(), ["32", "32 * TILE"]);
    let passed = |given: &KernelArgument| match given {
        KernelArgument::Argument(at) => spec.arguments[*at].name.text.clone(),
        KernelArgument::Scratch(at) => spec.scratch[*at].name.text.clone(),
        other => panic!("{other:?}"),
    };
    let passed = |of| -> Vec<String> {
        let given = spec.kernel_arguments(of).into_iter();
        given
            .map(|given| given.iter().map(passed).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(passed(Callee::Kernel(0)), ["x PART n", "y x n PART"]);
    assert_eq!(passed(Callee::Reference), ["y x n"]);
}

#[test]
fn all_that_a_pass_says_counts() {
    let base = spec("", "");
    let pass = "pass(entry = \"total\", launch(grid = 1, block = 32 * TILE)),";
    for (from, to) in [
        ("\"total\"", "\"sum\""),
        ("32 * TILE", "64 * TILE"),
        ("args(x, PART, n)", "args(PART, x, n)"),
        ("block = 32 * TILE)", "block = 32 * TILE), args(y, PART, n)"),
        (pass, &format!("{pass} {pass}")),
        ("entry = \"total\"", "entry = \"total\", template = [TILE]"),
    ] {
        let other = spec(from, to);
        assert_ne!(canonical(&other).launch, canonical(&base).launch, "{to}");
        assert_ne!(fingerprint(&other), fingerprint(&base), "{to}");
    }
}

/// A lock stays as it is where the only kernel is written as a pass.
#[test]
fn one_is_as_none() {
    let plain = ITEM.split("    pass(entry").next().unwrap();
    let rest = ITEM.split("TILE)),\n").last().unwrap();
    let inside = |text: &str| text.replace("args(x, PART, n)", "args(x, y, PART, n)");
    let one = right(&inside(&format!("{plain}{rest}"))).spec;
    let bare = inside(&format!("{plain}{rest}"));
    let bare = bare
        .replace("    pass(\n", "")
        .replace("    ),\n    problem", "    problem");
    let bare = right(&bare).spec;
    assert_eq!(one.kernels[0].passes.len(), 1);
    assert_eq!(fingerprint(&bare), fingerprint(&one));
}

/// A tensor map is a view of a buffer, which counts as passed, and may be passed beside it.
#[test]
fn tensor_maps_are_views() {
    let map = "tensor_map(x, dims = (n, 2, 3), box = (TILE, 1, 1))";
    let with = |map: &str| spec("args(x, PART, n)", &format!("args({map}, PART, {map}, n)"));
    let base = with(map);
    let passes = base.kernel_arguments(Callee::Kernel(0));
    let KernelArgument::Tensor(first) = &passes[0][0] else {
        panic!("{passes:?}");
    };
    let strides = first.strides.iter().map(|stride| stride.to_string());
    assert_eq!(strides.collect::<Vec<_>>(), ["n", "n * 2"]);
    assert!(base.is_mapped(2) && !base.is_mapped(1));
    let same = with(
        "tensor_map(x, dims = (n, 2, 3), box = (TILE, 1, 1), strides = (n, n * 2), swizzle = 0, fill = zero)",
    );
    assert_eq!(canonical(&same).launch, canonical(&base).launch);
    for other in [
        map.replace("(n, 2, 3)", "(n, 3, 2)"),
        map.replace("(TILE, 1, 1)", "(TILE, 2, 1)"),
        map.replace("1))", "1), strides = (n, n * 4))"),
        map.replace("1))", "1), swizzle = 32)"),
        map.replace("1))", "1), l2_promotion = 64)"),
        map.replace("1))", "1), fill = nan)"),
        map.replace("(x,", "(PART,"),
    ] {
        assert_ne!(
            canonical(&with(&other)).launch,
            canonical(&base).launch,
            "{other}"
        );
    }
}
