//! Compiles generated texts into one program, runs it, and compares what it computes.

use bico_contraction::{Param, Signature};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// A text to compile.
pub(crate) struct Text {
    pub(crate) source: String,
    pub(crate) signature: Signature,
    /// `-D` and the like.
    pub(crate) flags: Vec<String>,
}

/// A call of a kernel.
#[derive(Clone)]
pub(crate) struct Case {
    /// What is called, for messages.
    pub(crate) label: String,
    /// The text, by its place.
    pub(crate) text: usize,
    /// The values of sizes.
    pub(crate) sizes: Vec<(char, u64)>,
    /// Elements of A, B, C, D.
    pub(crate) lengths: [usize; 4],
    pub(crate) scratch: [usize; 2],
    /// A, B and perhaps D.
    pub(crate) inputs: Vec<Vec<f64>>,
    pub(crate) expected: Vec<f64>,
    /// Whether the reference is called instead of the kernel.
    pub(crate) reference: bool,
}

/// Compiles with warnings as errors, runs all cases, compares exactly: the data are small whole numbers.
pub(crate) fn check(compiler: &[&str], texts: &[Text], cases: &[Case]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("main.c"), include_str!("main.c")).unwrap();
    std::fs::write(folder.join("cases.h"), header(texts, cases)).unwrap();
    let mut input = Vec::new();
    for value in cases.iter().flat_map(|case| case.inputs.iter().flatten()) {
        input.extend((*value as f32).to_ne_bytes());
    }
    std::fs::write(folder.join("in"), input).unwrap();
    compile_all(compiler, folder, texts);
    let output = Command::new(folder.join("cases"))
        .args([folder.join("in"), folder.join("out")])
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success() && said.is_empty(),
        "{said}\n{}",
        named(&said, cases, texts)
    );
    let computed = std::fs::read(folder.join("out")).unwrap();
    let mut computed = computed
        .chunks_exact(4)
        .map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap()));
    for case in cases {
        for (at, expected) in case.expected.iter().enumerate() {
            let computed = f64::from(computed.next().unwrap());
            assert!(
                computed == *expected,
                "{}: element {at} is {computed}, not {expected}\n{}",
                case.label,
                texts[case.text].source
            );
        }
    }
    assert!(computed.next().is_none());
}

/// The case that the program complained of.
fn named(said: &str, cases: &[Case], texts: &[Text]) -> String {
    let number = said.strip_prefix("case ").and_then(|s| s.split(':').next());
    let case = number
        .and_then(|n| n.parse().ok())
        .and_then(|n: usize| cases.get(n));
    case.map_or_else(String::new, |case| {
        format!("{}\n{}", case.label, texts[case.text].source)
    })
}

/// Two compilers at a time.
fn compile_all(compiler: &[&str], folder: &Path, texts: &[Text]) {
    let compile = |arguments: &[String]| {
        let output = Command::new(compiler[0])
            .args(&compiler[1..])
            .args([
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-D_POSIX_C_SOURCE=200809L",
            ])
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.is_empty(), "{said}");
    };
    compile(&["-c", "main.c", "-o", "main.o"].map(String::from));
    let left = Mutex::new((0..texts.len()).collect::<Vec<usize>>());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().pop();
                    let Some(at) = next else { return };
                    let (source, object) = (format!("k{at}.c"), format!("k{at}.o"));
                    std::fs::write(folder.join(&source), &texts[at].source).unwrap();
                    let mut arguments = texts[at].flags.clone();
                    arguments.extend(["-c".into(), source, "-o".into(), object]);
                    compile(&arguments);
                }
            });
        }
    });
    let mut arguments: Vec<String> = (0..texts.len()).map(|at| format!("k{at}.o")).collect();
    arguments.extend(["main.o".into(), "-o".into(), "cases".into()]);
    compile(&arguments);
}

fn header(texts: &[Text], cases: &[Case]) -> String {
    let mut out = String::new();
    for text in texts {
        for (name, scratch) in functions(&text.signature) {
            let parameters: Vec<&str> = parameters(&text.signature, scratch)
                .map(|parameter| match parameter {
                    Param::Tensor(2) | Param::Scratch(_) => "float *",
                    Param::Tensor(_) => "const float *",
                    Param::Size { c_type, .. } => c_type,
                })
                .collect();
            writeln!(out, "void {name}({});", parameters.join(", ")).unwrap();
        }
    }
    for (at, case) in cases.iter().enumerate() {
        let signature = &texts[case.text].signature;
        let arguments: Vec<String> = parameters(signature, !case.reference)
            .map(|parameter| match parameter {
                Param::Tensor(tensor) => format!("t[{tensor}]"),
                Param::Scratch(number) => format!("s[{number}]"),
                Param::Size { letter, .. } => {
                    let size = case.sizes.iter().find(|(l, _)| l == letter).unwrap();
                    size.1.to_string()
                }
            })
            .collect();
        let name = match (&signature.reference, case.reference) {
            (Some(reference), true) => reference,
            _ => &signature.entry,
        };
        writeln!(
            out,
            "static void run_{at}(float *t[4], float *s[2]) {{ (void)s; {name}({}); }}",
            arguments.join(", ")
        )
        .unwrap();
    }
    out +=
        "struct test { void (*run)(float *t[4], float *s[2]); size_t lengths[4], scratch[2]; };\n";
    out += "static const struct test cases[] = {\n";
    for (at, case) in cases.iter().enumerate() {
        let list = |numbers: &[usize]| {
            let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
            format!("{{{}}}", numbers.join(", "))
        };
        let (lengths, scratch) = (list(&case.lengths), list(&case.scratch));
        writeln!(out, "  {{run_{at}, {lengths}, {scratch}}},").unwrap();
    }
    out + "};\n"
}

/// The functions of a text, and whether they take scratch.
fn functions(signature: &Signature) -> impl Iterator<Item = (&str, bool)> {
    let reference = signature.reference.as_deref().map(|name| (name, false));
    [(signature.entry.as_str(), true)]
        .into_iter()
        .chain(reference)
}

fn parameters(signature: &Signature, scratch: bool) -> impl Iterator<Item = &Param> {
    let all = signature.parameters.iter();
    all.filter(move |parameter| scratch || !matches!(parameter, Param::Scratch(_)))
}
