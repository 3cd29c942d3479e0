::bico::__private::Data {
    fingerprint: 0,
    hash: "00000000000000000000000000000000",
    key: "KEY",
    parameters: &["COST"],
    sizes: &["n"],
    consts: &[],
    candidates: &[
        ::bico::__private::Candidate { values: &[::bico::Value::Int(60)], variant: 0, needs: &[], only_on: &[], gpu: None },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(1)], variant: 0, needs: &[], only_on: &[], gpu: None },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(120)], variant: 0, needs: &[], only_on: &[], gpu: None },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(30)], variant: 0, needs: &[], only_on: &[], gpu: None },
        ::bico::__private::Candidate { values: &[::bico::Value::Int(45)], variant: 0, needs: &["no-such-feature"], only_on: &[], gpu: None },
    ],
    unverified: &[],
    problems: &[
        ::bico::__private::Problem { sizes: &[16384], consts: &[], variant: 0, winners: &[(0, 3)], order: &[3, 0, 1, 2, 4], first: 2, top: 2 },
    ],
    devices: &[::core::env!("THIS_CPU")],
    sources: &[],
}
