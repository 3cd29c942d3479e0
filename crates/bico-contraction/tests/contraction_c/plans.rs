//! Kernels of whole tunables: one text per einsum, compiled with `-D`, called with awkward sizes.

use super::harness::{Case, Text, check};
use bico_contraction::{DataType, DimType, Nest, Param, Signature, Target, c};
use bico_contraction_tests::naive;
use bico_einsum::Einsum;
use fastrand::Rng;

/// The round of [`case`] without anything to sum.
const EMPTY: usize = 8;

const EINSUMS: &[&str] = &[
    "mk, kn -> mn",
    "cmk, ckn -> cmn",
    "mk, nk -> mn",
    "km, kn -> mn",
    "km, nk -> mn",
    "mk, kn -> nm",
    "mk, nk -> nm",
    "bqhd, bkhd -> bhqk",
    "bhqk, bkhd -> bqhd",
    "abk, kn -> abn",
    "cmk, ckn, cmn -> cmn",
    "mk, kn, nm -> mn",
    "mk, kn, mn -> nm",
    // Two summed indices: one dimension, or two that are apart.
    "mkl, kln -> mn",
    "mkl, nlk -> mn",
    "akmb, bnka -> anbm",
    // Letters that texts use otherwise, too.
    "abd, dce -> abce",
    "Cin, nVC -> ViC",
];

/// VL, the sides of the register tile along its rows and its columns, M_PRIM, N_PRIM, K_PRIM, ORDER, KU, PF_A and PF_C.
const CONFIGS: &[[&str; 10]] = &[
    ["4", "3", "8", "24", "24", "7", "mn", "2", "0", "1"],
    ["8", "2", "16", "16", "32", "16", "nm", "1", "8", "0"],
    ["4", "1", "4", "8", "4", "5", "nm", "4", "0", "0"],
];

fn text(einsum: &Einsum, values: &[&str; 10], at: usize) -> Text {
    let nest = Nest::of_plan(einsum, DataType::F32, DataType::F32, Target::C);
    let mut parameters: Vec<Param> = (0..einsum.tensors().len()).map(Param::Tensor).collect();
    let types = [
        "unsigned int",
        "int",
        "unsigned long long",
        "unsigned short",
    ];
    let letters = einsum.letters().into_iter().enumerate();
    parameters.extend(letters.map(|(number, (letter, _))| Param::Size {
        letter,
        c_type: types[number % types.len()],
    }));
    parameters.extend([Param::Scratch(0), Param::Scratch(1)]);
    let signature = Signature {
        entry: format!("kernel_{at}"),
        parameters,
        reference: Some(format!("reference_{at}")),
    };
    let names = match swapped(&nest) {
        false => [
            "VL", "MR", "NR", "M_PRIM", "N_PRIM", "K_PRIM", "ORDER", "KU", "PF_A", "PF_C",
        ],
        true => [
            "VL", "NR", "MR", "N_PRIM", "M_PRIM", "K_PRIM", "ORDER", "KU", "PF_A", "PF_C",
        ],
    };
    Text {
        source: c::source(&nest, &signature).unwrap(),
        signature,
        flags: names
            .iter()
            .zip(values)
            .map(|(name, value)| format!("-D{name}={value}"))
            .collect(),
    }
}

/// True if C is contiguous along M only.
fn swapped(nest: &Nest) -> bool {
    nest.tile[0].strides[2].is(1) && !nest.tile[1].strides[2].is(1)
}

fn case(rng: &mut Rng, einsum: &Einsum, values: &[&str; 10], at: usize, round: usize) -> Case {
    let tile: Vec<u64> = values[1..6].iter().map(|v| v.parse().unwrap()).collect();
    // 1, then primes, then one off a tile, then whole tiles; once nothing to sum.
    let letters = einsum.letters();
    let sizes: Vec<(char, u64)> = letters
        .iter()
        .map(|(letter, dim_type)| {
            let near = *rng.choice(&tile).unwrap();
            let size = match round {
                0 => 1,
                1 => *rng.choice(&[2, 3, 5, 7, 11, 13]).unwrap(),
                EMPTY if *dim_type == DimType::K => 0,
                2 => (near + rng.u64(0..=2)).saturating_sub(1).max(1),
                _ => near,
            };
            // Many letters make many elements.
            (*letter, if letters.len() > 4 { size.min(9) } else { size })
        })
        .collect();
    let size = |letter: &char| sizes.iter().find(|(l, _)| l == letter).unwrap().1;
    let shape = |letters: &[char]| letters.iter().map(size).collect::<Vec<u64>>();
    let shapes: Vec<Vec<u64>> = einsum.inputs.iter().map(|letters| shape(letters)).collect();
    let length = |shape: &[u64]| shape.iter().product::<u64>() as usize;
    let inputs: Vec<Vec<f64>> = shapes
        .iter()
        .map(|shape| {
            (0..length(shape))
                .map(|_| f64::from(rng.i8(-3..=3)))
                .collect()
        })
        .collect();
    let shape_slices: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
    let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let expected = match round {
        // Sums of nothing, which no shape of a schedule has.
        EMPTY => vec![0.0; length(&shape(&einsum.output))],
        _ => naive(einsum, &shape_slices, &slices).unwrap(),
    };
    let mut lengths = [0; 4];
    for (tensor, letters) in einsum.tensors().into_iter().enumerate() {
        lengths[tensor] = length(&shape(letters));
    }
    // M_PRIM or, where sides are swapped, N_PRIM comes first.
    let nest = Nest::of_plan(einsum, DataType::F32, DataType::F32, Target::C);
    let (m, n) = match swapped(&nest) {
        false => (tile[2], tile[3]),
        true => (tile[3], tile[2]),
    };
    Case {
        label: format!("{einsum} with {sizes:?} and {values:?}"),
        text: at,
        sizes,
        lengths,
        scratch: [m * tile[4], n * tile[4]].map(|length| length as usize),
        inputs,
        expected,
        reference: false,
    }
}

fn awkward_sizes(compiler: &[&str], einsums: impl Iterator<Item = &'static &'static str>) {
    let mut rng = Rng::with_seed(5);
    let (mut texts, mut cases) = (Vec::new(), Vec::new());
    for einsum in einsums {
        let einsum = Einsum::parse(einsum).unwrap();
        for values in CONFIGS {
            let at = texts.len();
            texts.push(text(&einsum, values, at));
            for round in 0..=EMPTY {
                let mut case = case(&mut rng, &einsum, values, at, round);
                case.reference = round >= 7;
                if round == EMPTY {
                    let mut kernel = case.clone();
                    kernel.reference = false;
                    cases.push(kernel);
                }
                cases.push(case);
            }
        }
    }
    check(compiler, &texts, &cases);
}

#[test]
fn texts_of_tunables_compute_awkward_sizes() {
    awkward_sizes(super::CC, EINSUMS.iter());
}

#[test]
#[ignore = "needs the sanitizers' libraries: .ci/run runs it"]
fn few_sanitized_texts_touch_only_what_is_theirs() {
    awkward_sizes(super::SANITIZED, EINSUMS.iter().step_by(6));
}

#[test]
#[ignore = "minutes, and needs the sanitizers' libraries: `scripts/full c-sanitized`"]
fn all_sanitized_texts_touch_only_what_is_theirs() {
    awkward_sizes(super::SANITIZED, EINSUMS.iter());
}
