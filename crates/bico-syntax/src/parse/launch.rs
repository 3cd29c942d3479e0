//! `launch(..)`, of the kernel and of its reference.

use super::names::{Context, Place};
use super::options::{Known, Options};
use super::reader::inside;
use super::tokens::{Tokens, split};
use super::types::Type;
use crate::expr::Expr;
use crate::messages;
use crate::spec::Launch;
use proc_macro2::{Delimiter, Group, Span, TokenTree};

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
    let parts = match tokens.trees.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            let trees = inside(group);
            let parts: Vec<Tokens> = split(group.stream(), &mut context.errors);
            // Parentheses around one expression are only parentheses.
            let comma =
                |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
            if (trees.is_empty() || trees.iter().any(comma)) && !(1..=3).contains(&parts.len()) {
                context.report(tokens.whole(), messages::extents(parts.len()));
            }
            parts
        }
        _ => vec![tokens.clone()],
    };
    parts
        .iter()
        .map(|part| context.typed(part, place, Type::Int))
        .collect()
}
