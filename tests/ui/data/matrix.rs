{
    const _: () = assert!(MOST as i64 == 1024, "the build script took `MOST` to be 1024");
    ::bico::__private::Data {
        fingerprint: 0,
        hash: "00000000000000000000000000000000",
        unverified: &[],
        key: "matrix",
        parameters: &["TILE_M", "TILE_N"],
        sizes: &["m", "n", "wide"],
        consts: &["ACT"],
        candidates: &[
            ::bico::__private::Candidate { values: &[::bico::Value::Int(8), ::bico::Value::Int(8)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0,
                expressions: &["matrix<8, 8>"], options: &["-O3"], images: &[::bico::__private::Image { kind: ::bico::__private::ImageKind::Ptx, compute_capability: 75, entries: &["matrix"], registers: 0, bytes: b".version 8.0" }],
            }) },
            ::bico::__private::Candidate { values: &[::bico::Value::Int(16), ::bico::Value::Int(16)], variant: 1, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0,
                expressions: &["matrix<16, 16>"], options: &["-O3"], images: &[],
            }) },
        ],
        problems: &[
            ::bico::__private::Problem { sizes: &[64, 64, 7], consts: &[::bico::Value::Str("silu")], variant: 0, winners: &[(0, 0)], order: &[0], first: 0, top: 0 },
            ::bico::__private::Problem { sizes: &[64, 64, 7], consts: &[::bico::Value::Str("relu")], variant: 1, winners: &[(0, 1)], order: &[1], first: 1, top: 1 },
        ],
        devices: &["NVIDIA H200 (sm_90)"],
        sources: &[::bico::__private::Source { path: "kernels/matrix.cu", files: &[("kernels/matrix.cu", "// nothing")] }],
    }
}
