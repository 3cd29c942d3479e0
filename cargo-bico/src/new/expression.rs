//! Expressions of C as polynomials, where they are some.

use super::lexer::Token;
use super::poly::Poly;
use super::source::closing;

/// How deep brackets may nest: whoever reads them, does it with the stack.
const DEEPEST: usize = 12;

/// An expression as a polynomial over names; `None` where it is none.
pub(super) fn poly(tokens: &[Token]) -> Option<Poly> {
    let mut reader = Reader { tokens, at: 0 };
    let value = reader.sum(0)?;
    (reader.at == tokens.len()).then_some(value)
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Reader<'_> {
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn sum(&mut self, depth: usize) -> Option<Poly> {
        let mut sum = self.product(depth)?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            let next = self.product(depth)?;
            sum = if sign == "+" {
                sum.plus(&next)
            } else {
                sum.minus(&next)
            };
        }
        (!sum.is_long()).then_some(sum)
    }

    fn product(&mut self, depth: usize) -> Option<Poly> {
        let mut product = self.factor(depth)?;
        while self.sign(&["*"]).is_some() {
            product = product.times(&self.factor(depth)?);
            if product.is_long() {
                return None;
            }
        }
        Some(product)
    }

    fn factor(&mut self, depth: usize) -> Option<Poly> {
        if depth > DEEPEST {
            return None;
        }
        if self.sign(&["-"]).is_some() {
            return Some(Poly::default().minus(&self.factor(depth + 1)?));
        }
        if self.sign(&["("]).is_some() {
            let close = closing(self.tokens, self.at - 1)?;
            let inside = &self.tokens[self.at..close];
            // `(size_t)i`
            let type_like = |token: &Token| match token {
                Token::Word(word) => is_type(word),
                token => token.is("*"),
            };
            if !inside.is_empty() && inside.iter().all(type_like) {
                self.at = close + 1;
                return self.factor(depth + 1);
            }
            let value = Reader {
                tokens: inside,
                at: 0,
            }
            .whole(depth + 1)?;
            self.at = close + 1;
            return Some(value);
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Literal(_) => token.integer().map(Poly::number),
            Token::Word(word) => {
                let mut name = word.clone();
                while let [Token::Sign("."), Token::Word(field), ..] = &self.tokens[self.at..] {
                    name = format!("{name}.{field}");
                    self.at += 2;
                }
                let called = self
                    .tokens
                    .get(self.at)
                    .is_some_and(|next| matches!(next, Token::Sign("(" | "[" | "<" | "::")));
                (!called).then(|| Poly::name(&name))
            }
            Token::Sign(_) => None,
        }
    }

    fn whole(mut self, depth: usize) -> Option<Poly> {
        let value = self.sum(depth)?;
        (self.at == self.tokens.len()).then_some(value)
    }
}

pub(super) fn is_type(word: &str) -> bool {
    let known = [
        "int", "unsigned", "long", "short", "char", "float", "double", "size_t", "bool", "signed",
        "const", "void", "half",
    ];
    known.contains(&word) || word.ends_with("_t")
}
