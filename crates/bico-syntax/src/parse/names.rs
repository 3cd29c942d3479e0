//! What a name means, and where it may stand.

use super::check::{Checker, Type};
use super::expr::{is_placeholder, placeholder};
use super::reader::{Reader, is_punct};
use super::tokens::Tokens;
use crate::Lists;
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

/// What an expression can use.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Use {
    Parameters,
    Sizes,
    /// Arguments that are no sizes.
    Values,
    /// The problem's.
    Constants,
    Device,
}

use Use::{Constants, Device, Parameters, Sizes, Values};

/// One kind of place for expressions: its name in messages, and what may be used there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) what: &'static str,
    pub(super) uses: &'static [Use],
    pub(crate) arithmetic: Arithmetic,
}

impl Place {
    const fn of(what: &'static str, uses: &'static [Use]) -> Self {
        let arithmetic = Arithmetic::Integer;
        Place {
            what,
            uses,
            arithmetic,
        }
    }

    /// All that a config is chosen by: `require`, scratch lengths.
    pub(crate) const fn full(what: &'static str) -> Self {
        Self::of(what, &[Parameters, Sizes, Constants, Device])
    }

    /// `work`, `score` and `budget_scale`.
    pub(crate) const fn real(what: &'static str) -> Self {
        Place {
            arithmetic: Arithmetic::Real,
            ..Self::full(what)
        }
    }

    pub(crate) fn allows(&self, wanted: Use) -> bool {
        self.uses.contains(&wanted)
    }

    /// `space`: a config belongs to all sizes.
    pub(crate) const SPACE: Place = Place::of("`space`", &[Parameters, Constants, Device]);
    /// `#[len]`: buffers do not depend on the device.
    pub(crate) const LEN: Place = Place::of("`#[len]`", &[Parameters, Sizes, Values, Constants]);
    /// That of an output: what configs give is compared, element by element.
    pub(crate) const OUTPUT_LEN: Place = Place::of("`#[len]`", &[Sizes, Values, Constants]);
    /// `launch`: it is computed anew for each call.
    pub(crate) const LAUNCH: Place =
        Place::of("`launch`", &[Parameters, Sizes, Values, Constants, Device]);
    /// `args`, likewise.
    pub(crate) const ARGS: Place = Place {
        what: "`args`",
        ..Self::LAUNCH
    };
    /// Numbers with a point there.
    pub(crate) const REAL_ARGS: Place = Place {
        arithmetic: Arithmetic::Real,
        ..Self::ARGS
    };
    /// The range of an argument that is no size.
    pub(crate) const VALUE: Place = Place::of("`#[value]`", &[Sizes, Constants]);
    /// What a buffer is filled with: inputs are the same for all configs.
    pub(crate) const INIT: Place = Place::of("`#[init]`", &[Sizes, Constants]);
    /// That of floats.
    pub(crate) const REAL_INIT: Place = Place {
        arithmetic: Arithmetic::Real,
        ..Self::INIT
    };
    /// `entry`: it is compiled before a size or device is known.
    pub(crate) const ENTRY: Place = Place::of("`entry`", &[Parameters, Constants]);
    /// `flags`, likewise.
    pub(crate) const FLAGS: Place = Place::of("`flags`", &[Parameters, Constants]);
    /// `threads`: a worker has them before it has a config.
    pub(crate) const THREADS: Place = Place::of("`threads`", &[Constants, Device]);
    /// The value that a parameter has for the reference.
    pub(crate) const WITH: Place = Place::of("`with`", &[]);
    /// The value of a size.
    /// `default`: another one for each problem and device, if need be.
    pub(crate) const DEFAULT: Place = Place::of("`default`", &[Sizes, Constants, Device]);
    pub(crate) const SIZE: Place = Place::of("`problem`", &[Sizes]);
    /// The value of a `const`, in a problem or in the file.
    pub(crate) const CONSTANT: Place = Place::of("a `const`", &[]);
}

/// A declared name and the type of its value.
pub(crate) type Typed = (String, Type);

/// What is kept for `name`.
pub(crate) fn find<'a, T>(list: &'a [(String, T)], name: &str) -> Option<&'a T> {
    let mut list = list.iter();
    list.find(|(known, _)| known == name).map(|(_, kept)| kept)
}

/// The names that an item declares, as far as they are known.
#[derive(Default)]
pub(crate) struct Names {
    /// The parameters declared so far.
    pub(crate) parameters: Vec<Typed>,
    /// The scalar arguments; within a problem those that have a value.
    pub(crate) sizes: Vec<Typed>,
    /// The `#[value]` arguments.
    pub(crate) values: Vec<Typed>,
    /// The `const`s of the problems.
    pub(crate) constants: Vec<Typed>,
    /// Parameters and sizes that are declared further on.
    pub(crate) later: Vec<String>,
    /// Arguments without a number: the name and what it is.
    pub(crate) others: Vec<(String, &'static str)>,
    /// The parameters of variants, each with its variant's name.
    pub(crate) elsewhere: Vec<(String, String)>,
    /// Whether the kernel runs on a GPU; `None` if the source is missing or wrong.
    pub(crate) cuda: Option<bool>,
}

impl Names {
    /// All that have a type, what they are called, and whether they may be used at `place`.
    fn typed(&self, place: &Place) -> [(&[Typed], &'static str, bool); 4] {
        [
            (&self.parameters, "parameter", place.allows(Parameters)),
            (&self.sizes, "size", place.allows(Sizes)),
            (&self.values, "value", place.allows(Values)),
            (
                &self.constants,
                "problem's `const`",
                place.allows(Constants),
            ),
        ]
    }

    /// Whether `name` is declared anywhere.
    pub(crate) fn declared(&self, name: &str) -> bool {
        let typed = self.typed(&Place::SPACE);
        typed.iter().any(|(list, ..)| find(list, name).is_some())
            || self.later.iter().any(|known| known == name)
            || find(&self.others, name).is_some()
    }

    /// The parameters declared so far, for messages.
    pub(crate) fn parameters(&self) -> Vec<&str> {
        self.parameters
            .iter()
            .map(|(name, _)| &**name)
            .collect_vec()
    }
}

/// Upper-case letters, digits and underscores: the name of a constant.
pub(crate) fn is_screaming(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && name.chars().any(|c| c.is_ascii_uppercase())
}

/// The mistakes and names met so far: what every part of the parser reads and adds to.
#[derive(Default)]
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
        if found.unify(&want).is_none() {
            let message = messages::needs(place.what, &want, &expr, &found);
            self.report(expr.span, message);
        }
        expr
    }

    /// Reads expressions that must all be of type `want`.
    pub(crate) fn each(&mut self, parts: &[Tokens], place: &Place, want: Type) -> Vec<Expr> {
        let parts = parts.iter();
        parts
            .map(|part| self.typed(part, place, want.clone()))
            .collect_vec()
    }

    /// An option's own value, which is written out: names have no meaning there.
    fn literal(&mut self, tokens: &Tokens, what: &str) -> Option<Expr> {
        if let [TokenTree::Ident(name), mark, TokenTree::Group(_)] = tokens.trees.as_slice()
            && is_punct(mark, '!')
        {
            return self.unwanted(what, &placeholder(name.span()));
        }
        let (expr, _) = self.read(tokens)?;
        (!is_placeholder(&expr)).then_some(expr)
    }

    /// Reports that `expr` should be `what`.
    fn unwanted<T>(&mut self, what: &str, expr: &Expr) -> Option<T> {
        self.report(expr.span, messages::expected_literal(what, expr));
        None
    }

    /// A string literal.
    pub(crate) fn string(&mut self, tokens: &Tokens) -> Option<Name> {
        let expr = self.literal(tokens, "a string")?;
        match &expr.kind {
            ExprKind::Str(text) => Some(Name::new(text, expr.span)),
            _ => self.unwanted("a string", &expr),
        }
    }

    /// `true` or `false`.
    pub(crate) fn truth(&mut self, tokens: Option<Tokens>) -> Option<bool> {
        let expr = self.literal(&tokens?, "`true` or `false`")?;
        match expr.kind {
            ExprKind::Bool(value) => Some(value),
            _ => self.unwanted("`true` or `false`", &expr),
        }
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&mut self, tokens: Option<Tokens>, least: i64, most: i64) -> Option<i64> {
        let what = format!("a whole number of {least} or more");
        let expr = self.literal(&tokens?, &what)?;
        match expr.kind {
            ExprKind::Int(value) if value > most => {
                self.unwanted(&format!("{most} or less"), &expr)
            }
            ExprKind::Int(value) if value >= least => Some(value),
            _ => self.unwanted(&what, &expr),
        }
    }

    /// A number, whole or not: above 0, or 0 too.
    pub(crate) fn number(&mut self, tokens: Option<Tokens>, positive: bool) -> Option<f64> {
        let what = match positive {
            true => "a number above 0",
            false => "a number of 0 or more",
        };
        let expr = self.literal(&tokens?, what)?;
        match expr.number() {
            Some(value) if value > 0.0 || (value == 0.0 && !positive) => Some(value),
            _ => self.unwanted(what, &expr),
        }
    }

    /// What `name` stands for at `place`; a mistake gives an unknown type.
    pub(crate) fn resolve(&mut self, name: &str, span: Span, place: &Place) -> Type {
        let typed = self.names.typed(place);
        let found = typed
            .iter()
            .filter_map(|(list, what, usable)| Some((find(list, name)?, *what, *usable)));
        // Of two with one name, which is a mistake of its own, what may stand here is meant.
        let found = found.min_by_key(|(.., usable)| !usable);
        let message = if let Some((kind, what, usable)) = found {
            if usable {
                return kind.clone();
            }
            messages::not_here(what, name, place.what)
        } else if self.names.later.iter().any(|known| known == name) {
            messages::used_before(name, place.what)
        } else if let Some(what) = find(&self.names.others, name) {
            messages::no_value(name, what)
        } else if name == "device" {
            messages::bare_device()
        } else if let Some(variant) = find(&self.names.elsewhere, name) {
            messages::other_variants(name, variant)
        } else if is_screaming(name) {
            if !self.consts.iter().any(|known| known.text == name) {
                self.consts.push(Name::new(name, span));
            }
            return Type::Unknown;
        } else {
            let mut known: Vec<&str> = Vec::new();
            for (list, ..) in typed.iter().filter(|(.., usable)| *usable) {
                known.extend(list.iter().map(|(name, _)| &**name));
            }
            messages::unknown_name(name, place.what, &known)
        };
        self.report(span, message);
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
            let names = fields.iter().map(|(name, _)| &**name);
            let mut has: Vec<&str> = names.filter(|name| facts.field(name).is_some()).collect();
            let mut known = known.to_vec();
            known.sort_unstable();
            has.sort_unstable();
            assert_eq!(has, known);
        }
    }
}
