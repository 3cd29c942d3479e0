//! What buffers are filled with.

mod common;

use bico_syntax::{ArgumentKind, Init, canonical};
use common::right;

fn item(init: &str) -> String {
    format!(
        "#[bico::tunable(source = \"k.c\", space(A in [1, 2]), problem(n = 8, const K = 3))]
        fn f(#[len(n)] y: &mut [f32], #[len(n)] {init} x: &[f32], #[len(n)] at: &[u32], n: u32) -> bico::Result<()>;"
    )
}

/// What is read of the second argument.
fn init(text: &str) -> Init {
    let spec = right(&item(text)).spec;
    match &spec.arguments[1].kind {
        ArgumentKind::Buffer {
            init: Some(init), ..
        } => init.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_follow_from_sizes_and_constants() {
    let Init::Uniform(low, high) = init("#[init(uniform(-n, K * SCALE / 2))]") else {
        panic!();
    };
    assert_eq!(
        [low, high].map(|of| of.to_string()),
        ["-n", "K * SCALE / 2"]
    );
    let Init::Normal(mean, deviation) = init("#[init(normal)]") else {
        panic!();
    };
    assert_eq!([mean, deviation].map(|of| of.to_string()), ["0", "1"]);
    let Init::Normal(_, deviation) = init("#[init(normal(0.5, 1.0 / n))]") else {
        panic!();
    };
    assert_eq!(deviation.to_string(), "1.0 / n");
}

#[test]
fn files_stand_for_the_problem_alone() {
    let Init::File(path, other) = init("#[init(file = \"data/x.npy\", uniform(0, n),)]") else {
        panic!();
    };
    assert_eq!(path.text, "data/x.npy");
    assert!(matches!(other.as_deref(), Some(Init::Uniform(..))));
    assert!(matches!(
        init("#[init(file = \"x.npy\")]"),
        Init::File(_, None)
    ));
}

#[test]
fn each_filling_counts() {
    let all = [
        "",
        "#[init(uniform(-1, 1))]",
        "#[init(uniform(-1, n))]",
        "#[init(normal)]",
        "#[init(normal(0, n))]",
        "#[init(file = \"x.npy\")]",
        "#[init(file = \"x.npy\", normal)]",
        "#[init(file = \"y.npy\")]",
    ];
    let texts = all.map(|init| canonical(&right(&item(init)).spec).launch);
    for (at, text) in texts.iter().enumerate() {
        assert!(!texts[..at].contains(text), "{text}");
    }
    // Hashes of tunables that were there before stay as they were.
    assert!(
        texts[1].contains("uniform #fbff0000000000000 #f3ff0000000000000\n"),
        "{}",
        texts[1]
    );
    let spelled = |init| canonical(&right(&item(init)).spec).launch;
    assert_eq!(spelled("#[init(normal)]"), spelled("#[init(normal(0, 1))]"));
}

#[test]
fn functions_in_c_count_where_they_belong() {
    let with = |options: &str| {
        let spec = right(&item("").replace("space(", &format!("{options} space("))).spec;
        let entry = |of: Option<&bico_syntax::CFunction>| of.map(|of| of.entry.clone());
        let entries = (
            entry(spec.inputs.as_ref()),
            entry(spec.verify.judge.as_ref()),
        );
        (canonical(&spec), entries)
    };
    let (plain, none) = with("");
    assert_eq!(none, (None, None));
    let (inputs, entries) = with("inputs(file = \"fill.c\"),");
    assert_eq!(entries, (Some("f".into()), None));
    assert!(inputs.launch != plain.launch && inputs.verify == plain.verify);
    let (judged, entries) = with("verify(judge(entry = \"right\", file = \"judge.c\")),");
    assert_eq!(entries, (None, Some("right".into())));
    assert!(judged.verify != plain.verify && judged.launch == plain.launch);
    for other in ["fill.c\", entry = \"g", "gill.c"] {
        assert_ne!(
            with(&format!("inputs(file = \"{other}\"),")).0.launch,
            inputs.launch
        );
    }
}
