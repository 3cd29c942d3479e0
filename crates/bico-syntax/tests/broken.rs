//! Whatever tokens come in, `parse` answers: no panic, and no error without a place.

mod common;

use bico_syntax::{parse, parse_const_expr, parse_item};
use common::{ALL, EINSUM, GEMM, cut};
use proc_macro2::{Group, TokenStream, TokenTree};

/// What to do with one token.
#[derive(Clone, Copy)]
enum Change<'a> {
    Delete,
    Repeat,
    Replace(&'a TokenTree),
}

/// How many tokens there are, groups counted with what they hold.
fn count(stream: &TokenStream) -> usize {
    let trees = stream.clone().into_iter();
    trees
        .map(|tree| {
            1 + if let TokenTree::Group(group) = &tree {
                count(&group.stream())
            } else {
                0
            }
        })
        .sum()
}

/// The tokens with the one numbered `at` changed.
fn change(stream: TokenStream, at: &mut isize, how: Change<'_>) -> TokenStream {
    let mut out = Vec::new();
    for tree in stream {
        let here = *at == 0;
        *at -= 1;
        let tree = match tree {
            TokenTree::Group(group) if !here => {
                let mut copy = Group::new(group.delimiter(), change(group.stream(), at, how));
                copy.set_span(group.span());
                TokenTree::Group(copy)
            }
            tree => tree,
        };
        match how {
            Change::Delete if here => {}
            Change::Repeat if here => out.extend([tree.clone(), tree]),
            Change::Replace(other) if here => out.push(other.clone()),
            _ => out.push(tree),
        }
    }
    out.into_iter().collect()
}

fn answer(attribute: TokenStream, item: TokenStream) {
    if let Err(errors) = parse(attribute, item.clone()) {
        assert!(!errors.is_empty());
        let rendered = errors.render("lib.rs", GEMM);
        assert_eq!(rendered.matches("error: ").count(), errors.len());
        assert!(!errors.to_compile_error().is_empty());
        assert!(!rendered.contains("bico could not read"), "{rendered}");
    }
    let _ = parse_item(item);
}

#[test]
fn one_token_changed() {
    let others: TokenStream = "x 3 \"s\" , = . ( ) [1, 2] { if } 'a in const 0.5 -"
        .parse()
        .unwrap();
    let others: Vec<TokenTree> = others.into_iter().collect();
    for (attribute, item) in [cut(GEMM), cut(EINSUM)] {
        let changes = [Change::Delete, Change::Repeat]
            .into_iter()
            .chain(others.iter().map(Change::Replace));
        for how in changes {
            for at in 0..count(&attribute) as isize {
                answer(change(attribute.clone(), &mut { at }, how), item.clone());
            }
            for at in 0..count(&item) as isize {
                answer(attribute.clone(), change(item.clone(), &mut { at }, how));
            }
        }
    }
}

#[test]
fn many_tokens_changed() {
    let starts = [cut(GEMM), cut(ALL), cut(EINSUM)];
    // A small generator of our own: the same cases on every run.
    let mut state = 1_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for round in 0..2000 {
        let (mut attribute, mut item) = starts[round % 3].clone();
        for _ in 0..1 + draw(6) {
            let how = if draw(2) == 0 {
                Change::Delete
            } else {
                Change::Repeat
            };
            let at = draw(count(&attribute)) as isize;
            attribute = change(attribute, &mut { at }, how);
            let at = draw(count(&item) * 8) as isize;
            item = change(item, &mut { at }, how);
        }
        answer(attribute, item);
    }
}

#[test]
fn nothing_and_nonsense() {
    for text in [
        "",
        ",",
        ",,",
        "(",
        "source",
        "source =",
        "space",
        "problem(const)",
        "launch(grid = ())",
        "crate",
    ] {
        if let Ok(tokens) = text.parse::<TokenStream>() {
            answer(tokens.clone(), cut(GEMM).1);
            answer(cut(GEMM).0, tokens.clone());
            let _ = parse_const_expr(tokens);
        }
    }
}
