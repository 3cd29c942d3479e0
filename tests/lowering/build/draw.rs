//! Random expressions of the grammar, as text, that its type checker takes.

use fastrand::Rng;

/// The type of an expression. `Number` is what integers and floats both are in real arithmetic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind {
    Int,
    Float,
    Number,
    Bool,
    Str,
}

/// What an expression is at its root; which of them there are for a [`Kind`] says [`shapes`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Shape {
    Prefix(&'static str),
    Infix(&'static str),
    Compare(&'static str),
    Logic(&'static str),
    Cast(&'static str),
    If,
    Match,
    Block,
    /// A method, and whether it takes an argument.
    Method(&'static str, bool),
    Has,
}

use Shape::*;

const BRANCHES: [Shape; 3] = [If, Match, Block];
const ARITHMETIC: [Shape; 10] = [
    Prefix("-"),
    Infix("+"),
    Infix("-"),
    Infix("*"),
    Infix("/"),
    Infix("%"),
    Method("min", true),
    Method("max", true),
    Method("pow", true),
    Method("abs", false),
];
const WHOLE: [Shape; 4] = [
    Method("div_ceil", true),
    Method("ilog2", false),
    Method("next_power_of_two", false),
    Cast("i64"),
];
const TRUTH: [Shape; 12] = [
    Prefix("!"),
    Logic("&&"),
    Logic("||"),
    Compare("=="),
    Compare("!="),
    Compare("<"),
    Compare("<="),
    Compare(">"),
    Compare(">="),
    Method("is_multiple_of", true),
    Method("is_power_of_two", false),
    Has,
];

/// The shapes of one kind.
pub(crate) fn shapes(kind: Kind) -> Vec<Shape> {
    let own: &[&[Shape]] = match kind {
        Kind::Int => &[&ARITHMETIC, &WHOLE],
        Kind::Float => &[&ARITHMETIC, &[Cast("f64")]],
        Kind::Number => &[&ARITHMETIC, &WHOLE, &[Cast("f64")]],
        Kind::Bool => &[&TRUTH],
        Kind::Str => &[],
    };
    [own, &[&BRANCHES]].concat().concat()
}

// Some are the names that the generated code uses itself.
const LETS: [&str; 5] = ["x", "y", "matched", "let_0", "sizes"];
const STRINGS: [&str; 5] = ["silu", "relu", "avx2", "fma", ""];
const NEAR: [i64; 8] = [0, 1, 2, 3, 4, 5, 7, 8];
const FAR: [&str; 9] = [
    "-1",
    "-4",
    "62",
    "64",
    "3037000500",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775806",
    "-9223372036854775808",
];
const FLOATS: [&str; 11] = [
    "0.0", "-0.0", "0.5", "1.0", "2.0", "-2.5", "0.1", "1e308", "5e-324", "9.3e18", "64f64",
];

/// Draws the expressions of one tunable.
pub(crate) struct Draw {
    rng: Rng,
    real: bool,
    lets: Vec<(&'static str, Kind)>,
}

impl Draw {
    pub(crate) fn new(seed: u64, real: bool) -> Draw {
        Draw {
            rng: Rng::with_seed(seed),
            real,
            lets: Vec::new(),
        }
    }

    /// An expression of this root, with up to `depth` levels below it.
    pub(crate) fn shape(&mut self, kind: Kind, shape: Shape, depth: u32) -> String {
        match shape {
            Prefix(op) => format!("({op}{})", self.expr(kind, depth)),
            Infix(op) | Logic(op) => {
                let (a, b) = (self.expr(kind, depth), self.expr(kind, depth));
                format!("({a} {op} {b})")
            }
            Compare(op) => {
                let kind = match op {
                    "==" | "!=" => self.any(),
                    _ => self.number(),
                };
                let (a, b) = (self.expr(kind, depth), self.expr(kind, depth));
                format!("({a} {op} {b})")
            }
            Cast(to) => {
                let kind = match self.any() {
                    Kind::Str => Kind::Bool,
                    kind => kind,
                };
                format!("({} as {to})", self.expr(kind, depth))
            }
            Method(name, argument) => {
                // What a `bool` is found with is a whole number.
                let kind = match kind {
                    Kind::Bool => self.or_number(Kind::Int),
                    kind => kind,
                };
                let a = self.expr(kind, depth);
                let b = if argument {
                    self.expr(kind, depth)
                } else {
                    String::new()
                };
                format!("{a}.{name}({b})")
            }
            Has => format!("device.has({})", self.expr(Kind::Str, depth)),
            If => {
                let condition = self.expr(Kind::Bool, depth);
                let (yes, no) = (self.expr(kind, depth), self.expr(kind, depth));
                format!("(if {condition} {{ {yes} }} else {{ {no} }})")
            }
            Match => self.matching(kind, depth),
            Block => {
                let outside = self.lets.len();
                let mut text = "({ ".to_string();
                for _ in 0..self.rng.u32(1..=2) {
                    let of = self.any();
                    let value = self.expr(of, depth);
                    let name = LETS[self.rng.usize(..LETS.len())];
                    self.lets.push((name, of));
                    text += &format!("let {name} = {value}; ");
                }
                text += &format!("{} }})", self.expr(kind, depth));
                self.lets.truncate(outside);
                text
            }
        }
    }

    fn expr(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 || self.rng.u32(..4) == 0 {
            return self.leaf(kind);
        }
        let shapes = shapes(kind);
        let shape = shapes[self.rng.usize(..shapes.len())];
        self.shape(kind, shape, depth - 1)
    }

    fn matching(&mut self, kind: Kind, depth: u32) -> String {
        let of = self.any();
        let mut text = format!("(match {} {{ ", self.expr(of, depth));
        if of == Kind::Bool && self.rng.bool() {
            let (yes, no) = (self.expr(kind, depth), self.expr(kind, depth));
            return text + &format!("true => {yes}, false => {no} }})");
        }
        for _ in 0..self.rng.u32(1..=3) {
            let (pattern, other) = (self.pattern(of), self.pattern(of));
            let either = if self.rng.bool() {
                format!("{pattern} | {other}")
            } else {
                pattern
            };
            text += &format!("{either} => {}, ", self.expr(kind, depth));
        }
        text + &format!("_ => {} }})", self.expr(kind, depth))
    }

    fn pattern(&mut self, kind: Kind) -> String {
        let range = self.rng.u32(..3) == 0;
        match kind {
            Kind::Int | Kind::Number if range => {
                let low = self.rng.i64(-4..4);
                format!("{low}..={}", low + self.rng.i64(0..20))
            }
            Kind::Float if range => format!("-1.5..={:?}", self.rng.i64(0..20) as f64),
            Kind::Int | Kind::Number => self.integer(),
            Kind::Float => self.pick(&FLOATS),
            Kind::Bool => self.rng.bool().to_string(),
            Kind::Str => format!("{:?}", self.pick(&STRINGS)),
        }
    }

    /// A literal, a name, a field of the device.
    fn leaf(&mut self, kind: Kind) -> String {
        let lets: Vec<&str> = LETS
            .into_iter()
            .filter(|name| {
                let mut inner = self.lets.iter().rev();
                inner
                    .find(|(known, _)| known == name)
                    .is_some_and(|(_, known)| *known == kind)
            })
            .collect();
        if !lets.is_empty() && self.rng.bool() {
            return self.pick(&lets);
        }
        if self.rng.u32(..64) == 0 {
            // Of any type, which the type checker cannot know.
            return self.pick(&["LIMIT", "HALF", "WIDE", "SILU"]);
        }
        let literal = self.rng.u32(..3) == 0;
        match kind {
            Kind::Number => {
                let of = if self.rng.bool() {
                    Kind::Int
                } else {
                    Kind::Float
                };
                self.leaf(of)
            }
            Kind::Int if literal => self.integer(),
            Kind::Int => self.pick(&[
                "TILE",
                "TILE",
                "UNIT",
                "m",
                "n",
                "i",
                "DEPTH",
                "LIMIT",
                "EDGE",
                "LOW",
                "COUNT",
                "device.cores",
                "device.l1d_bytes",
                "device.l2_bytes",
                "device.l3_bytes",
                "device.vector_bits",
            ]),
            Kind::Float if literal => self.pick(&FLOATS),
            Kind::Float => self.pick(&["RATIO", "GAIN", "scope", "HALF", "TENTH"]),
            Kind::Bool if literal => self.rng.bool().to_string(),
            Kind::Bool => self.pick(&["FAST", "flag", "WIDE"]),
            Kind::Str if literal => format!("{:?}", self.pick(&STRINGS)),
            Kind::Str => self.pick(&["KIND", "ACT", "SILU"]),
        }
    }

    fn integer(&mut self) -> String {
        if self.rng.u32(..3) == 0 {
            self.pick(&FAR)
        } else {
            NEAR[self.rng.usize(..NEAR.len())].to_string()
        }
    }

    fn any(&mut self) -> Kind {
        match self.rng.u32(..5) {
            0 => Kind::Bool,
            1 => Kind::Str,
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Kind {
        let kind = if self.rng.u32(..3) == 0 {
            Kind::Float
        } else {
            Kind::Int
        };
        self.or_number(kind)
    }

    fn or_number(&self, kind: Kind) -> Kind {
        if self.real { Kind::Number } else { kind }
    }

    fn pick(&mut self, of: &[&str]) -> String {
        of[self.rng.usize(..of.len())].to_string()
    }
}
