{
    use ::bico::__private::{Candidate, Data, GpuCode, Image, ImageKind, Problem, Source};
    use ::bico::Value::Int;
    // What no driver loads: the source serves then.
    const DAMAGED: &[Image] = &[Image { kind: ImageKind::Cubin, compute_capability: 80, entries: &["shift"], registers: 16, bytes: b"no cubin" }];
    const FOREIGN: &[Image] = &[Image { kind: ImageKind::Cubin, compute_capability: 120, entries: &["shift"], registers: 16, bytes: b"of another GPU" }];
    Data {
        fingerprint: 0,
        hash: "00000000000000000000000000000000",
        unverified: &[],
        key: "shift",
        parameters: &["TILE", "KIB"],
        sizes: &["n"],
        consts: &[],
        candidates: &[
            Candidate { values: &[Int(64), Int(4)], variant: 0, needs: &[], only_on: &[], gpu: Some(GpuCode { exact: false, source: 0, expressions: &["shift<64, 4>"], options: &["-DSTEPS=1"], images: &[] }) },
            Candidate { values: &[Int(128), Int(4)], variant: 0, needs: &[], only_on: &[], gpu: Some(GpuCode { exact: false, source: 0, expressions: &["shift<128, 4>"], options: &["-DSTEPS=1"], images: DAMAGED }) },
            Candidate { values: &[Int(64), Int(96)], variant: 0, needs: &[], only_on: &[], gpu: Some(GpuCode { exact: false, source: 0, expressions: &["shift<64, 96>"], options: &["-DSTEPS=1"], images: FOREIGN }) },
            Candidate { values: &[Int(64), Int(160)], variant: 0, needs: &[], only_on: &[], gpu: Some(GpuCode { exact: false, source: 0, expressions: &["shift<64, 160>"], options: &["-DSTEPS=1"], images: &[] }) },
        ],
        problems: &[
            Problem { sizes: &[1000], consts: &[], variant: 0, winners: &[(0, 1), (1, 3)], order: &[1, 3, 0, 2], first: 0, top: 2 },
            Problem { sizes: &[100_000], consts: &[], variant: 0, winners: &[(0, 2)], order: &[2, 0, 1, 3], first: 0, top: 2 },
        ],
        devices: &["NVIDIA A100-SXM4-40GB (sm_80)", "NVIDIA H200 (sm_90)"],
        sources: &[Source {
            path: "kernels/shift.cu",
            files: &[
                ("kernels/shift.cu", ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/kernels/shift.cu"))),
                ("kernels/shift.h", ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/kernels/shift.h"))),
            ],
        }],
    }
}
