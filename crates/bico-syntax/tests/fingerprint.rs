//! The fingerprint depends on what is said, not on how it is spaced.

mod common;

use bico_syntax::{ArgumentKind, canonical, fingerprint, parse};
use common::{GEMM, cut, right};
use proc_macro2::{Group, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Tokens as another front end would hand them over: other spans, other spacing.
fn respaced(stream: TokenStream) -> TokenStream {
    let trees = stream.into_iter().map(|tree| match tree {
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), respaced(group.stream())))
        }
        TokenTree::Literal(literal) => {
            let mut copy: Literal = literal.to_string().parse().unwrap();
            copy.set_span(Span::call_site());
            TokenTree::Literal(copy)
        }
        TokenTree::Punct(punct) if punct.as_char() == ',' => {
            TokenTree::Punct(Punct::new(',', Spacing::Joint))
        }
        other => other,
    });
    trees.collect()
}

#[test]
fn spacing_does_not_matter() {
    let expected = fingerprint(&right(GEMM).spec);
    let one_line: String = GEMM
        .lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join(" ");
    let without_docs = GEMM.replace("/// C = A * B, row-major, FP32.", "#[doc = \" other\"]");
    let wide = without_docs
        .replace(',', " ,\n ")
        .replace('[', " [ ")
        .replace("( ", "(");
    assert_eq!(fingerprint(&right(&wide).spec), expected);
    assert_eq!(
        fingerprint(&right(&one_line.replace("C = A * B, row-major, FP32.", "")).spec),
        expected
    );
    let (attribute, item) = cut(GEMM);
    let wrapper = parse(respaced(attribute), respaced(item)).unwrap();
    assert_eq!(fingerprint(&wrapper.spec), expected);
    // Numbers are values: how they are written does not matter either.
    assert_eq!(
        fingerprint(&right(&GEMM.replace("12288", "12_288").replace("1e-3", "0.001")).spec),
        expected
    );
}

#[test]
fn each_change_shows_in_its_field() {
    let base = canonical(&right(GEMM).spec);
    let changed = |from: &str, to: &str| {
        assert!(GEMM.contains(from), "{from}");
        let spec = right(&GEMM.replace(from, to)).spec;
        assert_ne!(
            fingerprint(&spec),
            fingerprint(&right(GEMM).spec),
            "{from} -> {to}"
        );
        let other = canonical(&spec);
        let fields = [
            ("space", &base.space, &other.space),
            ("launch", &base.launch, &other.launch),
            ("verify", &base.verify, &other.verify),
            ("flags", &base.flags, &other.flags),
            ("problems", &base.problems, &other.problems),
            ("rest", &base.rest, &other.rest),
        ];
        let differing: Vec<&str> = fields
            .iter()
            .filter(|(_, a, b)| a != b)
            .map(|(name, ..)| *name)
            .collect();
        differing.join(" ")
    };
    assert_eq!(changed("TILE_K in [4, 8,", "TILE_K in [8, 4,"), "space");
    assert_eq!(changed("BLOCK_X = TILE_N", "BLOCK_X in [TILE_N]"), "space");
    assert_eq!(
        changed("(TILE_M + TILE_N) <=", "TILE_M + TILE_N <="),
        "space"
    );
    assert_eq!(changed("shared = 4 *", "shared = 8 *"), "launch");
    assert_eq!(changed("#[len(m * n)]", "#[len(n * m)]"), "launch");
    assert_eq!(changed("k: u32", "k: i32"), "launch");
    assert_eq!(
        changed("#[len(m * n)]", "#[len(m * n)] #[init(zeros)]"),
        "launch"
    );
    let scratch = |zeroed| {
        let option = format!("scratch(LOCKS: u32, len = n{zeroed}), budget(");
        canonical(&right(&GEMM.replace("budget(", &option)).spec).launch
    };
    assert_ne!(scratch(", zeroed"), scratch(""));
    assert_eq!(changed("rtol = 1e-3", "rtol = 1e-4"), "verify");
    // Whatever it is, what is said is not what is taken where nothing is.
    for rtol in ["1e-2", "1e-3", "1e-4"] {
        let said = GEMM.replace("rtol = 1e-3", &format!("rtol = {rtol}"));
        let unsaid = GEMM.replace(", rtol = 1e-3", "");
        let verify = |text: &str| canonical(&right(text).spec).verify;
        assert_ne!(verify(&said), verify(&unsaid), "{rtol}");
    }
    assert_eq!(
        changed("rtol = 1e-3", "with(TILE_M = 4), rtol = 1e-3"),
        "verify"
    );
    assert_eq!(changed("budget(", "flags = [\"-O3\"], budget("), "flags");
    assert_eq!(changed("budget(", "compiler = \"nvcc\", budget("), "flags");
    assert_eq!(changed("budget(", "arch = \"exact\", budget("), "flags");
    assert_eq!(changed("budget(", "include = [\"a\"], budget("), "flags");
    let path = "\"kernels/gemm.cu\"";
    assert_eq!(changed(path, &format!("[\"a.cuh\", {path}]")), "launch");
    assert_eq!(
        fingerprint(&right(&GEMM.replace(path, &format!("[{path}]"))).spec),
        fingerprint(&right(GEMM).spec)
    );
    // A header that a kernel stands in is a source as well.
    right(&GEMM.replace(path, "\"kernels/gemm.cuh\""));
    assert_eq!(changed("12288", "12289"), "problems");
    assert_eq!(changed("evaluations = 20", "evaluations = 21"), "rest");
    assert_eq!(changed("flops = 2 *", "flops = 2.0 *"), "rest");
    assert_eq!(
        changed("budget(", "budget_scale = TILE_M * LIMIT, budget("),
        "rest"
    );
    assert_eq!(changed("pub fn gemm(", "pub fn gemm2("), "");
    assert_eq!(changed("budget(", "name = \"other\", budget("), "");
}

#[test]
fn what_is_linked_and_the_threads() {
    let of_cpu = |options: &str| {
        let attribute = format!("source = \"k.c\", space(T in [1, 2]), problem(n = 4), {options}");
        let item = "fn f(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;";
        let spec = parse(attribute.parse().unwrap(), item.parse().unwrap())
            .unwrap()
            .spec;
        canonical(&spec).flags
    };
    let options = [
        "",
        "link = [\"gomp\"]",
        "threads = device.cores",
        "threads = 2",
    ];
    let texts = options.map(of_cpu);
    assert!((1..4).all(|at| !texts[..at].contains(&texts[at])));
}

/// What fills a `__constant__` variable is known by its name, and is part of what a lock rests on.
#[test]
fn constants() {
    let of = |constant: &str| {
        let item = format!(
            "fn f(s: &Arc<CudaStream>, {constant} #[len(v)] x: &[f32], #[len(n)] y: &mut CudaSlice<f64>, n: u32, v: u32) -> bico::Result<()>;"
        );
        let options = r#"source = "k.cu", space(T in [1, 2]), launch(grid = n, block = T), problem(n = 4, v = 3)"#;
        let wrapper = parse(options.parse().unwrap(), item.parse().unwrap()).unwrap();
        let ArgumentKind::Buffer { symbol, .. } = &wrapper.spec.arguments[1].kind else {
            panic!("{:?}", wrapper.spec.arguments[1]);
        };
        (symbol.clone(), fingerprint(&wrapper.spec))
    };
    let (one, other) = (of("#[constant(d_x)]"), of("#[constant(d_y)]"));
    assert_eq!(one.0.as_deref(), Some("d_x"));
    assert_eq!(other.0.as_deref(), Some("d_y"));
    assert_ne!(one.1, other.1);
}
