//! From loops to CUDA C++: blocks of threads over the parallel loops, each with tiles of the inputs in
//! shared memory, copied ahead while tensor cores (FP16) or registers' tiles (FP32) multiply them.
//!
//! What is always the same stands in `text/`, with places to fill in; what depends on the loops is written here.

mod blocks;
mod edges;
mod fit;
mod kernel;
mod reference;
mod shape;
mod side;
mod walk;
mod words;

use super::nest::{Loop, Nest};
use super::{ContractionError, DataType, LastTouch, Param, Signature};
pub use kernel::{Kernel, kernel};
pub use shape::Schedule;

use blocks::Tiles;
use side::Side;
use std::fmt::Write;
use words::Words;

/// The text of a kernel, complete but for the headers of CUDA itself, and of its reference.
///
/// `constants` are macros that the text shall define. For a [`Nest::of_plan`] there are none: they come
/// with each compilation. For a [`Nest::of_config`] they are all that the text names, of which `M_PRIM`,
/// `N_PRIM` and `K_PRIM` need not be the sides of the config's inner product: that is cut into tiles of
/// this size.
///
/// # Errors
///
/// What the kernel's parameters lack.
pub fn source(
    nest: &Nest,
    signature: &Signature,
    constants: &[(String, String)],
) -> Result<String, ContractionError> {
    let names = Names::of(nest, signature)?;
    let constant = |name: &str| {
        let found = constants.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.parse().ok())
    };
    let nest = fit::fit(nest, fit::SIDES.map(constant));
    let (nest, tiles) = blocks::tiles(&nest);
    let mut out = String::new();
    for line in header(&nest, tiles) {
        let _ = writeln!(out, "{}", format!("// {line}").trim_end());
    }
    if nest.input == DataType::F16 || nest.output == DataType::F16 {
        out.push_str("#include <cuda_fp16.h>\n");
    }
    if !constants.is_empty() {
        out.push('\n');
    }
    for (name, value) in constants {
        let _ = writeln!(out, "#define {name} {value}");
    }
    let words = words(&nest, tiles, signature, &names);
    let pieces = [
        (true, include_str!("text/async_copy.cu")),
        (
            nest.input == DataType::F16,
            include_str!("text/tensor_core.cu"),
        ),
        (tiles.is_some(), include_str!("text/order.cu")),
        (
            edges::any_remaining(&nest),
            include_str!("text/remaining.cu"),
        ),
        (nest.input == DataType::F16, include_str!("text/half.cu")),
        (nest.input == DataType::F32, include_str!("text/float.cu")),
    ];
    for (_, piece) in pieces.iter().filter(|(wanted, _)| *wanted) {
        out.push('\n');
        out.push_str(&words.fill(piece));
    }
    if let Some(entry) = &signature.reference {
        out.push_str(&reference::reference(&nest, signature, entry, &names));
    }
    Ok(out)
}

/// What a reader should know of the kernel.
fn header(nest: &Nest, tiles: Option<Tiles>) -> Vec<String> {
    let mut lines = nest.heading.clone();
    lines.push(String::new());
    lines.push("Written by bico. A block computes a tile of C of M_PRIM x N_PRIM elements, in steps of K_PRIM along K, whose".into());
    lines.push(
        "tiles of A and B are in shared memory: STAGES of them are there or on their way.".into(),
    );
    lines.push(match nest.input {
        DataType::F16 => "Inputs are FP16, sums FP32 on tensor cores; a warp computes WARP_M x WARP_N of the tile.".into(),
        DataType::F32 => "Inputs and sums are FP32, on the CUDA cores; a thread computes MR x NR of the tile in its registers.".into(),
    });
    if tiles.is_some() {
        lines.push("Blocks follow each other in groups of M_L2 x N_L2 tiles; ORDER says which of M and N is outside: mn or nm.".into());
    }
    lines.push(
        "Loads from global memory have VECTOR elements where sizes and addresses allow, else one."
            .into(),
    );
    lines.push("Launch: a block per tile, along x, of THREADS threads, with the bytes of STAGES stages as dynamic shared memory.".into());
    lines
}

/// What the functions call the tensors.
#[derive(Debug)]
struct Names;

impl Names {
    /// Checks that every tensor and every index's size is a parameter.
    fn of(nest: &Nest, signature: &Signature) -> Result<Names, ContractionError> {
        let mut missing = Vec::new();
        for tensor in 0..if nest.last == LastTouch::ElementwiseMul {
            4
        } else {
            3
        } {
            if !signature.parameters.contains(&Param::Tensor(tensor)) {
                missing.push(format!(
                    "the kernel has no parameter for the tensor {}",
                    ["A", "B", "C", "D"][tensor]
                ));
            }
        }
        let is_there = |letter: char| {
            let mut parameters = signature.parameters.iter();
            parameters.any(|p| matches!(p, Param::Size { letter: own, .. } if *own == letter))
        };
        for letter in nest.sizes.iter().flat_map(|size| &size.letters) {
            if !is_there(*letter) {
                missing.push(format!(
                    "the kernel has no parameter for the size of `{letter}`"
                ));
            }
        }
        ContractionError::check(missing)?;
        Ok(Names)
    }

    fn tensor(&self, tensor: usize) -> &'static str {
        ["a", "b", "c", "d"][tensor]
    }
}

/// The parameters of kernel and reference.
fn parameters(nest: &Nest, signature: &Signature, names: &Names) -> String {
    let parameter = |parameter: &Param| match *parameter {
        Param::Tensor(2) => format!("{} *{}", element(nest.output), names.tensor(2)),
        Param::Tensor(tensor) => format!("const {} *{}", element(nest.input), names.tensor(tensor)),
        Param::Size { letter, c_type } => format!("{c_type} len_{letter}"),
        Param::Scratch(number) => format!("float *scratch{number}"),
    };
    let parameters: Vec<String> = signature.parameters.iter().map(parameter).collect();
    parameters.join(", ")
}

/// Statements that declare the sizes that `text` names.
fn sizes(nest: &Nest, text: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    for size in &nest.sizes {
        if text.split(|c| !is_letter(c)).any(|word| word == size.name) {
            let factors: Vec<String> = (size.letters.iter())
                .map(|letter| format!("(size_t)len_{letter}"))
                .collect();
            let _ = writeln!(out, "const size_t {} = {};", size.name, factors.join(" * "));
        }
    }
    out
}

fn element(data_type: DataType) -> &'static str {
    match data_type {
        DataType::F16 => "__half",
        DataType::F32 => "float",
    }
}

/// What the templates are filled in with.
fn words(nest: &Nest, tiles: Option<Tiles>, signature: &Signature, names: &Names) -> Words {
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
    words.word("parameters", parameters(nest, signature, names));
    let loops: Vec<String> = hoisted
        .iter()
        .map(|l| {
            let i = blocks::index(l);
            format!("for (unsigned {i} = 0; {i} < {}; {i}++) {{", l.extent)
        })
        .collect();
    words.word("loops_end", "} ".repeat(loops.len()).trim_end());
    words.word("loops", loops.join("\n"));
    let start =
        |tensor: usize| edges::start(nest, names.tensor(tensor), tensor, |l| !walk::is_k(l));
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
    for (tile, row, column) in [
        (2, "to_row", "to_column"),
        (3, "factor_row", "factor_column"),
    ] {
        words.word(row, nest.tile[left.index].strides[tile].text.clone());
        words.word(column, nest.tile[right.index].strides[tile].text.clone());
    }
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
