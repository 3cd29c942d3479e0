::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    unverified: &[],
    key: "nothing_mapped",
    parameters: &["TILE"],
    sizes: &["n"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(64)], variant: 0, needs: &[], only_on: &[], gpu: Some(::bico::__private::GpuCode { exact: false, source: 0,
            expressions: &["nothing_mapped"], options: &[],
            images: &[::bico::__private::Image { kind: ::bico::__private::ImageKind::Ptx, compute_capability: 50, entries: &["nothing_mapped"], registers: 0, bytes: crate::NOTHING_MAPPED.as_bytes() }],
        }) },
    ],
    problems: &[
        ::bico::__private::Problem { sizes: &[1024], consts: &[], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
    ],
    devices: &[],
    sources: &[],
}
