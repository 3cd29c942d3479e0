//! What is emitted: the data file against its golden copy, and archives linked into programs.

use super::*;
use crate::compile::{Options, Service};
use bico_syntax::Language;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

fn candidate(source: &str, language: Language, n: i64) -> EmittedCandidate {
    EmittedCandidate {
        verified: true,
        values: vec![Value::Int(n)],
        variant: 0,
        kernel: 0,
        unit: Unit {
            source: source.into(),
            language,
            defines: vec![("N".into(), n.to_string())],
            flags: Vec::new(),
            gpu: None,
        },
        entries: vec!["run".into()],
        needs: Vec::new(),
        targets: vec![],
        exact: false,
        host: None,
        only_on: Vec::new(),
    }
}

fn emission(candidates: Vec<EmittedCandidate>) -> Emission {
    let order = (0..candidates.len() as u16).collect();
    Emission {
        crate_path: "::bico".into(),
        key: "gemm".into(),
        fingerprint: 0x0123_4567_89ab_cdef,
        hash: Hash(0xfeed),
        symbol: "bico_pkg_0_1_0_gemm".into(),
        generated: false,
        gpu: false,
        ships_measured: false,
        parameters: vec!["N".into()],
        sizes: vec!["n".into()],
        consts: Vec::new(),
        candidates,
        problems: vec![EmittedProblem {
            sizes: vec![64],
            consts: Vec::new(),
            variant: 0,
            winners: vec![(0, 1)],
            order,
            first: 0,
            top: 1,
        }],
        devices: vec![DeviceKey::new(
            "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)",
        )],
        file_consts: Vec::new(),
        passes: vec![1],
        libraries: Vec::new(),
        structures: Vec::new(),
    }
}

/// A package with one source, and a service for it.
fn package(name: &str, source: &str) -> (tempfile::TempDir, Service) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(name), source).unwrap();
    let service = service(dir.path());
    (dir, service)
}

fn service(root: &Path) -> Service {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    Service::new(Options {
        cache: root.join("target/bico/objects"),
        root: root.to_path_buf(),
        threads: 2,
        target: triple.clone(),
        host: triple,
        timeout: Options::TIMEOUT,
        nvrtc: None,
        program: None,
    })
}

#[test]
fn the_data_file() {
    let mut emission = emission(vec![
        candidate("k.c", Language::C, 4),
        candidate("k.c", Language::C, 8),
    ]);
    emission.parameters = ["TILE", "ALPHA", "FLAG", "ISA"].map(String::from).to_vec();
    emission.consts = vec!["ACT".into()];
    for candidate in &mut emission.candidates {
        candidate.values.extend([
            Value::Float(0.5),
            Value::Bool(true),
            Value::Str("quo\"te\\"),
        ]);
    }
    emission.candidates[0].values[1] = Value::Float(f64::INFINITY);
    emission.candidates[1].needs = vec!["x86-64-v3".into(), "fma".into()];
    emission.candidates[1].only_on = emission.devices.clone();
    emission.problems[0].consts = vec![Value::Str("silu")];
    let negative = EmittedProblem {
        sizes: vec![i64::MIN],
        winners: Vec::new(),
        ..emission.problems[0].clone()
    };
    emission.problems.push(negative);
    emission.file_consts = vec![
        ("WIDTH".into(), Value::Int(-8)),
        ("SCALE".into(), Value::Float(1e-3)),
        ("FAST".into(), Value::Bool(true)),
        ("NAME".into(), Value::Str("a{b}")),
    ];
    let text = data::text(&emission, None);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/emit/golden/gemm.rs.txt");
    if crate::env::get("BLESS").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(
        text, expected,
        "run the test with BLESS=1 and look at the difference"
    );
    rustc_accepts(&text);
}

/// The expression has the type that the runtime declares, in a crate of its own.
fn rustc_accepts(text: &str) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("gemm.rs"), text).unwrap();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bico-runtime/src");
    let main = format!(
        "#![allow(dead_code)]\n\
         extern crate self as bico;\n\
         extern crate self as bico_core;\n\
         pub mod device {{ pub struct DeviceKey; impl DeviceKey {{ pub fn new(_: &str) -> Self {{ Self }} }} }}\n\
         #[path = {value:?}] mod value;\n\
         #[path = {stored:?}] mod stored;\n\
         pub use stored::StoredValue;\n\
         #[path = {data:?}] pub mod __private;\n\
         pub use value::Value;\n\
         const WIDTH: i32 = -8; const SCALE: f32 = 1e-3; const FAST: bool = true; const NAME: &str = \"a{{b}}\";\n\
         static DATA: bico::__private::Data = include!(\"gemm.rs\");\n\
         fn main() {{ assert_eq!(DATA.candidates.len(), 2); }}\n",
        value = runtime.join("../../crates/bico-core/src/value.rs"),
        stored = runtime.join("../../crates/bico-core/src/stored.rs"),
        data = runtime.join("data.rs"),
    );
    let compile = |main: &str| {
        std::fs::write(dir.path().join("main.rs"), main).unwrap();
        let mut rustc = Command::new("rustc");
        rustc
            .args(["--edition", "2024", "--emit", "metadata", "main.rs"])
            .current_dir(dir.path());
        let output = rustc.output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for main in [main.clone(), main.replace("SCALE: f32", "SCALE: f64")] {
        let (accepted, message) = compile(&main);
        assert!(accepted, "{message}");
    }
    let changes = [
        ("WIDTH", "= -8", "= 8"),
        ("SCALE", "= 1e-3", "= 1e-4"),
        ("FAST", "= true", "= false"),
        ("NAME", "a{b}", "a{c}"),
    ];
    for (name, from, to) in changes {
        let (accepted, message) = compile(&main.replace(from, to));
        assert!(
            !accepted && message.contains(&format!("the build script took `{name}` to be")),
            "{message}"
        );
    }
}

/// Links the archive to a C program that calls every candidate with `x`, and gives what it prints.
fn call(out: &Path, candidates: usize, x: i32, libraries: &[&str]) -> String {
    let main = format!(
        "#include <stdio.h>\n\
         extern void *const bico_pkg_0_1_0_gemm_table[];\n\
         int helper(int x) {{ return -x; }}\n\
         int counter = 1000;\n\
         int main(void) {{\n\
             for (int i = 0; i < {candidates}; i++)\n\
                 printf(\"%d \", ((int (*)(int))bico_pkg_0_1_0_gemm_table[i])({x}));\n\
             printf(\"%d %d\", helper(1), counter);\n\
             return 0;\n\
         }}\n"
    );
    std::fs::write(out.join("main.c"), main).unwrap();
    let link = Command::new("cc")
        .args(["main.c", "-o", "main", "-Lbico", "-lbico_pkg_0_1_0_gemm"])
        .args(libraries)
        .current_dir(out)
        .output()
        .unwrap();
    assert!(
        link.status.success(),
        "{}",
        String::from_utf8_lossy(&link.stderr)
    );
    String::from_utf8(Command::new(out.join("main")).output().unwrap().stdout).unwrap()
}

const C: &str = "
#include <string.h>
static int secret(int x) { return x * N; }
int counter;
int helper(int x) { counter += N; return secret(x) + counter; }
int run(int x) { char text[N + 1]; memset(text, 1, N); return helper(x) + text[N - 1]; }
";

#[test]
fn candidates_of_one_c_source_do_not_meet() {
    let (dir, service) = package("k.c", C);
    let candidates = [2, 3, 5].map(|n| candidate("k.c", Language::C, n)).to_vec();
    let emitted = emit(&emission(candidates), dir.path(), &service).unwrap();
    assert!(emitted.changed);
    assert_eq!(emitted.files, [dir.path().join("k.c")]);
    assert_eq!(
        emitted.directives,
        [format!(
            "cargo::rustc-link-search=native={}",
            dir.path().join("bico").display()
        )]
    );
    // x * N + N + 1 for each N, and the program's own helper and counter untouched.
    assert_eq!(call(dir.path(), 3, 100, &[]), "203 304 506 -1 1000");
}

const CPP: &str = "
#include <vector>
template <class T> __attribute__((noinline)) T helper(T x) { static T calls = 0; calls += N; return x * N + calls; }
template <class T> struct Box { static T count; __attribute__((noinline)) T get() { return count; } };
template <class T> T Box<T>::count = N;
inline __attribute__((noinline)) int &shared() { static int value = N; return value; }
int counter = N;
extern \"C\" int run(int x) {
    std::vector<int> list(N, 1);
    if (x < 0) throw x;
    return helper(x) + Box<int>().get() + shared() + counter + (int)list.size();
}
";

#[test]
fn templates_and_inline_functions_do_not_meet_either() {
    let (dir, service) = package("k.cpp", CPP);
    let candidates = [2, 3]
        .map(|n| candidate("k.cpp", Language::Cpp, n))
        .to_vec();
    emit(&emission(candidates), dir.path(), &service).unwrap();
    // x * N and five times N.
    assert_eq!(call(dir.path(), 2, 100, &["-lstdc++"]), "210 315 -1 1000");
}

#[test]
fn equal_code_is_stored_once() {
    let (dir, service) = package("k.c", "int run(int x) { return x + 1; }\n");
    let candidates = [2, 3].map(|n| candidate("k.c", Language::C, n)).to_vec();
    emit(&emission(candidates), dir.path(), &service).unwrap();
    let table =
        std::fs::read_to_string(dir.path().join("bico/bico_pkg_0_1_0_gemm_table.c")).unwrap();
    assert!(!table.contains("_c1"), "{table}");
    assert_eq!(call(dir.path(), 2, 1, &[]), "2 2 -1 1000");
}

/// Every file below a folder with its time of modification.
fn times(folder: &Path) -> Vec<(std::path::PathBuf, SystemTime)> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn nothing_is_touched_or_started_when_nothing_changed() {
    let (dir, first) = package("k.c", C);
    std::fs::write(dir.path().join("h.h"), "#define ONE 1\n").unwrap();
    std::fs::write(dir.path().join("k.c"), format!("#include HEADER\n{C}")).unwrap();
    let mut all = emission([2, 3].map(|n| candidate("k.c", Language::C, n)).to_vec());
    for candidate in &mut all.candidates {
        candidate
            .unit
            .defines
            .push(("HEADER".into(), "\"h.h\"".into()));
    }
    emit(&all, dir.path(), &first).unwrap();
    let folder = dir.path().join("bico");
    let before = times(&folder);
    let names: Vec<_> = before
        .iter()
        .map(|(path, _)| path.file_name().unwrap().to_str().unwrap())
        .collect();
    let expected = [
        "bico_pkg_0_1_0_gemm_table.c",
        "gemm.rs",
        "gemm.stamp",
        "libbico_pkg_0_1_0_gemm.a",
    ];
    assert_eq!(names, expected);

    // With no objects left, anything but reading the stamp would compile and be seen.
    let objects = dir.path().join("target/bico/objects");
    std::fs::remove_dir_all(&objects).unwrap();
    let again = emit(&all, dir.path(), &service(dir.path())).unwrap();
    assert!(!again.changed && !objects.exists());
    assert_eq!(
        again.files,
        [dir.path().join("h.h"), dir.path().join("k.c")]
    );
    assert_eq!(times(&folder), before);

    // A winner changes the data only.
    all.problems[0].winners = vec![(0, 0)];
    assert!(
        emit(&all, dir.path(), &service(dir.path()))
            .unwrap()
            .changed
            && !objects.exists()
    );

    // A header that only the compiler knows changes the code.
    std::fs::write(dir.path().join("h.h"), "#define ONE 2\n").unwrap();
    assert!(
        emit(&all, dir.path(), &service(dir.path()))
            .unwrap()
            .changed
            && objects.exists()
    );
    assert!(
        !emit(&all, dir.path(), &service(dir.path()))
            .unwrap()
            .changed
    );
}

#[test]
fn the_same_input_gives_the_same_archive() {
    let archive = || {
        let (dir, service) = package("k.cpp", CPP);
        let candidates = [2, 3]
            .map(|n| candidate("k.cpp", Language::Cpp, n))
            .to_vec();
        emit(&emission(candidates), dir.path(), &service).unwrap();
        std::fs::read(dir.path().join("bico/libbico_pkg_0_1_0_gemm.a")).unwrap()
    };
    assert!(
        archive() == archive(),
        "archives differ by where or when they were made"
    );
}

#[test]
fn what_cannot_be_emitted_names_the_candidate() {
    let (dir, service) = package(
        "k.cpp",
        "#if N == 3\n#error no three\n#endif\nint run(int x) { return x; }\n",
    );
    let error = emit(
        &emission(vec![candidate("k.cpp", Language::Cpp, 2)]),
        dir.path(),
        &service,
    )
    .unwrap_err();
    assert!(error.message.starts_with("`k.cpp` has no function `run`\n"));
    assert!(
        error
            .to_string()
            .contains("= help: functions that bico calls in C++ are declared `extern \"C\"`"),
        "{error}"
    );
    assert_eq!(error.candidate, Some(0));
    let error = emit(
        &emission(vec![candidate("k.cpp", Language::Cpp, 3)]),
        dir.path(),
        &service,
    )
    .unwrap_err();
    assert!(
        error.message.contains("no three") && error.message.ends_with("\n  = help: it is N = 3"),
        "{error}"
    );
}
