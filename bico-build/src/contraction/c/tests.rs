use super::super::Target;
use super::*;
use bico_syntax::einsum::Einsum;

/// The text of bico's own tunable of an einsum.
fn of_plan(text: &str) -> String {
    let einsum = Einsum::parse(text).unwrap();
    let nest = Nest::of_plan(&einsum, DataType::F32, DataType::F32, Target::C);
    let mut parameters = vec![Param::Tensor(2), Param::Tensor(0), Param::Tensor(1)];
    if einsum.inputs.len() > 2 {
        parameters.push(Param::Tensor(3));
    }
    parameters.extend(einsum.letters().iter().map(|(letter, _)| Param::Size {
        letter: *letter,
        c_type: "unsigned int",
    }));
    parameters.extend([Param::Scratch(0), Param::Scratch(1)]);
    let signature = Signature {
        entry: "contraction".into(),
        parameters,
        reference: Some("contraction_reference".into()),
    };
    source(&nest, &signature, &[]).unwrap()
}

#[test]
fn no_place_stays_open() {
    for einsum in [
        "cmk, ckn -> cmn",
        "mk, nk -> mn",
        "km, kn -> nm",
        "bqhd, bkhd -> bhqk",
        "cmk, ckn, cmn -> cmn",
        "mk, kn, nm -> mn",
    ] {
        let text = of_plan(einsum);
        println!("{text}");
        assert!(!text.contains('@') && !text.contains("//?"), "{einsum}");
        let long = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "{einsum}");
    }
}
