//! What a function in C calls its arguments, held against those of the wrapper: where two of one type stand in each other's place,
//! no compiler says so, nor does a reference in which they do, too.

use super::Role;
use crate::compile::{Service, Unit, text};
use bico_core::Lists;
use bico_syntax::{Callee, KernelArgument, TunableSpec};

/// In which order a function has the wrapper's arguments, by their names.
#[derive(Debug, PartialEq)]
pub(crate) enum Order {
    /// In the wrapper's.
    Ours,
    /// One has the name of another of the wrapper's: this one's, where this one is passed.
    Another(String, String),
    /// It has names of its own, `args` lists what is passed, or the source does not show it.
    Unknown,
}

/// In which order functions have the arguments; of several passes, the first that tells.
pub(crate) fn order(
    service: &Service,
    spec: &TunableSpec,
    unit: &Unit,
    entries: &[String],
    role: &Role,
) -> Order {
    let Ok(source) = std::fs::read(service.options().root.join(&unit.source)) else {
        return Order::Unknown;
    };
    let lines = text::lines(&String::from_utf8_lossy(&source));
    let lines = lines.into_iter().map(|(_, line)| line);
    let source = lines.collect_vec().join("\n");
    let passes = spec.kernel_arguments(role.callee);
    let passes = entries.iter().zip(&passes).enumerate();
    let mut orders = passes.map(|(at, (entry, passed))| match role.callee {
        Callee::Kernel(kernel) if spec.kernels[kernel].passes[at].args.is_some() => Order::Unknown,
        _ => {
            let wanted = passed.iter().map(|of| name(spec, of)).collect_vec();
            in_source(&source, entry, &wanted)
        }
    });
    let told = orders.find(|order| *order != Order::Unknown);
    told.unwrap_or(Order::Unknown)
}

/// The name by which the wrapper has what it passes; empty where it has none.
fn name<'s>(spec: &'s TunableSpec, passed: &KernelArgument) -> &'s str {
    match passed {
        KernelArgument::Argument(at) => &spec.arguments[*at].name.text,
        KernelArgument::Scratch(at) => &spec.scratch[*at].name.text,
        _ => "",
    }
}

/// The order in all definitions of a function.
fn in_source(source: &str, entry: &str, wanted: &[&str]) -> Order {
    let of = |names: Vec<String>| {
        if names.len() != wanted.len() {
            return Order::Unknown;
        }
        let mut pairs = names.iter().zip(wanted);
        let is_other = |(name, ours): &(&String, &&str)| {
            name.as_str() != **ours && wanted.contains(&name.as_str())
        };
        match pairs.clone().find(is_other) {
            Some((name, ours)) => Order::Another(name.clone(), ours.to_string()),
            None if pairs.all(|(name, ours)| name == ours) => Order::Ours,
            None => Order::Unknown,
        }
    };
    let mut orders = definitions(source, entry).into_iter().map(of);
    let first = orders.next().unwrap_or(Order::Unknown);
    // Which of several is compiled is not known here.
    match orders.all(|order| order == first) {
        true => first,
        false => Order::Unknown,
    }
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
        let order = |source| in_source(source, "f", &["out", "a", "b", "n"]);
        let swapped = "void f(float *out, float *b, float *a, int n) {}";
        let ours = "void f(float *out, float *a, float *b, int n) {}";
        assert_eq!(order(swapped), Order::Another("b".into(), "a".into()));
        assert_eq!(order(ours), Order::Ours);
        let unknown = [
            "void f(float *y, float *x, float *b, int len) {}",
            // The compiler tells that one is missing.
            "void f(float *out, float *b, float *a) {}",
            "void g(float *b) {}",
            &format!("#if OLD\n{swapped}\n#else\n{ours}\n#endif"),
        ];
        for source in unknown {
            assert_eq!(order(source), Order::Unknown, "{source}");
        }
    }
}
