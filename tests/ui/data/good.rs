{
    const _: () = assert!(WIDTH as i64 == 8, "the build script took `WIDTH` to be 8");
    ::bico::__private::Data {
        fingerprint: 0,
        hash: "00000000000000000000000000000000",
        unverified: &[],
        key: "good",
        parameters: &["TILE", "ISA", "FAST"],
        sizes: &["n"],
        consts: &["ACT"],
        candidates: &[
            ::bico::__private::Candidate { values: &[::bico::Value::Int(4), ::bico::Value::Str("x86-64-v2"), ::bico::Value::Bool(false)], variant: 0, needs: &["x86-64-v2"], only_on: &[], gpu: None },
            ::bico::__private::Candidate { values: &[::bico::Value::Int(8), ::bico::Value::Str("x86-64-v3"), ::bico::Value::Bool(true)], variant: 1, needs: &["x86-64-v3"], only_on: &[], gpu: None },
        ],
        problems: &[
            ::bico::__private::Problem { sizes: &[64], consts: &[::bico::Value::Str("silu")], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
            ::bico::__private::Problem { sizes: &[4096], consts: &[::bico::Value::Str("relu")], variant: 1, winners: &[], order: &[1], first: 1, top: 1 },
        ],
        devices: &[],
        sources: &[],
    }
}
