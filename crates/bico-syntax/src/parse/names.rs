//! What a name means, and where it may stand.

use super::check::Checker;
use super::expr::{is_placeholder, placeholder};
use super::reader::Reader;
use super::tokens::Tokens;
use super::types::Type;
use crate::errors::{Errors, Extent};
use crate::expr::{Arithmetic, Expr, ExprKind};
use crate::messages::{self, Message};
use crate::spec::Name;
use proc_macro2::{Span, TokenTree};

/// The facts of a GPU that an expression may read.
pub(crate) const CUDA_FIELDS: [&str; 13] = [
    "max_threads_per_block",
    "shared_memory_per_block",
    "shared_memory_per_block_optin",
    "shared_memory_per_multiprocessor",
    "registers_per_block",
    "registers_per_multiprocessor",
    "max_threads_per_multiprocessor",
    "warp_size",
    "multiprocessors",
    "l2_bytes",
    "memory_bytes_per_second",
    "clock_hz",
    "compute_capability",
];

/// The facts of a CPU that an expression may read.
pub(crate) const CPU_FIELDS: [&str; 5] =
    ["cores", "l1d_bytes", "l2_bytes", "l3_bytes", "vector_bits"];

/// One kind of place for expressions: its name in messages, and what may be used there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) what: &'static str,
    pub(crate) parameters: bool,
    pub(crate) sizes: bool,
    pub(crate) constants: bool,
    pub(crate) device: bool,
    pub(crate) arithmetic: Arithmetic,
}

impl Place {
    /// Everything goes: `require`, `launch`, scratch lengths.
    pub(crate) const fn full(what: &'static str) -> Self {
        let arithmetic = Arithmetic::Integer;
        Place {
            what,
            parameters: true,
            sizes: true,
            constants: true,
            device: true,
            arithmetic,
        }
    }

    /// `work`, `score` and `budget_scale`.
    pub(crate) const fn real(what: &'static str) -> Self {
        Place {
            arithmetic: Arithmetic::Real,
            ..Self::full(what)
        }
    }

    /// `space`: a config belongs to all sizes.
    pub(crate) const SPACE: Place = Place {
        sizes: false,
        ..Self::full("`space`")
    };
    /// `#[len]`: buffers do not depend on the device.
    pub(crate) const LEN: Place = Place {
        device: false,
        ..Self::full("`#[len]`")
    };
    /// `entry`: it is compiled before a size or device is known.
    pub(crate) const ENTRY: Place = Place {
        sizes: false,
        device: false,
        ..Self::full("`entry`")
    };
    /// The value of a size.
    pub(crate) const SIZE: Place = Place {
        parameters: false,
        constants: false,
        device: false,
        ..Self::full("`problem`")
    };
    /// The value of a `const`, in a problem or in the file.
    pub(crate) const CONSTANT: Place = Place {
        sizes: false,
        what: "a `const`",
        ..Self::SIZE
    };
}

/// A declared name and the type of its value.
pub(crate) type Typed = (String, Type);

/// The names that an item declares, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The parameters declared so far.
    pub(crate) parameters: Vec<Typed>,
    /// The scalar arguments; within a problem those that have a value.
    pub(crate) sizes: Vec<Typed>,
    /// The `const`s of the problems.
    pub(crate) constants: Vec<Typed>,
    /// Parameters and sizes that are declared further on.
    pub(crate) later: Vec<String>,
    /// Arguments without a number: the name and what it is.
    pub(crate) others: Vec<(String, &'static str)>,
    /// Whether the kernel runs on a GPU; `None` if the source is missing or wrong.
    pub(crate) cuda: Option<bool>,
}

impl Names {
    /// Whether `name` is declared anywhere.
    pub(crate) fn declared(&self, name: &str) -> bool {
        let typed = [&self.parameters, &self.sizes, &self.constants];
        typed
            .iter()
            .any(|list| list.iter().any(|(known, _)| known == name))
            || self.later.iter().any(|known| known == name)
            || self.others.iter().any(|(known, _)| known == name)
    }

    /// What may be used at `place`, for messages.
    pub(crate) fn usable(&self, place: &Place) -> Vec<&str> {
        let lists = [
            (place.parameters, &self.parameters),
            (place.sizes, &self.sizes),
            (place.constants, &self.constants),
        ];
        lists
            .iter()
            .filter(|(usable, _)| *usable)
            .flat_map(|(_, list)| list.iter().map(|(name, _)| &**name))
            .collect()
    }
}

/// Upper-case letters, digits and underscores: the name of a constant.
pub(crate) fn is_screaming(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && name.chars().any(|c| c.is_ascii_uppercase())
}

/// The mistakes and names met so far: what every part of the parser reads and adds to.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) errors: Errors,
    pub(crate) names: Names,
    /// `const` items of the file.
    pub(crate) consts: Vec<Name>,
}

impl Context {
    pub(crate) fn report(&mut self, place: impl Into<Extent>, message: Message) {
        self.errors.report(place, message);
    }

    /// Reads one expression; `None` if it is broken, which has been reported.
    pub(crate) fn read(&mut self, tokens: &Tokens) -> Option<(Expr, Vec<Name>)> {
        let known = self.errors.len();
        let mut lets = Vec::new();
        let read = Reader::new(&tokens.trees, &mut self.errors, &mut lets).whole();
        match read {
            Ok(expr) => Some((expr, lets)),
            Err(broken) => {
                // Nothing else is said about what cannot be read.
                self.errors.truncate(known);
                let place = broken.span.unwrap_or(tokens.last);
                self.report(place, broken.message);
                None
            }
        }
    }

    /// Reads one expression and finds its type.
    pub(crate) fn expression(&mut self, tokens: &Tokens, place: &Place) -> (Expr, Type) {
        let Some((expr, lets)) = self.read(tokens) else {
            return (placeholder(tokens.span()), Type::Unknown);
        };
        for name in lets {
            if self.names.declared(&name.text) {
                self.report(name.span, messages::let_shadows(&name.text));
            }
        }
        let kind = Checker::new(self, *place).check(&expr);
        (expr, kind)
    }

    /// Reads an expression that must be of type `want`.
    pub(crate) fn typed(&mut self, tokens: &Tokens, place: &Place, want: Type) -> Expr {
        let (expr, found) = self.expression(tokens, place);
        self.demand(&expr, &found, &want, place);
        expr
    }

    /// Reports `expr` unless its type is the one that `place` needs.
    pub(crate) fn demand(&mut self, expr: &Expr, found: &Type, want: &Type, place: &Place) {
        if found.unify(want).is_none() {
            self.report(expr.span, messages::needs(place.what, want, expr, found));
        }
    }

    /// An option's own value, which is written out: names have no meaning there.
    fn literal(&mut self, tokens: &Tokens, what: &str) -> Option<Expr> {
        if let [
            TokenTree::Ident(name),
            TokenTree::Punct(mark),
            TokenTree::Group(_),
        ] = tokens.trees.as_slice()
            && mark.as_char() == '!'
        {
            let place = name.span();
            let message = messages::expected_literal(what, &placeholder(place));
            self.report(place, message);
            return None;
        }
        let (expr, _) = self.read(tokens)?;
        match expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) => {
                return Some(expr);
            }
            _ if is_placeholder(&expr) => {}
            _ => self.report(expr.span, messages::expected_literal(what, &expr)),
        }
        None
    }

    /// A string literal.
    pub(crate) fn string(&mut self, tokens: &Tokens) -> Option<Name> {
        let expr = self.literal(tokens, "a string")?;
        if let ExprKind::Str(text) = expr.kind {
            return Some(Name {
                text,
                span: expr.span,
            });
        }
        self.report(expr.span, messages::expected_literal("a string", &expr));
        None
    }

    /// `true` or `false`.
    pub(crate) fn truth(&mut self, tokens: &Tokens) -> Option<bool> {
        let expr = self.literal(tokens, "`true` or `false`")?;
        if let ExprKind::Bool(value) = expr.kind {
            return Some(value);
        }
        self.report(
            expr.span,
            messages::expected_literal("`true` or `false`", &expr),
        );
        None
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&mut self, tokens: &Tokens, least: i64, most: i64) -> Option<i64> {
        let what = format!("a whole number of {least} or more");
        let expr = self.literal(tokens, &what)?;
        match expr.kind {
            ExprKind::Int(value) if (least..=most).contains(&value) => return Some(value),
            ExprKind::Int(value) if value > most => {
                self.report(
                    expr.span,
                    messages::expected_literal(&format!("{most} or less"), &expr),
                );
            }
            _ => self.report(expr.span, messages::expected_literal(&what, &expr)),
        }
        None
    }

    /// A number, whole or not: above 0, or 0 too.
    pub(crate) fn number(&mut self, tokens: &Tokens, positive: bool) -> Option<f64> {
        let what = if positive {
            "a number above 0"
        } else {
            "a number of 0 or more"
        };
        let expr = self.literal(tokens, what)?;
        let value = match expr.kind {
            ExprKind::Int(value) => value as f64,
            ExprKind::Float(value) => value,
            _ => f64::NAN,
        };
        if value > 0.0 || (value == 0.0 && !positive) {
            return Some(value);
        }
        self.report(expr.span, messages::expected_literal(what, &expr));
        None
    }

    /// Notes that a `const` of the file is used.
    pub(crate) fn file_const(&mut self, name: &str, span: Span) {
        if !self.consts.iter().any(|known| known.text == name) {
            self.consts.push(Name {
                text: name.to_string(),
                span,
            });
        }
    }

    /// What `name` stands for at `place`; a mistake gives an unknown type.
    pub(crate) fn resolve(&mut self, name: &str, span: Span, place: &Place) -> Type {
        let find = |list: &[Typed]| {
            list.iter()
                .find(|(known, _)| known == name)
                .map(|(_, kind)| kind.clone())
        };
        let lists = [
            (&self.names.parameters, place.parameters, "parameter"),
            (&self.names.sizes, place.sizes, "size"),
            (&self.names.constants, place.constants, "problem's `const`"),
        ];
        for (list, usable, what) in lists {
            if let Some(kind) = find(list) {
                if usable {
                    return kind;
                }
                self.errors
                    .report(span, messages::not_here(what, name, place.what));
                return Type::Unknown;
            }
        }
        if self.names.later.iter().any(|known| known == name) {
            self.report(span, messages::used_before(name, place.what));
        } else if let Some((_, what)) = self.names.others.iter().find(|(known, _)| known == name) {
            self.report(span, messages::no_value(name, what));
        } else if name == "device" {
            self.report(span, messages::bare_device());
        } else if is_screaming(name) {
            self.file_const(name, span);
        } else {
            self.report(
                span,
                messages::unknown_name(name, place.what, &self.names.usable(place)),
            );
        }
        Type::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::{CPU_FIELDS, CUDA_FIELDS};
    use bico_core::device::{CpuFacts, CudaFacts, Facts};
    use bico_core::json::{Json, ToJson};

    /// The grammar has names of its own: what reads attributes knows no devices.
    #[test]
    fn fields_are_those_that_devices_have() {
        let cpu = CpuFacts {
            vendor: String::new(),
            brand: String::new(),
            family: 0,
            model: 0,
            level: String::new(),
            cores: 0,
            l1d_bytes: 0,
            l2_bytes: 0,
            l3_bytes: 0,
            vector_bits: 0,
            features: Vec::new(),
        };
        let gpu = CudaFacts::typical("", "", 80);
        for (facts, known) in [
            (Facts::Cpu(cpu), CPU_FIELDS.as_slice()),
            (Facts::Cuda(gpu), &CUDA_FIELDS),
        ] {
            let Json::Object(fields) = facts.to_json() else {
                panic!("no object");
            };
            let names = fields.iter().map(|(name, _)| name.as_str());
            let mut has: Vec<&str> = names.filter(|name| facts.field(name).is_some()).collect();
            let mut known = known.to_vec();
            known.sort_unstable();
            has.sort_unstable();
            assert_eq!(has, known);
        }
    }
}
