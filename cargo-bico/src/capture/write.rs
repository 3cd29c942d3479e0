//! Proposals as text, and into the attributes.

use super::{Capture, Proposal};
use crate::status::plans;
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::tuner::devices::Devices;
use bico_build::tuner::plan::{Plan, integer_sizes};
use bico_syntax::{Expr, ExprKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A `problem(..)` of these sizes; what calls do not say is as in another of the tunable's problems.
pub(super) fn text(
    plan: &Plan,
    sizes: &[i64],
    consts: &[(String, String)],
    like: Option<usize>,
) -> String {
    let spec = &plan.found.spec;
    // A range stands for several problems.
    let like = like.filter(|_| plan.problems.len() == spec.problems.len());
    let like = &spec.problems[like.unwrap_or(0)];
    let names = integer_sizes(spec);
    let mut parts = Vec::new();
    for (name, expr) in &like.sizes {
        let at = names.iter().position(|own| *own == name.text);
        parts.push(match at.and_then(|at| sizes.get(at)) {
            Some(size) => format!("{} = {size}", name.text),
            None => format!("{} = {expr}", name.text),
        });
    }
    for (name, expr) in &like.consts {
        let given = consts.iter().find(|(own, _)| *own == name.text);
        parts.push(match given {
            // What is not quoted in the attribute, is a number or a truth value: it was held against the problems.
            Some((_, value)) if !expr.to_string().starts_with('"') => {
                format!("const {} = {value}", name.text)
            }
            Some((_, value)) => format!("const {} = {value:?}", name.text),
            None => format!("const {} = {expr}", name.text),
        });
    }
    format!("problem({})", parts.join(", "))
}

/// Whether a problem of these sizes could be tuned.
pub(super) fn is_tunable(plan: &Plan, env: &Env, devices: &Devices, sizes: &[i64]) -> bool {
    let mut found = plan.found.clone();
    let names = integer_sizes(&found.spec);
    found.spec.problems.truncate(1);
    for (name, expr) in found.spec.problems.iter_mut().flat_map(|of| &mut of.sizes) {
        let at = names.iter().position(|own| *own == name.text);
        if let Some(size) = at.and_then(|at| sizes.get(at)) {
            *expr = Expr::new(ExprKind::Int(*size), expr.span);
        }
    }
    let facts = devices.facts(found.spec.language());
    sizes.iter().all(|size| *size > 0) && Plan::new(found, &env.manifest_dir, facts).is_ok()
}

impl Capture {
    /// Adds problems to the attributes, before the first of each. The files that were changed.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, or has changed since, or could not be read with them: all are as they were then.
    pub(crate) fn write(&self, proposals: &[Proposal]) -> Result<Vec<PathBuf>, Error> {
        let mut edits: BTreeMap<PathBuf, Vec<(usize, Vec<&Proposal>)>> = BTreeMap::new();
        for proposal in proposals {
            let file = &self.plans[proposal.plan].found.file;
            let of = edits.entry(self.env.manifest_dir.join(file)).or_default();
            match of.iter_mut().find(|(plan, _)| *plan == proposal.plan) {
                Some((_, own)) => own.push(proposal),
                None => of.push((proposal.plan, vec![proposal])),
            }
        }
        let mut texts = Vec::new();
        for (path, of) in &edits {
            let old =
                std::fs::read_to_string(path).map_err(|error| failed("read", path, &error))?;
            texts.push((path, self.edited(&old, of)?, old));
        }
        for (at, (path, new, _)) in texts.iter().enumerate() {
            if let Err(error) = replace(path, new) {
                texts[..at].iter().for_each(|(path, _, old)| {
                    let _ = replace(path, old);
                });
                return Err(failed("write", path, &error));
            }
        }
        // What was written must be what a build understands.
        let read = package::tunables(&self.env, &[]);
        if let Err(error) = read.and_then(|found| plans(found, &self.env, &self.devices)) {
            for (path, _, old) in &texts {
                replace(path, old).map_err(|error| failed("write", path, &error))?;
            }
            let help = "nothing was written: write them by hand";
            return Err(Error::Work(format!("with the proposed problems: {error}")).help(help));
        }
        Ok(texts.into_iter().map(|(path, ..)| path.clone()).collect())
    }

    fn edited(&self, old: &str, of: &[(usize, Vec<&Proposal>)]) -> Result<String, Error> {
        let mut places = Vec::new();
        for (plan, own) in of {
            let spec = &self.plans[*plan].found.spec;
            let start = spec.problems.first().map(|of| of.span.start());
            let place = start.and_then(|start| byte(old, start.line, start.column));
            let place = place.filter(|at| old[*at..].starts_with("problem"));
            let Some(place) = place else {
                let message = format!(
                    "the problems of `{}` do not stand in its own attribute",
                    spec.key.text
                );
                return Err(Error::Work(message).help("nothing was written: write them by hand"));
            };
            places.push((place, own));
        }
        places.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let mut text = old.to_string();
        for (at, own) in places {
            let line = old[..at].rfind('\n').map_or(0, |at| at + 1);
            let indent = &old[line..at];
            let lines: String = match indent.trim().is_empty() {
                true => own
                    .iter()
                    .map(|of| format!("{}\n{indent}", of.line()))
                    .collect(),
                false => own.iter().map(|of| format!("{}, ", of.text)).collect(),
            };
            text.insert_str(at, &lines);
        }
        Ok(text)
    }
}

/// Where a line's column, in characters, begins.
fn byte(text: &str, line: usize, column: usize) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text[start..].find('\n')? + 1;
    }
    let mut characters = text[start..].char_indices();
    characters.nth(column).map(|(at, _)| start + at)
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::Work(format!("cannot {what} {}: {error}", path.display()))
}

/// The old content or the new, never a half of it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let permissions = std::fs::metadata(path)?.permissions();
    let written = std::fs::write(&beside, text)
        .and_then(|()| std::fs::set_permissions(&beside, permissions))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
