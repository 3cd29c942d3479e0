//! Draws expressions, interprets them as `bico_build` does, and writes a file in which the macro
//! lowers the same expressions: `tests/lowering.rs` includes and compares.

#[path = "build/draw.rs"]
mod draw;
#[path = "sets.rs"]
mod sets;

use bico::__private::lift;
use bico::Value;
use bico_core::Map;
use bico_syntax::bind::{Expression, Scope};
use bico_syntax::{Arithmetic, BinaryOp, Expr, ExprKind, TunableSpec};
use draw::{Draw, Kind, shapes};
use proc_macro2::TokenStream;
use sets::{Set, sets};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

const SEED: u64 = 20;
/// Expressions for each arithmetic, kind and shape.
const EACH: usize = 6;
/// Levels below the root.
const DEPTH: u32 = 3;

const ITEM: &str = "fn f(#[len(1)] c: &mut [f32], m: u32, n: u64, i: i64, scope: f32, flag: bool) -> bico::Result<()>;";
/// An expression of any type, where the grammar wants a `bool` or a number. The type of `RESULT`,
/// a `const` of the file, is not known to it.
const INTEGER: &str = "require($ == RESULT)";
const REAL: &str = "score = if $ == RESULT { 1 } else { 0 }";

fn attribute(place: &str) -> String {
    format!(
        "source = \"k.c\", \
         space(TILE in [1, 2], UNIT in [1, 2], FAST in [false, true], KIND in [\"a\", \"b\"], RATIO in [0.5, 1.0]), \
         problem(m = 1, n = 1, i = 1, scope = 0.5, flag = true, const DEPTH = 1, const ACT = \"silu\", const GAIN = 0.5), \
         {place}"
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=sets.rs");
    let sets = sets();
    let mut file = String::new();
    let mut cases = String::new();
    let mut count = 0;
    for (arithmetic, name, place, kinds) in [
        (
            Arithmetic::Integer,
            "integer",
            INTEGER,
            &[Kind::Int, Kind::Float, Kind::Bool, Kind::Str][..],
        ),
        (
            Arithmetic::Real,
            "real",
            REAL,
            &[Kind::Number, Kind::Bool, Kind::Str][..],
        ),
    ] {
        let lowered = attribute(&place.replace('$', "$expression"));
        writeln!(
            file,
            "macro_rules! {name} {{ ($expression:tt) => {{ ::bico_lowering_macro::evaluate! {{ ({lowered}) {ITEM} }} }} }}"
        )?;
        let mut draw = Draw::new(SEED, arithmetic == Arithmetic::Real);
        for kind in kinds {
            for shape in shapes(*kind) {
                for _ in 0..EACH {
                    let (text, spec) = drawn(place, || draw.shape(*kind, shape, DEPTH))?;
                    writeln!(
                        file,
                        "fn case_{count}(scope: f32, flag: bool, names: &Scope<'_>) -> Outcome {{ {name}!(({text}))(names) }}"
                    )?;
                    let expected = expected(&spec, arithmetic, &sets)?;
                    let shape = format!("{arithmetic:?} {kind:?} {shape:?}");
                    writeln!(
                        cases,
                        "Case {{ shape: {shape:?}, text: {text:?}, evaluate: case_{count}, expected: &[{expected}] }},"
                    )?;
                    count += 1;
                }
            }
        }
    }
    writeln!(file, "static CASES: [Case; {count}] = [\n{cases}];")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo's own variable, no setting"
    )]
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    std::fs::write(PathBuf::from(out).join("cases.rs"), file)?;
    Ok(())
}

/// An expression that the grammar takes: not all that is drawn is (`2.pow(-1)`), but most.
fn drawn(
    place: &str,
    mut draw: impl FnMut() -> String,
) -> Result<(String, TunableSpec), Box<dyn Error>> {
    let mut last = None;
    for _ in 0..20 {
        let text = draw();
        let tokens: TokenStream = attribute(&place.replace('$', &format!("({text})"))).parse()?;
        match bico_syntax::parse(tokens, ITEM.parse()?) {
            Ok(wrapper) => return Ok((text, wrapper.spec)),
            Err(errors) => last = Some(format!("{text}\n{errors}")),
        }
    }
    Err(format!(
        "nothing that is drawn is taken, such as {}",
        last.unwrap_or_default()
    )
    .into())
}

/// What the build's interpreter says for each set, as items of a Rust array.
fn expected(
    spec: &TunableSpec,
    arithmetic: Arithmetic,
    sets: &[Set],
) -> Result<String, Box<dyn Error>> {
    let expr = wanted(spec).ok_or("the expression is not where it was put")?;
    let parameters: Vec<String> = spec
        .parameters
        .iter()
        .map(|parameter| parameter.name.text.clone())
        .collect();
    let mut items = String::new();
    for set in sets {
        let scope = names(spec, set)?;
        let compiled = Expression::compile(expr, arithmetic, &parameters, &scope, &set.device)
            .map_err(|error| format!("`{expr}` does not compile: {error}"))?;
        match compiled.eval(&set.parameters) {
            Ok(Value::Int(v)) => write!(items, "Ok(Value::Int({v})), ")?,
            Ok(Value::Float(v)) => write!(
                items,
                "Ok(Value::Float(f64::from_bits({:#x}))), ",
                v.to_bits()
            )?,
            Ok(Value::Bool(v)) => write!(items, "Ok(Value::Bool({v})), ")?,
            Ok(Value::Str(v)) => write!(items, "Ok(Value::Str({v:?})), ")?,
            Err(error) => write!(items, "Err({:?}), ", error.message)?,
        }
    }
    Ok(items)
}

/// The expression that stands for `$`.
fn wanted(spec: &TunableSpec) -> Option<&Expr> {
    let comparison = match spec.score.as_ref().map(|score| &score.kind) {
        Some(ExprKind::If(condition, ..)) => condition,
        _ => spec.require.first()?,
    };
    match &comparison.kind {
        ExprKind::Binary(BinaryOp::Eq, expr, _) => Some(expr),
        _ => None,
    }
}

fn names(spec: &TunableSpec, set: &Set) -> Result<Scope, Box<dyn Error>> {
    let file = [
        ("LIMIT", lift(sets::LIMIT)?),
        ("EDGE", lift(sets::EDGE)?),
        ("LOW", lift(sets::LOW)?),
        ("COUNT", lift(sets::COUNT)?),
        ("HALF", lift(sets::HALF)?),
        ("TENTH", lift(sets::TENTH)?),
        ("WIDE", lift(sets::WIDE)?),
        ("SILU", lift(sets::SILU)?),
    ];
    let others = [("scope", lift(set.scope)?), ("flag", lift(set.flag)?)];
    let sizes = ["m", "n", "i"]
        .into_iter()
        .zip(set.sizes.map(Value::Int))
        .chain(others);
    let consts = &spec.problems.first().ok_or("there is no problem")?.consts;
    let problem_consts = consts
        .iter()
        .zip(sets::CONSTS)
        .map(|((name, _), at)| (name.text.clone(), set.consts[at]));
    let owned = |(name, value): (&str, Value)| (name.to_string(), value);
    Ok(Scope {
        consts: file.into_iter().map(owned).collect::<Map<_, _>>(),
        lists: Map::default(),
        sizes: sizes.map(owned).collect(),
        values: Map::default(),
        problem_consts: problem_consts.collect(),
        absent: Vec::new(),
    })
}
