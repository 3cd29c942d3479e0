//! What stands in a text, and what does not. That it compiles and computes: `tests/contraction`.

use super::{Tiling, kernel, source};
use crate::DataType::{F16, F32};
use crate::{DataType, Nest, Param, Schedule, Signature, Target};
use bico_einsum::Einsum;

fn signature(tensors: &[usize], letters: &str) -> Signature {
    let sizes = letters.chars().map(|letter| Param::Size {
        letter,
        c_type: "unsigned int",
    });
    Signature {
        entry: "contract".into(),
        parameters: tensors
            .iter()
            .copied()
            .map(Param::Tensor)
            .chain(sizes)
            .collect(),
        reference: Some("contract_reference".into()),
    }
}

fn plan(einsum: &str, tensors: &[usize], data_type: DataType) -> String {
    let einsum = Einsum::parse(einsum).unwrap();
    let letters: String = einsum.letters().iter().map(|(letter, _)| letter).collect();
    let nest = Nest::of_plan(&einsum, data_type, F32, Target::Cuda);
    source(&nest, &signature(tensors, &letters)).unwrap()
}

/// 2 x (128 x 96) = 2 x (128 x 64) x (64 x 96), in tiles of 64 x 32 x 32.
fn schedule(data_type: DataType) -> Schedule {
    Schedule::from_einsum("cmk, ckn -> cmn", &[&[2, 128, 64], &[2, 64, 96]], data_type)
        .and_then(|schedule| schedule.split_dim("m", ("m_out", 2), ("m_prim", 64)))
        .and_then(|schedule| schedule.split_dim("n", ("n_out", 3), ("n_prim", 32)))
        .and_then(|schedule| schedule.split_dim("k", ("k_out", 2), ("k_prim", 32)))
        .and_then(|schedule| schedule.make_executable())
        .unwrap()
}

fn tiling(tile: [u64; 3], part: [u64; 2]) -> Tiling {
    Tiling {
        tile,
        part,
        stages: 2,
    }
}

#[test]
fn what_is_not_needed_is_not_there() {
    let plain = plan("mk, kn -> mn", &[2, 0, 1], F16);
    for missing in [
        "factors",
        "size_c",
        "for (unsigned i_",
        "@",
        "//?",
        "#define M_PRIM",
        "float4 shared",
    ] {
        assert!(!plain.contains(missing), "{missing}\n{plain}");
    }
    assert!(plan("mk, kn, mn -> mn", &[2, 0, 1, 3], F16).contains("factor[1]"));
    let batched = plan("cmk, ckn -> cmn", &[2, 0, 1], F32);
    assert!(batched.contains("const unsigned i_c = blockIdx.x / (tiles_m * tiles_n);"));
    assert!(!batched.contains("cuda_fp16.h") && !batched.contains("mma"));
}

#[test]
fn layouts_choose_how_tiles_are_read() {
    // A along K and B along N, the other way round, and an output along M.
    let loads = |einsum| {
        let text = plan(einsum, &[2, 0, 1], F16);
        let of = |part: &str| {
            let mut lines = text.lines().filter(|line| line.contains(part));
            lines.next().unwrap().contains("ldmatrix_x4_trans")
        };
        (
            of("(left_part[slice % 2][i]"),
            of("(right_part[slice % 2][j]"),
            text.contains("ROWS = N_PRIM"),
        )
    };
    assert_eq!(loads("mk, kn -> mn"), (false, true, false));
    assert_eq!(loads("km, nk -> mn"), (true, false, false));
    assert_eq!(loads("mk, kn -> nm"), (true, false, true));
    // Nothing to load at once where batches are inside.
    let narrow = plan("mkc, knc -> mnc", &[2, 0, 1], F16);
    assert!(
        !narrow.contains("VECTOR ==") && !narrow.contains("multiply<true>"),
        "{narrow}"
    );
}

#[test]
fn a_schedule_has_its_numbers_in_the_text() {
    let nest = Nest::of_schedule(&schedule(F16)).unwrap();
    let kernel = kernel(
        &nest,
        &signature(&[2, 0, 1], ""),
        &tiling([64, 32, 32], [32, 32]),
    )
    .unwrap();
    assert_eq!(
        (kernel.grid, kernel.block, kernel.shared),
        (12, 64, 2 * 2 * 32 * 96)
    );
    assert_eq!(kernel.reference_grid, 2 * 128 * 96 / 256);
    let text = &kernel.source;
    assert!(
        text.contains("#define M_PRIM 64\n")
            && text.contains(".split_dim(\"m\", (\"m_out\", 2), (\"m_prim\", 64))")
    );
    // Whole tiles: nobody asks where the tensors end.
    assert!(
        text.contains("const unsigned rows = ROWS;") && !text.contains("remaining("),
        "{text}"
    );
    assert!(
        text.contains("#define VECTOR 8\n") && !text.contains("% VECTOR == 0"),
        "{text}"
    );
}

#[test]
fn a_schedule_is_cut_into_tiles_of_other_sizes() {
    let nest = Nest::of_schedule(&schedule(F32)).unwrap();
    let kernel = kernel(
        &nest,
        &signature(&[2, 0, 1], ""),
        &tiling([32, 64, 16], [4, 4]),
    )
    .unwrap();
    assert_eq!(kernel.grid, 12);
    let text = &kernel.source;
    for part in [
        "for (unsigned i_m_prim_part = 0; i_m_prim_part < 2; i_m_prim_part++) {",
        "if (++i_k_prim_part == 2) {",
        "const unsigned columns = remaining(32, 0, COLUMNS);",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn tilings_that_no_kernel_has_are_refused() {
    let nest = Nest::of_schedule(&schedule(F16)).unwrap();
    for (tiling, message) in [
        (
            tiling([64, 32, 32], [24, 32]),
            "WARP along M is 24: it must be a multiple of 16 that divides 64",
        ),
        (
            tiling([64, 32, 48], [32, 32]),
            "K_PRIM is 48: it must be a power of two from 32 on",
        ),
        (
            tiling([16, 256, 32], [16, 32]),
            "256 threads cannot share a tile of 16 along M and 32 along K",
        ),
    ] {
        let error = tiling.check(&nest).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert!(
        Tiling {
            stages: 1,
            ..tiling([64, 32, 32], [32, 32])
        }
        .check(&nest)
        .is_err()
    );
    let error = source(&nest, &signature(&[2, 0], "")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the kernel has no parameter for the tensor B"
    );
}
