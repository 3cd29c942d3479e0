//! CUDA C++ that a host compiler takes: what a macro cannot say is rewritten here, in the
//! preprocessed text, so that includes and macros of the kernel's author are no different.

/// How the header marks `__global__` and `__shared__`.
const GLOBAL: &str = "__host_global__";
const SHARED: &str = "__host_shared__";
/// And `__constant__`, which the host sees by name, `static` or not.
const CONSTANT: &str = "__host_constant__";
/// And `__launch_bounds__`, which becomes a variable that is as large.
const BOUNDS: &str = "__host_bounds__";

/// A text that compiles, and its kernels.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rewritten {
    pub(crate) text: String,
    /// Kernels that are no templates, with their namespaces.
    pub(crate) kernels: Vec<String>,
}

/// What an opening brace began.
enum Scope {
    Namespace(Option<String>),
    Other,
}

/// With `only`, the compiler leaves out kernels of other names.
pub(crate) fn rewrite(text: &str, only: Option<&[&str]>) -> Rewritten {
    let mut done = String::with_capacity(text.len());
    let mut kernels: Vec<String> = Vec::new();
    let mut scopes = Vec::new();
    // Where the current declaration begins in `done`.
    let mut head = 0;
    let mut bounds = None;
    let mut at = 0;
    while let Some(token) = token(&text[at..]) {
        let rest = &text[at + token.len()..];
        at += token.len();
        match token {
            "{" => {
                scopes.push(scope(&done[head..]));
                done.push_str(token);
                if let Some(threads) = bounds.take() {
                    done.push_str(&format!(
                        " static __attribute__((used)) char host_bounds[{threads}]; "
                    ));
                }
                head = done.len();
            }
            "}" | ";" => {
                bounds = None;
                if token == "}" {
                    scopes.pop();
                }
                done.push_str(token);
                head = done.len();
            }
            GLOBAL => {
                let name = name_of(rest);
                let is_meant = name.is_none_or(|name| only.is_none_or(|only| only.contains(&name)));
                if let (None, Some(name)) = (find_word(&done[head..], "template"), name) {
                    let path = path_of(&scopes, name);
                    if is_meant && !kernels.contains(&path) {
                        kernels.push(path);
                    }
                }
                done.push_str(["inline", "__attribute__((used))"][usize::from(is_meant)]);
            }
            // A launch by code of the host, which never runs here: a call compiles as well.
            "<" if rest.starts_with("<<") => {
                let length = rest.find(">>>").map_or(rest.len(), |end| end + 3);
                done.push_str(&"\n".repeat(rest[..length].matches('\n').count()));
                at += length;
            }
            SHARED => at += shared(&mut done, head, rest, &scopes),
            CONSTANT => {
                if !inside_of_function(&scopes) {
                    without_static(&mut done, head);
                }
                done.push_str("__attribute__((visibility(\"protected\")))");
            }
            BOUNDS => {
                let open = rest.find('(').unwrap_or(rest.len());
                let length = rest.len() - skip_parentheses(&rest[open..]).len();
                bounds = first_argument(&rest[open..length]);
                done.push_str(&"\n".repeat(rest[..length].matches('\n').count()));
                at += length;
            }
            _ if token.starts_with('#') => {
                done.push_str(token);
                // A line marker is no part of a declaration.
                if done[head..].trim() == token.trim() {
                    head = done.len();
                }
            }
            _ => done.push_str(token),
        }
    }
    Rewritten {
        text: done,
        kernels,
    }
}

fn inside_of_function(scopes: &[Scope]) -> bool {
    scopes.iter().any(|scope| matches!(scope, Scope::Other))
}

/// Declares what stands behind `__shared__`. Gives what it took of it.
fn shared(done: &mut String, head: usize, rest: &str, scopes: &[Scope]) -> usize {
    let before = &done[head..];
    let dynamic = find_word(before, "extern").is_some();
    let end = rest.find(';').unwrap_or(rest.len());
    let declaration = format!("{before} {}", &rest[..end]);
    let declared = dynamic
        .then(|| dynamic_shared(&declaration, inside_of_function(scopes)))
        .flatten();
    let Some(declared) = declared else {
        done.push_str("thread_local");
        return 0;
    };
    done.truncate(head);
    done.push_str(&declared);
    end
}

/// Takes `static` from a declaration.
fn without_static(text: &mut String, head: usize) {
    if let Some(at) = find_word(&text[head..], "static") {
        text.replace_range(head + at..head + at + "static".len(), "");
    }
}

/// Where a word stands in a text.
fn find_word(text: &str, wanted: &str) -> Option<usize> {
    let word = words(text).find(|word| *word == wanted)?;
    Some(word.as_ptr() as usize - text.as_ptr() as usize)
}

/// A name with the namespaces that it stands in.
fn path_of(scopes: &[Scope], name: &str) -> String {
    let mut path: Vec<&str> = scopes
        .iter()
        .filter_map(|scope| match scope {
            Scope::Namespace(name) => name.as_deref(),
            Scope::Other => None,
        })
        .collect();
    path.push(name);
    path.join("::")
}

/// `extern __shared__ T name[]`: a pointer inside of functions, an object that turns into one outside.
fn dynamic_shared(declaration: &str, inside: bool) -> Option<String> {
    let (before, dimensions) = declaration.split_once('[')?;
    let (_, dimensions) = dimensions.split_once(']')?;
    let before = without_attributes(before);
    let before = before.trim_end();
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |index| index + 1);
    let name = &before[start..];
    let kind: Vec<_> = before[..start]
        .split_whitespace()
        .filter(|word| !matches!(*word, "extern" | "static"))
        .collect();
    let kind = kind.join(" ");
    let lines = "\n".repeat(declaration.matches('\n').count());
    let dimensions = dimensions.trim();
    Some(if inside {
        format!(
            "{lines}{kind} (*const {name}){dimensions} = \
             ({kind} (*){dimensions})host_dynamic_shared()"
        )
    } else if dimensions.is_empty() {
        format!("{lines}static const host_dynamic<{kind}> {name} = {{}}")
    } else {
        format!(
            "{lines}typedef {kind} host_row_of_{name}{dimensions}; \
                 static const host_dynamic<host_row_of_{name}> {name} = {{}}"
        )
    })
}

/// Without `__attribute__((..))` and `alignas(..)`.
fn without_attributes(text: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some(found) = ["__attribute__", "alignas"]
        .iter()
        .filter_map(|word| rest.find(word))
        .min()
    {
        done.push_str(&rest[..found]);
        rest = &rest[found..];
        rest = rest
            .find('(')
            .map_or("", |open| skip_parentheses(&rest[open..]));
    }
    done + rest
}

/// Of arguments in parentheses the first.
fn first_argument(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0;
    let end = inner.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    Some(inner[..end.unwrap_or(inner.len())].trim())
}

/// What follows the parenthesis that `text` begins with.
fn skip_parentheses(text: &str) -> &str {
    let mut depth = 0;
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[index + 1..];
        }
    }
    ""
}

/// The function that is declared behind `__global__`: the first name before a parenthesis.
fn name_of(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut last = None;
    loop {
        let token = token(rest)?;
        rest = &rest[token.len()..];
        if [BOUNDS, "__attribute__", "alignas"].contains(&token) {
            rest = rest
                .find('(')
                .map_or("", |open| skip_parentheses(&rest[open..]));
        } else if token.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            last = Some(token);
        } else if token == "(" {
            return last;
        } else if !token.trim().is_empty() && token != "*" && token != "&" {
            return None;
        }
    }
}

fn scope(head: &str) -> Scope {
    let mut names = words(head);
    let has = |word| words(head).any(|it| it == word);
    if has("namespace") {
        return Scope::Namespace(names.rfind(|name| *name != "namespace").map(str::to_string));
    }
    // A linkage specification: `extern "C" {`, and nothing behind it.
    if names.next() == Some("extern") && head.trim_end().ends_with('"') {
        return Scope::Namespace(None);
    }
    Scope::Other
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// The next piece: a word, a text in quotes, a line marker, or one character.
fn token(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    let end = match first {
        '"' | '\'' => quoted(text, first),
        '#' => text.find('\n').unwrap_or(text.len()),
        _ if first.is_alphanumeric() || first == '_' => text
            // A ' inside of a number does not open a text.
            .find(|c: char| {
                !(c.is_alphanumeric() || c == '_' || c == '\'' && first.is_ascii_digit())
            })
            .unwrap_or(text.len()),
        _ => first.len_utf8(),
    };
    Some(&text[..end])
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewrite(text: &str) -> Rewritten {
        super::rewrite(text, None)
    }
    #[test]
    fn kernels_and_their_namespaces() {
        let text = "namespace a { namespace b { __host_global__ void one(int x); } }\n\
                    extern \"C\" { __host_global__ void __attribute__((x(1))) two() {} }\n\
                    template <int N> __host_global__ void three() {}\n\
                    struct s { int x; };\n\
                    extern \"C\" __host_global__ void four(float *a) { if (a) { } }\n\
                    static const char *t = \"__host_global__ void five()\";\n\
                    __host_global__ void four(float *a);";
        let rewritten = rewrite(text);
        assert_eq!(rewritten.kernels, ["a::b::one", "two", "four"]);
        let text = rewritten.text;
        assert!(
            !text
                .replace("\"__host_global__ void five()\"", "")
                .contains(GLOBAL)
        );
    }

    #[test]
    fn dynamic_shared_memory() {
        let of = |text| rewrite(text).text;
        assert_eq!(
            of("void k() { extern __host_shared__ float s[]; s[0] = 1; }"),
            "void k() {float (*const s) = (float (*))host_dynamic_shared(); s[0] = 1; }"
        );
        assert_eq!(
            of(
                "void k(){extern __host_shared__ __attribute__((aligned(16))) unsigned char s[][4];}"
            ),
            "void k(){unsigned char (*const s)[4] = (unsigned char (*)[4])host_dynamic_shared();}"
        );
        assert_eq!(
            of("int a;\nextern __host_shared__\nfloat s[];\nint b;"),
            "int a;\n\nstatic const host_dynamic<float> s = {};\nint b;"
        );
        assert_eq!(
            of("void k() { __host_shared__ float t[4][5]; }"),
            "void k() { thread_local float t[4][5]; }"
        );
    }

    #[test]
    fn constants_are_seen_by_name() {
        let of = |text| rewrite(text).text;
        let protected = "__attribute__((visibility(\"protected\")))";
        assert_eq!(
            of("int a; static __host_constant__ int s[4]; static int t;"),
            format!("int a;  {protected} int s[4]; static int t;")
        );
        assert_eq!(
            of("void k() { static __host_constant__ int s; }"),
            format!("void k() {{ static {protected} int s; }}")
        );
    }

    #[test]
    fn bounds_of_launches() {
        let of = |text| rewrite(text).text;
        assert_eq!(
            of("void __host_bounds__(f(A, B) * 2, 3)\nk(int x) { if (x) { } }"),
            "void \nk(int x) { static __attribute__((used)) char host_bounds[f(A, B) * 2];  \
             if (x) { } }"
        );
        assert_eq!(
            of("void __host_bounds__(4) k(); void l() { }"),
            "void  k(); void l() { }"
        );
        let named = rewrite("__host_global__ void __host_bounds__(32) k(int x) { }");
        assert_eq!(named.kernels, ["k"]);
    }

    #[test]
    fn launches_of_the_host() {
        let launched = rewrite("k<1> <<<dim3(2, 3),\n32>>>(x); y = a << b;").text;
        assert_eq!(launched, "k<1> \n(x); y = a << b;");
    }

    #[test]
    fn lines_stay() {
        let text = "# 1 \"k.cu\"\nextern __host_shared__\n float\n s[];\n\nint x = 1'000;\nchar c = '{';\n";
        let done = rewrite(text).text;
        assert_eq!(done.matches('\n').count(), text.matches('\n').count());
        assert!(done.ends_with("int x = 1'000;\nchar c = '{';\n"));
    }
}
