//! From tokens to an expression, by Python's precedence.

use super::lexer::{Token, tokens};
use super::text::{AND, Join, OR};
use bico_core::Value;

/// How deep operators may nest: whoever reads the tree, does it with the stack.
const DEEPEST: usize = 120;

/// What a bracket adds to the depth: reading one takes a call for each level of precedence.
const BRACKET: usize = 4;

/// Words that mean something else than a name.
const KEYWORDS: [&str; 9] = [
    "and", "or", "not", "in", "is", "if", "else", "lambda", "for",
];

const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

const FUNCTIONS: [&str; 6] = ["min", "max", "abs", "int", "float", "bool"];

/// An expression over parameters, which are numbered. Operators and functions are called as Python writes them.
pub(super) enum Expr {
    Value(Value),
    Name(usize),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Arithmetic(&'static str, Box<[Expr; 2]>),
    /// `a < b <= c`: each operator with the operand after it.
    Chain(Box<Expr>, Vec<(&'static str, Expr)>),
    /// The right side of `in`.
    List(Vec<Expr>),
    /// `and` or `or`.
    Logic(Join, Vec<Expr>),
    /// Condition, value if it holds, value if not.
    If(Box<[Expr; 3]>),
    Call(&'static str, Vec<Expr>),
}

/// What reads a part of an expression.
type Part<'a> = fn(&mut Parser<'a>) -> Result<Expr, String>;

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
        Some(token) => Err(unexpected(token)),
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
        Token::Value(Value::Float(value)) => format!("`{value}`"),
        Token::Value(Value::Str(text)) => format!("the string `{text}`"),
        Token::Value(value) => format!("`{value}`"),
        Token::Word(word) => format!("`{word}`"),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}

fn unexpected(token: &Token) -> String {
    format!("{} is not expected there", written(token))
}

impl<'a> Parser<'a> {
    fn sign(&mut self, signs: &[&str]) -> Option<&'static str> {
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

    fn deeper(&mut self, by: usize, parse: Part<'a>) -> Result<Expr, String> {
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
        self.logic("or", OR, |parser| parser.logic("and", AND, Parser::not))
    }

    fn logic(&mut self, word: &str, join: Join, operand: Part<'a>) -> Result<Expr, String> {
        let first = operand(self)?;
        let mut parts = vec![first];
        while self.word(word) {
            parts.push(operand(self)?);
        }
        Ok(match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => Expr::Logic(join, parts.into_iter().chain(last).collect()),
        })
    }

    fn not(&mut self) -> Result<Expr, String> {
        if self.word("not") {
            return Ok(Expr::Not(Box::new(self.deeper(1, Parser::not)?)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expr, String> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let operator = if let Some(sign) = self.sign(&COMPARISONS) {
                sign
            } else if self.word("in") {
                "in"
            } else if self.word("not") {
                if !self.word("in") {
                    return Err("`not` is not expected there".into());
                }
                "not in"
            } else {
                break;
            };
            rest.push((operator, self.sum()?));
        }
        Ok(match rest.is_empty() {
            true => first,
            false => Expr::Chain(Box::new(first), rest),
        })
    }

    fn sum(&mut self) -> Result<Expr, String> {
        self.series(
            |parser| parser.series(Parser::unary, &["*", "//", "/", "%"]),
            &["+", "-"],
        )
    }

    /// Operands with operators between them, from the left: each makes the tree deeper.
    fn series(&mut self, operand: Part<'a>, operators: &[&str]) -> Result<Expr, String> {
        let mut left = operand(self)?;
        let mut count = 0;
        while let Some(operator) = self.sign(operators) {
            count += 1;
            let right = self.deeper(count, operand)?;
            left = Expr::Arithmetic(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        let Some(sign) = self.sign(&["-", "+"]) else {
            return self.power();
        };
        let operand = self.deeper(1, Parser::unary)?;
        Ok(match sign {
            "-" => Expr::Negative(Box::new(operand)),
            // `+True` is 1: the sum with 0.
            _ => Expr::Arithmetic("+", Box::new([Expr::Value(Value::Int(0)), operand])),
        })
    }

    /// `**` binds more than the sign before it and less than the one after it, and from the right.
    fn power(&mut self) -> Result<Expr, String> {
        let base = self.atom()?;
        if self.sign(&["**"]).is_none() {
            return Ok(base);
        }
        let exponent = self.deeper(1, Parser::unary)?;
        Ok(Expr::Arithmetic("**", Box::new([base, exponent])))
    }

    fn atom(&mut self) -> Result<Expr, String> {
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err("it ends where a value is wanted".into());
        };
        self.at += 1;
        match &token {
            Token::Value(value) => Ok(Expr::Value(*value)),
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
            token => Err(unexpected(token)),
        }
    }

    /// Expressions up to a bracket, and whether one of them had a comma behind it.
    fn items(&mut self, bracket: &str) -> Result<(Vec<Expr>, bool), String> {
        let (mut items, mut comma) = (Vec::new(), false);
        while self.sign(&[bracket]).is_none() {
            items.push(self.expression()?);
            if self.sign(&[","]).is_some() {
                comma = true;
            } else if self.sign(&[bracket]).is_some() {
                break;
            } else {
                return Err(match self.tokens.get(self.at) {
                    Some(token) => format!("`{bracket}` is missing before {}", written(token)),
                    None => format!("`{bracket}` is missing at the end"),
                });
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
            _ if self.sign(&["("]).is_none() => return Err(format!("`{word}` is no parameter")),
            _ => {}
        }
        let Some(function) = FUNCTIONS.into_iter().find(|name| *name == word) else {
            return Err(format!("`{word}(..)` is not translated"));
        };
        let (mut items, _) = self.items(")")?;
        let many = matches!(function, "min" | "max");
        if many && let [Expr::List(list)] = items.as_mut_slice() {
            items = std::mem::take(list);
        }
        match items.len() {
            1 => Ok(Expr::Call(function, items)),
            2.. if many => Ok(Expr::Call(function, items)),
            count => Err(format!("`{word}` with {count} arguments")),
        }
    }
}
