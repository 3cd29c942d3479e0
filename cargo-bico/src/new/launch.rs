//! How a CUDA kernel is launched, as far as its use of `blockIdx` and `threadIdx` tells.

use super::expression::poly;
use super::lexer::Token;
use super::parameters::Parameter;
use super::poly::Poly;
use super::source::{Function, closing};
use super::usage::Usage;

/// The guess.
#[derive(Debug, Default)]
pub(super) struct Launch {
    /// Extents of a block, x first.
    pub(super) block: Vec<String>,
    /// What each axis' blocks cover together, and how much one of them covers.
    pub(super) grid: Vec<Axis>,
    /// Whether there is dynamic shared memory, of which a thread is taken to have four bytes.
    pub(super) shared: bool,
    /// Parameters that the launch alone has.
    pub(super) added: Vec<Parameter>,
}

/// One axis of the grid.
#[derive(Debug)]
pub(super) struct Axis {
    /// The name that counts along it, and what that stays below, where the source tells.
    pub(super) counted: Option<String>,
    pub(super) limit: Option<Poly>,
    /// How much a block covers.
    pub(super) step: Poly,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The launch of a function with these parameters.
pub(super) fn launch(function: &Function, usage: &Usage, parameters: &[Parameter]) -> Launch {
    let mut launch = Launch::default();
    let uses = |name: &str, axis: &str| usage.builtins.contains(&format!("{name}.{axis}"));
    let last = |names: &[&str]| {
        let axes = AXES
            .iter()
            .rposition(|axis| names.iter().any(|name| uses(name, axis)));
        axes.map_or(0, |axis| axis + 1)
    };
    let blocks = last(&["threadIdx", "blockDim"]).max(1);
    for axis in &AXES[..blocks] {
        let extent = extent(function, usage, parameters, &mut launch, axis);
        launch.block.push(extent);
    }
    for (at, axis) in AXES[..last(&["blockIdx", "gridDim"]).max(1)]
        .iter()
        .enumerate()
    {
        let block = launch.block.get(at).map_or("1", String::as_str);
        let block = block
            .parse()
            .map_or_else(|_| Poly::name(block), Poly::number);
        launch.grid.push(grid(usage, axis, &block));
    }
    launch.shared = usage.dynamic;
    launch
}

/// The threads of a block along an axis.
fn extent(
    function: &Function,
    usage: &Usage,
    parameters: &[Parameter],
    launch: &mut Launch,
    axis: &str,
) -> String {
    let uses = |name: &str| usage.builtins.contains(&format!("{name}.{axis}"));
    // Kernel Tuner's own names.
    let named = format!("block_size_{axis}");
    if parameters.iter().any(|of| of.name == named) {
        return named;
    }
    if axis == "x"
        && let Some(bound) = bounded(function)
    {
        return bound;
    }
    if !uses("threadIdx") && !uses("blockDim") {
        return "1".to_string();
    }
    if let Some(step) = by_index(usage, axis).filter(|_| !uses("blockDim")) {
        return step;
    }
    let arrays = usage
        .shared
        .iter()
        .filter_map(|extent| poly(extent))
        .find(|of| {
            let known = |name: &str| parameters.iter().any(|of| of.name == name);
            of.is_single() && of.names().into_iter().all(known) && !of.names().is_empty()
        });
    if !uses("blockDim")
        && let Some(extent) = arrays
    {
        return extent.shown(&str::to_string);
    }
    let like_block = |of: &&Parameter| {
        let name = of.name.to_lowercase();
        let others = AXES.iter().filter(|other| **other != axis);
        ["block", "thread", "tpb"]
            .iter()
            .any(|word| name.contains(word))
            && !others
                .into_iter()
                .any(|other| name.ends_with(&format!("_{other}")))
    };
    if let Some(parameter) = parameters.iter().find(like_block) {
        return parameter.name.clone();
    }
    let several = usage.builtins.contains("threadIdx.y");
    let name = format!("BLOCK_{}", axis.to_uppercase());
    launch.added.push(Parameter {
        domain: match (axis, several) {
            ("x", false) => "powers_of_two(32..=1024)",
            ("x", true) => "powers_of_two(8..=64)",
            _ => "powers_of_two(1..=16)",
        }
        .to_string(),
        name: name.clone(),
        why: format!("blockDim.{axis}, which the launch says"),
    });
    name
}

/// What `__launch_bounds__` says, where that is a name or a number.
fn bounded(function: &Function) -> Option<String> {
    let at = function
        .head
        .iter()
        .position(|token| token.is("__launch_bounds__"))?;
    let close = closing(&function.head, at + 1)?;
    match function.head.get(at + 2..close)? {
        [Token::Word(name), ..] => Some(name.clone()),
        [number, ..] => number.integer().map(|number| number.to_string()),
        [] => None,
    }
}

/// `blockIdx.x * BLOCK + threadIdx.x`: what a block covers, by what a thread covers.
fn by_index(usage: &Usage, axis: &str) -> Option<String> {
    let (block, thread) = (format!("blockIdx.{axis}"), format!("threadIdx.{axis}"));
    usage.definitions.values().find_map(|of| {
        let step = of.factor(&block).divided(&of.factor(&thread))?;
        (step.is_single() && !step.names().iter().any(|name| name.contains('.')))
            .then(|| step.shown(&str::to_string))
    })
}

fn grid(usage: &Usage, axis: &str, block: &Poly) -> Axis {
    let name = format!("blockIdx.{axis}");
    let size = format!("blockDim.{axis}");
    let counted = usage
        .definitions
        .iter()
        .filter(|(_, value)| !value.factor(&name).is_zero());
    let mut counted: Vec<(&String, &Poly)> = counted.collect();
    // One that a guard bounds tells more.
    counted.sort_by_key(|(name, _)| !usage.limits.contains_key(*name));
    let Some((counted, value)) = counted.first() else {
        // `if (blockIdx.x < n)`, or each block has a row.
        return Axis {
            counted: Some(name.clone()),
            limit: usage.limits.get(&name).and_then(|of| of.first()).cloned(),
            step: Poly::number(1),
        };
    };
    let step = value.factor(&name).replace(&size, block);
    let limits = usage.limits.get(*counted).into_iter().flatten();
    Axis {
        counted: Some((*counted).clone()),
        limit: limits.max_by_key(|of| of.at(1024)).cloned(),
        step,
    }
}
