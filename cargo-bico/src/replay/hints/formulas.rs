//! Hints compiled for one recording.

use super::file::{File, Number};
use crate::replay::{Error, Recording};
use bico_bind::{Expression, Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_core::model;
use bico_syntax::Arithmetic;
use proc_macro2::{Span, TokenStream};
use std::path::{Path, PathBuf};

/// A file's expressions, ready for any number of configs.
pub(super) struct Formulas {
    pub(super) facts: Facts,
    path: PathBuf,
    names: Vec<Formula>,
    require: Vec<Formula>,
    grid: Vec<Formula>,
    block: Vec<Formula>,
    launch: [Option<Formula>; 6],
    guarded: Option<Formula>,
    work: [Option<Formula>; 4],
}

/// One expression, and where it stands.
struct Formula {
    expression: Expression,
    field: String,
    line: u64,
}

impl Formulas {
    pub(super) fn new(
        path: &Path,
        text: &str,
        file: &File,
        recording: &Recording,
    ) -> Result<Formulas, Error> {
        let facts = super::gpu(recording);
        let mut scope = Scope::default();
        let mut taken: Vec<String> = recording.configs.names().to_vec();
        for (name, size) in &file.sizes.0 {
            let value = match *size {
                Number::Whole(value) => Value::Int(value),
                Number::Real(value) => Value::Float(value),
            };
            scope = scope.with_size(name, value);
        }
        let sizes: Vec<&str> = file.sizes.0.iter().map(|(name, _)| name.as_str()).collect();
        let compile = |taken: &[String], field: String, source: &str, arithmetic| {
            let line = line(text, source);
            let names: Vec<&str> = taken
                .iter()
                .map(String::as_str)
                .chain(sizes.iter().copied())
                .collect();
            let fault = |message: &str, span: Span| {
                let mut shown = format!("in `{field}`");
                if let Some(token) = span.source_text().filter(|token| *token != source) {
                    shown += &format!(", at `{token}`");
                }
                Error::new(path, format!("{shown}: {message}")).line(line)
            };
            let tokens: TokenStream = source
                .parse()
                .map_err(|_| fault("this is no expression", Span::call_site()))?;
            let expr = bico_syntax::parse_expr(tokens, &names, arithmetic).map_err(|errors| {
                let Some(error) = errors.iter().next() else {
                    return fault("this is no expression", Span::call_site());
                };
                let shown = fault(&error.message, error.span);
                match error.notes.first() {
                    Some(note) => shown.help(note),
                    None => shown,
                }
            })?;
            let expression = Expression::compile(&expr, arithmetic, taken, &scope, &facts)
                .map_err(|error| fault(&error.message, error.span))?;
            Ok::<Formula, Error>(Formula {
                expression,
                field,
                line,
            })
        };
        let mut names = Vec::new();
        for (name, source) in &file.names.0 {
            if taken.contains(name) || sizes.contains(&name.as_str()) {
                let message = format!(
                    "`let` names `{name}`, which is a parameter, a size or stands before it"
                );
                return Err(Error::new(path, message).help("choose another name"));
            }
            let field = format!("let.{name}");
            names.push(compile(&taken, field, source, Arithmetic::Integer)?);
            taken.push(name.clone());
        }
        let list = |field: &str, sources: &[String]| {
            sources
                .iter()
                .map(|source| compile(&taken, field.into(), source, Arithmetic::Integer))
                .collect::<Result<Vec<Formula>, Error>>()
        };
        let option = |field: &str, source: &Option<String>, arithmetic| {
            source
                .as_ref()
                .map(|source| compile(&taken, field.into(), source, arithmetic))
                .transpose()
        };
        let whole = |field: &str, source| option(field, source, Arithmetic::Integer);
        let real = |field: &str, source| option(field, source, Arithmetic::Real);
        let (launch, work) = (&file.launch, &file.work);
        Ok(Formulas {
            require: list("require", &file.require)?,
            grid: list("launch.grid", &launch.grid)?,
            block: list("launch.block", &launch.block)?,
            launch: [
                whole("launch.shared", &launch.shared)?,
                whole("launch.registers", &launch.registers)?,
                whole("launch.results", &launch.results)?,
                whole("launch.access", &launch.access)?,
                whole("launch.contiguous", &launch.contiguous)?,
                whole("launch.row", &launch.row)?,
            ],
            guarded: whole("launch.guarded", &launch.guarded)?,
            work: [
                real("work.flops", &work.flops)?,
                real("work.bytes", &work.bytes)?,
                real("work.loads", &work.loads)?,
                real("work.shared", &work.shared)?,
            ],
            names,
            facts,
            path: path.into(),
        })
    }

    /// The work of a config, and whether it meets `require`.
    pub(super) fn at(&self, config: &[Value]) -> Result<(model::Work, bool), Error> {
        let mut values = config.to_vec();
        for name in &self.names {
            let value = name.expression.eval(&values);
            values.push(value.map_err(|error| self.fault(name, &error))?);
        }
        let mut valid = true;
        for condition in &self.require {
            valid &= self.get(condition, |e| e.test(&values))?;
        }
        let count = |formula: &Formula| {
            let count = self.get(formula, |e| e.count(&values))?;
            Ok::<i64, Error>(i64::try_from(count).unwrap_or(i64::MAX))
        };
        let mut blocks = 1.0;
        for extent in &self.grid {
            blocks *= count(extent)? as f64;
        }
        let mut threads = 1i64;
        for extent in &self.block {
            threads = threads.saturating_mul(count(extent)?);
        }
        let maybe = |formula: &Option<Formula>| formula.as_ref().map(count).transpose();
        let amount = |formula: &Option<Formula>| {
            let number = |formula| self.get(formula, |e| e.number(&values));
            formula.as_ref().map(number).transpose()
        };
        let [shared, registers, results, access, contiguous, row] = &self.launch;
        let [flops, bytes, loads, traffic] = &self.work;
        let launch = model::Launch {
            grid_width: None,
            spills: false,
            blocks,
            threads,
            width: self.block.first().map(count).transpose()?.unwrap_or(1),
            shared_bytes: maybe(shared)?.unwrap_or(0),
            registers: maybe(registers)?,
            results: maybe(results)?,
            loads: amount(loads)?,
            shared_traffic: amount(traffic)?,
            access_bytes: maybe(access)?,
            contiguous_bytes: maybe(contiguous)?,
            row_words: maybe(row)?,
            guarded: match &self.guarded {
                Some(guarded) => self.get(guarded, |e| e.test(&values))?,
                None => false,
            },
        };
        let work = model::Work {
            flops: amount(flops)?,
            bytes: amount(bytes)?,
            launch: Some(launch),
            ..model::Work::default()
        };
        Ok((work, valid))
    }

    fn get<T>(
        &self,
        formula: &Formula,
        eval: impl FnOnce(&Expression) -> Result<T, SpaceError>,
    ) -> Result<T, Error> {
        eval(&formula.expression).map_err(|error| self.fault(formula, &error))
    }

    fn fault(&self, formula: &Formula, error: &SpaceError) -> Error {
        let message = format!("in `{}`: {}", formula.field, error.message);
        Error::new(&self.path, message).line(formula.line)
    }
}

/// The line of the file in which this text stands as a string; 0 where it is not found.
fn line(text: &str, source: &str) -> u64 {
    let written = serde_json::to_string(source).unwrap_or_default();
    text.find(&written)
        .map_or(0, |at| text[..at].lines().count().max(1) as u64)
}
