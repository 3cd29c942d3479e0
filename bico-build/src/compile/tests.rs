//! The service with the machine's own compiler.

use super::told::tests::endless;
use super::*;
use std::path::Path;
use std::time::Instant;

pub(super) fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(dir.path().join(name), content).unwrap();
    }
    dir
}

pub(super) fn options(root: &Path) -> Options {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    Options {
        cache: root.join("objects"),
        root: root.to_path_buf(),
        threads: 2,
        target: triple.clone(),
        host: triple,
        timeout: Options::TIMEOUT,
        nvrtc: None,
        program: None,
    }
}

pub(super) fn unit(source: &str, language: Language) -> Unit {
    Unit {
        source: source.into(),
        language,
        defines: Vec::new(),
        flags: Vec::new(),
        gpu: None,
    }
}

/// Seen in the file system, a compile leaves a new file.
pub(super) fn written(path: &Path) -> std::time::SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn an_object_is_kept_until_something_it_was_made_from_changes() {
    let dir = package(&[
        ("k.c", "#include HEADER\nint f(void) { return A + N; }\n"),
        ("a.h", "#define A 1\n"),
    ]);
    let mut wanted = unit("k.c", Language::C);
    // Through a macro, so that only the compiler knows the header.
    wanted.defines = vec![
        ("HEADER".into(), "\"a.h\"".into()),
        ("N".into(), "2".into()),
    ];
    let first = Service::new(options(dir.path()));
    let object = first.object(&wanted).unwrap();
    let before = written(&object);
    let names: Vec<_> = first.dependencies(&wanted).unwrap();
    assert_eq!(names, [dir.path().join("k.c"), dir.path().join("a.h")]);

    let again = Service::new(options(dir.path()));
    assert_eq!(again.object(&wanted), Ok(object.clone()));
    assert_eq!(written(&object), before);
    assert_eq!(again.dependencies(&wanted).unwrap(), names);

    std::fs::write(dir.path().join("a.h"), "#define A 3\n").unwrap();
    let content = std::fs::read(&object).unwrap();
    assert_eq!(
        Service::new(options(dir.path())).object(&wanted),
        Ok(object.clone())
    );
    assert_ne!(std::fs::read(&object).unwrap(), content);

    let mut other = wanted.clone();
    other.defines[1].1 = "5".into();
    assert_ne!(again.object(&other).unwrap(), object);
    other.flags = vec!["-O1".into()];
    let flagged = again.object(&other).unwrap();
    other.flags.clear();
    assert_ne!(again.object(&other).unwrap(), flagged);
}

/// What is followed without a compiler is what the compiler reads, and nothing else.
#[test]
fn the_compiler_reads_what_is_followed() {
    let dir = source::tests::package(&[
        (
            "p/k/a.c",
            "#include <sys.h>\n#include \"own.h\"\n#  include <first.h>\n#include <stddef.h>\n",
        ),
        ("p/k/own.h", "#include \"sub/x.h\"\n#include \"both.h\"\n"),
        ("p/k/sub/x.h", "#pragma once\n#include \"../own_too.h\"\n"),
        ("p/k/own_too.h", "#include \"sub/x.h\"\n"),
        ("p/k/sys.h", "#error in angles\n"),
        ("p/k/both.h", ""),
        ("p/one/both.h", "#error nearer\n"),
        ("p/one/first.h", "#include \"beside.h\"\n"),
        ("p/one/beside.h", ""),
        ("p/quoted/first.h", "#error quoted only\n"),
        ("two/first.h", "#error later\n"),
        ("two/sys.h", "#include <deep/y.h>\n"),
        ("system/deep/y.h", "#include \"z.h\"\n"),
        ("system/deep/z.h", ""),
        ("p/pre.h", "#include <first.h>\n"),
    ]);
    let root = dir.path().join("p");
    let mut wanted = unit("k/a.c", Language::C);
    let flags = "-isystem ../system -I one -iquote quoted -I../two -include pre.h";
    wanted.flags = flags.split(' ').map(String::from).collect();
    let mut compiler = std::process::Command::new("cc");
    let compiler = compiler.args(&wanted.flags).args(["-M", "k/a.c"]);
    let output = compiler.current_dir(&root).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let folder = source::normal(dir.path());
    let files = |files: Vec<PathBuf>| {
        let files = files.iter().map(|file| source::normal(&root.join(file)));
        // But for the machine's own headers.
        let files = files.filter_map(|file| Some(file.strip_prefix(&folder).ok()?.to_path_buf()));
        files.collect::<std::collections::BTreeSet<_>>()
    };
    let read = files(depfile::parse(&String::from_utf8_lossy(&output.stdout)));
    let service = Service::new(options(&root));
    assert_eq!(files(service.source(&wanted).unwrap().files), read);
    assert_eq!(read.len(), 11, "{read:?}");
}

/// An object is made anew where a header outside of the package is another.
#[test]
fn what_lies_outside_is_compiled_anew() {
    let dir = source::tests::package(&[
        ("p/k.c", "#include <a.h>\nint f(void) { return A; }\n"),
        ("lib/a.h", "#define A 1\n"),
    ]);
    let mut wanted = unit("k.c", Language::C);
    wanted.flags = vec!["-I../lib".into()];
    let compile = || {
        let service = Service::new(options(&dir.path().join("p")));
        std::fs::read(service.object(&wanted).unwrap()).unwrap()
    };
    let first = compile();
    std::fs::write(dir.path().join("lib/a.h"), "#define A 3\n").unwrap();
    assert_ne!(compile(), first);
}

#[test]
fn what_is_announced_is_compiled_once_and_waited_for() {
    let dir = package(&[("k.c", "int f(void) { return N; }\n")]);
    let service = Service::new(options(dir.path()));
    let units: Vec<Unit> = (0..6)
        .map(|n| Unit {
            defines: vec![("N".into(), n.to_string())],
            ..unit("k.c", Language::C)
        })
        .collect();
    service.announce(units.clone());
    let objects: Vec<PathBuf> = units
        .iter()
        .map(|unit| service.object(unit).unwrap())
        .collect();
    let before: Vec<_> = objects.iter().map(|object| written(object)).collect();
    service.announce(units.clone());
    for ((unit, object), before) in units.iter().zip(&objects).zip(before) {
        assert_eq!(service.object(unit).unwrap(), *object);
        assert_eq!(written(object), before);
    }
    let left: Vec<_> = std::fs::read_dir(dir.path().join("objects"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn nothing_begins_in_the_background_while_it_is_quiet() {
    let dir = package(&[("k.c", "int f(void) { return 1; }\n")]);
    let service = Service::new(options(dir.path()));
    let wanted = unit("k.c", Language::C);
    let quiet = service.leave(0);
    service.announce(vec![wanted.clone()]);
    std::thread::sleep(Duration::from_millis(50));
    assert!(!dir.path().join("objects").exists());
    // Whoever needs it now gets it all the same.
    service.object(&wanted).unwrap();
    drop(quiet);
}

/// A process's name and its state, as the system has them.
#[cfg(target_os = "linux")]
type Process = (String, char);

/// All processes whose commands name a folder.
#[cfg(target_os = "linux")]
fn states(folder: &std::path::Path) -> Vec<Process> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let ours = processes.filter(|entry| {
        let command = std::fs::read_to_string(entry.path().join("cmdline"));
        command.is_ok_and(|command| command.contains(folder.to_str().unwrap()))
    });
    let state = |entry: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        Some((name.to_string(), rest.trim().chars().next()?))
    };
    ours.filter_map(state).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn what_runs_in_the_background_is_stopped_and_goes_on() {
    // It takes a while to compile.
    let long = "int f(int x) {\n".to_string()
        + &"x = x * 31 + (x >> 3) ^ (x % 7 ? x / 3 : x * 5);\n".repeat(1500)
        + "return x;\n}\n";
    let dir = package(&[("k.c", &long)]);
    let service = Service::new(options(dir.path()));
    let wanted = unit("k.c", Language::C);
    let start = Instant::now();
    service.announce(vec![wanted.clone()]);
    let seen = |wanted: &dyn Fn(&[Process]) -> bool| {
        (0..30_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            let states = states(dir.path());
            !states.is_empty() && wanted(&states)
        })
    };
    let began = |(name, _): &Process| name.starts_with("cc1") || name.starts_with("clang");
    assert!(seen(&|all| all.iter().any(began)), "it never began");
    let quiet = service.leave(0);
    // No signal stops a driver that waits until the compiler which it starts is there (D): what began may have been another one.
    let stopped = |of: &Process| of.1 == 'T' || (of.1 == 'D' && !began(of));
    assert!(seen(&|all| all.iter().all(stopped)));
    let stood = Instant::now();
    std::thread::sleep(Duration::from_millis(300));
    let stood = stood.elapsed();
    let (one, ()) = (service.leave(1), drop(quiet));
    assert!(seen(&|all| !all.iter().any(stopped)));
    drop(one);
    service.object(&wanted).unwrap();
    // For as long as it stood still it did not compile; and what is kept was not compiled.
    let taken = service.taken(&wanted).unwrap();
    assert!(taken + stood <= start.elapsed(), "{taken:?}");
    let again = Service::new(options(dir.path()));
    again.object(&wanted).unwrap();
    assert_eq!(again.taken(&wanted), None);
}

#[test]
fn a_refused_source_says_where() {
    let dir = package(&[("k.c", "int f(void) { return UNKNOWN; }\n")]);
    let error = Service::new(options(dir.path()))
        .object(&unit("k.c", Language::C))
        .unwrap_err();
    assert!(
        error.summary.starts_with("k.c:1:") && error.summary.contains("UNKNOWN"),
        "{error}"
    );
    assert!(
        error.stderr.contains("UNKNOWN") && error.status == Some(1),
        "{error:?}"
    );
}

#[cfg(not(feature = "cuda"))]
#[test]
fn without_the_feature_a_gpu_kernel_is_refused() {
    let dir = package(&[("k.cu", "__global__ void k() {}\n")]);
    let service = Service::new(options(dir.path()));
    let mut wanted = unit("k.cu", Language::Cuda);
    wanted.gpu = Some(GpuUnit {
        target: GpuTarget::Cubin(80),
        expressions: vec!["k".into()],
        nvcc: false,
    });
    let error = service.kernel(&wanted).unwrap_err().summary;
    assert!(
        error.contains("add `features = [\"cuda\"]` to bico-build"),
        "{error}"
    );
    assert_eq!(service.compiler(Language::Cuda).unwrap_err().summary, error);
    wanted.gpu = None;
    assert!(service.kernel(&wanted).is_err());
}

#[test]
fn a_missing_source_is_named() {
    let dir = package(&[]);
    let error = Service::new(options(dir.path()))
        .object(&unit("gone.c", Language::C))
        .unwrap_err();
    assert!(
        error.summary.starts_with("could not read `gone.c`: "),
        "{error}"
    );
}

#[test]
fn control_characters_and_response_files_never_reach_the_compiler() {
    let dir = package(&[("k.c", "int x;\n")]);
    let service = Service::new(options(dir.path()));
    let refused = |defines: &[(&str, &str)], flags: &[&str]| {
        let unit = Unit {
            defines: defines
                .iter()
                .map(|(n, v)| (n.to_string(), v.to_string()))
                .collect(),
            flags: flags.iter().map(|flag| flag.to_string()).collect(),
            ..unit("k.c", Language::C)
        };
        service.object(&unit).unwrap_err().summary
    };
    assert_eq!(
        refused(&[("T", "a\nb")], &[]),
        "the value of T holds a control character: \"a\\nb\""
    );
    assert_eq!(
        refused(&[("T=1 -o", "x")], &[]),
        "`T=1 -o` cannot be the name of a macro"
    );
    assert_eq!(
        refused(&[], &["-O3\u{1b}"]),
        "the flag \"-O3\\u{1b}\" holds a control character"
    );
    assert_eq!(
        refused(&[], &["@f"]),
        "the flag `@f` would read flags from a file; write them in `flags`"
    );
}

#[test]
fn shell_characters_are_only_text() {
    let dir = package(&[("k.c", "const char *f(void) { return S; }\n")]);
    let marker = dir.path().join("marker");
    let text = format!("\"$(touch {0}) `touch {0}` ; touch {0}\"", marker.display());
    let wanted = Unit {
        defines: vec![("S".into(), text)],
        ..unit("k.c", Language::C)
    };
    Service::new(options(dir.path())).object(&wanted).unwrap();
    assert!(!marker.exists());
}

#[test]
fn an_endless_compile_is_ended() {
    let (dir, wanted) = endless();
    let slow = Options {
        timeout: Duration::from_millis(500),
        ..options(dir.path())
    };
    let error = Service::new(slow).object(&wanted).unwrap_err();
    assert_eq!(
        error.summary,
        "the compiler was stopped after 0.5 s: `compile_seconds` in [package.metadata.bico] says how long it may take"
    );
    // Dropping the service must not wait for it either.
    let service = Service::new(options(dir.path()));
    service.announce(vec![wanted]);
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn the_compiler_tells_its_version() {
    let dir = package(&[]);
    let version = Service::new(options(dir.path()))
        .compiler(Language::C)
        .unwrap();
    assert!(
        version.contains(|c: char| c.is_ascii_digit()) && !version.contains('\n'),
        "{version}"
    );
}

#[test]
fn the_variables_are_those_of_the_target() {
    let names = variables("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu");
    for name in [
        "CC",
        "CFLAGS_x86_64_unknown_linux_gnu",
        "CC_x86_64-unknown-linux-gnu",
        "HOST_CXXFLAGS",
    ] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    assert!(variables("a-b", "c-d").contains(&"TARGET_CC".to_string()));
}
