//! Hints compiled for one recording.

use super::file::{File, Number, line};
use super::profile::Code;
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
    /// Those of `launch` and `work`.
    fields: Vec<Formula>,
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
        let require = file.require.iter();
        let require =
            require.map(|source| compile(&taken, "require".into(), source, Arithmetic::Integer));
        let require = require.collect::<Result<_, Error>>()?;
        let mut fields = Vec::new();
        for (part, said, arithmetic) in [
            ("launch", &file.launch, Arithmetic::Integer),
            ("work", &file.work, Arithmetic::Real),
        ] {
            for (name, sources) in &said.0 {
                for source in sources.list() {
                    fields.push(compile(
                        &taken,
                        format!("{part}.{name}"),
                        source,
                        arithmetic,
                    )?);
                }
            }
        }
        Ok(Formulas {
            facts,
            path: path.into(),
            names,
            require,
            fields,
        })
    }

    /// The work of a config, what its code does, and whether it meets `require`.
    pub(super) fn at(&self, config: &[Value]) -> Result<(model::Work, Code, bool), Error> {
        let mut values = config.to_vec();
        for name in &self.names {
            let value = name.expression.eval(&values);
            values.push(value.map_err(|error| self.fault(name, &error))?);
        }
        let mut valid = true;
        for condition in &self.require {
            valid &= self.get(condition, |e| e.test(&values))?;
        }
        let fields = |field: &'static str| self.fields.iter().filter(move |f| f.field == field);
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
        let guarded = fields("launch.guarded").next();
        let guarded = guarded.map(|formula| self.get(formula, |e| e.test(&values)));
        let launch = model::Launch {
            grid_width: None,
            spills: false,
            blocks: counts("launch.grid")?
                .iter()
                .map(|extent| *extent as f64)
                .product(),
            threads: block
                .iter()
                .fold(1, |threads, extent| threads.saturating_mul(*extent)),
            width: block.first().copied().unwrap_or(1),
            shared_bytes: count("launch.shared")?.unwrap_or(0),
            registers: count("launch.registers")?,
        };
        let code = Code {
            results: count("launch.results")?,
            loads: amount("work.loads")?,
            shared_traffic: amount("work.shared")?,
            access_bytes: count("launch.access")?,
            contiguous_bytes: count("launch.contiguous")?,
            row_words: count("launch.row")?,
            guarded: guarded.transpose()?.unwrap_or(false),
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
        eval(&formula.expression).map_err(|error| self.fault(formula, &error))
    }

    fn fault(&self, formula: &Formula, error: &SpaceError) -> Error {
        let message = format!("in `{}`: {}", formula.field, error.message);
        Error::new(&self.path, message).line(formula.line)
    }
}
