//! What a tunable says, as text that depends on parsed values only.
//!
//! The macro and the build script see the same tokens spaced differently, so nothing here may
//! come from the text of tokens. Every value is written so that two different specs never
//! give the same text: names bare, strings quoted and escaped, floats by their bits, operators
//! as `(op a b)`.

use crate::args::KernelArgument;
use crate::canonical::{float, quoted, text};
use crate::expr::Expr;
use crate::rust::ConstParameter;
use crate::spec::*;
use crate::tolerance::Tolerance;
use std::fmt::Write;

/// The canonical text of a spec, split by what a change of it means for a tuned result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// Parameters, `require`, and the names of file constants.
    pub space: String,
    /// Source, entry, template, launch, arguments, scratch.
    pub launch: String,
    /// Reference and tolerances.
    pub verify: String,
    /// Compiler flags and the language.
    pub flags: String,
    /// All problems.
    pub problems: String,
    /// What never makes a result stale: budget, its scale, score, work, measure.
    pub rest: String,
}

/// The canonical text of `spec` as it stands.
pub fn canonical(spec: &TunableSpec) -> Canonical {
    canonical_with(spec, &[])
}

/// The canonical text of `spec`, with the file's `const` lists (by name) in the place of their names.
pub fn canonical_with(spec: &TunableSpec, lists: &[(String, Expr)]) -> Canonical {
    Canonical {
        space: space(spec, lists),
        launch: launch(spec),
        verify: verify(&spec.verify),
        flags: flags(spec),
        problems: problems(&spec.problems),
        rest: rest(spec),
    }
}

/// One number for all of `spec`, by which the macro and the build's output recognise each other.
pub fn fingerprint(spec: &TunableSpec) -> u64 {
    let text = canonical(spec);
    // FNV-1a, 64 bits. Each field is preceded by its length, so that no two splits look alike.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for field in [
        &spec.key.text,
        &spec.function.text,
        &text.space,
        &text.launch,
        &text.verify,
        &text.flags,
        &text.problems,
        &text.rest,
    ] {
        let length = (field.len() as u64).to_le_bytes();
        for byte in length.iter().chain(field.as_bytes()) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

fn space(spec: &TunableSpec, lists: &[(String, Expr)]) -> String {
    let mut out = String::new();
    for parameter in &spec.parameters {
        let name = &parameter.name.text;
        let _ = match &parameter.domain {
            Domain::In(domain) => writeln!(out, "{name} in {}", text(&domain.listed(lists))),
            Domain::Derived(value) => writeln!(out, "{name} = {}", text(value)),
        };
    }
    exprs(&mut out, "require", &spec.require);
    let scale = spec.budget_scale.as_ref();
    for name in &spec.consts {
        if scale.is_none_or(|scale| !scale.consts.contains(&name.text)) {
            let _ = writeln!(out, "const {}", name.text);
        }
    }
    out
}

fn launch(spec: &TunableSpec) -> String {
    let mut out = String::new();
    let first = &spec.kernels[0];
    named_line(&mut out, first);
    match (&spec.contraction, &spec.rust) {
        // What was generated from it has a hash of its own, and a path that differs between machines.
        (Some(contraction), _) => {
            let _ = writeln!(out, "source einsum {}", quoted(&contraction.einsum));
        }
        (None, Some(rust)) => {
            for ConstParameter { name, written, .. } in &rust.consts {
                let _ = writeln!(out, "source const {} {written}", name.text);
            }
        }
        (None, None) => source_lines(&mut out, &first.source),
    }
    compiled_lines(&mut out, &first.passes[0]);
    for argument in &spec.arguments {
        let name = &argument.name.text;
        let _ = match &argument.kind {
            ArgumentKind::Buffer {
                layout,
                mutable,
                len,
                init,
                align,
                symbol,
            } => {
                let kind = if *mutable { "output" } else { "input" };
                let (layout, len, init) = (layout.text(), text(len), init_text(init.as_ref()));
                let align = align
                    .declared()
                    .map_or(String::new(), |bytes| format!(" align {bytes}"));
                let symbol = symbol
                    .as_ref()
                    .map_or(String::new(), |symbol| format!(" constant {symbol}"));
                writeln!(out, "{kind} {name} {layout} {len} {init}{align}{symbol}")
            }
            ArgumentKind::Scalar(element) => writeln!(out, "scalar {name} {}", element.name()),
            ArgumentKind::Value { element, range } => {
                let range = range.as_ref().map_or(String::new(), text);
                writeln!(out, "value {name} {} {range}", element.name())
            }
            ArgumentKind::Structure(layout) => {
                writeln!(out, "structure {name} {}", layout.text())
            }
            ArgumentKind::Stream => writeln!(out, "stream {name}"),
            ArgumentKind::Selector(element) => writeln!(out, "selector {name} {}", element.name()),
        };
    }
    for scratch in &spec.scratch {
        let (name, element) = (&scratch.name.text, scratch.element.name());
        let zeroed = if scratch.zeroed { " zeroed" } else { "" };
        let len = text(&scratch.len);
        let of = scratch.of.map_or(String::new(), |of| format!(" of {of}"));
        let _ = writeln!(out, "scratch {name} {element} {len}{zeroed}{of}");
    }
    c_function(&mut out, "inputs", spec.inputs.as_ref());
    c_function(&mut out, "drive", spec.drive.as_ref());
    passed_lines(&mut out, spec, &first.passes[0]);
    next_lines(&mut out, spec, first);
    for kernel in &spec.kernels[1..] {
        named_line(&mut out, kernel);
        source_lines(&mut out, &kernel.source);
        compiled_lines(&mut out, &kernel.passes[0]);
        passed_lines(&mut out, spec, &kernel.passes[0]);
        next_lines(&mut out, spec, kernel);
    }
    out
}

fn named_line(out: &mut String, kernel: &Kernel) {
    if let Some(name) = &kernel.name {
        let _ = writeln!(out, "variant {}", name.text);
    }
}

fn source_lines(out: &mut String, source: &Source) {
    for file in source.before.iter().chain([&source.path]) {
        let _ = writeln!(out, "source {}", quoted(&file.text));
    }
}

/// The passes of a kernel behind the first.
fn next_lines(out: &mut String, spec: &TunableSpec, kernel: &Kernel) {
    for pass in &kernel.passes[1..] {
        out.push_str("next\n");
        compiled_lines(out, pass);
        passed_lines(out, spec, pass);
    }
}

/// What is compiled of a pass, and how it is launched.
fn compiled_lines(out: &mut String, pass: &Pass) {
    let _ = writeln!(out, "entry {}", text(&pass.entry));
    for name in &pass.template {
        let _ = writeln!(out, "template {}", name.text);
    }
    launch_lines(out, pass.launch.as_ref());
}

/// What a pass gets, where it says so.
fn passed_lines(out: &mut String, spec: &TunableSpec, pass: &Pass) {
    for passed in pass.args.iter().flatten() {
        passed_line(out, spec, passed);
    }
}

fn passed_line(out: &mut String, spec: &TunableSpec, passed: &KernelArgument) {
    let _ = match passed {
        KernelArgument::Argument(at) => writeln!(out, "pass {}", spec.arguments[*at].name.text),
        KernelArgument::Scratch(at) => writeln!(out, "pass {}", spec.scratch[*at].name.text),
        KernelArgument::Null => writeln!(out, "pass null"),
        KernelArgument::Value(value, element) => {
            writeln!(out, "pass {} as {}", text(value), element.name())
        }
        KernelArgument::Tensor(map) => {
            exprs(out, "tensor", map.numbers());
            let _ = writeln!(out, "outside {}", if map.nan { "nan" } else { "zero" });
            return passed_line(out, spec, &map.buffer);
        }
    };
}

/// A line for a function in C.
fn c_function(out: &mut String, what: &str, function: Option<&CFunction>) {
    if let Some(CFunction { path, entry }) = function {
        let _ = writeln!(out, "{what} {} {}", quoted(&path.text), quoted(entry));
    }
}

fn launch_lines(out: &mut String, launch: Option<&Launch>) {
    if let Some(launch) = launch {
        exprs(out, "grid", &launch.grid);
        exprs(out, "block", &launch.block);
        exprs(out, "cluster", &launch.cluster);
        exprs(out, "shared", launch.shared.as_slice());
        exprs(out, "dependent", launch.dependent.as_slice());
    }
}

/// A line for each of these.
fn exprs<'a>(out: &mut String, what: &str, exprs: impl IntoIterator<Item = &'a Expr>) {
    for expr in exprs {
        let _ = writeln!(out, "{what} {}", text(expr));
    }
}

fn init_text(init: Option<&Init>) -> String {
    let two = |what: &str, first: &Expr, second: &Expr| {
        let number = |expr: &Expr| expr.number().map_or_else(|| text(expr), float);
        format!("{what} {} {}", number(first), number(second))
    };
    match init {
        None => "default".into(),
        Some(Init::Uniform(low, high)) => two("uniform", low, high),
        Some(Init::Normal(mean, deviation)) => two("normal", mean, deviation),
        Some(Init::Zeros) => "zeros".into(),
        Some(Init::Ones) => "ones".into(),
        Some(Init::Iota) => "iota".into(),
        Some(Init::File(path, other)) => {
            let other = init_text(other.as_deref());
            format!("file {} {other}", quoted(&path.text))
        }
    }
}

fn verify(verify: &Verify) -> String {
    let mut out = String::new();
    if let Some(reference) = &verify.reference {
        let _ = match &reference.kind {
            ReferenceKind::Entry(entry) => writeln!(out, "entry {}", quoted(entry)),
            ReferenceKind::File { path, entry } => {
                writeln!(out, "file {} {}", quoted(path), quoted(entry))
            }
        };
        launch_lines(&mut out, reference.launch.as_ref());
        for (name, value) in &reference.with {
            let _ = writeln!(out, "with {} {}", name.text, text(value));
        }
    }
    c_function(&mut out, "judge", verify.judge.as_ref());
    let of_one = |(name, of): &(String, Tolerance)| (format!("{} ", quoted(name)), *of);
    let all = std::iter::once((String::new(), verify.tolerance));
    for (name, Tolerance { rtol, atol }) in all.chain(verify.outputs.iter().map(of_one)) {
        for (what, of) in [("rtol", rtol), ("atol", atol)] {
            let _ = of.map(|of| writeln!(out, "{what} {name}{}", float(of)));
        }
    }
    out
}

fn flags(spec: &TunableSpec) -> String {
    let (first, others) = (&spec.kernels[0], &spec.kernels[1..]);
    let mut out = format!("{:?}\n", first.source.language);
    include_lines(&mut out, &first.source);
    flag_lines(&mut out, &spec.flags, &spec.link);
    if spec.nvcc {
        out.push_str("compiler nvcc\n");
    }
    if spec.rust.as_ref().is_some_and(|own| own.ships_measured) {
        out.push_str("ship measured\n");
    }
    exprs(&mut out, "threads", spec.threads.as_slice());
    flag_lines(&mut out, &first.flags, &first.link);
    exact_line(&mut out, first);
    for kernel in others {
        named_line(&mut out, kernel);
        let _ = writeln!(out, "{:?}", kernel.source.language);
        include_lines(&mut out, &kernel.source);
        flag_lines(&mut out, &kernel.flags, &kernel.link);
        exact_line(&mut out, kernel);
    }
    out
}

fn exact_line(out: &mut String, kernel: &Kernel) {
    if kernel.exact {
        out.push_str("arch exact\n");
    }
}

fn include_lines(out: &mut String, source: &Source) {
    for folder in &source.include {
        let _ = writeln!(out, "include {}", quoted(&folder.text));
    }
}

fn flag_lines(out: &mut String, flags: &[Vec<FlagPart>], link: &[Name]) {
    for flag in flags {
        let parts = flag.iter().map(|part| match part {
            FlagPart::Text(piece) => format!(" {}", quoted(piece)),
            FlagPart::Name(name) => format!(" {name}"),
        });
        let _ = writeln!(out, "flag{}", parts.collect::<String>());
    }
    for library in link {
        let _ = writeln!(out, "link {}", quoted(&library.text));
    }
}

fn problems(problems: &[Problem]) -> String {
    let mut out = String::new();
    for problem in problems {
        out.push_str("problem\n");
        for (name, value) in problem.sizes.iter().chain(&problem.values) {
            let _ = writeln!(out, "{} = {}", name.text, text(value));
        }
        for (name, value) in &problem.consts {
            let _ = writeln!(out, "const {} = {}", name.text, text(value));
        }
    }
    out
}

fn rest(spec: &TunableSpec) -> String {
    let mut out = String::new();
    let budget = &spec.budget;
    let (evaluations, seed) = (budget.evaluations, budget.seed);
    let seconds = float(budget.seconds);
    let _ = writeln!(
        out,
        "evaluations {evaluations} seconds {seconds} seed {seed}"
    );
    if let Some(strategy) = &budget.strategy {
        let _ = writeln!(out, "strategy {}", quoted(&strategy.text));
    }
    exprs(&mut out, "flops", spec.work.flops.as_slice());
    exprs(&mut out, "bytes", spec.work.bytes.as_slice());
    exprs(&mut out, "score", spec.score.as_slice());
    if let Some(scale) = &spec.budget_scale {
        let _ = writeln!(out, "budget_scale {}", text(&scale.expr));
        for name in &scale.consts {
            let _ = writeln!(out, "const {name}");
        }
    }
    let (warm, sustained) = (spec.measure.cache_warm, spec.measure.clock_sustained);
    let _ = writeln!(out, "cache_warm {warm} clock_sustained {sustained}");
    for (name, value) in spec.default.iter().flat_map(|of| &of.values) {
        let _ = writeln!(out, "default {} {}", name.text, text(value));
    }
    if let Some(like) = &spec.like {
        let _ = writeln!(out, "like {}", quoted(&like.text));
    }
    out
}
