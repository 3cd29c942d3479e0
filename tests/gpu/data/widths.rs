::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    unverified: &[],
    key: "widths",
    parameters: &["BLOCK"],
    sizes: &["a", "b", "c", "d"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(32)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["widths"], options: &[], images: &[] }) },
    ],
    problems: &[
        ::bico::__private::Problem { sizes: &[1, 2, 3, 4], consts: &[], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
    ],
    devices: &[],
    sources: &[::bico::__private::Source {
        path: "kernels/widths.cu",
        files: &[("kernels/widths.cu", ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/kernels/widths.cu")))],
    }],
}
