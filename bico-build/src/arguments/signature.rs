//! Whether the kernel takes what the wrapper passes: number and width of the arguments. Signedness,
//! `const`, and which of two types of equal width a header prefers are the author's business.
//!
//! The compiler decides, on a probe that includes the kernel's source.

use super::shim::STREAM;
use super::shown::{by_words, found_type, given_back, reveal};
use super::visible::visible;
use super::{Passed, Role, shim};
use crate::compile::{Service, Unit, spelled};
use bico_core::Lists;
use bico_syntax::{Element, Language};
use std::path::Path;

/// The most spellings of one signature that are compared by an assertion; where there are more, the
/// type that the compiler shows is read.
const MOST_SPELLINGS: usize = 4096;

/// The name of the probe with an assertion.
const ASSERTION: &str = "probe";

/// Says in a compiler's output that the probe's own assertion failed.
pub(super) const MARK: &str = "bico_arguments_differ";

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
    let (source, what) = (unit.source.display(), role.name);
    let found = match verdict(service, unit, entry, passed, folder)? {
        Verdict::Fits => return visible(service, unit, entry, role),
        Verdict::Unknown => return Ok(()),
        Verdict::Missing => {
            return Err(format!(
                "`{source}` has no function `{entry}`\n  = help: name the {what}'s function by {}, or define: {wanted}",
                role.option
            ));
        }
        Verdict::Differs(found) => found,
    };
    if let Some(given) = given_back(&found, entry).filter(|_| shim::given(passed) == "void") {
        return Err(format!(
            "the {what} `{entry}` in `{source}` gives back `{given}`, and nobody would take it\n  = note: the {what} is: {found}\n  = help: let it return `void`, and write a result through a pointer: {wanted}"
        ));
    }
    let help = help(passed);
    Err(format!(
        "the arguments of the wrapper differ from those of the {what} `{entry}` in `{source}`\n  = note: the wrapper passes: {wanted}\n  = note: the {what} takes:   {found}\n  = help: {help}"
    ))
}

/// What a compiler says of a function.
pub(crate) enum Verdict {
    /// It takes what it is to take.
    Fits,
    /// It takes this.
    Differs(String),
    /// It is not there.
    Missing,
    /// Its source does not compile.
    Unknown,
}

/// What [`check`] compiles first, if it is known beforehand.
pub(crate) fn first_probe(
    service: &Service,
    unit: &Unit,
    entry: &str,
    passed: &[Passed],
    folder: &Path,
) -> Option<Unit> {
    let text = match unit.language {
        Language::C => c_assertion(entry, passed)?,
        Language::Cpp => cpp_assertion(entry, passed),
        Language::Cuda | Language::Rust => return None,
    };
    probe(service, unit, entry, &text, ASSERTION, folder).ok()
}

/// The kernel's source with a text behind it.
fn probe(
    service: &Service,
    unit: &Unit,
    entry: &str,
    text: &str,
    name: &str,
    folder: &Path,
) -> Result<Unit, String> {
    let path = service.options().root.join(&unit.source);
    let path = path.to_string_lossy().replace('\\', "\\\\");
    let path = path.replace('"', "\\\"");
    let ending = spelled(unit.language, "c", "cpp");
    let source = folder.join(format!("{entry}_{name}.{ending}"));
    let types = "#include <stddef.h>\n#include <stdint.h>\n";
    let text = format!("#include \"{path}\"\n{types}{STREAM}{text}");
    crate::files::written(&source, text.as_bytes())?;
    let mut unit = Unit {
        source,
        ..unit.clone()
    };
    // Only what the compiler says matters.
    unit.flags.extend(["-O0", "-w"].map(String::from));
    Ok(unit)
}

/// Whether a source knows a function that takes this, declared or defined. `folder` is where the probe may be written.
///
/// # Errors
///
/// The probe cannot be written.
pub(crate) fn verdict(
    service: &Service,
    unit: &Unit,
    entry: &str,
    passed: &[Passed],
    folder: &Path,
) -> Result<Verdict, String> {
    // The compiler's words if it refuses.
    let probe = |text: &str, name: &str| -> Result<(), String> {
        let unit = probe(service, unit, entry, text, name, folder)?;
        let said = service.object(&unit).map(|_| ());
        said.map_err(|error| format!("{}\n{}", error.summary, error.stderr))
    };
    let revealed = || {
        let said = probe(&reveal(unit.language, entry), "reveal");
        said.err().unwrap_or_default()
    };
    let shown = || by_words(revealed(), entry, passed, &probe);
    let verdict = match unit.language {
        Language::C => match c_assertion(entry, passed).map(|text| probe(&text, ASSERTION)) {
            // Rows of a matrix, `double (*)[n]`, have more spellings than an assertion could list.
            Some(Err(_)) if shown().is_ok() => Ok(()),
            Some(verdict) => verdict,
            None => shown(),
        },
        Language::Cpp => probe(&cpp_assertion(entry, passed), ASSERTION),
        Language::Cuda | Language::Rust => return Ok(Verdict::Unknown),
    };
    let Err(said) = verdict else {
        return Ok(Verdict::Fits);
    };
    // The mark stands in quoted source lines as well.
    let mut lines = said.lines();
    if lines.any(|line| line.contains("error: ") && line.contains(MARK)) {
        let found = found_type(&revealed(), entry, false);
        let found = found.unwrap_or_else(|| "(the compiler does not say)".to_string());
        return Ok(Verdict::Differs(found));
    }
    let quoted = format!("'{entry}'");
    let missing = ["undeclared", "not declared", "undefined identifier"];
    let mut named = said.lines().filter(|line| line.contains(&quoted));
    // A declaration that no definition contradicts stands alone.
    let is_missing =
        said.is_empty() || named.any(|line| missing.iter().any(|text| line.contains(text)));
    Ok(match is_missing {
        true => Verdict::Missing,
        false => Verdict::Unknown,
    })
}

/// What to do about arguments that differ.
fn help(passed: &[Passed]) -> &'static str {
    match passed.first() {
        Some(Passed::Stream) => {
            "a function beside CUDA kernels gets the stream first, buffers as addresses on the GPU, and gives back an `int`, 0 where all went well"
        }
        _ => "make number and width of the arguments equal; signedness and `const` may differ",
    }
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
pub(super) fn parameters<'a, 'b>(passed: &'b [Passed<'a>]) -> &'b [Passed<'a>] {
    match passed {
        [parameters @ .., Passed::Result] => parameters,
        _ => passed,
    }
}

/// All C types of an argument of this width and kind.
pub(super) fn spellings(argument: Passed<'_>) -> Vec<String> {
    // A kernel may promise not to write what the wrapper lets it write.
    let pointers = |names: Vec<&str>| {
        let names = names.into_iter().chain(["void"]);
        let both = names.flat_map(|name| [format!("{name} *"), format!("const {name} *")]);
        both.collect_vec()
    };
    match argument {
        Passed::Value(element) => names(element).iter().map(ToString::to_string).collect_vec(),
        Passed::Result | Passed::Structure(_) => Vec::new(),
        Passed::Stream => pointers(vec!["struct CUstream_st"]),
        Passed::Pointer(element, _) => pointers(names(element).to_vec()),
        Passed::Records | Passed::Null | Passed::Tensor => {
            pointers(Element::numbers().flat_map(names).copied().collect_vec())
        }
    }
}

/// All C types that hold a value of this width and kind.
pub(super) fn names(element: Element) -> &'static [&'static str] {
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
template <class R, class T> struct given { using type = int; };
template <class R, class... Ks> struct given<R, R(Ks...)> { using type = void(Ks...); };
}
",
    );
    let name = |element| match shim::c_type(element) {
        Ok("_Bool") => "bool",
        other => other.unwrap_or("void"),
    };
    let types = parameters(passed).iter().map(|argument| match *argument {
        Passed::Pointer(element, _) => format!("{} *", name(element)),
        Passed::Records | Passed::Null | Passed::Tensor | Passed::Stream | Passed::Result => {
            "decltype(nullptr)".to_string()
        }
        Passed::Value(element) => name(element).to_string(),
        Passed::Structure(layout) => format!("bico_probe::bytes<{}>", layout.size()),
    });
    let (types, given) = (types.collect_vec().join(", "), shim::given(passed));
    text.push_str(&format!(
        "static_assert(bico_probe::all<void({types}), bico_probe::given<{given}, decltype({entry})>::type>::value, \"{MARK}\");\n"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_stay_short() {
        assert!(c_assertion("f", &[Passed::Value(Element::U64); 5]).is_some());
        assert!(c_assertion("f", &[Passed::Value(Element::U64); 12]).is_none());
    }
}
