//! Whether the kernel takes what the wrapper passes: number and width of the arguments. Signedness,
//! `const`, and which of two types of equal width a header prefers are the author's business.
//!
//! The compiler decides, on a probe that includes the kernel's source.

use super::visible::visible;
use super::{Passed, Role, shim};
use crate::compile::{Service, Unit, spelled};
use bico_core::Lists;
use bico_core::sorted::sort_by;
use bico_syntax::{Element, Language};
use std::path::Path;

/// The most spellings of one signature that are compared by an assertion; where there are more, the
/// type that the compiler shows is read.
const MOST_SPELLINGS: usize = 4096;

/// Says in a compiler's output that the probe's own assertion failed.
const MARK: &str = "bico_arguments_differ";

/// Checks a kernel's definition against the wrapper's arguments.
///
/// # Arguments
///
/// `unit` is how the kernel is compiled for some config, `folder` is where the probe may be written.
///
/// # Errors
///
/// They differ, or the source has no such function; the text shows both. A source that does not
/// compile is not this function's business.
pub(crate) fn check(
    service: &Service,
    unit: &Unit,
    entry: &str,
    passed: &[Passed],
    role: &Role,
    folder: &Path,
) -> Result<(), String> {
    let wanted = shim::declaration(entry, passed)?;
    // Compiles the kernel's source with a text behind it; the compiler's words if it refuses.
    let probe = |text: &str, name: &str| -> Result<(), String> {
        let path = service.options().root.join(&unit.source);
        let path = path.to_string_lossy().replace('\\', "\\\\");
        let path = path.replace('"', "\\\"");
        let ending = spelled(unit.language, "c", "cpp");
        let source = folder.join(format!("{entry}_{name}.{ending}"));
        let text = format!("#include \"{path}\"\n#include <stddef.h>\n#include <stdint.h>\n{text}");
        crate::files::written(&source, text.as_bytes())?;
        let mut unit = Unit {
            source,
            ..unit.clone()
        };
        // Only what the compiler says matters.
        unit.flags.extend(["-O0", "-w"].map(String::from));
        let said = service.object(&unit).map(|_| ());
        said.map_err(|error| format!("{}\n{}", error.summary, error.stderr))
    };
    let revealed = || {
        let said = probe(&reveal(unit.language, entry), "reveal");
        said.err().unwrap_or_default()
    };
    let shown = || by_words(revealed(), entry, passed, &probe);
    let verdict = match unit.language {
        Language::C => match c_assertion(entry, passed).map(|text| probe(&text, "probe")) {
            // Rows of a matrix, `double (*)[n]`, have more spellings than an assertion could list.
            Some(Err(_)) if shown().is_ok() => Ok(()),
            Some(verdict) => verdict,
            None => shown(),
        },
        Language::Cpp => probe(&cpp_assertion(entry, passed), "probe"),
        Language::Cuda => return Ok(()),
    };
    let (source, what) = (unit.source.display(), role.name);
    let Err(said) = verdict else {
        return visible(service, unit, entry, role);
    };
    // The mark stands in quoted source lines as well.
    let mut lines = said.lines();
    if lines.any(|line| line.contains("error: ") && line.contains(MARK)) {
        let found = found_type(&revealed(), entry, false);
        let found = found.unwrap_or_else(|| "(the compiler does not say)".to_string());
        if let Some(given) = given_back(&found, entry).filter(|_| shim::given(passed) == "void") {
            return Err(format!(
                "the {what} `{entry}` in `{source}` gives back `{given}`, and nobody would take it\n  = note: the {what} is: {found}\n  = help: let it return `void`, and write a result through a pointer: {wanted}"
            ));
        }
        return Err(format!(
            "the arguments of the wrapper differ from those of the {what} `{entry}` in `{source}`\n  = note: the wrapper passes: {wanted}\n  = note: the {what} takes:   {found}\n  = help: make number and width of the arguments equal; signedness and `const` may differ"
        ));
    }
    let quoted = format!("'{entry}'");
    let missing = ["undeclared", "not declared", "undefined identifier"];
    let mut named = said.lines().filter(|line| line.contains(&quoted));
    // A declaration that no definition contradicts stands alone.
    let is_missing =
        said.is_empty() || named.any(|line| missing.iter().any(|text| line.contains(text)));
    match is_missing {
        true => Err(format!(
            "`{source}` has no function `{entry}`\n  = help: name the {what}'s function by {}, or define: {wanted}",
            role.option
        )),
        false => Ok(()),
    }
}

/// The result of a function whose type is shown, unless it is `void`.
fn given_back<'a>(found: &'a str, entry: &str) -> Option<&'a str> {
    let head = found.split_once('(')?.0.trim_end();
    let result = head.strip_suffix(entry)?.trim();
    (result != "void" && !result.is_empty()).then_some(result)
}

/// One assertion over all spellings of the signature; `None` if they are too many, or there are names of the author's own.
fn c_assertion(entry: &str, passed: &[Passed]) -> Option<String> {
    let has_name = |of: &Passed| matches!(of, Passed::Records | Passed::Structure(_));
    if passed.iter().any(has_name) {
        return None;
    }
    let mut lists = vec![String::new()];
    let (given, passed) = (shim::given(passed), parameters(passed));
    for (at, argument) in passed.iter().enumerate() {
        let spellings = spellings(*argument);
        if lists.len() * spellings.len() > MOST_SPELLINGS {
            return None;
        }
        let comma = if at == 0 { "" } else { ", " };
        let longer = |list: &String| {
            let list = format!("{list}{comma}");
            let spellings = spellings.iter();
            spellings
                .map(move |spelling| format!("{list}{spelling}"))
                .collect_vec()
        };
        lists = lists.iter().flat_map(longer).collect_vec();
    }
    if passed.is_empty() {
        lists = vec!["void".into()];
    }
    let same = |list| format!("__builtin_types_compatible_p(__typeof__({entry}), {given}({list}))");
    let alternatives: Vec<String> = lists.iter().map(same).collect_vec();
    let alternatives = alternatives.join("\n || ");
    Some(format!("_Static_assert({alternatives}, \"{MARK}\");\n"))
}

/// All but what the function gives back.
fn parameters<'a, 'b>(passed: &'b [Passed<'a>]) -> &'b [Passed<'a>] {
    match passed {
        [parameters @ .., Passed::Result] => parameters,
        _ => passed,
    }
}

/// All C types of an argument of this width and kind.
fn spellings(argument: Passed<'_>) -> Vec<String> {
    // A kernel may promise not to write what the wrapper lets it write.
    let pointers = |names: Vec<&str>| {
        let names = names.into_iter().chain(["void"]);
        let both = names.flat_map(|name| [format!("{name} *"), format!("const {name} *")]);
        both.collect_vec()
    };
    match argument {
        Passed::Value(element) => names(element).iter().map(ToString::to_string).collect_vec(),
        Passed::Result | Passed::Structure(_) => Vec::new(),
        Passed::Pointer(element, _) => pointers(names(element).to_vec()),
        Passed::Records | Passed::Null => {
            pointers(Element::numbers().flat_map(names).copied().collect_vec())
        }
    }
}

/// All C types that hold a value of this width and kind.
fn names(element: Element) -> &'static [&'static str] {
    match element {
        Element::F32 => &["float"],
        Element::F64 => &["double"],
        Element::I8 | Element::U8 | Element::Bool => {
            &["signed char", "unsigned char", "char", "_Bool"]
        }
        Element::I16 | Element::U16 => &["short", "unsigned short"],
        Element::I32 | Element::U32 => &["int", "unsigned"],
        // Two of these are one type on every machine; which, differs.
        _ if cfg!(target_pointer_width = "64") && cfg!(unix) => {
            &["long", "unsigned long", "long long", "unsigned long long"]
        }
        _ => &["int64_t", "uint64_t", "intptr_t", "uintptr_t"],
    }
}

fn cpp_assertion(entry: &str, passed: &[Passed]) -> String {
    let mut text = String::from(
        "#include <type_traits>
namespace bico_probe {
template <class W, class K> struct same {
    static constexpr bool value = sizeof(W) == sizeof(K)
        && std::is_floating_point<W>::value == std::is_floating_point<K>::value
        && !std::is_pointer<K>::value && !std::is_reference<K>::value;
};
template <class W, class K, std::size_t N> struct same<W, K[N]> {
    static constexpr bool value = same<W, typename std::remove_cv<K>::type>::value;
};
template <class W, class K> struct same<W *, K *> {
    static constexpr bool value = same<W, typename std::remove_cv<K>::type>::value;
};
template <class W> struct same<W *, void *> { static constexpr bool value = true; };
template <class W> struct same<W *, const void *> { static constexpr bool value = true; };
template <class K> struct same<decltype(nullptr), K *> { static constexpr bool value = true; };
template <unsigned N> struct bytes;
template <unsigned N, class K> struct same<bytes<N>, K> {
    static constexpr bool value = std::is_class<K>::value && sizeof(K) == N;
};
template <class W, class K> struct all { static constexpr bool value = false; };
template <> struct all<void(), void()> { static constexpr bool value = true; };
template <class W, class... Ws, class K, class... Ks> struct all<void(W, Ws...), void(K, Ks...)> {
    static constexpr bool value = same<W, K>::value && all<void(Ws...), void(Ks...)>::value;
};
}
",
    );
    let name = |element| match shim::c_type(element) {
        Ok("_Bool") => "bool",
        other => other.unwrap_or("void"),
    };
    let types = passed.iter().map(|argument| match *argument {
        Passed::Pointer(element, _) => format!("{} *", name(element)),
        Passed::Records | Passed::Null | Passed::Result => "decltype(nullptr)".to_string(),
        Passed::Value(element) => name(element).to_string(),
        Passed::Structure(layout) => format!("bico_probe::bytes<{}>", layout.size()),
    });
    let types = types.collect_vec().join(", ");
    text.push_str(&format!(
        "static_assert(bico_probe::all<void({types}), decltype({entry})>::value, \"{MARK}\");\n"
    ));
    text
}

/// A declaration that no definition agrees with, so that the compiler shows the definition's type.
fn reveal(language: Language, entry: &str) -> String {
    match language {
        Language::Cpp => format!(
            "template <class T> struct bico_reveal;\nbico_reveal<decltype({entry})> bico_revealed;\n"
        ),
        _ => format!("extern struct bico_reveal {{ int x; }} {entry}(struct bico_reveal);\n"),
    }
}

/// The verdict where no assertion can hold all spellings: what the compiler shows of the definition.
fn by_words(
    said: String,
    entry: &str,
    passed: &[Passed],
    probe: &dyn Fn(&str, &str) -> Result<(), String>,
) -> Result<(), String> {
    match found_type(&said, entry, true) {
        Some(found) if agrees(&found, passed) => {
            let sizes = sizes(&said, entry, passed);
            match sizes.is_empty() {
                true => Ok(()),
                false => probe(&sizes, "sizes"),
            }
        }
        Some(_) => Err(format!("error: {MARK}")),
        // This compiler shows no types, or there is no such function.
        None => Err(said),
    }
}

/// Whether a type that a compiler shows, with all aliases resolved, is one of the spellings.
fn agrees(found: &str, passed: &[Passed]) -> bool {
    const SILENT: [&str; 5] = ["const", "volatile", "restrict", "__restrict__", "int"];
    // `unsigned long` and `long unsigned int` are one type; `double (*)[n]` points to doubles, too.
    let plain = |text: &str| {
        let element = match text.split_once('[') {
            Some((element, _)) if text.ends_with(']') => element,
            _ => text,
        };
        let text = element.replace('*', " * ").replace(['(', ')'], " ");
        let words = text.split_ascii_whitespace();
        let mut words: Vec<&str> = words.filter(|word| !SILENT.contains(word)).collect_vec();
        sort_by(&mut words, &Ord::cmp);
        words.join(" ")
    };
    let is_number = |found: &String| {
        let mut names = Element::numbers().flat_map(names);
        names.any(|name| plain(name) == *found)
    };
    let (head, list) = found.split_once('(').unwrap_or_default();
    if !head.starts_with(shim::given(passed)) {
        return false;
    }
    let passed = parameters(passed);
    let types = list
        .trim_end_matches(')')
        .split(',')
        .map(plain)
        .collect_vec();
    let mut pairs = types.iter().zip(passed);
    types.len() == passed.len()
        && pairs.all(|(found, argument)| {
            match argument {
                Passed::Records => return found.contains('*'),
                Passed::Structure(_) => return !found.contains('*') && !is_number(found),
                _ => {}
            }
            let spellings = spellings(*argument);
            spellings.iter().any(|spelling| plain(spelling) == *found)
        })
}

/// That structures by value are as large as the wrapper's, by the names that the definition has for them.
fn sizes(said: &str, entry: &str, passed: &[Passed]) -> String {
    let found = found_type(said, entry, false).unwrap_or_default();
    let (_, list) = found.split_once('(').unwrap_or_default();
    let types = list.trim_end_matches(')').split(',');
    let types = types.zip(parameters(passed));
    let sizes = types.filter_map(|(found, passed)| match passed {
        Passed::Structure(layout) => {
            let bytes = layout.size();
            Some(format!(
                "_Static_assert(sizeof({found}) == {bytes}, \"{MARK}\");\n"
            ))
        }
        _ => None,
    });
    sizes.collect()
}

/// The definition's type in a compiler's words; `resolved`: with no aliases, or not at all.
fn found_type(said: &str, entry: &str, resolved: bool) -> Option<String> {
    // gcc: note: previous definition of 'f' with type 'void(float *, int)'; clang: no type, but the line.
    let with_name = |text: &str| match text.split_once('(') {
        Some((result, rest)) => format!("{} {entry}({rest}", result.trim_end()),
        None => text.to_string(),
    };
    let previous = said
        .lines()
        .filter(|line| line.contains("previous") && line.contains(entry));
    for line in previous {
        let alias = line.split_once("{aka '").filter(|_| resolved);
        if let Some((_, rest)) = alias.or_else(|| line.split_once("with type '")) {
            return Some(with_name(rest.split('\'').next().unwrap_or(rest)));
        }
    }
    let start = said.find("bico_reveal<")? + "bico_reveal<".len();
    let rest = &said[start..];
    let end = rest.find(")>")? + 1;
    Some(with_name(&rest[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_in_messages() {
        let gcc = "k.c:9:1: note: previous definition of 'dot' with type 'void(float *, uint32_t)' {aka 'void(float *, unsigned int)'}";
        assert_eq!(
            found_type(gcc, "dot", false).as_deref(),
            Some("void dot(float *, uint32_t)")
        );
        assert_eq!(
            found_type(gcc, "dot", true).as_deref(),
            Some("void dot(float *, unsigned int)")
        );
        let cpp = "error: aggregate 'bico_reveal<void(float*, unsigned int)> bico_revealed' has incomplete type";
        assert_eq!(
            found_type(cpp, "dot", false).as_deref(),
            Some("void dot(float*, unsigned int)")
        );
        assert_eq!(found_type("error: something else", "dot", false), None);
    }

    #[test]
    fn shown_types_are_compared() {
        let passed = [
            Passed::Pointer(Element::F32, true),
            Passed::Value(Element::U32),
            Passed::Value(Element::Usize),
        ];
        let agrees = |found: &str| agrees(found, &passed);
        assert!(agrees("void f(float *, unsigned int,  long unsigned int)") || cfg!(not(unix)));
        assert!(agrees("void f(const float * restrict, int,  long int)"));
        assert!(agrees("void f(float (* restrict)[n], int,  long int)"));
        assert!(agrees("void f(const float (*)[n][4],  int,  long int)"));
        assert!(!agrees("void f(double (*)[n], int,  long int)"));
        assert!(!agrees("void f(float *(*)[n], int,  long int)"));
        assert!(!agrees("int f(float *, unsigned int,  long unsigned int)"));
        assert!(!agrees("void f(float *, unsigned int)"));
        assert!(!agrees(
            "void f(double *, unsigned int,  long unsigned int)"
        ));
        assert!(!agrees("void f(float *, unsigned int,  unsigned int)"));
        assert!(!agrees("void f(float *, short unsigned int,  long int)"));
    }

    #[test]
    fn assertions_stay_short() {
        assert!(c_assertion("f", &[Passed::Value(Element::U64); 5]).is_some());
        assert!(c_assertion("f", &[Passed::Value(Element::U64); 12]).is_none());
    }
}
