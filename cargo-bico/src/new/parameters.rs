//! What of a kernel may vary, as far as its source shows: macros that it leaves open, names that nobody declares, and the
//! parameters of its template.

use super::argument::RESERVED;
use super::expression::is_type;
use super::lexer::Token;
use super::source::{Function, Source, closing, split};
use super::types::is_vector;
use super::usage::Usage;
use std::collections::BTreeSet;

/// A parameter with its domain in the attribute's words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) domain: String,
    /// Where it was found.
    pub(super) why: String,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) parameters: Vec<Parameter>,
    /// Those of the template, in its order.
    pub(super) template: Vec<String>,
    /// Type parameters of the template.
    pub(super) types: Vec<String>,
    /// What people should know.
    pub(super) notes: Vec<String>,
}

/// Names that C and CUDA know.
const KNOWN: [&str; 58] = [
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "NULL",
    "nullptr",
    "true",
    "false",
    "this",
    "INFINITY",
    "NAN",
    "FLT_MAX",
    "FLT_MIN",
    "FLT_EPSILON",
    "DBL_MAX",
    "DBL_MIN",
    "INT_MAX",
    "INT_MIN",
    "UINT_MAX",
    "M_PI",
    "M_PI_F",
    "stdout",
    "stderr",
    "stdin",
    "errno",
    "HUGE_VAL",
    "HUGE_VALF",
    "RAND_MAX",
    "EXIT_SUCCESS",
    "sizeof",
    "return",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "goto",
    "struct",
    "class",
    "union",
    "enum",
    "typename",
    "template",
    "operator",
    "new",
    "delete",
    "auto",
    "static_cast",
    "reinterpret_cast",
    "const_cast",
    "asm",
    "volatile",
];

/// Looks for them in a function and all that it calls.
pub(super) fn parameters(source: &Source, function: &Function) -> Found {
    let mut found = Found::default();
    template(function, &mut found);
    let reached = reached(source, function);
    let words: BTreeSet<&str> = reached.iter().filter_map(Token::word).collect();
    for name in &source.open {
        let is_used = words.contains(name.as_str()) || source.asked.contains(name);
        let number = source.number(name);
        if let Some(number) = number.filter(|_| is_used) {
            found.parameters.push(Parameter {
                name: name.clone(),
                domain: around(name, Some(number)),
                why: format!("#ifndef, there {number}"),
            });
        }
    }
    for name in free(source, function, &reached) {
        found.parameters.push(Parameter {
            domain: around(&name, None),
            name,
            why: "named and declared nowhere".to_string(),
        });
    }
    let usable = |name: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.chars().all(plain) && !RESERVED.contains(&name)
    };
    let mut seen = BTreeSet::new();
    let is_new = |of: &Parameter| usable(&of.name) && seen.insert(of.name.clone());
    found.parameters.retain(is_new);
    found.template.retain(|name| usable(name));
    let fixed = source.defines.keys().filter(|name| {
        words.contains(name.as_str())
            && !source.open.contains(name)
            && source.number(name).is_some()
    });
    let fixed: Vec<String> = fixed.map(|name| format!("`{name}`")).collect();
    if !fixed.is_empty() {
        found.notes.push(format!(
            "{} cannot vary as it stands: an `#ifndef` around its `#define` would make it a parameter",
            fixed.join(", ")
        ));
    }
    if !source.unrolled.is_empty() {
        found.notes.push(format!(
            "`#pragma unroll {}`: a name in place of the number would make it a parameter",
            source.unrolled.join(", ")
        ));
    }
    found
}

fn template(function: &Function, found: &mut Found) {
    for part in split(function.template.as_deref().unwrap_or_default(), ",") {
        let end = part
            .iter()
            .position(|token| token.is("="))
            .unwrap_or(part.len());
        let default = part.get(end + 1).and_then(Token::integer);
        let Some(name) = part[..end].iter().rev().find_map(Token::word) else {
            continue;
        };
        let is = |word: &str| part[..end].iter().any(|token| token.is(word));
        let domain = if is("typename") || is("class") {
            found.types.push(name.to_string());
            "[\"float\"]".to_string()
        } else if is("bool") {
            "[false, true]".to_string()
        } else {
            around(name, default)
        };
        found.template.push(name.to_string());
        found.parameters.push(Parameter {
            name: name.to_string(),
            domain,
            why: "of the template".to_string(),
        });
    }
}

/// The tokens of a function and of all functions and macros that it names, however far.
fn reached(source: &Source, function: &Function) -> Vec<Token> {
    let mut tokens: Vec<Token> = function
        .body
        .iter()
        .chain(&function.arguments)
        .cloned()
        .collect();
    tokens.extend(function.head.iter().cloned());
    let (mut seen, mut at) = (BTreeSet::new(), 0);
    while at < tokens.len() {
        let Some(word) = tokens[at].word().map(str::to_string) else {
            at += 1;
            continue;
        };
        at += 1;
        if !seen.insert(word.clone()) {
            continue;
        }
        let called = source
            .functions
            .iter()
            .filter(|of| of.name == word && of.name != function.name);
        tokens.extend(called.flat_map(|of| of.body.iter().cloned()));
        tokens.extend(source.defines.get(&word).into_iter().flatten().cloned());
    }
    // Of what stands outside, extents: `__constant__ float filter[WIDTH * WIDTH]`.
    let mut at = 0;
    while at < source.outside.len() {
        if source.outside[at].is("[")
            && let Some(close) = closing(&source.outside, at)
        {
            tokens.push(Token::Sign(";"));
            tokens.extend_from_slice(&source.outside[at..=close]);
            at = close;
        }
        at += 1;
    }
    tokens.push(Token::Sign(";"));
    tokens
}

/// Names that are declared somewhere in the file.
fn declared(source: &Source, reached: &[Token]) -> BTreeSet<String> {
    let mut declared: BTreeSet<String> = Usage::of(reached).declared;
    declared.extend(Usage::of(&source.outside).declared);
    // `typedef struct { .. } name;`, `template <int NAME> class`
    let names = source.outside.windows(2).filter(|of| {
        of[0].is("}") || of[0].is(";") || of[0].word().is_some_and(|word| word != "return")
    });
    declared.extend(names.filter_map(|of| of[1].word()).map(str::to_string));
    for of in &source.functions {
        declared.insert(of.name.clone());
        declared.extend(Usage::of(&of.body).declared);
        for argument in split(&of.arguments, ",") {
            declared.extend(argument.iter().filter_map(Token::word).map(str::to_string));
        }
        let template = of.template.iter().flatten().filter_map(Token::word);
        declared.extend(template.map(str::to_string));
    }
    declared
}

/// Names of values that nobody declares: whoever compiles the file has to define them.
fn free(source: &Source, function: &Function, reached: &[Token]) -> Vec<String> {
    let mut known: BTreeSet<&str> = KNOWN.into();
    let declared = declared(source, reached);
    known.extend(source.foreign.iter().filter_map(Token::word));
    known.extend(source.calls.iter().map(String::as_str));
    known.extend(source.defines.keys().map(String::as_str));
    known.extend(source.types.keys().map(String::as_str));
    let is_known = |name: &str| {
        known.contains(name)
            || declared.contains(name)
            || name.starts_with("__")
            || is_type(name)
            || is_vector(name)
            || name == function.name
    };
    let mut free: Vec<String> = Vec::new();
    for (at, token) in reached.iter().enumerate() {
        let Some(name) = token.word().filter(|name| !is_known(name)) else {
            continue;
        };
        let before = at.checked_sub(1).map(|before| &reached[before]);
        let (next, second) = (reached.get(at + 1), reached.get(at + 2));
        let behind = |words: &[&str]| before.is_some_and(|of| words.iter().any(|word| of.is(word)));
        let value_before = match before {
            Some(Token::Word(_)) => behind(&["return", "else", "case", "unroll"]),
            _ => !behind(&[".", "->", "::", "struct", "enum"]),
        };
        let value_next = match next {
            Some(Token::Sign(sign)) => !matches!(*sign, "(" | "::" | "{" | "." | "->" | "["),
            _ => false,
        };
        // `(name)x` and `name *x` are types; `if (NAME) x` and `MACRO(NAME) x` are none.
        let called = at.checked_sub(2).and_then(|at| reached[at].word());
        let of_types = ["return", "else", "case", "sizeof", "alignas", "decltype"];
        let cast = next.is_some_and(|of| of.is(")"))
            && behind(&["("])
            && second.is_some_and(|of| of.word().is_some())
            && called.is_none_or(|word| of_types.contains(&word));
        let pointer = next.is_some_and(|of| of.is("*") || of.is("&"))
            && behind(&[";", "{", "}", "(", ","])
            && !behind(&["("]);
        let alias = behind(&["="])
            && at
                .checked_sub(3)
                .is_some_and(|at| reached[at].is("namespace"));
        // `<row_major, 16>` is a list of a template's arguments.
        let ends = |of: Option<&Token>, sign: &str| of.is_some_and(|of| of.is(sign));
        let listed =
            (ends(before, "<") && ends(next, ",")) || (ends(before, ",") && ends(next, ">"));
        if value_before
            && value_next
            && !cast
            && !pointer
            && !alias
            && !listed
            && !free.iter().any(|of| of == name)
        {
            free.push(name.to_string());
        }
    }
    let asked = source.asked.iter().filter(|name| !is_known(name));
    for name in asked {
        if !free.contains(name) {
            free.push(name.clone());
        }
    }
    free
}

/// A domain that such a name may have, around the value that it has now.
pub(super) fn around(name: &str, value: Option<i64>) -> String {
    let lower = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let on_off = ["use_", "enable", "with_", "has_", "is_"]
        .iter()
        .any(|of| lower.starts_with(of));
    match value {
        Some(0 | 1) if on_off => return "[0, 1]".to_string(),
        Some(value) if value > 0 && value & (value - 1) == 0 => {
            let (low, high) = ((value / 4).max(1), (value * 4).min(1024.max(value)));
            return format!("powers_of_two({low}..={high})");
        }
        Some(value) => return format!("[{value}]"),
        None if on_off => return "[0, 1]".to_string(),
        None => {}
    }
    let later_axis = lower.ends_with("_y") || lower.ends_with("_z");
    if has(&["block", "thread", "wg", "tpb", "local_size"]) {
        return match later_axis {
            true => "powers_of_two(1..=16)".to_string(),
            false => "powers_of_two(16..=256)".to_string(),
        };
    }
    if has(&["tile", "unroll", "vec", "work_per", "coarsen", "items"]) {
        return "[1, 2, 4, 8]".to_string();
    }
    "[1, 2, 4]".to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_what_is_left_open() {
        let text = "#ifndef BLOCK\n#define BLOCK 64\n#endif\n#define FIXED 3\n#ifndef GUARD_H\n#define GUARD_H\n#endif\n\
            #if use_padding == 1\n#endif\n#pragma unroll 4\n\
            __device__ float f(float x) { return x * FACTOR; }\n\
            template <int ITEMS, typename T, bool FAST = true> __global__ void k(T *y, int n) {\n\
            namespace cg = cooperative_groups; int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = f((T)y[i]) + tile_size_x * FIXED * (point_t)i; }\n\
            template <int WIDTH> class window { __device__ int at() { return WIDTH; } };\n\
            void host() { unrelated(OTHER * 2); }";
        let source = Source::new(text, None);
        let found = parameters(
            &source,
            source.functions.iter().find(|of| of.name == "k").unwrap(),
        );
        let shown: Vec<String> = found
            .parameters
            .iter()
            .map(|of| format!("{} in {}", of.name, of.domain))
            .collect();
        assert_eq!(
            shown,
            [
                "ITEMS in [1, 2, 4, 8]",
                "T in [\"float\"]",
                "FAST in [false, true]",
                "BLOCK in powers_of_two(16..=256)",
                "tile_size_x in [1, 2, 4, 8]",
                "FACTOR in [1, 2, 4]",
                "use_padding in [0, 1]",
            ]
        );
        assert_eq!(found.template, ["ITEMS", "T", "FAST"]);
        assert_eq!(found.notes.len(), 2);
    }
}
