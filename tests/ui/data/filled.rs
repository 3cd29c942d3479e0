::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    unverified: &[],
    key: "filled",
    parameters: &["TILE"],
    sizes: &["n"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(32)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0, expressions: &["filled"], options: &[], images: &[] }) },
    ],
    problems: &[
        ::bico::__private::Problem { sizes: &[64], consts: &[], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
    ],
    devices: &[],
    sources: &[],
}
