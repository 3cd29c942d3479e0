::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    unverified: &[],
    key: "pick",
    parameters: &["ID", "ROOM"],
    sizes: &["n"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(0), ::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["pick<0, 1>"], options: &[], images: &[] }) },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(1), ::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["pick<1, 1>"], options: &[], images: &[] }) },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(2), ::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["pick<2, 1>"], options: &[], images: &[] }) },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(3), ::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["pick<3, 1>"], options: &[], images: &[] }) },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(4), ::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["pick<4, 1>"], options: &[], images: &[] }) },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(5), ::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["pick<5, 1>"], options: &[], images: &[] }) },
    ],
    problems: &[
        ::bico::__private::Problem { sizes: &[1000], consts: &[], variant: 0, winners: &[], order: &[0, 1, 2, 3, 4, 5], first: 0, top: 0 },
    ],
    devices: &[],
    sources: &[::bico::__private::Source {
        path: "kernels/pick.cu",
        files: &[("kernels/pick.cu", ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/kernels/pick.cu")))],
    }],
}
