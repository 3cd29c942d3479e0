//! `launch(..)`, of the kernel and of its reference.

use super::check::Type;
use super::names::{Context, Place};
use super::options::{Known, Options, name};
use super::reader::{inside, is_punct};
use super::tokens::{Tokens, split};
use crate::expr::Expr;
use crate::messages;
use crate::spec::Launch;
use proc_macro2::{Delimiter, Span, TokenTree};

const OPTIONS: [Known; 3] = [
    "grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M))",
    "block = (BLOCK_X, BLOCK_Y)",
    "shared = 4 * TILE_K * TILE_N",
];

pub(crate) const EXAMPLE: &str =
    "launch(grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)), block = (BLOCK_X, BLOCK_Y))";

/// Reads `launch(..)`, and says where it stands.
pub(crate) fn launch(options: &Options, context: &mut Context) -> Option<(Span, Launch)> {
    let span = options.span("launch")?;
    let options = options.inner("launch", &OPTIONS, context);
    for option in &OPTIONS[..2] {
        options.require(name(option), span, option, &mut context.errors);
    }
    let launch = Launch {
        grid: extents(options.value("grid"), context),
        block: extents(options.value("block"), context),
        shared: options.typed("shared", &Place::full("`launch`"), Type::Int, context),
    };
    Some((span, launch))
}

/// One extent, or up to three in parentheses.
fn extents(tokens: Option<Tokens>, context: &mut Context) -> Vec<Expr> {
    let Some(tokens) = tokens else {
        return Vec::new();
    };
    let parts = match tokens.trees.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            let trees = inside(group);
            let parts: Vec<Tokens> = split(group.stream(), &mut context.errors);
            // Parentheses around one expression are only parentheses.
            let comma = trees.iter().any(|tree| is_punct(tree, ','));
            if (trees.is_empty() || comma) && !(1..=3).contains(&parts.len()) {
                context.report(tokens.whole(), messages::extents(parts.len()));
            }
            parts
        }
        _ => vec![tokens],
    };
    let place = Place::full("`launch`");
    let extents = parts.iter();
    extents
        .map(|part| context.typed(part, &place, Type::Int))
        .collect()
}
