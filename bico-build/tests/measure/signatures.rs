//! Wrapper and kernel must take the same.

use crate::setup::{Setup, Tunable};
use crate::timed;
use bico_core::Value;
use bico_search::search::Measure;

/// What is said of a kernel `own` in this language.
fn check(kernel: &str, language: &str) -> Result<(), String> {
    let tunable = Tunable::new(
        &format!("source = \"own.{language}\", space(MODE in [0]), problem(n = 100)"),
        "fn own(#[len(n)] out: &mut [f32], #[len(n)] index: &[i64], n: usize) -> bico::Result<()>;",
        vec![Value::Int(100)],
        |sizes| vec![sizes[0], sizes[0]],
    );
    let mut setup = Setup::new(tunable);
    setup.tunable.source = Some(format!(
        "#include <stdint.h>\n#include <stddef.h>\n{kernel}\n"
    ));
    let setup = setup.written();
    setup.measure().prepare(&[0])
}

/// A kernel with so many arguments that no assertion holds all ways to write them.
fn many(last: &str) -> Result<(), String> {
    let sizes: String = (0..12).map(|at| format!("s{at}: u64, ")).collect();
    let tunable = Tunable::new(
        &format!(
            "source = \"own.c\", space(MODE in [0]), problem({})",
            (0..12).map(|at| format!("s{at} = 5, ")).collect::<String>()
        ),
        &format!("fn own(#[len(s0)] out: &mut [f32], {sizes}) -> bico::Result<()>;"),
        vec![Value::Int(5); 12],
        |sizes| vec![sizes[0]],
    );
    let mut setup = Setup::new(tunable);
    let sizes: String = (0..11).map(|at| format!("const size_t s{at}, ")).collect();
    setup.tunable.source = Some(format!(
        "#include <stddef.h>\nvoid own(float *restrict out, {sizes}{last} s11) {{}}\n"
    ));
    setup.written().measure().prepare(&[0])
}

pub(crate) fn signatures_must_agree() {
    let good = [
        "void own(float *out, const int64_t *index, size_t n) {}",
        "void own(float *restrict out, uint64_t *index, const int64_t n) {}",
        "void own(float *out, const long long *index, unsigned long long n) {}",
        "void own(void *out, const void *index, long n) {}",
        "void own(float out[static 1], const int64_t index[], intptr_t n) {}",
    ];
    for kernel in good {
        assert_eq!(check(kernel, "c"), Ok(()), "{kernel}");
    }
    let bad = [
        "void own(float *out, const int64_t *index, uint32_t n) {}",
        "void own(float *out, const int64_t *index) {}",
        "void own(float *out, const int64_t *index, size_t n, int more) {}",
        "void own(double *out, const int64_t *index, size_t n) {}",
        "void own(float *out, const int32_t *index, size_t n) {}",
        "void own(float *out, size_t n, const int64_t *index) {}",
        "void own(float *out, const int64_t *index, double n) {}",
    ];
    for kernel in bad {
        for (language, linkage) in [("c", ""), ("cpp", "extern \"C\" ")] {
            let text = check(&format!("{linkage}{kernel}"), language).unwrap_err();
            assert!(
                text.contains("void own(float *, const int64_t *, size_t)"),
                "{kernel}: {text}"
            );
            let shown = text.split("takes:").nth(1).unwrap_or_default();
            assert!(shown.contains("void own("), "{kernel}: {text}");
        }
    }
    let cpp = [
        "extern \"C\" void own(float *out, const int64_t *index, size_t n) {}",
        "extern \"C\" void own(float *__restrict out, const unsigned long long *index, long n) {}",
        "extern \"C\" void own(void *out, const void *index, long n) {}",
    ];
    for kernel in cpp {
        assert_eq!(check(kernel, "cpp"), Ok(()), "{kernel}");
    }
    // Right arguments are not all.
    let arguments = "(float *out, const int64_t *index, size_t n)";
    for (kernel, language, words) in [
        (
            "int own@ { return 0; }",
            "c",
            ["gives back `int`", "int own(float *"],
        ),
        (
            "extern \"C\" int own@ { return 0; }",
            "cpp",
            ["gives back `int`", "int own(float*"],
        ),
        ("static void own@ {}", "c", ["`static`", "cannot be called"]),
        ("inline void own@ {}", "c", ["`inline`", "cannot be called"]),
        ("void own@ {}", "cpp", ["extern \"C\"", "cannot be called"]),
    ] {
        let text = check(&kernel.replace('@', arguments), language).unwrap_err();
        assert!(
            words.iter().all(|word| text.contains(word)) && !text.contains("undefined"),
            "{kernel}: {text}"
        );
    }
    let text = check("void other(void) {}", "c").unwrap_err();
    assert!(text.contains("has no function `own`"), "{text}");
    assert!(
        check("void other() {}", "cpp")
            .unwrap_err()
            .contains("has no function `own`")
    );
    assert_eq!(many("long long"), Ok(()));
    let text = many("unsigned").unwrap_err();
    assert!(text.contains("takes:   void own(float *"), "{text}");
    // A source that does not compile is told by its trials.
    let broken = "void own(float *out, const int64_t *index, size_t n) { nonsense; }";
    assert_eq!(check(broken, "c"), Ok(()));
}

pub(crate) fn names_of_the_c_library_are_free() {
    let tunable = Tunable::new(
        "source = \"own.c\", entry = \"swab\", space(MODE in [0]), problem(n = 100)",
        "fn own(#[len(n)] out: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;",
        vec![Value::Int(100)],
        |sizes| vec![sizes[0], sizes[0]],
    );
    let mut setup = Setup::new(tunable);
    // The C library's function of that name copies bytes in another order and as many as `n`.
    setup.tunable.source = Some(
        "#include <stdint.h>
void swab(float *out, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = x[i] + 1;
}
"
        .into(),
    );
    let setup = setup.written();
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
}
