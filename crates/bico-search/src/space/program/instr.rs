//! One step of the compact form: registers in, a register out.

use super::act::{Act, Kind, One, Two};
use super::graph::{Graph, Id, UNKNOWN, decode, encode};
use bico_core::Value;
use bico_core::device::Facts;
use bico_syntax::{BinaryOp, Method, UnaryOp};
use std::sync::Arc;

/// What a step does. One flat list: a step is chosen by one jump.
#[derive(Debug, Clone, Copy)]
enum Code {
    // On whole numbers, which truth values and strings are here, too: where it can't fail.
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Min,
    Max,
    DivCeil,
    IsMultipleOf,
    // On integers, which it may fail for.
    Checked(Two),
    Call2(Two, Kind, Kind),
    Call1(One, Kind),
    Not,
    And,
    Or,
    Select,
    Strict,
    Has,
}

/// A step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instr {
    code: Code,
    to: Id,
    a: Id,
    b: Id,
    c: Id,
}

/// What steps read besides registers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub(crate) strings: Vec<&'static str>,
    pub(crate) facts: Option<Arc<Facts>>,
}

impl Code {
    /// For operands with which the operation can't fail.
    fn sure(op: Two) -> Code {
        match op {
            Two::Binary(BinaryOp::Add) => Code::Add,
            Two::Binary(BinaryOp::Sub) => Code::Sub,
            Two::Binary(BinaryOp::Mul) => Code::Mul,
            Two::Binary(BinaryOp::Div) => Code::Div,
            Two::Binary(BinaryOp::Rem) => Code::Rem,
            Two::Binary(BinaryOp::Eq) => Code::Eq,
            Two::Binary(BinaryOp::Ne) => Code::Ne,
            Two::Binary(BinaryOp::Lt) => Code::Lt,
            Two::Binary(BinaryOp::Le) => Code::Le,
            Two::Binary(BinaryOp::Gt) => Code::Gt,
            Two::Binary(BinaryOp::Ge) => Code::Ge,
            Two::Method(Method::Min) => Code::Min,
            Two::Method(Method::Max) => Code::Max,
            Two::Method(Method::DivCeil) => Code::DivCeil,
            Two::Method(Method::IsMultipleOf) => Code::IsMultipleOf,
            op => Code::Checked(op),
        }
    }
}

impl Instr {
    /// The step that computes a vertex; `None` for what is there already.
    pub(super) fn of(graph: &Graph, to: Id) -> Option<Instr> {
        let vertex = graph.get(to);
        let kind = |id: Id| graph.get(id).kind;
        let (code, a, b, c) = match vertex.act {
            Act::Constant(..) | Act::Slot(_) | Act::Opaque(_) => return None,
            Act::One(One::Unary(UnaryOp::Not), a) if vertex.safe => (Code::Not, a, 0, 0),
            Act::One(op, a) => (Code::Call1(op, kind(a)), a, 0, 0),
            Act::Two(op, a, b) => {
                let whole = |kind| matches!(kind, Kind::Int | Kind::Bool | Kind::Str);
                let code = match (kind(a), kind(b)) {
                    (a, b) if vertex.safe && whole(a) && whole(b) => Code::sure(op),
                    (Kind::Int, Kind::Int) => Code::Checked(op),
                    (a, b) => Code::Call2(op, a, b),
                };
                (code, a, b, 0)
            }
            Act::Logic(true, a, b) => (Code::And, a, b, 0),
            Act::Logic(false, a, b) => (Code::Or, a, b, 0),
            Act::Select(a, b, c) => (Code::Select, a, b, c),
            Act::Strict(a, b) => (Code::Strict, a, b, 0),
            Act::Has(a) => (Code::Has, a, 0, 0),
        };
        Some(Instr { code, to, a, b, c })
    }

    #[inline(always)]
    pub(super) fn run(&self, registers: &mut [i64], context: &Context) {
        let (a, b) = (registers[self.a as usize], registers[self.b as usize]);
        let value = |code, kind| decode(code, kind, &context.strings);
        registers[self.to as usize] = match self.code {
            Code::Add => a.wrapping_add(b),
            Code::Sub => a.wrapping_sub(b),
            Code::Mul => a.wrapping_mul(b),
            Code::Div => a.wrapping_div(b),
            Code::Rem => a.wrapping_rem(b),
            Code::Eq => i64::from(a == b),
            Code::Ne => i64::from(a != b),
            Code::Lt => i64::from(a < b),
            Code::Le => i64::from(a <= b),
            Code::Gt => i64::from(a > b),
            Code::Ge => i64::from(a >= b),
            Code::Min => a.min(b),
            Code::Max => a.max(b),
            Code::DivCeil => {
                let rest = a.wrapping_rem(b);
                a.wrapping_div(b) + i64::from(rest != 0 && (a < 0) == (b < 0))
            }
            Code::IsMultipleOf => i64::from(a == 0 || (b != 0 && a.wrapping_rem(b) == 0)),
            Code::Not => a ^ 1,
            // An unknown left side is an unknown whole.
            Code::And if a == 1 => b,
            Code::Or if a == 0 => b,
            Code::Strict if a != UNKNOWN => b,
            Code::And | Code::Or | Code::Strict => a,
            Code::Select => match a {
                UNKNOWN => UNKNOWN,
                0 => registers[self.c as usize],
                _ => b,
            },
            Code::Checked(op) => match (a, b) {
                (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
                _ => result(op.apply(Value::Int(a), Value::Int(b))),
            },
            Code::Call1(op, kind) => match value(a, kind) {
                Some(a) => result(op.apply(a)),
                None => UNKNOWN,
            },
            Code::Call2(op, left, right) => match (value(a, left), value(b, right)) {
                (Some(a), Some(b)) => result(op.apply(a, b)),
                _ => UNKNOWN,
            },
            Code::Has => match (value(a, Kind::Str), &context.facts) {
                (Some(Value::Str(feature)), Some(facts)) => i64::from(facts.has(feature)),
                _ => UNKNOWN,
            },
        };
    }
}

/// What fails is unknown: the interpreter tells why. Operations make no strings.
fn result<E>(value: Result<Value, E>) -> i64 {
    value.map_or(UNKNOWN, |value| encode(value, &[]))
}
