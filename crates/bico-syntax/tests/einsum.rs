//! `einsum = ".."`: the spec that it stands for.

mod common;

use bico_syntax::{
    ArgumentKind, Domain, Element, ExprKind, Language, ReferenceKind, TunableSpec, canonical,
    fingerprint,
};
use common::{read, right};

/// A batched product on a CPU with more options.
fn cpu(einsum: &str, options: &str) -> String {
    format!(
        "#[bico::tunable(einsum = {einsum}, problem(c = 4, m = 512, n = 512, k = 512), {options})]
pub fn contract(o: &mut [f32], a: &[f32], b: &[f32], c: u32, m: u32, n: u32, k: u32) -> bico::Result<()>;"
    )
}

/// A batched product on a GPU with more options.
fn gpu(input: &str, output: &str, options: &str) -> String {
    format!(
        "#[bico::tunable(einsum = \"cmk, ckn -> cmn\", problem(c = 4, m = 4096, n = 4096, k = 4096), {options})]
pub fn contract(stream: &Arc<CudaStream>, o: &mut CudaSlice<{output}>, a: &CudaSlice<{input}>, b: &CudaSlice<{input}>,
    c: u32, m: u32, n: u32, k: u32) -> bico::Result<()>;"
    )
}

fn spec(source: &str) -> TunableSpec {
    right(source).spec
}

fn domain(spec: &TunableSpec, name: &str) -> String {
    let parameter = spec.parameters.iter().find(|p| p.name.text == name);
    match &parameter
        .unwrap_or_else(|| panic!("there is no {name}"))
        .domain
    {
        Domain::In(expr) | Domain::Derived(expr) => expr.to_string(),
    }
}

#[test]
fn a_cpu_einsum_is_a_whole_tunable() {
    let spec = spec(&cpu("\"cmk, ckn -> cmn\"", ""));
    assert_eq!(spec.language(), Language::C);
    assert_eq!(
        spec.kernels[0].source.path.text,
        "einsum \"cmk, ckn -> cmn\""
    );
    assert!(
        matches!(&spec.kernels[0].passes[0].entry.kind, ExprKind::Str(text) if text == "contract_kernel")
    );
    let contraction = spec.contraction.as_ref().unwrap();
    assert_eq!(contraction.einsum, "cmk, ckn -> cmn");
    assert_eq!((contraction.output, &*contraction.inputs), (0, &[1, 2][..]));
    let reference = &spec.verify.reference.as_ref().unwrap().kind;
    assert!(matches!(reference, ReferenceKind::Entry(name) if name == "contract_reference"));
    assert_eq!(spec.verify.tolerance.rtol, Some(1e-4));
    let lengths: Vec<String> = spec
        .arguments
        .iter()
        .filter_map(|argument| match &argument.kind {
            ArgumentKind::Buffer { len, .. } => Some(len.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(lengths, ["c * m * n", "c * m * k", "c * k * n"]);
    for name in [
        "ISA", "VL", "MR", "NR", "M_PRIM", "N_PRIM", "K_PRIM", "ORDER",
    ] {
        domain(&spec, name);
    }
    assert!(spec.launches().is_empty());
    let scratch: Vec<&str> = spec.scratch.iter().map(|s| &*s.name.text).collect();
    assert_eq!(scratch, ["PACK_A", "PACK_B"]);
    // A name that bico misspelt would be taken for a `const` of the file.
    assert!(spec.consts.is_empty(), "{:?}", spec.consts);
}

#[test]
fn gpu_einsums_of_all_types_are_whole_tunables() {
    for (input, output) in [("f32", "f32"), ("f16", "f16"), ("f16", "f32")] {
        let spec = spec(&gpu(input, output, ""));
        assert_eq!(spec.language(), Language::Cuda);
        assert!(
            !spec.launches().is_empty() && spec.consts.is_empty(),
            "{:?}",
            spec.consts
        );
        let reference = spec.verify.reference.as_ref().unwrap();
        assert!(reference.launch.is_some());
        for name in [
            "M_PRIM", "N_PRIM", "K_PRIM", "M_L2", "N_L2", "STAGES", "ORDER",
        ] {
            domain(&spec, name);
        }
        assert!(matches!(
            &spec.arguments[1].kind,
            ArgumentKind::Buffer {
                layout,
                mutable: true,
                ..
            } if matches!(layout.number(), Some(Element::F16 | Element::F32))
        ));
    }
}

#[test]
fn the_user_narrows_adds_and_replaces() {
    let plain = spec(&cpu("\"cmk, ckn -> cmn\"", ""));
    let spec = spec(&cpu(
        "\"cmk, ckn -> cmn\"",
        "space(M_PRIM in [24, 48], K_PRIM = 128), require(M_PRIM <= m), flags = [\"-O2\"],
         verify(rtol = 1e-2, live = true), score = 1.0, work(flops = 3 * m), budget(seconds = 1)",
    ));
    assert_eq!(domain(&spec, "M_PRIM"), "[24, 48]");
    assert_eq!(domain(&spec, "K_PRIM"), "128");
    assert_eq!(domain(&spec, "MR"), domain(&plain, "MR"));
    let names = |spec: &TunableSpec| -> Vec<String> {
        spec.parameters
            .iter()
            .map(|p| p.name.text.clone())
            .collect()
    };
    assert_eq!(names(&spec), names(&plain));
    assert_eq!(spec.require.len(), plain.require.len() + 1);
    assert_eq!(spec.require.last().unwrap().to_string(), "M_PRIM <= m");
    assert_eq!(spec.flags.len(), plain.flags.len() + 1);
    assert_eq!(spec.verify.tolerance.rtol, Some(1e-2));
    assert!(spec.verify.live && spec.verify.reference.is_some());
    assert_eq!(spec.score.unwrap().to_string(), "1.0");
    assert_eq!(spec.work.flops.unwrap().to_string(), "3 * m");
    assert!(spec.work.bytes.is_none());
}

#[test]
fn a_raw_name_is_a_kernel_without_its_mark() {
    let spec = spec(&cpu("\"cmk, ckn -> cmn\"", "").replace("fn contract", "fn r#match"));
    assert_eq!(spec.contraction.unwrap().kernel, "match_kernel");
}

#[test]
fn signed_sizes_are_not_negative() {
    let plain = cpu("\"cmk, ckn -> cmn\"", "");
    let signed = spec(&plain.replace("c: u32, m: u32", "c: i32, m: isize"));
    let conditions: Vec<String> = signed.require.iter().map(ToString::to_string).collect();
    for condition in ["c >= 0", "m >= 0"] {
        assert!(
            conditions.iter().any(|own| own == condition),
            "{conditions:?}"
        );
    }
    assert_eq!(conditions.len(), spec(&plain).require.len() + 2);
}

#[test]
fn the_fingerprint_knows_the_einsum_and_no_more() {
    let of = |source: &str| fingerprint(&spec(source));
    let plain = of(&cpu("\"cmk, ckn -> cmn\"", ""));
    assert_eq!(plain, of(&cpu("r#\"cmk,ckn->cmn\"#", "")));
    assert_ne!(plain, of(&cpu("\"cmk, cnk -> cmn\"", "")));
    let text = canonical(&spec(&cpu("\"cmk, ckn -> cmn\"", ""))).launch;
    assert!(
        text.starts_with("source einsum \"cmk, ckn -> cmn\"\n"),
        "{text}"
    );
    let mut other = spec(&cpu("\"cmk, ckn -> cmn\"", ""));
    other.kernels[0].source.path.text = "/home/somebody/target/bico/p/contract.c".into();
    assert_eq!(plain, fingerprint(&other));
}

#[test]
fn mistakes_are_on_the_letter_where_the_string_is_plain() {
    let place = |einsum: &str| {
        let errors = read(&cpu(einsum, "")).unwrap_err();
        let error = errors.iter().next().unwrap().clone();
        let (start, end) = (error.span.start().column, error.span.end().column);
        (start, end - start, error.notes)
    };
    let literal = "#[bico::tunable(einsum = ".len();
    let (start, width, notes) = place("\"cmk, ckn -> cmz\"");
    // `n` is in the second input only, before `z` is in the output only.
    assert_eq!((start, width), (literal + 1 + 7, 1));
    assert!(!notes.iter().any(|note| note.contains('^')), "{notes:?}");
    let (start, width, _) = place("r##\"cmk, ck? -> cmn\"##");
    assert_eq!((start, width), (literal + 4 + 7, 1));
    // Behind an escape nobody can count letters: the text is shown with a caret.
    let (start, width, notes) = place("\"cmk, \\x63kn -> cmz\"");
    assert_eq!((start, width), (literal, 20));
    assert!(
        notes[0].ends_with("\n    cmk, ckn -> cmz\n           ^"),
        "{notes:?}"
    );
}
