//! `drive(file = "kernels/drive.c", entry = "solve")`: a function of the host that calls the kernels as the program does.

use super::c_function::host_function;
use super::names::Context;
use super::options::Options;
use crate::expr::ExprKind;
use crate::messages;
use crate::spec::{ArgumentKind, CFunction, Language, TunableSpec};

/// How it is written.
pub(crate) const DRIVE: &str = "drive(file = \"kernels/drive.c\", entry = \"solve\")";

/// Reads it, for a tunable that is otherwise complete.
pub(crate) fn drive(spec: &mut TunableSpec, options: &Options, context: &mut Context) {
    let Some(span) = options.span("drive") else {
        return;
    };
    for option in ["variant", "einsum"] {
        if options.given(option) {
            return context.report(span, messages::drive_beside(option));
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for pass in &spec.kernels[0].passes {
        match &pass.entry.kind {
            ExprKind::Str(entry) if entry.contains("::") => {
                context.report(pass.entry.span, messages::drive_namespace(entry));
            }
            ExprKind::Str(entry) if seen.contains(&entry.as_str()) => {
                context.report(span, messages::drive_twice(entry));
            }
            ExprKind::Str(entry) => seen.push(entry),
            _ => context.report(pass.entry.span, messages::drive_entry(&pass.entry)),
        }
    }
    for argument in &spec.arguments {
        if argument.kind.symbol().is_some() {
            let name = &argument.name;
            context.report(name.span, messages::drive_constant(&name.text));
        }
        if let ArgumentKind::Structure(_) = argument.kind {
            let name = &argument.name;
            context.report(name.span, messages::drive_structure(&name.text));
        }
    }
    spec.drive = host_function(options, "drive", &spec.function.text, context);
    if let Some(CFunction { path, .. }) = &spec.drive
        && Language::of(&path.text).is_none_or(|of| of.is_cuda())
    {
        context.report(path.span, messages::drive_file(&path.text));
    }
}
