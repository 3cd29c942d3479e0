use super::*;

fn einsum(text: &str) -> Einsum {
    Einsum::parse(text).unwrap()
}

#[test]
fn letters_have_types_in_order_of_first_appearance() {
    use DimType::*;
    let product = einsum("cmk, ckn -> cmn");
    assert_eq!(product.letters(), [('c', C), ('m', M), ('k', K), ('n', N)]);
    assert_eq!(
        product.tensors(),
        [&['c', 'm', 'k'][..], &['c', 'k', 'n'], &['c', 'm', 'n']]
    );
    assert_eq!(product.to_string(), "cmk, ckn -> cmn");
}
