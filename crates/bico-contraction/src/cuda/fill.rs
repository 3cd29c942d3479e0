//! From the loops of a nest to the words of the texts.

use super::side::{self, Side};
use super::{blocks, edges, element, parameters, sizes, tensor_name, walk};
use crate::nest::{Loop, Nest};
use crate::template::{Words, comment};
use crate::{DataType, LastTouch, Signature};

/// What the templates are filled in with.
pub(super) fn words(nest: &Nest, signature: &Signature) -> Words {
    let swapped = Side::is_column(nest, 0);
    let column = usize::from(!swapped);
    let (left, right) = (Side::of(nest, 1 - column), Side::of(nest, column));
    let mut words = Words::default();
    words.word("heading", comment(&nest.heading));
    words.flag("half", nest.input == DataType::F16);
    words.flag("grouped", nest.swap.is_some());
    words.flag("swapped", swapped);
    words.flag("half_output", nest.output == DataType::F16);
    words.flag("elementwise", nest.last == LastTouch::ElementwiseMul);
    words.word("ROW", left.letter);
    words.word("COLUMN", right.letter);
    words.word("Out", element(nest.output));
    words.word("entry", signature.entry.clone());
    words.word("parameters", parameters(nest, signature));
    let head = |l: &Loop| {
        let i = l.index();
        format!("for (unsigned {i} = 0; {i} < {}; {i}++) {{", l.extent)
    };
    let hoisted = nest.loops.iter().filter(|l| walk::is_hoisted(l));
    let loops: Vec<String> = hoisted.map(head).collect();
    words.flag("looped", !loops.is_empty());
    words.word("loops_end", "} ".repeat(loops.len()).trim_end());
    words.word("loops", loops.join("\n"));
    sides(&mut words, nest, [&left, &right]);
    let walk = walk::walk(nest, element(nest.input), left.index, right.index);
    words.word("walk", walk);
    output(&mut words, nest, &left, &right);
    let place = blocks::place(nest);
    let sizes = sizes(nest, &format!("{place} {}", words.all()));
    words.word("place", sizes + &place);
    words
}

/// The element at which the tile of a tensor begins.
fn start(nest: &Nest, tensor: usize) -> String {
    let loops = nest.loops.iter().filter(|l| !walk::is_k(l));
    let terms = loops.filter_map(|l| edges::product(&l.index(), &l.strides[tensor]));
    let first = tensor_name(tensor).to_string();
    terms.fold(first, |sum, term| format!("{sum} + {term}"))
}

/// The tiles of the inputs.
fn sides(words: &mut Words, nest: &Nest, [left, right]: [&Side; 2]) {
    let most = side::most(nest.input);
    let is_half = nest.input == DataType::F16;
    let mut wide = Vec::new();
    let mut turned = Vec::new();
    for (name, kind, side, extent, length) in [
        ("left", "Left", left, "rows", "ROWS"),
        ("right", "Right", right, "columns", "COLUMNS"),
    ] {
        let is_wide = (is_half || !side.along_k) && side.widest(nest, most) > 1;
        if is_wide {
            wide.push(format!("(size_t){name} % ({} * VECTOR) == 0", 16 / most));
            wide.extend(side.conditions(nest, most, extent));
        }
        words.flag(&format!("{name}_along_k"), side.along_k);
        words.flag(&format!("{name}_wide"), is_wide);
        words.word(name, start(nest, side.index));
        let exists = edges::extent(nest, side.index, length);
        words.word(extent, format!("const unsigned {extent} = {exists};"));
        if is_half {
            let ([lines, chunks], extents, along) = match side.along_k {
                true => ([length, "DEPTH"], format!("{extent}, ahead"), &side.k),
                false => (["DEPTH", length], format!("ahead, {extent}"), &side.own),
            };
            words.word(&format!("{name}_lines"), lines);
            words.word(&format!("{name}_chunks"), chunks);
            words.word(&format!("{name}_extents"), extents);
            words.word(&format!("{name}_pitch"), side.pitch().text.as_str());
            words.word(&format!("{name}_along"), along.text.as_str());
        } else {
            let is_turned = side.is_turned();
            turned.push(is_turned);
            let start = match (is_turned, is_wide) {
                (true, _) => "start",
                (false, true) => "template start<WIDE ? VECTOR : 1>",
                (false, false) => "template start<1>",
            };
            words.word(kind, if is_turned { "Turned" } else { "Straight" });
            words.word(&format!("{name}_start"), start);
            words.word(&format!("{name}_side"), side.own.text.as_str());
            words.word(&format!("{name}_depth"), side.k.text.as_str());
        }
    }
    words.flag("any_straight", turned.contains(&false));
    words.flag("any_turned", turned.contains(&true));
    words.flag("any_wide", !wide.is_empty());
    words.word("wide", wide.join(" &&\n                    "));
}

/// What a lane or thread has of C and D: from the tile on, and from there on.
fn output(words: &mut Words, nest: &Nest, left: &Side, right: &Side) {
    let stride = |side: &Side, tensor: usize| &nest.tile[side.index].strides[tensor];
    let to_row = stride(left, 2);
    words.flag("contiguous", stride(right, 2).is(1));
    words.word("to", start(nest, 2));
    words.word("factors", start(nest, 3));
    words.word("to_row", side::in_parentheses(to_row));
    let (column, factor_column, next) = match nest.input {
        DataType::F16 => ("warp_column", "(warp_column + column)", "1"),
        DataType::F32 => ("column", "column", "at"),
    };
    let place = |tensor: usize, column: &str| {
        let row = edges::product("row", stride(left, tensor));
        let column = edges::product(column, stride(right, tensor));
        let terms = [row, column].into_iter().flatten();
        terms.map(|term| format!(" + {term}")).collect::<String>()
    };
    let along = |index: &str, tensor: usize| {
        edges::product(index, stride(right, tensor)).unwrap_or_else(|| "0".into())
    };
    words.word("to_at", place(2, column));
    words.word("factor_at", place(3, factor_column));
    words.word("to_low", along("column", 2));
    let high = along("(column + 1)", 2);
    let bare = high
        .strip_prefix('(')
        .and_then(|high| high.strip_suffix(')'));
    words.word("to_high", bare.unwrap_or(&high));
    words.word("to_next", along(next, 2));
    words.word("factor_next", along(next, 3));
    words.word("store", side::most(nest.output).to_string());
}
