//! The wrapper's arguments, with the lengths of its buffers.

use super::argument::Argument;
use super::expression::poly;
use super::guess::{Guesser, LARGE, Passed};
use super::poly::Poly;
use std::collections::BTreeSet;

impl Guesser<'_> {
    /// The arguments, the sizes that lengths name, and how many of them a length multiplies.
    pub(super) fn passed(&self, notes: &mut Vec<String>) -> (Vec<Passed>, BTreeSet<String>, usize) {
        let (mut sizes, mut degree) = (BTreeSet::new(), 1);
        let mut passed = Vec::new();
        let is_output = |of: &Argument| of.typed.pointers > 0 && !of.typed.constant;
        let written = |of: &Argument| self.usage.written.contains(&of.name);
        let any = self.arguments.iter().any(|of| is_output(of) && written(of));
        for argument in &self.arguments {
            let Argument { name, typed, .. } = argument;
            if typed.pointers == 0 {
                passed.push(Passed {
                    name: argument.own.clone(),
                    of: typed.element.clone(),
                    attributes: Vec::new(),
                    doubt: typed
                        .unknown
                        .as_ref()
                        .map(|_| "the type is a guess".to_string()),
                });
                continue;
            }
            let passed_on = self.usage.passed.contains(name);
            let mutable = is_output(argument) && (written(argument) || passed_on || !any);
            let (len, sure) = self.length(argument, mutable);
            let element = match typed.pointers > 1 && argument.extents.is_empty() {
                true => "u64",
                false => &typed.element,
            };
            degree = degree.max(len.degree(&|of| self.scalar(of).is_some()));
            sizes.extend(
                len.names()
                    .into_iter()
                    .filter(|of| self.scalar(of).is_some())
                    .map(str::to_string),
            );
            let mut attributes = vec![format!("#[len({})]", len.shown(&|name| self.own(name)))];
            attributes.extend(typed.align.map(|align| format!("#[align({align})]")));
            let reads = self.usage.read.contains(name) || passed_on;
            if mutable && reads {
                attributes.push("#[init(uniform(-1, 1))]".to_string());
            }
            let buffer = if self.cuda {
                format!("CudaSlice<{element}>")
            } else {
                format!("[{element}]")
            };
            passed.push(Passed {
                name: argument.own.clone(),
                of: format!("&{}{buffer}", if mutable { "mut " } else { "" }),
                attributes: attributes
                    .into_iter()
                    .map(|of| filled(of, element))
                    .collect(),
                doubt: (!sure).then(|| "the length is a guess".to_string()),
            });
        }
        if !passed.iter().any(|of| of.of.starts_with("&mut")) {
            notes.push("no argument is written: make the output `&mut`".to_string());
        }
        (passed, sizes, degree)
    }

    /// How many elements of a buffer are touched, and whether the source says so.
    fn length(&self, argument: &Argument, mutable: bool) -> (Poly, bool) {
        let is_size = |name: &str| self.scalar(name).is_some();
        // Outputs are as long for all configs.
        let known = |name: &str| is_size(name) || (!mutable && self.is_known(name));
        let most = |value: &Poly| self.usage.most(value, self.source, &known);
        let one = Poly::number(1);
        let indices = self.usage.indices.get(&argument.name);
        let reach = |index: &Option<Poly>| Some(most(index.as_ref()?)?.plus(&one));
        let indexed = indices.and_then(|all| all.iter().map(reach).collect::<Option<Vec<Poly>>>());
        let indexed = indexed.and_then(|all| all.into_iter().max_by_key(|of| of.at(LARGE)));
        let length = match argument.extents.split_first() {
            None => indexed,
            Some((first, rest)) => {
                let first = poly(first).and_then(|first| most(&first)).or(indexed);
                rest.iter().fold(first, |length, extent| {
                    Some(length?.times(&most(&poly(extent)?)?))
                })
            }
        };
        match length.filter(Poly::is_positive) {
            Some(length) => (length, true),
            None => {
                let sizes: Vec<&Argument> = self.sizes().into_iter().take(2).collect();
                let product = sizes
                    .iter()
                    .fold(one, |product, of| product.times(&Poly::name(&of.name)));
                let length = if sizes.is_empty() {
                    Poly::number(LARGE * LARGE)
                } else {
                    product
                };
                (length, false)
            }
        }
    }
}

/// `#[init(..)]` that suits an element.
fn filled(attribute: String, element: &str) -> String {
    match element {
        "bool" => attribute.replace("uniform(-1, 1)", "zeros"),
        of if of.starts_with('u') => attribute.replace("uniform(-1, 1)", "uniform(0, 2)"),
        _ => attribute,
    }
}
