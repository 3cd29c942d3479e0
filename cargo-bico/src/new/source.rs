//! A kernel's file: its functions, and what its macros say.

use super::lexer::{Token, integer, lex, line_tokens};
use std::collections::BTreeMap;
use std::path::Path;

/// A source with what it includes from beside it.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The file's own tokens that are in no function's body.
    pub(super) outside: Vec<Token>,
    pub(super) functions: Vec<Function>,
    /// Object-like macros: what each stands for.
    pub(super) defines: BTreeMap<String, Vec<Token>>,
    /// Those that stand under an `#ifndef` of their own: whoever compiles may choose another value.
    pub(super) open: Vec<String>,
    /// Macros with arguments.
    pub(super) calls: Vec<String>,
    /// All that headers beside the file name: nobody else has to define it.
    pub(super) foreign: Vec<Token>,
    /// Whether a header beside the file is included in angle brackets.
    pub(super) angled: bool,
    /// Headers that do not lie beside the file.
    pub(super) elsewhere: Vec<String>,
    /// Names whose values `#if` and `#elif` look at.
    pub(super) asked: Vec<String>,
    /// `#pragma unroll 4`: the numbers.
    pub(super) unrolled: Vec<String>,
    /// What `typedef` and `using` call by another name.
    pub(super) types: BTreeMap<String, Vec<Token>>,
}

/// A function with a body.
#[derive(Debug, Clone, Default)]
pub(super) struct Function {
    pub(super) name: String,
    /// `outer::inner::`.
    pub(super) path: String,
    /// What stands between the angle brackets of its `template`.
    pub(super) template: Option<Vec<Token>>,
    /// All before the name.
    pub(super) head: Vec<Token>,
    /// What stands between the parentheses.
    pub(super) arguments: Vec<Token>,
    pub(super) body: Vec<Token>,
    pub(super) extern_c: bool,
}

impl Function {
    pub(super) fn has(&self, word: &str) -> bool {
        self.head.iter().any(|token| token.is(word))
    }
}

impl Source {
    /// Reads a text; `folder` is where its headers are looked for.
    pub(super) fn new(text: &str, folder: Option<&Path>) -> Source {
        let (tokens, directives) = lex(text);
        let mut source = Source::default();
        source.directives(&directives, true);
        if let Some(folder) = folder {
            source.include(&directives, folder, 3);
        }
        scan(&tokens, "", false, &mut source);
        source.types = types(&tokens);
        let foreign = types(&source.foreign);
        source.types.extend(foreign);
        source
    }

    /// Adds a statement outside of functions.
    fn outside(&mut self, statement: &[Token]) {
        self.outside.extend_from_slice(statement);
        self.outside.push(Token::Sign(";"));
    }

    fn directives(&mut self, directives: &[String], own: bool) {
        for (at, directive) in directives.iter().enumerate() {
            let (word, rest) = directive
                .split_once(char::is_whitespace)
                .unwrap_or((directive, ""));
            let rest = rest.trim();
            match word {
                "define" => self.define(directives, at, rest, own),
                "if" | "elif" if own => self.ask(&line_tokens(rest)),
                "pragma" if own => {
                    let number = rest
                        .strip_prefix("unroll")
                        .map(|n| n.trim_matches([' ', '(', ')']));
                    match number {
                        Some(number) if integer(number).is_some() => {
                            self.unrolled.push(number.to_string());
                        }
                        words => self.ask(&line_tokens(words.unwrap_or_default())),
                    }
                }
                _ => {}
            }
        }
    }

    /// What a condition compares. What it only asks whether it is defined, nobody has to define.
    fn ask(&mut self, condition: &[Token]) {
        for (at, token) in condition.iter().enumerate() {
            let before = condition[..at].iter().rev().find(|token| !token.is("("));
            let word = token
                .word()
                .filter(|word| *word != "defined" && !word.starts_with("__"));
            if !before.is_some_and(|before| before.is("defined")) {
                self.asked.extend(word.map(str::to_string));
            }
        }
    }

    fn define(&mut self, directives: &[String], at: usize, rest: &str, own: bool) {
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let (name, value) = rest.split_at(end);
        if value.starts_with('(') {
            self.calls.push(name.to_string());
            return;
        }
        let before = at.checked_sub(1).and_then(|before| directives.get(before));
        let guard = before.and_then(|before| {
            let plain = before.replace(['(', ')', '!'], " ");
            let mut words = plain.split_whitespace();
            let asks = before.starts_with("ifndef")
                || before.contains("!defined")
                || before.contains("! defined");
            let named = words.any(|word| word == name);
            (asks && named).then_some(())
        });
        // A guard against a second inclusion has no value.
        if own && guard.is_some() && !value.trim().is_empty() {
            self.open.push(name.to_string());
        }
        let known = self.defines.entry(name.to_string());
        known.or_insert_with(|| line_tokens(value));
    }

    /// Reads headers, as far as they lie beside the file.
    fn include(&mut self, directives: &[String], folder: &Path, depth: usize) {
        if depth == 0 {
            return;
        }
        for directive in directives {
            let Some(rest) = directive.strip_prefix("include") else {
                continue;
            };
            let name = rest.trim().trim_matches(['"', '<', '>']);
            let path = folder.join(name);
            let Ok(text) = std::fs::read_to_string(&path) else {
                self.elsewhere.push(name.to_string());
                continue;
            };
            self.angled |= rest.trim().starts_with('<');
            let (tokens, inner) = lex(&text);
            self.directives(&inner, false);
            self.foreign.extend(tokens);
            let folder = path.parent().unwrap_or(folder).to_path_buf();
            self.include(&inner, &folder, depth - 1);
        }
    }

    /// The number that a macro stands for, through other macros.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        let mut name = name;
        for _ in 0..8 {
            let value = self.defines.get(name)?;
            let inner: Vec<&Token> = value.iter().filter(|t| !t.is("(") && !t.is(")")).collect();
            match inner[..] {
                [token] if token.integer().is_some() => return token.integer(),
                [Token::Word(other)] => name = other,
                _ => return None,
            }
        }
        None
    }
}

/// `typedef float real;` and `using real = float;`: what each name stands for.
fn types(tokens: &[Token]) -> BTreeMap<String, Vec<Token>> {
    let mut types = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        let end = rest.iter().position(|token| token.is(";")).unwrap_or(0);
        match &rest[..end] {
            [of @ .., Token::Word(name)]
                if token.is("typedef") && !of.is_empty() && !of.iter().any(|t| t.is("{")) =>
            {
                types.insert(name.clone(), of.to_vec());
            }
            [Token::Word(name), Token::Sign("="), of @ ..] if token.is("using") => {
                types.insert(name.clone(), of.to_vec());
            }
            _ => {}
        }
    }
    types
}

/// Where the bracket that opens at `at` closes.
pub(super) fn closing(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0i64;
    for (end, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign("(" | "[" | "{") => depth += 1,
            Token::Sign(")" | "]" | "}") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(end);
        }
    }
    None
}

/// Where the `<` at `at` closes.
fn closing_angle(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0i64;
    for (end, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign("<") => depth += 1,
            Token::Sign(">") => depth -= 1,
            Token::Sign(">>>") => depth -= 3,
            Token::Sign(";" | "{") => return None,
            _ => {}
        }
        if depth <= 0 {
            return Some(end);
        }
    }
    None
}

/// Finds the functions of a file, those in namespaces and in `extern "C"` among them.
fn scan(tokens: &[Token], path: &str, extern_c: bool, source: &mut Source) {
    let (mut at, mut start) = (0, 0);
    while at < tokens.len() {
        match &tokens[at] {
            Token::Sign(";") => {
                source.outside(&tokens[start..at]);
                start = at + 1;
            }
            Token::Word(word) if word == "template" => {
                if let Some(end) = closing_angle(tokens, at + 1) {
                    at = end;
                }
            }
            Token::Sign("{") => {
                let end = closing(tokens, at).unwrap_or(tokens.len());
                let (head, body) = (&tokens[start..at], &tokens[at + 1..end.min(tokens.len())]);
                let is_block = |word: &str| head.first().is_some_and(|first| first.is(word));
                let is_c = head
                    .iter()
                    .any(|token| *token == Token::Literal("\"C\"".into()));
                if is_block("namespace")
                    || (is_block("inline") && head.get(1).is_some_and(|of| of.is("namespace")))
                {
                    let name = head
                        .last()
                        .and_then(Token::word)
                        .filter(|name| *name != "namespace");
                    let path = name.map_or(path.to_string(), |name| format!("{path}{name}::"));
                    scan(body, &path, extern_c, source);
                } else if is_c && !head.iter().any(|token| token.is("(")) {
                    scan(body, path, true, source);
                } else if let Some(function) = function(head, body, path, extern_c || is_c) {
                    source.functions.push(function);
                } else {
                    source.outside(body);
                }
                source.outside(head);
                at = end;
                start = end + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// A function, if these are its head and its body.
fn function(head: &[Token], body: &[Token], path: &str, extern_c: bool) -> Option<Function> {
    let (mut head, mut template) = (head, None);
    while head.first()?.is("template") {
        let end = closing_angle(head, 1)?;
        template = Some(head.get(2..end)?.to_vec());
        head = head.get(end + 1..)?;
    }
    // The last list of arguments is the function's: `__launch_bounds__(256)` has one, too.
    let mut at = 0;
    let mut list = None;
    while at < head.len() {
        if head[at].is("(") {
            let end = closing(head, at)?;
            let name = at.checked_sub(1).and_then(|before| head[before].word());
            let attribute = |name: &str| {
                name.ends_with("__") || matches!(name, "alignas" | "noexcept" | "__declspec")
            };
            if let Some(name) = name.filter(|name| !attribute(name)) {
                list = Some((at, end, name.to_string()));
            }
            at = end;
        }
        at += 1;
    }
    let (open, close, name) = list?;
    let before = head.get(..open - 1)?;
    // A call or a condition has no type before its name; an initialised variable has a `=`.
    let keyword = matches!(
        name.as_str(),
        "if" | "for" | "while" | "switch" | "return" | "defined"
    );
    let is_type =
        before.iter().any(|token| token.word().is_some()) && !before.iter().any(|t| t.is("="));
    if keyword || !is_type {
        return None;
    }
    Some(Function {
        name,
        path: path.to_string(),
        template,
        head: before.to_vec(),
        arguments: head[open + 1..close].to_vec(),
        body: body.to_vec(),
        extern_c,
    })
}

/// A list at its outer commas.
pub(super) fn split(tokens: &[Token], at: &str) -> Vec<Vec<Token>> {
    let (mut parts, mut depth) = (vec![Vec::new()], 0i64);
    for token in tokens {
        match token {
            Token::Sign("(" | "[" | "{" | "<") => depth += 1,
            Token::Sign(")" | "]" | "}" | ">") => depth -= 1,
            _ => {}
        }
        match (token.is(at) && depth == 0, parts.last_mut()) {
            (true, _) => parts.push(Vec::new()),
            (false, Some(last)) => last.push(token.clone()),
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
