//! Types of C as those of a wrapper's arguments.

use super::lexer::Token;
use super::source::Source;

/// What an argument of a kernel is, as far as its type tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typed {
    /// The type of an element, in Rust: `f32`, `[f32; 4]`, `half::f16`.
    pub(super) element: String,
    /// Bytes of its alignment, where more than those of a number.
    pub(super) align: Option<u32>,
    /// How often it is a pointer.
    pub(super) pointers: usize,
    /// Whether the kernel promises not to write.
    pub(super) constant: bool,
    /// The type as written, where nothing is known of it.
    pub(super) unknown: Option<String>,
    /// A reference of C++.
    pub(super) reference: bool,
}

impl Typed {
    pub(super) fn is_integer(&self) -> bool {
        self.element.starts_with(['i', 'u']) && self.pointers == 0
    }
}

/// What says nothing of the type.
const SILENT: [&str; 14] = [
    "const",
    "volatile",
    "restrict",
    "__restrict__",
    "__restrict",
    "struct",
    "register",
    "static",
    "typename",
    "__grid_constant__",
    "__global",
    "__constant__",
    "__device__",
    "enum",
];

/// The type of an argument; `types` are the type parameters of its template.
pub(super) fn typed(tokens: &[Token], source: &Source, types: &[String]) -> Typed {
    let mut typed = Typed {
        element: String::new(),
        align: None,
        pointers: 0,
        constant: false,
        unknown: None,
        reference: false,
    };
    let mut words = resolved(tokens, source, &mut typed);
    words.retain(|word| !SILENT.contains(&word.as_str()));
    let names: Vec<&str> = words.iter().map(String::as_str).collect();
    // A type parameter of the template is guessed to be a float.
    let known = match names[..] {
        [name] if types.iter().any(|known| known == name) => Some(("f32".to_string(), None)),
        _ => number(&names)
            .map(|of| (of.to_string(), None))
            .or_else(|| vector(&names)),
    };
    match known {
        Some((element, align)) => (typed.element, typed.align) = (element, align),
        None => {
            typed.element = "u8".to_string();
            typed.unknown = Some(names.join(" "));
        }
    }
    typed
}

/// The words of a type, through `typedef`s and macros; stars and `const` are noted.
fn resolved(tokens: &[Token], source: &Source, typed: &mut Typed) -> Vec<String> {
    let mut words = Vec::new();
    let mut waiting: Vec<(Token, usize)> = tokens.iter().rev().map(|of| (of.clone(), 0)).collect();
    while let Some((token, depth)) = waiting.pop() {
        match &token {
            Token::Sign("*") => typed.pointers += 1,
            Token::Sign("&") => typed.reference = true,
            Token::Word(word) => {
                let inner = source.types.get(word).or_else(|| source.defines.get(word));
                match inner.filter(|_| depth < 8) {
                    Some(inner) => {
                        waiting.extend(inner.iter().rev().map(|of| (of.clone(), depth + 1)))
                    }
                    None => {
                        // `const` before the first star is that of the elements.
                        typed.constant |= word == "const" && typed.pointers == 0;
                        words.push(word.clone());
                    }
                }
            }
            _ => {}
        }
    }
    words
}

/// A number of C, on machines with 64 bits.
fn number(words: &[&str]) -> Option<&'static str> {
    let mut sorted: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| *word != "std")
        .collect();
    sorted.sort_unstable();
    Some(match sorted[..] {
        ["float"] | ["f32"] => "f32",
        ["double"] | ["f64"] => "f64",
        ["half"] | ["__half"] | ["half_t"] => "half::f16",
        ["__nv_bfloat16"] | ["nv_bfloat16"] | ["bf16"] => "half::bf16",
        ["bool"] | ["_Bool"] => "bool",
        ["int"] | ["signed"] | ["int", "signed"] | ["int32_t"] => "i32",
        ["unsigned"] | ["int", "unsigned"] | ["uint32_t"] | ["uint"] | ["u_int"] => "u32",
        ["char"] | ["int8_t"] | ["char", "signed"] => "i8",
        ["char", "unsigned"] | ["uint8_t"] | ["uchar"] => "u8",
        ["short"] | ["int16_t"] | ["int", "short"] => "i16",
        ["short", "unsigned"] | ["uint16_t"] | ["ushort"] | ["int", "short", "unsigned"] => "u16",
        ["long"] | ["int", "long"] | ["long", "long"] | ["int64_t"] | ["int", "long", "long"] => {
            "i64"
        }
        ["long", "unsigned"]
        | ["long", "long", "unsigned"]
        | ["uint64_t"]
        | ["int", "long", "unsigned"] => "u64",
        ["int", "long", "long", "unsigned"] => "u64",
        ["size_t"] | ["uintptr_t"] => "usize",
        ["ssize_t"] | ["ptrdiff_t"] | ["intptr_t"] => "isize",
        _ => return None,
    })
}

/// Whether it is `float4` or the like.
pub(super) fn is_vector(name: &str) -> bool {
    vector(&[name]).is_some()
}

/// `float4` and the like: an array, aligned as CUDA aligns it.
fn vector(words: &[&str]) -> Option<(String, Option<u32>)> {
    let [name] = words else {
        return None;
    };
    let (base, count) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let count: u32 = count.parse().ok().filter(|count| (1..=4).contains(count))?;
    let (element, size) = match base {
        "float" => ("f32", 4),
        "double" => ("f64", 8),
        "int" => ("i32", 4),
        "uint" => ("u32", 4),
        "char" => ("i8", 1),
        "uchar" => ("u8", 1),
        "short" => ("i16", 2),
        "ushort" => ("u16", 2),
        "half" => ("half::f16", 2),
        _ => return None,
    };
    let bytes: u32 = count * size;
    let align = (count != 3 && bytes > size).then_some(bytes.min(16));
    Some((format!("[{element}; {count}]"), align))
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn of(text: &str) -> Typed {
        let source = Source::new(
            "typedef unsigned long word; #define\n#define DATA double\n",
            None,
        );
        typed(&lex(text).0, &source, &["T".to_string()])
    }

    #[test]
    fn types_of_c() {
        for (text, element, pointers, constant) in [
            ("const float * __restrict__", "f32", 1, true),
            ("float * const", "f32", 1, false),
            ("unsigned int", "u32", 0, false),
            ("word", "u64", 0, false),
            ("DATA **", "f64", 2, false),
            ("const T *", "f32", 1, true),
            ("std::size_t", "usize", 0, false),
            ("float4 *", "[f32; 4]", 1, false),
        ] {
            let typed = of(text);
            assert_eq!(typed.element, element, "{text}");
            assert_eq!(
                (typed.pointers, typed.constant),
                (pointers, constant),
                "{text}"
            );
            assert_eq!(typed.unknown, None, "{text}");
        }
        assert_eq!(of("float4*").align, Some(16));
        assert_eq!(of("struct body *").unknown.as_deref(), Some("body"));
    }
}
