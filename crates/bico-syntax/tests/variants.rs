//! `variant(..)`: one space of several kernels, and its hashes.

mod common;

use bico_syntax::{Callee, Domain, KernelArgument, TunableSpec, VARIANT, canonical, fingerprint};
use common::right;

const ITEM: &str = r#"
#[bico::tunable(
    space(WIDTH in [1, 2]),
    require(WIDTH <= n),
    flags = ["-O3"],
    entry = "work",
    variant(
        blocked,
        source = "blocked.c",
        space(TILE in [4, 8], AREA = TILE * TILE, FAST in [true]),
        require(TILE <= n),
        flags = ["-DA={AREA}"],
        scratch(PACKED: f32, len = TILE),
        args(y, n, PACKED, TILE / WIDTH as i32),
    ),
    variant(library, source = ["shim.h", "shim.c"], entry = "shim", link = ["blas"], include = ["inc"]),
    problem(n = 8),
    default = { VARIANT: "blocked", WIDTH: 1, TILE: 4 },
)]
fn work(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;
"#;

fn spec(from: &str, to: &str) -> TunableSpec {
    assert!(ITEM.contains(from), "{from}");
    right(&ITEM.replace(from, to)).spec
}

#[test]
fn their_spaces_are_one() {
    let spec = spec("", "");
    assert!(spec.has_variants() && !spec.is_cuda());
    let domain = |domain: &Domain| match domain {
        Domain::In(expr) => format!("in {expr}"),
        Domain::Derived(expr) => format!("= {expr}"),
    };
    let parameters = spec.parameters.iter();
    let parameters = parameters.map(|of| format!("{} {}", of.name.text, domain(&of.domain)));
    let is = "if VARIANT == \"blocked\"";
    assert_eq!(
        parameters.collect::<Vec<_>>(),
        [
            format!("{VARIANT} in [\"blocked\", \"library\"]"),
            "WIDTH in [1, 2]".into(),
            format!("blocked.TILE in {is} {{ [4, 8] }} else {{ [0] }}"),
            format!("blocked.AREA = {is} {{ blocked.TILE * blocked.TILE }} else {{ 0 }}"),
            format!("blocked.FAST in {is} {{ [true] }} else {{ [false] }}"),
        ]
    );
    let require: Vec<String> = spec.require.iter().map(ToString::to_string).collect();
    assert_eq!(
        require,
        ["WIDTH <= n", "VARIANT != \"blocked\" || blocked.TILE <= n"]
    );
    assert_eq!(
        spec.scratch[0].len.to_string(),
        format!("{is} {{ blocked.TILE }} else {{ 0 }}")
    );
    let default = spec.default.unwrap().values.into_iter();
    let names: Vec<String> = default.map(|(name, _)| name.text).collect();
    assert_eq!(names, [VARIANT, "WIDTH", "blocked.TILE"]);
}

#[test]
fn each_is_ranked_by_its_own_score() {
    let score = |own: &str, other: &str, outer: &str| {
        let item = ITEM.replace("scratch(PACKED", &format!("{own} scratch(PACKED"));
        let item = item.replace("entry = \"shim\",", &format!("entry = \"shim\", {other}"));
        let item = item.replace("problem(n = 8),", &format!("problem(n = 8), {outer}"));
        right(&item).spec.score.map(|score| score.to_string())
    };
    let is = "if VARIANT == \"blocked\"";
    let own = "score = AREA * n,";
    assert_eq!(
        score(own, "score = n / WIDTH,", "").unwrap(),
        format!("{is} {{ blocked.AREA * n }} else {{ n / WIDTH }}")
    );
    assert_eq!(
        score(own, "", "score = WIDTH,").unwrap(),
        format!("{is} {{ blocked.AREA * n }} else {{ WIDTH }}")
    );
    assert_eq!(score("", "", "score = WIDTH,").unwrap(), "WIDTH");
    assert_eq!(score("", "", ""), None);
}

#[test]
fn each_has_its_own_kernel() {
    let spec = spec("", "");
    let [blocked, library] = spec.kernels.as_slice() else {
        panic!("{:?}", spec.kernels);
    };
    assert_eq!(blocked.passes[0].entry.to_string(), "\"work\"");
    assert_eq!(library.passes[0].entry.to_string(), "\"shim\"");
    assert_eq!(library.source.flags(), ["-include", "shim.h", "-Iinc"]);
    let flags = |at: usize| spec.flags_of(&spec.kernels[at]).count();
    assert_eq!((flags(0), flags(1)), (2, 1));
    assert_eq!(spec.libraries(library)[0].text, "blas");
    assert_eq!(blocked.sees("blocked.TILE"), Some("TILE"));
    assert_eq!(library.sees("blocked.TILE"), None);
    assert_eq!(
        (blocked.sees("WIDTH"), blocked.sees(VARIANT)),
        (Some("WIDTH"), None)
    );
    // Scratch is that of one variant only, and what is computed for it is nothing elsewhere.
    let given = |at| spec.kernel_arguments(Callee::Kernel(at)).remove(0);
    let [
        ..,
        KernelArgument::Scratch(0),
        KernelArgument::Value(value, _),
    ] = &given(0)[..]
    else {
        panic!("{:?}", given(0));
    };
    assert_eq!(
        value.to_string(),
        "if VARIANT == \"blocked\" { blocked.TILE / WIDTH } else { 0 }"
    );
    assert_eq!(given(1).len(), 2);
}

#[test]
fn launches_are_joined() {
    let item = r#"
#[bico::tunable(
    variant(a, source = "a.cu", space(T in [1, 2]), launch(grid = n, block = (T, 2))),
    variant(b, source = "b.cu", pass(entry = "p", launch(grid = 1, block = 32, shared = 8)),
        pass(entry = "q", launch(grid = (n, n), block = 1))),
    problem(n = 8),
)]
fn work(s: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;
"#;
    let launches = right(item).spec.launches();
    let shown: Vec<String> = launches[0].block.iter().map(ToString::to_string).collect();
    let is = "if VARIANT == \"a\"";
    assert_eq!(
        shown,
        [
            format!("{is} {{ a.T }} else {{ 32 }}"),
            format!("{is} {{ 2 }} else {{ 1 }}")
        ]
    );
    let shared = launches[0].shared.as_ref().unwrap();
    assert_eq!(shared.to_string(), format!("{is} {{ 0 }} else {{ 8 }}"));
    assert_eq!((launches.len(), launches[1].grid.len()), (2, 2));
}

#[test]
fn all_of_it_is_hashed_where_it_belongs() {
    let plain = canonical(&spec("", ""));
    let differ = |from: &str, to: &str| {
        let other = spec(from, to);
        assert_ne!(fingerprint(&other), fingerprint(&spec("", "")), "{to}");
        let other = canonical(&other);
        [
            ("space", plain.space != other.space),
            ("launch", plain.launch != other.launch),
            ("flags", plain.flags != other.flags),
        ]
        .into_iter()
        .filter_map(|(what, differs)| differs.then_some(what))
        .collect::<Vec<_>>()
    };
    assert_eq!(differ("TILE in [4, 8]", "TILE in [4, 16]"), ["space"]);
    assert_eq!(differ("require(TILE <= n)", "require(TILE < n)"), ["space"]);
    assert_eq!(differ("\"shim.c\"", "\"shims.c\""), ["launch"]);
    assert_eq!(differ("entry = \"shim\"", "entry = \"shims\""), ["launch"]);
    assert_eq!(differ("TILE / WIDTH", "TILE + WIDTH"), ["launch"]);
    assert_eq!(differ("[\"blas\"]", "[\"blis\"]"), ["flags"]);
    assert_eq!(differ("[\"inc\"]", "[\"include\"]"), ["flags"]);
    assert_eq!(differ("-DA={AREA}", "-DA={TILE}"), ["flags"]);
    assert_eq!(
        differ("variant(library,", "variant(other,"),
        ["space", "launch", "flags"]
    );
}

#[test]
fn a_family_has_variants() {
    let attribute = r#"
        family(T in [f32 = "float", f64 = "double"]),
        variant(a, source = "a.c", entry = "a_{T}", space(N in [1, 2]), scratch(P: T, len = N)),
        variant(b, source = "b.c", flags = ["-DB={T}"]),
        problem(n = 8)
    "#;
    let item = "fn work<T>(#[len(n)] y: &mut [T], n: u32) -> bico::Result<()>;";
    let members = bico_syntax::members(attribute.parse().unwrap(), item.parse().unwrap());
    let mut members = members.unwrap_or_else(|errors| panic!("{errors}"));
    let (attribute, item) = members.remove(1);
    let wrapper = bico_syntax::parse(attribute, item).unwrap_or_else(|errors| panic!("{errors}"));
    let spec = wrapper.spec;
    assert_eq!(spec.kernels[0].passes[0].entry.to_string(), "\"a_f64\"");
    assert_eq!(spec.scratch[0].element.name(), "f64");
    let names = spec.parameters.iter().map(|of| of.name.text.as_str());
    assert_eq!(names.collect::<Vec<_>>(), [VARIANT, "T", "a.N"]);
}
