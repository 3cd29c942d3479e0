//! From tokens to an expression, by Python's precedence.

use super::lexer::{Token, tokens};
use super::tree::{Comparison, Expr, Function, Operator};
use bico_bind::intern;
use bico_core::Value;

/// How deep operators may nest: whoever reads the tree, does it with the stack.
const DEEPEST: usize = 120;

/// What a bracket adds to the depth: reading one takes a call for each level of precedence.
const BRACKET: usize = 4;

/// Words that mean something else than a name.
const KEYWORDS: [&str; 9] = [
    "and", "or", "not", "in", "is", "if", "else", "lambda", "for",
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessEqual),
    (">=", Comparison::GreaterEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

const FUNCTIONS: [(&str, Function); 6] = [
    ("min", Function::Min),
    ("max", Function::Max),
    ("abs", Function::Abs),
    ("int", Function::Int),
    ("float", Function::Float),
    ("bool", Function::Bool),
];

/// Reads one expression over parameters of these names.
pub(super) fn parse(text: &str, names: &[&str]) -> Result<Expr, String> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        names,
        depth: 0,
    };
    let expr = parser.expression()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expr),
        Some(token) => Err(format!("{} is not expected there", written(token))),
    }
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    names: &'a [&'a str],
    depth: usize,
}

fn written(token: &Token) -> String {
    match token {
        Token::Int(value) => format!("`{value}`"),
        Token::Float(value) => format!("`{value}`"),
        Token::Text(text) => format!("the string `{text}`"),
        Token::Word(word) => format!("`{word}`"),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}

impl Parser<'_> {
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn word(&mut self, wanted: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Word(word)) if word == wanted);
        self.at += usize::from(found);
        found
    }

    fn close(&mut self, bracket: &'static str) -> Result<(), String> {
        match self.sign(&[bracket]) {
            Some(_) => Ok(()),
            None => Err(match self.tokens.get(self.at) {
                Some(token) => format!("`{bracket}` is missing before {}", written(token)),
                None => format!("`{bracket}` is missing at the end"),
            }),
        }
    }

    fn deeper<T>(
        &mut self,
        by: usize,
        parse: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        self.depth += by;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply".into());
        }
        let result = parse(self);
        self.depth -= by;
        result
    }

    /// `a if b else c`
    fn expression(&mut self) -> Result<Expr, String> {
        self.deeper(BRACKET, |parser| {
            let yes = parser.or()?;
            if !parser.word("if") {
                return Ok(yes);
            }
            let condition = parser.or()?;
            if !parser.word("else") {
                return Err("`if` without `else`".into());
            }
            let no = parser.expression()?;
            Ok(Expr::If(Box::new([condition, yes, no])))
        })
    }

    fn or(&mut self) -> Result<Expr, String> {
        let mut parts = vec![self.and()?];
        while self.word("or") {
            parts.push(self.and()?);
        }
        Ok(one_or(parts, Expr::Or))
    }

    fn and(&mut self) -> Result<Expr, String> {
        let mut parts = vec![self.not()?];
        while self.word("and") {
            parts.push(self.not()?);
        }
        Ok(one_or(parts, Expr::And))
    }

    fn not(&mut self) -> Result<Expr, String> {
        if self.word("not") {
            return self.deeper(1, |parser| Ok(Expr::Not(Box::new(parser.not()?))));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expr, String> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let known = |known: &&(&'static str, Comparison)| self.sign(&[known.0]).is_some();
            let operator = if let Some((_, comparison)) = COMPARISONS.iter().find(known) {
                *comparison
            } else if self.word("in") {
                Comparison::In
            } else if self.word("not") {
                if !self.word("in") {
                    return Err("`not` is not expected there".into());
                }
                Comparison::NotIn
            } else {
                break;
            };
            rest.push((operator, self.sum()?));
        }
        Ok(if rest.is_empty() {
            first
        } else {
            Expr::Chain(Box::new(first), rest)
        })
    }

    fn sum(&mut self) -> Result<Expr, String> {
        self.series(
            Parser::product,
            &[("+", Operator::Add), ("-", Operator::Sub)],
        )
    }

    fn product(&mut self) -> Result<Expr, String> {
        let operators = [
            ("*", Operator::Mul),
            ("//", Operator::Floor),
            ("/", Operator::True),
            ("%", Operator::Modulo),
        ];
        self.series(Parser::unary, &operators)
    }

    /// Operands with operators between them, from the left: each makes the tree deeper.
    fn series(
        &mut self,
        operand: fn(&mut Self) -> Result<Expr, String>,
        operators: &[(&'static str, Operator)],
    ) -> Result<Expr, String> {
        let mut left = operand(self)?;
        let mut count = 0;
        while let Some((_, operator)) = operators
            .iter()
            .find(|(sign, _)| self.sign(&[sign]).is_some())
        {
            count += 1;
            let right = self.deeper(count, operand)?;
            left = Expr::Arithmetic(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        match self.sign(&["-", "+"]) {
            Some("-") => self.deeper(1, |parser| Ok(Expr::Negative(Box::new(parser.unary()?)))),
            // `+True` is 1: the sum with 0.
            Some(_) => self.deeper(1, |parser| {
                let zero = Box::new(Expr::Value(Value::Int(0)));
                Ok(Expr::Arithmetic(
                    Operator::Add,
                    zero,
                    Box::new(parser.unary()?),
                ))
            }),
            None => self.power(),
        }
    }

    /// `**` binds more than the sign before it and less than the one after it, and from the right.
    fn power(&mut self) -> Result<Expr, String> {
        let base = self.atom()?;
        if self.sign(&["**"]).is_none() {
            return Ok(base);
        }
        let exponent = self.deeper(1, Parser::unary)?;
        Ok(Expr::Arithmetic(
            Operator::Power,
            Box::new(base),
            Box::new(exponent),
        ))
    }

    fn atom(&mut self) -> Result<Expr, String> {
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err("it ends where a value is wanted".into());
        };
        self.at += 1;
        match &token {
            Token::Int(value) => Ok(Expr::Value(Value::Int(*value))),
            Token::Float(value) => Ok(Expr::Value(Value::Float(*value))),
            Token::Text(text) => Ok(Expr::Value(Value::Str(intern(text)))),
            Token::Word(word) => self.named(word),
            Token::Sign("(") => {
                let (mut items, comma) = self.items(")")?;
                match items.pop() {
                    Some(only) if items.is_empty() && !comma => Ok(only),
                    last => Ok(Expr::List(items.into_iter().chain(last).collect())),
                }
            }
            Token::Sign("[") => Ok(Expr::List(self.items("]")?.0)),
            Token::Sign("{") => Ok(Expr::List(self.items("}")?.0)),
            token => Err(format!("{} is not expected there", written(token))),
        }
    }

    /// Expressions up to a bracket, and whether one of them had a comma behind it.
    fn items(&mut self, bracket: &'static str) -> Result<(Vec<Expr>, bool), String> {
        let (mut items, mut comma) = (Vec::new(), false);
        while self.sign(&[bracket]).is_none() {
            items.push(self.expression()?);
            if self.sign(&[","]).is_some() {
                comma = true;
            } else {
                self.close(bracket)?;
                break;
            }
        }
        Ok((items, comma))
    }

    fn named(&mut self, word: &str) -> Result<Expr, String> {
        if let Some(name) = self.names.iter().position(|name| *name == word) {
            return Ok(Expr::Name(name));
        }
        match word {
            "True" => return Ok(Expr::Value(Value::Bool(true))),
            "False" => return Ok(Expr::Value(Value::Bool(false))),
            _ if KEYWORDS.contains(&word) => return Err(format!("`{word}` is not expected there")),
            _ => {}
        }
        if self.sign(&["("]).is_none() {
            return Err(format!("`{word}` is no parameter"));
        }
        let (_, function) = *FUNCTIONS
            .iter()
            .find(|(name, _)| *name == word)
            .ok_or_else(|| format!("`{word}(..)` is not translated"))?;
        let (mut items, _) = self.items(")")?;
        let many = matches!(function, Function::Min | Function::Max);
        if many && let [Expr::List(list)] = items.as_mut_slice() {
            items = std::mem::take(list);
        }
        let fits = if many {
            !items.is_empty()
        } else {
            items.len() == 1
        };
        if !fits {
            return Err(format!("`{word}` with {} arguments", items.len()));
        }
        Ok(Expr::Call(function, items))
    }
}

fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => many(parts.into_iter().chain(last).collect()),
    }
}
