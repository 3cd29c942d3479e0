//! `launch(..)`, of the kernel and of its reference.

use super::names::{Context, Place};
use super::options::{Known, Options};
use super::tokens::Tokens;
use super::types::Type;
use crate::expr::Expr;
use crate::messages;
use crate::spec::Launch;
use proc_macro2::{Group, Span};

const OPTIONS: &[Known] = &[
    Known::once("grid", "grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M))"),
    Known::once("block", "block = (BLOCK_X, BLOCK_Y)"),
    Known::once("shared", "shared = 4 * TILE_K * TILE_N"),
];

pub(crate) const EXAMPLE: &str =
    "launch(grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)), block = (BLOCK_X, BLOCK_Y))";

/// Reads the options in the parentheses of `launch(..)`, which stands at `span`.
pub(crate) fn launch(span: Span, group: &Group, context: &mut Context) -> Launch {
    let options = Options::read(group.stream(), "launch", OPTIONS, &mut context.errors);
    for option in &OPTIONS[..2] {
        options.require(option.name, span, option.example, &mut context.errors);
    }
    let place = Place::full("`launch`");
    Launch {
        grid: options
            .value("grid")
            .map_or_else(Vec::new, |tokens| extents(&tokens, &place, context)),
        block: options
            .value("block")
            .map_or_else(Vec::new, |tokens| extents(&tokens, &place, context)),
        shared: options
            .value("shared")
            .map(|tokens| context.typed(&tokens, &place, Type::Int)),
    }
}

/// One extent, or up to three in parentheses.
fn extents(tokens: &Tokens, place: &Place, context: &mut Context) -> Vec<Expr> {
    let items = match tokens.parse::<syn::Expr>(&mut context.errors) {
        Some(syn::Expr::Tuple(tuple)) => {
            if !(1..=3).contains(&tuple.elems.len()) {
                context
                    .errors
                    .report(tokens.whole(), messages::extents(tuple.elems.len()));
            }
            tuple.elems.into_iter().collect()
        }
        Some(expr) => vec![expr],
        None => Vec::new(),
    };
    let mut extents = Vec::new();
    for item in items {
        let (expr, found) = context.lower(&item, place);
        context.demand(&expr, &found, &Type::Int, place);
        extents.push(expr);
    }
    extents
}
