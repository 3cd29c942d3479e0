::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    unverified: &[],
    key: "nothing",
    parameters: &["TILE"],
    sizes: &["n"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(64)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0,
            expressions: &["nothing"], options: &[],
            images: &[::bico::__private::Image { kind: ::bico::__private::ImageKind::Ptx, compute_capability: 50, entries: &["nothing"], registers: 0, bytes: crate::NOTHING.as_bytes() }],
        }) },
    ],
    problems: &[
        ::bico::__private::Problem { sizes: &[1000], consts: &[], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
    ],
    devices: &[],
    sources: &[],
}
