::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    unverified: &[],
    key: "weighted",
    parameters: &["ANY"],
    sizes: &["n"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["weighted"], options: &[], images: &[] }) },
    ],
    problems: &[
        ::bico::__private::Problem { sizes: &[1000], consts: &[], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
    ],
    devices: &[],
    sources: &[::bico::__private::Source {
        path: "kernels/weighted.cu",
        files: &[("kernels/weighted.cu", ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/kernels/weighted.cu")))],
    }],
}
