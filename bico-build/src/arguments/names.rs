//! What a function in C calls its arguments, held against those of the wrapper: where two of one type stand in each other's place,
//! no compiler says so, nor does a reference in which they do, too.

use super::Role;
use crate::compile::{Service, Unit, text};
use bico_core::Lists;
use bico_syntax::{Callee, KernelArgument, TunableSpec};

/// What is said of functions that have an argument by the name of another one of the wrapper's. `None` where there is none, where
/// `args` lists what is passed, and where the source does not show it.
pub(crate) fn misplaced(
    service: &Service,
    spec: &TunableSpec,
    unit: &Unit,
    entries: &[String],
    role: &Role,
) -> Option<String> {
    let source = std::fs::read(service.options().root.join(&unit.source)).ok()?;
    let lines = text::lines(&String::from_utf8_lossy(&source));
    let lines = lines.into_iter().map(|(_, line)| line);
    let source = lines.collect_vec().join("\n");
    let passes = spec.kernel_arguments(role.callee);
    let mut passes = entries.iter().zip(&passes).enumerate();
    passes.find_map(|(at, (entry, passed))| {
        if let Callee::Kernel(kernel) = role.callee
            && spec.kernels[kernel].passes[at].args.is_some()
        {
            return None;
        }
        let wanted = passed.iter().map(|of| name(spec, of)).collect_vec();
        let (theirs, ours) = confused(&source, entry, &wanted)?;
        Some(format!(
            "the {} `{entry}` has `{theirs}` where the wrapper passes `{ours}`, and the wrapper passes its `{theirs}` elsewhere: is that the right order? A reference with the same order cannot tell",
            role.name
        ))
    })
}

/// The name by which the wrapper has what it passes; empty where it has none.
fn name<'s>(spec: &'s TunableSpec, passed: &KernelArgument) -> &'s str {
    match passed {
        KernelArgument::Argument(at) => &spec.arguments[*at].name.text,
        KernelArgument::Scratch(at) => &spec.scratch[*at].name.text,
        _ => "",
    }
}

/// An argument that each definition of a function gives the name of another of those wanted, and the one that is wanted there.
fn confused(source: &str, entry: &str, wanted: &[&str]) -> Option<(String, String)> {
    let misplaced = |names: &Vec<String>| {
        let mut pairs = names.iter().zip(wanted);
        let other = |(name, ours): &(&String, &&str)| {
            name.as_str() != **ours && wanted.contains(&name.as_str())
        };
        let (name, ours) = pairs.find(other)?;
        Some((name.clone(), ours.to_string()))
    };
    let mut found = None;
    for names in definitions(source, entry) {
        if names.len() != wanted.len() {
            return None;
        }
        found = Some(misplaced(&names)?);
    }
    found
}

/// What each definition of a function calls its arguments.
fn definitions(source: &str, entry: &str) -> Vec<Vec<String>> {
    // `ns::gemm<32, 64>` is an instance of `gemm`.
    let plain = entry.split('<').next().unwrap_or(entry);
    let plain = plain.rsplit("::").next().unwrap_or(plain).trim();
    let mut found = Vec::new();
    for (at, _) in source.match_indices(plain) {
        let is_part = |c: Option<char>| c.is_some_and(text::is_part);
        let rest = &source[at + plain.len()..];
        if is_part(source[..at].chars().next_back()) || is_part(rest.chars().next()) {
            continue;
        }
        let Some(inside) = rest.trim_start().strip_prefix('(') else {
            continue;
        };
        let (names, behind) = names(inside);
        if behind.trim_start().starts_with('{') {
            found.push(names);
        }
    }
    found
}

/// The names in a list of arguments, and what stands behind the list. A name is the last word of its declaration, outside of
/// brackets: `const float *a`, `double (*a)[N]`.
fn names(inside: &str) -> (Vec<String>, &str) {
    let mut names = vec![String::new()];
    let (mut depth, mut brackets) = (0, 0);
    let mut word = String::new();
    for (at, c) in inside.char_indices() {
        let name = names.last_mut().expect("there is one");
        if text::is_part(c) && brackets == 0 {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            *name = std::mem::take(&mut word);
        }
        match c {
            '(' | '<' | '{' => depth += 1,
            ')' if depth == 0 => return (names, &inside[at + 1..]),
            ')' | '>' | '}' => depth -= 1,
            '[' => brackets += 1,
            ']' => brackets -= 1,
            ',' if depth == 0 && brackets == 0 => names.push(String::new()),
            _ => {}
        }
    }
    (names, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_last_words_of_declarations() {
        let of = |source| definitions(source, "ns::f<32>");
        assert_eq!(
            of(
                "int f(int); void f(const float *restrict a, double (*b)[N], int c[N][M + 1], unsigned n)\n{ f(1, 2); }"
            ),
            [["a", "b", "c", "n"]]
        );
        assert_eq!(
            of(
                "template <int T> __global__ void f(std::array<float, 4> x, float*y) {}\nvoid g_f(int z) {} void f_(int z) {}"
            ),
            [["x", "y"]]
        );
        assert!(of("void f(int a").is_empty());
        assert!(of("#define f(a, b) g(b, a)").is_empty());
    }

    #[test]
    fn another_ones_name_is_told_and_a_name_of_its_own_is_not() {
        let told = |source| {
            let found = confused(source, "f", &["out", "a", "b", "n"]);
            found.map(|(theirs, ours)| format!("{theirs} for {ours}"))
        };
        let swapped = "void f(float *out, float *b, float *a, int n) {}";
        assert_eq!(told(swapped), Some("b for a".into()));
        assert_eq!(
            told("void f(float *y, float *x, float *b, int len) {}"),
            None
        );
        // Which of two is compiled is not known here.
        let both = format!(
            "#if OLD\n{swapped}\n#else\nvoid f(float *out, float *a, float *b, int n) {{}}\n#endif"
        );
        assert_eq!(told(&both), None);
        // The compiler tells that one is missing.
        assert_eq!(told("void f(float *out, float *b, float *a) {}"), None);
        assert_eq!(told("void g(float *b) {}"), None);
    }
}
