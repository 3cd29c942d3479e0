//! `einsum = ".."` without the feature `einsum`: one mistake, which names the feature.

use super::arguments::Draft;
use super::names::Context;
use super::options::Options;
use super::problem::Block;
use crate::messages;
use crate::spec::{Contraction, Name, Source};

/// There is none without the feature.
pub(crate) enum Written {}

pub(crate) fn einsum(options: &Options, context: &mut Context) -> Option<Written> {
    let tokens = options.value("einsum")?;
    context.errors.push(messages::needs_einsum(tokens.span()));
    None
}

pub(crate) fn source(written: &Written, _cuda: bool) -> Source {
    match *written {}
}

pub(crate) fn contraction(
    written: Written,
    _function: &Name,
    _drafts: &mut [Draft],
    _blocks: &[Block],
    _options: &mut Options,
    _context: &mut Context,
) -> Option<Contraction> {
    match written {}
}
