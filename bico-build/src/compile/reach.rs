//! What a function is made of: of a text in C, C++ or PTX, its own definition and those of all that it names, directly
//! or through others. Names are taken for what they are called, so a text may be said to hold more than it does.

use super::text::{directive, lines, word};
use bico_core::Lists;
use bico_core::sorted::sort_by;
use std::collections::HashMap;

/// Words before a parenthesis that name nothing.
const NO_NAMES: &str = "__attribute__ __declspec __launch_bounds__ __align__ alignas asm __asm__ decltype defined \
    func noexcept requires sizeof";

/// A definition: what it defines, and its tokens.
type Item<'a> = (Vec<&'a str>, Vec<&'a str>);

/// The tokens of `entry` and of all that it names, definition by definition; those of the whole text where it has none
/// of that name. What stands in conditions around definitions, in a text that is not preprocessed, counts as named.
pub fn reach(text: &str, entry: &str) -> Vec<String> {
    let lines = lines(text);
    let (items, conditions) = items(&lines);
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (names, _)) in items.iter().enumerate() {
        for name in names {
            by_name.entry(name).or_default().push(at);
        }
    }
    let mut reached = vec![false; items.len()];
    let mut waiting = vec![entry];
    waiting.extend(&conditions);
    if !by_name.contains_key(entry) {
        waiting.extend(by_name.keys());
    }
    while let Some(name) = waiting.pop() {
        for at in by_name.remove(name).unwrap_or_default() {
            if !std::mem::replace(&mut reached[at], true) {
                waiting.extend(&items[at].1);
            }
        }
    }
    let reached = items.iter().zip(reached).filter(|(_, reached)| *reached);
    let mut texts: Vec<String> = reached.map(|(item, _)| item.1.join(" ")).collect_vec();
    texts.extend(conditions.into_iter().map(String::from));
    sort_by(&mut texts, &Ord::cmp);
    texts.dedup();
    texts
}

/// Whether one of such texts holds a word.
pub fn names(texts: &[String], wanted: &str) -> bool {
    let mut words = texts.iter().flat_map(|text| text.split(' '));
    words.any(|word| word == wanted)
}

/// The definitions of a text, and the words of the conditions between them.
fn items(lines: &[(usize, String)]) -> (Vec<Item<'_>>, Vec<&str>) {
    let (mut items, mut conditions) = (Vec::new(), Vec::new());
    let (mut current, mut depth) = (Vec::new(), 0);
    for (at, (_, line)) in lines.iter().enumerate() {
        match directive(line) {
            // What one is without a `-D` is said of it alone.
            Some(("ifndef", _)) if is_default(&lines[at..]) => {}
            Some(("define", rest)) => {
                let name = word(rest.trim_start());
                items.push((vec![name], tokens(rest)));
            }
            Some((name, rest)) if name.starts_with("if") || name.starts_with("el") => {
                match depth {
                    0 => &mut conditions,
                    _ => &mut current,
                }
                .extend(tokens(rest));
            }
            Some(("include" | "endif" | "undef", _)) => {}
            _ => {
                for token in tokens(line) {
                    match token {
                        // What stands in a namespace are definitions like others.
                        "{" if depth == 0 && opens_scope(&current) => current.clear(),
                        "}" if depth == 0 => current.clear(),
                        _ => {
                            current.push(token);
                            depth += i32::from(token == "{") - i32::from(token == "}");
                            if depth == 0 && (token == ";" || token == "}" && is_function(&current))
                            {
                                let item = std::mem::take(&mut current);
                                items.push((defined(&item), item));
                            }
                        }
                    }
                }
            }
        }
    }
    items.push((defined(&current), current));
    (items, conditions)
}

/// Whether these lines begin with `#ifndef X`, `#define X ..` and `#endif`.
fn is_default(lines: &[(usize, String)]) -> bool {
    let mut directives = lines.iter().take(3).map(|(_, line)| directive(line));
    let mut next = || directives.next().flatten();
    let (Some((_, name)), Some(("define", rest)), Some(("endif", _))) = (next(), next(), next())
    else {
        return false;
    };
    word(rest.trim_start()) == name.trim()
}

/// Whether a brace after these tokens holds definitions.
fn opens_scope(tokens: &[&str]) -> bool {
    matches!(tokens, ["extern", quoted] if quoted.starts_with('"')) || tokens.contains(&"namespace")
}

/// The tokens of a definition outside of all parentheses and braces, each with the two that follow.
fn outside<'a, 'b>(item: &'b [&'a str]) -> impl Iterator<Item = [&'a str; 3]> + use<'a, 'b> {
    let (mut depth, mut angles) = (0, 0);
    (0..item.len()).filter_map(move |at| {
        let [token, next, after] =
            [0, 1, 2].map(|more| item.get(at + more).copied().unwrap_or_default());
        match token {
            "template" if next == "<" => angles = 1,
            // The `<` behind `template` is counted already.
            "<" if angles > 0 && item[at - 1] != "template" => angles += 1,
            ">" if angles > 0 => angles -= 1,
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            _ if depth == 0 && angles == 0 => return Some([token, next, after]),
            _ => {}
        }
        None
    })
}

/// The function that a definition defines, if it is one.
fn function<'a>(item: &[&'a str]) -> Option<&'a str> {
    let mut called = outside(item).take_while(|of| of[0] != "=");
    let of = called.find(|[token, next, after]| {
        let is_called = *next == "(" && *after != "*";
        is_called && is_word(token) && !NO_NAMES.split(' ').any(|known| known == *token)
    });
    // `int (*name(int a))(void)`: it gives a pointer to a function.
    let gives = || {
        let mut four = head(item).windows(4);
        four.find_map(|four| match four {
            ["(", "*", name, "("] if is_word(name) => Some(*name),
            _ => None,
        })
    };
    of.map(|[token, ..]| token).or_else(gives)
}

fn is_function(item: &[&str]) -> bool {
    function(item).is_some()
}

/// The names that a definition defines.
fn defined<'a>(item: &[&'a str]) -> Vec<&'a str> {
    let mut names = pointers(item);
    if let Some(name) = function(item) {
        names.push(name);
        return names;
    }
    let ends = ["=", "[", ";", ",", "{"];
    let others = outside(item).filter(|[token, next, _]| is_word(token) && ends.contains(next));
    names.extend(others.map(|[token, ..]| token));
    if item.contains(&"enum") {
        names.extend(item.iter().filter(|token| is_word(token)));
    }
    names
}

/// What stands before a value or a body.
fn head<'a, 'b>(item: &'b [&'a str]) -> &'b [&'a str] {
    let mut parts = item.split(|token| matches!(*token, "=" | "{"));
    parts.next().unwrap_or_default()
}

/// The names in `(*name)`, `(*name[])` and `(*name(..))`, which stand in parentheses.
fn pointers<'a>(item: &[&'a str]) -> Vec<&'a str> {
    let head = head(item);
    let mut names = Vec::new();
    for at in 1..head.len() {
        if (head[at - 1], head[at]) == ("(", "*") {
            let inside = head[at..]
                .iter()
                .take_while(|token| !matches!(**token, "(" | ")" | "["));
            let named = inside.filter(|token| is_word(token));
            names.extend(
                named.filter(|token| !matches!(**token, "const" | "volatile" | "restrict")),
            );
        }
    }
    names
}

fn is_word(token: &str) -> bool {
    !word(token).is_empty() && !token.starts_with(|c: char| c.is_ascii_digit())
}

/// Words, strings, and all else character by character.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match word(rest).len() {
            0 if first == '"' || first == '\'' => quoted(rest, first),
            0 => first.len_utf8(),
            length => length,
        };
        let (token, behind) = rest.split_at(end);
        // A label of PTX: the number of its function says nothing of it.
        let is_label = token.starts_with("$L__BB");
        let place = token.rfind('_').filter(|_| is_label);
        tokens.push(&token[place.unwrap_or(0)..]);
        rest = behind.trim_start();
    }
    tokens
}

/// The length of a literal in quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let mut inner = text.char_indices().skip(1);
    let end = inner.find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str, wanted: &str) -> bool {
        names(&reach(text, "right"), wanted)
    }

    #[test]
    fn a_function_has_what_it_names() {
        let others = "typedef struct { int T; } pair;\nextern \"C\" {\nnamespace a { template <typename N, int T>\n\
            __attribute__((noinline)) void k(float *x, int n) { x[n] = T; } }\nint y = T;\n";
        let right = "void right(float *x, int n) { x[n] = ";
        let said = |before: &str, body: &str| {
            named(&format!("{others}{before}\n{right}{body}; }}\n}}"), "T")
        };
        assert!(!said("", "n"));
        assert!(said("", "T"));
        assert!(said("", "k(x, n)") && said("", "y") && said("", "sizeof(pair)"));
        assert!(said("#define A(x) (x + \\\n B)\n#define B T", "A(1)"));
        assert!(!said(
            "#define A(x) (x + B)\n#define B 2",
            "A(1) + \"T\" + 'T'"
        ));
        assert!(said("enum { E = T };", "E") && !said("enum { E = T };", "x"));
        assert!(said("static const int a[] = { T }, b = 1;", "a[0]"));
        assert!(said(
            "static int f(int a) { return T; }\nint g(void) { return f(1); }",
            "g()"
        ));
        let tile = "static int f(void) { return T; }\n";
        for (pointer, use_of) in [
            ("static int (*const p)(void) = f;", "p()"),
            ("static int (*p[])(void) = { f };", "p[0]()"),
            ("static int (*p)[T];", "sizeof *p"),
            ("int (*p(void))(void) { return f; }", "p()()"),
        ] {
            assert!(said(&format!("{tile}{pointer}"), use_of), "{pointer}");
            assert!(!said(&format!("{tile}{pointer}"), "n"), "{pointer}");
        }
        assert!(said(
            "struct __attribute__((packed)) S { int a[T]; } s;",
            "s"
        ));
        // Not preprocessed, conditions count, but for those of defaults.
        assert!(said("#if T > 2", "n") && said("", "0\n#if T\n+ 1\n#endif\n"));
        let default = "#ifndef T\n#define T 4\n#endif\n";
        assert!(!said(default, "n") && said(default, "T"));
        assert!(said("#ifndef T\n#define U 4\n#endif\n", "n"));
        assert!(said("#ifndef T\n#define T 4\nint z;\n#endif\n", "n"));
        assert!(
            named("int T; void left(void) {}", "T"),
            "where there is no such function"
        );
    }

    /// NVRTC 12.9, shortened.
    #[test]
    fn ptx_is_read_alike() {
        let ptx = |bytes: u32, function: u32| {
            format!(
                ".version 8.8\n.target sm_80\n.address_size 64\n\n\t// .globl\tright\n\
                 // _ZZ4leftE1t has been demoted\n.shared .align 4 .b8 _ZZ5rightE1t[{bytes}];\n\
                 .visible .entry left(\n\t.param .u64 left_param_0\n)\n{{\n\tmov.u32 %r1, {bytes};\n\tret;\n\n}}\n\
                 .visible .entry right(\n\t.param .u64 .ptr .align 1 right_param_0\n)\n.maxntid 64, 1, 1\n{{\n\
                 \tmov.u32 %r1, _ZZ5rightE1t;\n$L__BB{function}_2:\n\tret;\n\n}}\n"
            )
        };
        let same = |a: &str, b: &str, entry: &str| reach(a, entry) == reach(b, entry);
        assert!(same(&ptx(4, 1), &ptx(4, 3), "right"));
        assert!(!same(&ptx(4, 1), &ptx(8, 1), "right"));
        let local = |ptx: &str| ptx.replace(", _ZZ5rightE1t", ", 0");
        assert!(same(&local(&ptx(4, 1)), &local(&ptx(8, 1)), "right"));
    }
}
