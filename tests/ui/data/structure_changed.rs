{
    #[allow(clippy::all)]
    const _: () = assert!(::core::mem::size_of::<Particle>() == 16 && ::core::mem::align_of::<Particle>() == 4 && ::core::mem::offset_of!(Particle, pos) == 0 && ::core::mem::offset_of!(Particle, mass) == 12, "the build script took `Particle` to hold pos: [f32; 3], mass: f32: bico reads the `struct` of that name in the same file");
    ::bico::__private::Data {
        fingerprint: 0,
        hash: "00000000000000000000000000000000",
        unverified: &[],
        key: "structure_changed",
        parameters: &["TILE"],
        sizes: &["n"],
        consts: &[],
        candidates: &[
            ::bico::__private::Candidate { values: &[::bico::Value::Int(4)], variant: 0, needs: &[], only_on: &[], gpu: None },
        ],
        problems: &[
            ::bico::__private::Problem { sizes: &[64], consts: &[], variant: 0, winners: &[], order: &[0], first: 0, top: 0 },
        ],
        devices: &[],
        sources: &[],
    }
}
