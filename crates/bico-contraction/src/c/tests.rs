use super::*;
use crate::{Param, Schedule, Target};
use bico_einsum::Einsum;

/// The text of bico's own tunable of an einsum.
fn of_plan(text: &str) -> String {
    let einsum = Einsum::parse(text).unwrap();
    let nest = Nest::of_plan(&einsum, DataType::F32, DataType::F32, Target::C);
    let mut parameters = vec![Param::Tensor(2), Param::Tensor(0), Param::Tensor(1)];
    if einsum.inputs.len() > 2 {
        parameters.push(Param::Tensor(3));
    }
    parameters.extend(einsum.letters().iter().map(|(letter, _)| Param::Size {
        letter: *letter,
        c_type: "unsigned int",
    }));
    parameters.extend([Param::Scratch(0), Param::Scratch(1)]);
    let signature = Signature {
        entry: "contraction".into(),
        parameters,
        reference: Some("contraction_reference".into()),
    };
    source(&nest, &signature).unwrap()
}

#[test]
fn no_place_stays_open() {
    for einsum in [
        "cmk, ckn -> cmn",
        "mk, nk -> mn",
        "km, kn -> nm",
        "bqhd, bkhd -> bhqk",
        "cmk, ckn, cmn -> cmn",
        "mk, kn, nm -> mn",
    ] {
        let text = of_plan(einsum);
        assert!(!text.contains('@') && !text.contains("//?"), "{einsum}");
        let long = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "{einsum}");
    }
}

fn signature(tensors: usize) -> Signature {
    let mut parameters: Vec<Param> = (0..tensors).map(Param::Tensor).collect();
    parameters.extend([Param::Scratch(0), Param::Scratch(1)]);
    Signature {
        entry: "kernel".into(),
        parameters,
        reference: None,
    }
}

fn schedule(einsum: &str, size: u64, tile: u64) -> Schedule {
    let mut schedule =
        Schedule::from_einsum(einsum, &[&[size, size], &[size, size]], DataType::F32).unwrap();
    for name in ["m", "n", "k"] {
        let outer = size.div_ceil(tile);
        schedule = schedule.pad_dim(name, outer * tile).unwrap();
        schedule = schedule.split_dim(name, outer, tile).unwrap();
    }
    let order = ["m0", "n0", "k0", "m1", "n1", "k1"];
    schedule
        .permute_dims(&order)
        .unwrap()
        .make_executable()
        .unwrap()
}

fn text_of(schedule: &Schedule) -> String {
    let nest = Nest::of_schedule(schedule).unwrap();
    let tiling = Tiling::of(&nest);
    kernel(&nest, &signature(3), &tiling).unwrap().source
}

#[test]
fn tiles_that_divide_leave_no_code_for_edges() {
    let text = text_of(&schedule("mk, kn -> mn", 192, 48));
    for absent in [
        "edge_tile",
        "min_size",
        "inside",
        "x < lines",
        "p + 4 <=",
        "reference",
    ] {
        assert!(!text.contains(absent), "{absent}:\n{text}");
    }
    let text = text_of(&schedule("mk, kn -> mn", 190, 48));
    assert!(text.contains("edge_tile") && text.contains("inside(190, i_m0 * 48, 48)"));
}

#[test]
fn the_header_says_where_the_text_comes_from() {
    let schedule = schedule("mk, kn -> mn", 192, 48);
    let text = text_of(&schedule);
    for line in schedule.to_string().lines() {
        assert!(
            text.contains(format!("//   {line}").trim_end()),
            "{line}:\n{text}"
        );
    }
    assert!(of_plan("abk, kn -> abn").contains("// The contraction `abk, kn -> abn`"));
}

#[test]
fn vectors_run_where_the_output_is_contiguous() {
    let straight = of_plan("mk, kn -> mn");
    assert!(straight.contains("vec sum[MR][NV]") && straight.contains("#define NV (NR / VL)"));
    let swapped = of_plan("mk, kn -> nm");
    assert!(swapped.contains("vec sum[NR][NV]") && swapped.contains("#define NV (MR / VL)"));
    assert!(swapped.contains("full_tile"));
    // D lies the other way round: it is picked element by element.
    assert!(!of_plan("mk, kn, nm -> mn").contains("full_tile"));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut half = schedule("mk, kn -> mn", 64, 32);
    half.data_type = DataType::F16;
    let nest = Nest::of_schedule(&half).unwrap();
    let error = source(&nest, &signature(2)).unwrap_err();
    assert!(error.to_string().contains("f16 is for CUDA kernels only"));

    let nest = Nest::of_schedule(&schedule("mk, kn -> mn", 64, 32)).unwrap();
    let error = source(&nest, &signature(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the kernel has no parameter for the tensor C"
    );
    let odd = Tiling {
        vector: 8,
        register: [0, 12],
        unroll: 1,
        prefetch: 0,
    };
    let error = kernel(&nest, &signature(3), &odd).unwrap_err();
    assert_eq!(error.messages.len(), 2, "{error}");
}
