//! What a kernel's body does with names: what they are at most, how buffers are indexed, what is written.

use super::expression::poly;
use super::lexer::Token;
use super::poly::Poly;
use super::source::{Source, closing, split};
use std::collections::{BTreeMap, BTreeSet};

/// Words that begin a statement and are no type.
const STATEMENTS: [&str; 12] = [
    "return", "else", "case", "goto", "delete", "throw", "if", "while", "do", "for", "switch",
    "new",
];

/// How deep names lead to other names.
const DEEPEST: usize = 12;

/// What is known of the names in a body.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// What a name stays below.
    pub(super) limits: BTreeMap<String, Vec<Poly>>,
    /// What a name is set to where it is declared.
    pub(super) definitions: BTreeMap<String, Poly>,
    pub(super) declared: BTreeSet<String>,
    /// For each indexed name, its first indices, where they are polynomials.
    pub(super) indices: BTreeMap<String, Vec<Option<Poly>>>,
    pub(super) written: BTreeSet<String>,
    pub(super) read: BTreeSet<String>,
    /// Names that are passed on to a function, as they are or with an offset.
    pub(super) passed: BTreeSet<String>,
    /// `threadIdx.x` and the like.
    pub(super) builtins: BTreeSet<String>,
    /// Arrays in shared memory with an extent: the first one's tokens.
    pub(super) shared: Vec<Vec<Token>>,
    /// Whether there is an array in dynamic shared memory.
    pub(super) dynamic: bool,
}

impl Usage {
    pub(super) fn of(body: &[Token]) -> Usage {
        let mut usage = Usage::default();
        let body = &scoped(body)[..];
        for statement in statements(body) {
            usage.declaration(statement);
        }
        for at in 0..body.len() {
            usage.comparison(body, at);
            usage.indexed(body, at);
            usage.built_in(body, at);
        }
        usage
    }

    /// `const int i = a + b, j = c`.
    fn declaration(&mut self, statement: &[Token]) {
        let statement = match statement.first() {
            Some(first) if first.is("else") => &statement[1..],
            _ => statement,
        };
        let mut at = 0;
        let mut words = 0;
        while let Some(token) = statement.get(at) {
            match token {
                Token::Word(word) if STATEMENTS.contains(&word.as_str()) => return,
                Token::Word(_) => words += 1,
                Token::Sign("*" | "&" | "::") if words > 0 => {}
                Token::Sign("<") => {
                    let close = statement[at..].iter().position(|token| token.is(">"));
                    let Some(close) = close.filter(|_| words == 1) else {
                        break;
                    };
                    at += close;
                }
                _ => break,
            }
            at += 1;
        }
        let name = at.checked_sub(1).and_then(|at| statement[at].word());
        if words < 2 || name.is_none() || statement.get(at).is_some_and(|next| next.is("(")) {
            return;
        }
        let is_shared = statement[..at].iter().any(|token| token.is("__shared__"));
        self.dynamic |= is_shared && statement[0].is("extern");
        for declarator in split(&statement[at - 1..], ",") {
            let Some(name) = declarator.iter().find_map(Token::word) else {
                continue;
            };
            self.declared.insert(name.to_string());
            if let Some(open) = declarator
                .iter()
                .position(|token| token.is("["))
                .filter(|_| is_shared)
            {
                let close = closing(&declarator, open).unwrap_or(declarator.len());
                self.shared.push(declarator[open + 1..close].to_vec());
            }
            let value = declarator.iter().position(|token| token.is("="));
            if let Some(value) = value.and_then(|at| poly(&declarator[at + 1..])) {
                self.definitions.entry(name.to_string()).or_insert(value);
            }
        }
    }

    /// `i < n`, `i <= n`, `i >= n` (whoever says that, leaves).
    fn comparison(&mut self, body: &[Token], at: usize) {
        let (Some(name), Some(Token::Sign(sign))) = (body[at].word(), body.get(at + 1)) else {
            return;
        };
        let begins = at == 0
            || matches!(
                body[at - 1],
                Token::Sign("(" | ";" | "&&" | "||" | "!" | "," | "{" | "}")
            );
        if !begins || !matches!(*sign, "<" | "<=" | ">=") {
            return;
        }
        let mut end = at + 2;
        while let Some(token) = body.get(end) {
            match token {
                Token::Sign(";" | "&&" | "||" | ")" | "?" | "{" | "}" | "," | "<" | ">") => break,
                Token::Sign("(") => end = closing(body, end).unwrap_or(body.len()),
                _ => {}
            }
            end += 1;
        }
        if let Some(limit) = body.get(at + 2..end).and_then(poly) {
            let mut limit = match *sign {
                "<=" => limit.plus(&Poly::number(1)),
                _ => limit,
            };
            let limits = self.limits.entry(name.to_string()).or_default();
            // `i < start + TILE && i < n`: both hold.
            let is_second = *sign != ">=" && at > 0 && body[at - 1].is("&&");
            if let Some(first) = limits.pop_if(|_| is_second) {
                limit = [first, limit]
                    .into_iter()
                    .min_by_key(|of| of.at(1024))
                    .unwrap_or_default();
            }
            limits.push(limit);
        }
    }

    /// `x[i] = ..`, `f(x)`, `*x = ..`.
    fn indexed(&mut self, body: &[Token], at: usize) {
        let Some(name) = body[at].word() else {
            return;
        };
        let before = at.checked_sub(1).map(|before| &body[before]);
        if before.is_some_and(|of| of.is(".") || of.is("->")) {
            return;
        }
        let mut end = at + 1;
        let mut first = None;
        while body.get(end).is_some_and(|token| token.is("[")) {
            let Some(close) = closing(body, end) else {
                return;
            };
            first.get_or_insert(body[end + 1..close].to_vec());
            end = close + 1;
        }
        let is_star = first.is_none()
            && before.is_some_and(|of| of.is("*"))
            && at >= 2
            && !is_operand(&body[at - 2]);
        let is_address = before.is_some_and(|of| of.is("&"));
        if first.is_none() && !is_star {
            let inside = before.is_some_and(|of| of.is("(") || of.is(",")) || is_address;
            let ends = body
                .get(end)
                .is_some_and(|of| of.is(",") || of.is(")") || of.is("+"));
            if inside && ends {
                self.passed.insert(name.to_string());
            }
            return;
        }
        let index = first.unwrap_or_else(|| vec![Token::Literal("0".to_string())]);
        self.indices
            .entry(name.to_string())
            .or_default()
            .push(poly(&index));
        // `p[i].x = 1` writes as well.
        while body
            .get(end)
            .is_some_and(|token| token.is(".") || token.is("->"))
        {
            end += 2;
        }
        let next = body.get(end);
        let assigns =
            |signs: &[&str]| next.is_some_and(|next| signs.iter().any(|sign| next.is(sign)));
        let updates = [
            "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--",
        ];
        let updated = assigns(&updates) || before.is_some_and(|of| of.is("++") || of.is("--"));
        if updated || is_address || assigns(&["="]) {
            self.written.insert(name.to_string());
        }
        if updated || is_address || !assigns(&["="]) {
            self.read.insert(name.to_string());
        }
    }

    /// Counts for a pointer what is done with those that are set to it: `float *row = x + i * n;`.
    pub(super) fn follow(&mut self, pointer: &str) {
        let one = Poly::number(1);
        let leads = |(name, value): (&String, &Poly)| {
            let offset = value.minus(&Poly::name(pointer));
            (value.factor(pointer) == one).then(|| (name.clone(), offset))
        };
        let others: Vec<(String, Poly)> = self.definitions.iter().filter_map(leads).collect();
        for (other, offset) in others {
            let indices = self.indices.get(&other).cloned().unwrap_or_default();
            let moved = indices.into_iter().map(|index| Some(index?.plus(&offset)));
            let known = self.indices.entry(pointer.to_string()).or_default();
            known.extend(moved);
            for names in [&mut self.written, &mut self.read, &mut self.passed] {
                if names.contains(&other) {
                    names.insert(pointer.to_string());
                }
            }
        }
    }

    fn built_in(&mut self, body: &[Token], at: usize) {
        if let [Token::Word(name), Token::Sign("."), Token::Word(axis), ..] = &body[at..]
            && matches!(
                name.as_str(),
                "threadIdx" | "blockIdx" | "blockDim" | "gridDim"
            )
        {
            self.builtins.insert(format!("{name}.{axis}"));
        }
    }

    /// A value with all names in it that are no `known` ones replaced by what they are, or what they are at most.
    pub(super) fn most(
        &self,
        value: &Poly,
        source: &Source,
        known: &dyn Fn(&str) -> bool,
    ) -> Option<Poly> {
        let mut value = value.clone();
        for _ in 0..DEEPEST {
            let next = value
                .names()
                .into_iter()
                .find(|name| !known(name))
                .map(str::to_string);
            let Some(name) = next else {
                return Some(value);
            };
            let defined = || source.defines.get(&name).and_then(|value| poly(value));
            let limit = self
                .limits
                .get(&name)
                .and_then(|of| of.iter().max_by_key(|of| of.at(1024)));
            value = match (limit, self.definitions.get(&name)) {
                (Some(limit), _) if !limit.names().contains(&name.as_str()) => {
                    value.upper(&name, &limit.minus(&Poly::number(1)))
                }
                (_, Some(definition)) if !definition.names().contains(&name.as_str()) => {
                    value.replace(&name, definition)
                }
                _ => value.replace(&name, &defined()?),
            };
            if value.is_long() {
                return None;
            }
        }
        None
    }
}

/// Whether a `*` behind it multiplies.
fn is_operand(token: &Token) -> bool {
    match token {
        Token::Word(word) => !STATEMENTS.contains(&word.as_str()),
        Token::Literal(_) => true,
        Token::Sign(sign) => matches!(*sign, ")" | "]"),
    }
}

/// The body with another name for what a loop declares and an earlier one had declared, as far as the loop goes: each `i` has
/// bounds of its own.
fn scoped(body: &[Token]) -> Vec<Token> {
    let mut scoped = body.to_vec();
    let mut seen = BTreeSet::new();
    for at in 0..body.len() {
        let Some(Token::Word(name)) = loops(body, at) else {
            continue;
        };
        if seen.insert(name) {
            continue;
        }
        let own = format!("{name}#{at}");
        for token in &mut scoped[at..extent(body, at)] {
            if matches!(token, Token::Word(word) if word == name) {
                *token = Token::Word(own.clone());
            }
        }
    }
    scoped
}

/// What a loop that begins here declares: `for (int i = ..`.
fn loops(body: &[Token], at: usize) -> Option<&Token> {
    let is_loop = body[at].is("for") && body.get(at + 1)?.is("(");
    let words = body.get(at + 2..).filter(|_| is_loop)?;
    let count = words.iter().take_while(|of| of.word().is_some()).count();
    let declares = count > 1 && words.get(count)?.is("=");
    declares.then(|| &words[count - 1])
}

/// Where the statement ends that begins here.
fn extent(body: &[Token], start: usize) -> usize {
    let mut at = start;
    while let Some(token) = body.get(at) {
        match token {
            Token::Sign("(") => at = closing(body, at).unwrap_or(body.len()),
            Token::Sign("{") => return closing(body, at).map_or(body.len(), |end| end + 1),
            Token::Sign(";" | "}") => return at + 1,
            _ => {}
        }
        at += 1;
    }
    body.len()
}

/// The pieces between `;`, braces and the parentheses of `for`.
fn statements(body: &[Token]) -> Vec<&[Token]> {
    let (mut all, mut start) = (Vec::new(), 0);
    for (at, token) in body.iter().enumerate() {
        let opens_loop = token.is("(") && at > 0 && body[at - 1].is("for");
        if opens_loop || matches!(token, Token::Sign(";" | "{" | "}")) {
            all.push(&body[start..at]);
            start = at + 1;
        }
    }
    all.push(&body[start..]);
    all.retain(|statement| !statement.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    #[test]
    fn each_loop_has_its_own_bounds() {
        let text = "for (int i = 0; i < n * n; i++) c[i] = 0;\n\
            for (int i0 = 0; i0 < n; i0 += T) UNROLLED(U) for (int i = i0; i < smaller(i0 + T, n); i++) { d[i] = 1; }\n\
            for (int j = 0; j < m + T && j < m; j++) e[j] = 0;";
        let usage = Usage::of(&lex(text).0);
        let length = |name: &str| {
            let known = |name: &str| ["n", "m", "T"].contains(&name);
            let index = usage.indices[name][0].clone()?;
            let most = usage.most(&index, &Source::default(), &known)?;
            Some(most.plus(&Poly::number(1)).shown(&str::to_string))
        };
        assert_eq!(length("c").as_deref(), Some("n * n"));
        assert_eq!(length("d").as_deref(), Some("n"));
        assert_eq!(length("e").as_deref(), Some("m"));
    }

    #[test]
    fn lengths_follow_from_guards_and_loops() {
        let text = "const int i = blockIdx.x * blockDim.x + threadIdx.x, j = 0; float s = 0;\n\
            if (i >= n) return;\n\
            for (int k = 0; k < 2 * m; k++) s += a[(size_t)i * 2 * m + k]; y[n - 1 - i] = s; atomicAdd(&z[i], 1); f(w, x + 1);";
        let body = lex(text).0;
        let usage = Usage::of(&body);
        let length = |name: &str| {
            let index = usage.indices[name][0].clone()?;
            let known = |name: &str| name == "n" || name == "m";
            let most = usage.most(&index, &Source::default(), &known)?;
            Some(most.plus(&Poly::number(1)).shown(&str::to_string))
        };
        assert_eq!(length("a").as_deref(), Some("2 * m * n"));
        assert_eq!(length("y").as_deref(), Some("n"));
        let set = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(set(&usage.written), "y z");
        assert_eq!(set(&usage.read), "a z");
        assert!(usage.passed.contains("w") && usage.passed.contains("x"));
        assert_eq!(set(&usage.declared), "i j k s");
        assert_eq!(set(&usage.builtins), "blockDim.x blockIdx.x threadIdx.x");
        let mut usage =
            Usage::of(&lex("float *row = out + i * n; for (int j = 0; j < n; j++) row[j] = 0;").0);
        usage.follow("out");
        let index = usage.indices["out"][0].clone().unwrap();
        assert_eq!(index.shown(&str::to_string), "i * n + j");
        assert!(usage.written.contains("out"));
        let usage = Usage::of(&body);
        let factor = usage.definitions["i"].factor("blockIdx.x");
        assert_eq!(factor.shown(&str::to_string), "blockDim.x");
    }
}
