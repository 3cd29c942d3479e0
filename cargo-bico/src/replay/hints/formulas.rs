//! Hints compiled for one recording.

use super::file::{File, Number, line};
use super::profile::Code;
use crate::replay::{Error, Recording};
use bico_core::Value;
use bico_core::device::Facts;
use bico_core::model;
use bico_syntax::Arithmetic;
use bico_syntax::bind::{Expression, Scope, SpaceError};
use proc_macro2::{Span, TokenStream};
use std::path::{Path, PathBuf};

/// A file's expressions, ready for any number of configs.
pub(super) struct Formulas {
    pub(super) facts: Facts,
    path: PathBuf,
    /// Those under `let`.
    names: Vec<Formula>,
    /// Those of `require`, `launch` and `work`.
    fields: Vec<Formula>,
}

/// One expression, and where it stands.
struct Formula {
    expression: Expression,
    field: String,
    line: u64,
}

/// What expressions of a file may name.
struct Names<'a> {
    path: &'a Path,
    text: &'a str,
    /// The recording's parameters and what stands under `let` before.
    taken: Vec<String>,
    sizes: Vec<&'a str>,
    scope: Scope,
    facts: &'a Facts,
}

impl Names<'_> {
    fn formula(&self, field: &str, source: &str, kind: Arithmetic) -> Result<Formula, Error> {
        let line = line(self.text, source);
        let fault = |message: &str, span: Span| {
            let mut shown = format!("in `{field}`");
            if let Some(token) = span.source_text().filter(|token| *token != source) {
                shown += &format!(", at `{token}`");
            }
            Error::new(self.path, format!("{shown}: {message}")).line(line)
        };
        let nothing = || fault("this is no expression", Span::call_site());
        let tokens: TokenStream = source.parse().map_err(|_| nothing())?;
        let taken = self.taken.iter().map(String::as_str);
        let names: Vec<&str> = taken.chain(self.sizes.iter().copied()).collect();
        let expr = bico_syntax::parse_expr(tokens, &names, kind).map_err(|errors| {
            let Some(error) = errors.iter().next() else {
                return nothing();
            };
            let shown = fault(&error.message, error.span);
            match error.notes.first() {
                Some(note) => shown.help(note),
                None => shown,
            }
        })?;
        let expression = Expression::compile(&expr, kind, &self.taken, &self.scope, self.facts)
            .map_err(|error| fault(&error.message, error.span))?;
        Ok(Formula {
            expression,
            field: field.into(),
            line,
        })
    }
}

impl Formulas {
    pub(super) fn new(
        path: &Path,
        text: &str,
        file: &File,
        recording: &Recording,
    ) -> Result<Formulas, Error> {
        let facts = super::gpu(recording);
        let mut known = Names {
            path,
            text,
            taken: recording.configs.names().to_vec(),
            sizes: file.sizes.0.iter().map(|(name, _)| name.as_str()).collect(),
            scope: Scope::default(),
            facts: &facts,
        };
        for (name, size) in &file.sizes.0 {
            let value = match *size {
                Number::Whole(value) => Value::Int(value),
                Number::Real(value) => Value::Float(value),
            };
            known.scope.sizes.insert(name.clone(), value);
        }
        let mut names = Vec::new();
        for (name, source) in &file.names.0 {
            if known.taken.contains(name) || known.sizes.contains(&name.as_str()) {
                let message = format!(
                    "`let` names `{name}`, which is a parameter, a size or stands before it"
                );
                return Err(Error::new(path, message).help("choose another name"));
            }
            names.push(known.formula(&format!("let.{name}"), source, Arithmetic::Integer)?);
            known.taken.push(name.clone());
        }
        let mut fields = Vec::new();
        for source in &file.require {
            fields.push(known.formula("require", source, Arithmetic::Integer)?);
        }
        for (part, said, kind) in [
            ("launch", &file.launch, Arithmetic::Integer),
            ("work", &file.work, Arithmetic::Real),
        ] {
            for (name, sources) in &said.0 {
                for source in sources.list() {
                    fields.push(known.formula(&format!("{part}.{name}"), source, kind)?);
                }
            }
        }
        Ok(Formulas {
            facts,
            path: path.into(),
            names,
            fields,
        })
    }

    /// The work of a config, what its code does, and whether it meets `require`.
    pub(super) fn at(&self, config: &[Value]) -> Result<(model::Work, Code, bool), Error> {
        let mut values = config.to_vec();
        for name in &self.names {
            values.push(self.get(name, |e| e.eval(&values))?);
        }
        let fields = |field: &'static str| self.fields.iter().filter(move |f| f.field == field);
        let test = |formula| self.get(formula, |e| e.test(&values));
        let mut valid = true;
        for condition in fields("require") {
            valid &= test(condition)?;
        }
        let counts = |field| -> Result<Vec<i64>, Error> {
            let counts = fields(field).map(|formula| self.get(formula, |e| e.count(&values)));
            counts
                .map(|count| Ok(i64::try_from(count?).unwrap_or(i64::MAX)))
                .collect()
        };
        let count = |field| Ok::<_, Error>(counts(field)?.first().copied());
        let amount = |field| {
            let number = |formula| self.get(formula, |e| e.number(&values));
            fields(field).next().map(number).transpose()
        };
        let block = counts("launch.block")?;
        let guarded = fields("launch.guarded").next().map(test).transpose()?;
        let launch = model::Launch {
            blocks: (counts("launch.grid")?.iter().map(|extent| *extent as f64)).product(),
            threads: block
                .iter()
                .fold(1, |threads, extent| threads.saturating_mul(*extent)),
            width: block.first().copied().unwrap_or(1),
            shared_bytes: count("launch.shared")?.unwrap_or(0),
            registers: count("launch.registers")?,
            ..model::Launch::default()
        };
        let code = Code {
            results: count("launch.results")?,
            loads: amount("work.loads")?,
            shared_traffic: amount("work.shared")?,
            access_bytes: count("launch.access")?,
            contiguous_bytes: count("launch.contiguous")?,
            row_words: count("launch.row")?,
            guarded: guarded.unwrap_or(false),
        };
        let work = model::Work {
            flops: amount("work.flops")?,
            bytes: amount("work.bytes")?,
            launch: Some(launch),
            ..model::Work::default()
        };
        Ok((work, code, valid))
    }

    fn get<T>(
        &self,
        formula: &Formula,
        eval: impl FnOnce(&Expression) -> Result<T, SpaceError>,
    ) -> Result<T, Error> {
        eval(&formula.expression).map_err(|error| {
            let message = format!("in `{}`: {}", formula.field, error.message);
            Error::new(&self.path, message).line(formula.line)
        })
    }
}
