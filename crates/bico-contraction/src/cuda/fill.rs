//! From the loops of a nest to the words of the texts.

use super::blocks::{self, Tiles};
use super::side::{self, Side};
use super::words::Words;
use super::{edges, element, parameters, sizes, tensor_name, walk};
use crate::nest::{Loop, Nest};
use crate::{DataType, LastTouch, Signature};

/// What the templates are filled in with.
pub(super) fn words(nest: &Nest, tiles: Option<Tiles>, signature: &Signature) -> Words {
    let swapped = Side::is_column(nest, 0);
    let (left, right) = match swapped {
        false => (Side::of(nest, 0), Side::of(nest, 1)),
        true => (Side::of(nest, 1), Side::of(nest, 0)),
    };
    let contiguous = nest.tile[right.index].strides[2].is(1);
    let is_half = nest.input == DataType::F16;
    let most = side::most(nest.input);
    let is_wide = |side: &Side| (is_half || !side.along_k) && side.widest(nest, most) > 1;
    let mut words = Words::default();
    words.flag("swapped", swapped);
    words.flag("plain_fragments", left.along_k || right.along_k);
    words.flag("transposed_fragments", !left.along_k || !right.along_k);
    words.flag("left_along_k", left.along_k);
    words.flag("right_along_k", right.along_k);
    words.flag("left_wide", is_wide(&left));
    words.flag("right_wide", is_wide(&right));
    words.flag("any_wide", is_wide(&left) || is_wide(&right));
    words.flag("contiguous", contiguous);
    words.flag("half_output", nest.output == DataType::F16);
    words.flag("elementwise", nest.last == LastTouch::ElementwiseMul);
    let hoisted: Vec<&Loop> = nest.loops.iter().filter(|l| walk::is_hoisted(l)).collect();
    words.flag("looped", !hoisted.is_empty());

    words.word("ROW", left.letter);
    words.word("COLUMN", right.letter);
    words.word("Out", element(nest.output));
    words.word("entry", signature.entry.clone());
    words.word("parameters", parameters(nest, signature));
    let loops: Vec<String> = hoisted
        .iter()
        .map(|l| {
            let i = l.index();
            format!("for (unsigned {i} = 0; {i} < {}; {i}++) {{", l.extent)
        })
        .collect();
    words.word("loops_end", "} ".repeat(loops.len()).trim_end());
    words.word("loops", loops.join("\n"));
    let start = |tensor: usize| edges::start(nest, tensor_name(tensor), tensor, |l| !walk::is_k(l));
    words.word("left", start(left.tensor));
    words.word("right", start(right.tensor));
    words.word("to", start(2));
    words.word("factors", start(3));
    words.word(
        "rows",
        format!(
            "const unsigned rows = {};",
            edges::extent(nest, left.index, "ROWS")
        ),
    );
    words.word(
        "columns",
        format!(
            "const unsigned columns = {};",
            edges::extent(nest, right.index, "COLUMNS")
        ),
    );
    words.word(
        "walk",
        walk::walk(nest, element(nest.input), left.tensor, right.tensor),
    );
    let stride = |side: &Side, tensor: usize| &nest.tile[side.index].strides[tensor];
    let to_row = stride(&left, 2);
    words.word(
        "to_row",
        if to_row.text.contains(' ') {
            format!("({to_row})")
        } else {
            to_row.text.clone()
        },
    );
    // What a lane or thread has of C and D: from the tile on, and from there on.
    let (column, next) = match nest.input {
        DataType::F16 => ("warp_column", "1"),
        DataType::F32 => ("column", "at"),
    };
    let place = |tensor: usize, column: &str| {
        let row = edges::product("row", stride(&left, tensor));
        let column = edges::product(column, stride(&right, tensor));
        let terms = [row, column].into_iter().flatten();
        terms.map(|term| format!(" + {term}")).collect::<String>()
    };
    let along = |index: &str, tensor: usize| {
        edges::product(index, stride(&right, tensor)).unwrap_or_else(|| "0".into())
    };
    words.word("to_at", place(2, column));
    let factor_column = if column == "column" {
        column
    } else {
        "(warp_column + column)"
    };
    words.word("factor_at", place(3, factor_column));
    words.word("to_low", along("column", 2));
    let high = along("(column + 1)", 2);
    let bare = high
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    words.word("to_high", bare.unwrap_or(&high));
    words.word("to_next", along(next, 2));
    words.word("factor_next", along(next, 3));
    let mut wide = Vec::new();
    for (side, pointer, extent) in [(&left, "left", "rows"), (&right, "right", "columns")] {
        if is_wide(side) {
            wide.push(format!("(size_t){pointer} % ({} * VECTOR) == 0", 16 / most));
            wide.extend(side.conditions(nest, most, extent));
        }
    }
    words.word("wide", wide.join(" &&\n                    "));
    match nest.input {
        DataType::F16 => half_words(&mut words, nest, &left, &right),
        DataType::F32 => float_words(
            &mut words,
            nest,
            &left,
            &right,
            is_wide(&left),
            is_wide(&right),
        ),
    }
    let place = blocks::place(nest, tiles);
    words.word(
        "place",
        sizes(nest, &format!("{place} {}", words.all())) + &place,
    );
    words
}

fn half_words(words: &mut Words, nest: &Nest, left: &Side, right: &Side) {
    let extents = |side: &Side, own: &str| match side.along_k {
        true => format!("{own}, ahead"),
        false => format!("ahead, {own}"),
    };
    let shape = |side: &Side, own: &'static str| match side.along_k {
        true => (own, "DEPTH"),
        false => ("DEPTH", own),
    };
    let along = |side: &Side| {
        if side.along_k {
            side.k.text.clone()
        } else {
            side.own.text.clone()
        }
    };
    words.word("left_lines", shape(left, "ROWS").0);
    words.word("left_chunks", shape(left, "ROWS").1);
    words.word("right_lines", shape(right, "COLUMNS").0);
    words.word("right_chunks", shape(right, "COLUMNS").1);
    words.word("left_extents", extents(left, "rows"));
    words.word("right_extents", extents(right, "columns"));
    words.word("left_pitch", left.pitch().text.clone());
    words.word("right_pitch", right.pitch().text.clone());
    words.word("left_along", along(left));
    words.word("right_along", along(right));
    let (store, round) = match nest.output {
        DataType::F16 => ("8", ["__float2half_rn(low[j])", "__float2half_rn(high[j])"]),
        DataType::F32 => ("4", ["low[j]", "high[j]"]),
    };
    words.word("store", store);
    words.word("round_low", round[0]);
    words.word("round_high", round[1]);
}

fn float_words(
    words: &mut Words,
    nest: &Nest,
    left: &Side,
    right: &Side,
    left_wide: bool,
    right_wide: bool,
) {
    let kind = |side: &Side| {
        if side.is_turned() {
            "Turned"
        } else {
            "Straight"
        }
    };
    let start = |side: &Side, wide: bool| match (kind(side), wide) {
        ("Turned", _) => "start",
        (_, true) => "template start<WIDE ? VECTOR : 1>",
        (_, false) => "template start<1>",
    };
    words.flag(
        "any_straight",
        kind(left) == "Straight" || kind(right) == "Straight",
    );
    words.flag(
        "any_turned",
        kind(left) == "Turned" || kind(right) == "Turned",
    );
    words.word("Left", kind(left));
    words.word("Right", kind(right));
    words.word("left_start", start(left, left_wide));
    words.word("right_start", start(right, right_wide));
    words.word("left_side", left.own.text.clone());
    words.word("left_depth", left.k.text.clone());
    words.word("right_side", right.own.text.clone());
    words.word("right_depth", right.k.text.clone());
    let (store, round) = match nest.output {
        DataType::F16 => (
            "const __half2 low = __floats2half2_rn(sums[i][j], sums[i][j + 1]), high = __floats2half2_rn(sums[i][j + 2], sums[i][j + 3]);\n*(uint2 *)quad = make_uint2(*(const unsigned *)&low, *(const unsigned *)&high);",
            "__float2half_rn(sums[i][j + at])",
        ),
        DataType::F32 => (
            "*(float4 *)quad = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);",
            "sums[i][j + at]",
        ),
    };
    words.word("store_quad", store);
    words.word("round", round);
}
