//! A kernel's arguments as its signature has them.

use super::lexer::Token;
use super::source::{Function, Source, closing, split};
use super::types::{Typed, typed};

/// One argument.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    /// Its name in the source.
    pub(super) name: String,
    /// Its name in the wrapper.
    pub(super) own: String,
    pub(super) typed: Typed,
    /// `[n][m]`: what stands in the brackets.
    pub(super) extents: Vec<Vec<Token>>,
}

/// Words of Rust that no argument can be called.
pub(super) const RESERVED: [&str; 40] = [
    "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn", "for",
    "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
    "self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where",
    "while", "async", "await", "dyn", "box", "gen", "device",
];

/// The arguments; `types` are the type parameters of the template.
pub(super) fn arguments(function: &Function, source: &Source, types: &[String]) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    for (at, part) in split(&function.arguments, ",").iter().enumerate() {
        if part.len() == 1 && part[0].is("void") {
            continue;
        }
        let default = part
            .iter()
            .position(|token| token.is("="))
            .unwrap_or(part.len());
        let part = &part[..default];
        let open = part
            .iter()
            .position(|token| token.is("["))
            .unwrap_or(part.len());
        let (before, behind) = part.split_at(open);
        let (name, of) = match before.split_last() {
            Some((Token::Word(name), of)) if !of.is_empty() => (name.clone(), of),
            _ => (format!("arg{at}"), before),
        };
        let mut typed = typed(of, source, types);
        let extents = extents(behind);
        typed.pointers += usize::from(!extents.is_empty());
        if of.iter().any(|token| token.is("(")) {
            typed.unknown = Some("a pointer to a function or an array".to_string());
        }
        let own = own_name(&name, |own| arguments.iter().any(|known| known.own == own));
        arguments.push(Argument {
            name,
            own,
            typed,
            extents,
        });
    }
    arguments
}

fn extents(mut tokens: &[Token]) -> Vec<Vec<Token>> {
    let mut extents = Vec::new();
    while tokens.first().is_some_and(|first| first.is("[")) {
        let Some(close) = closing(tokens, 0) else {
            break;
        };
        let inside = tokens[1..close].iter();
        let silent = |token: &&Token| {
            !["restrict", "static", "const", "__restrict__"]
                .iter()
                .any(|word| token.is(word))
        };
        extents.push(inside.filter(silent).cloned().collect());
        tokens = &tokens[close + 1..];
    }
    extents
}

/// A name in the manner of Rust that is not taken.
pub(super) fn own_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut own = snake(name);
    if RESERVED.contains(&own.as_str()) || own == "stream" {
        own.push('_');
    }
    while taken(&own) {
        own.push('_');
    }
    own
}

/// `blockSizeX` as `block_size_x`.
fn snake(name: &str) -> String {
    let mut own = String::new();
    let mut lower = false;
    for c in name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
    {
        if c.is_ascii_uppercase() && lower {
            own.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        own.push(c.to_ascii_lowercase());
    }
    let plain = own.trim_matches('_');
    match plain.starts_with(|c: char| c.is_ascii_digit()) || plain.is_empty() {
        true => format!("x{plain}"),
        false => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read() {
        let text = "template <typename T> __global__ void __launch_bounds__(256, 2) f(const T *__restrict__ A, float a[][N + 1], int in, bool = true) {}";
        let source = Source::new(text, None);
        let function = &source.functions[0];
        assert_eq!(function.name, "f");
        let all = arguments(function, &source, &["T".to_string()]);
        let names: Vec<&str> = all.iter().map(|of| of.own.as_str()).collect();
        assert_eq!(names, ["a", "a_", "in_", "arg3"]);
        assert!(all[0].typed.constant && all[1].typed.pointers == 1 && all[1].extents.len() == 2);
        assert_eq!(all[3].typed.element, "bool");
        assert_eq!(snake("blockSizeX"), "block_size_x");
        assert_eq!(snake("_2D"), "x2_d");
    }
}
