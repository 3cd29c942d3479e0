//! What a compiler shows of a definition's type, held against what the wrapper passes.

use super::signature::{MARK, names, parameters, spellings};
use super::{Passed, shim};
use bico_core::Lists;
use bico_core::sorted::sort_by;
use bico_syntax::{Element, Language};

/// A declaration that no definition agrees with, so that the compiler shows the definition's type.
pub(super) fn reveal(language: Language, entry: &str) -> String {
    match language {
        Language::Cpp => format!(
            "template <class T> struct bico_reveal;\nbico_reveal<decltype({entry})> bico_revealed;\n"
        ),
        _ => format!("extern struct bico_reveal {{ int x; }} {entry}(struct bico_reveal);\n"),
    }
}

/// The verdict where no assertion can hold all spellings: what the compiler shows of the definition.
pub(super) fn by_words(
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
                Passed::Records | Passed::Stream => return found.contains('*'),
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
pub(super) fn found_type(said: &str, entry: &str, resolved: bool) -> Option<String> {
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

/// The result of a function whose type is shown, unless it is `void`.
pub(super) fn given_back<'a>(found: &'a str, entry: &str) -> Option<&'a str> {
    let head = found.split_once('(')?.0.trim_end();
    let result = head.strip_suffix(entry)?.trim();
    (result != "void" && !result.is_empty()).then_some(result)
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
}
