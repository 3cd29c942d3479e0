use super::*;

fn einsum(text: &str) -> Einsum {
    Einsum::parse(text).unwrap()
}

/// Each mistake as it is shown.
fn mistakes(text: &str) -> Vec<String> {
    let errors = Einsum::parse(text).unwrap_err();
    errors.iter().map(|error| error.render(text)).collect()
}

fn mistake(text: &str) -> String {
    let [only] = &mistakes(text)[..] else {
        panic!("{:#?}", mistakes(text))
    };
    only.clone()
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
    assert_eq!(product.text, "cmk, ckn -> cmn");
    assert_eq!(product.dim_type('x'), None);
    let mixed = einsum("kaXb,Xck->bcXa");
    assert_eq!(
        mixed.letters(),
        [('k', K), ('a', M), ('X', C), ('b', M), ('c', N)]
    );
    assert_eq!(mixed.to_string(), "kaXb, Xck -> bcXa");
}

#[test]
fn spaces_are_anywhere_and_a_third_input_is_last() {
    let product = einsum("  c m k ,ck\tn,\n m n c-> cmn ");
    assert_eq!(product.to_string(), "cmk, ckn, mnc -> cmn");
    assert_eq!(
        product.tensors(),
        [
            &['c', 'm', 'k'][..],
            &['c', 'k', 'n'],
            &['c', 'm', 'n'],
            &['m', 'n', 'c']
        ]
    );
    assert_eq!(einsum("k, kn -> n").letters().len(), 2);
}

#[test]
fn a_missing_arrow() {
    assert_eq!(
        mistake("cmk, ckn"),
        "the einsum has no `->`\n  cmk, ckn\n          ^\n  name the output's indices after `->`, as in \"cmk, ckn -> cmn\""
    );
    assert_eq!(
        mistake(""),
        "the einsum has no `->`\n  \n  ^\n  name the output's indices after `->`, as in \"cmk, ckn -> cmn\""
    );
}

#[test]
fn a_second_arrow() {
    assert_eq!(
        mistake("mk, kn -> mn -> nm"),
        "an einsum has one `->`\n  mk, kn -> mn -> nm\n               ^^"
    );
}

#[test]
fn unknown_characters_each_on_its_own_place() {
    assert_eq!(
        mistakes("m1, 1é -> mé"),
        [
            "`1` is no index\n  m1, 1é -> mé\n   ^\n  an index is one letter, a to z or A to Z, as in \"cmk, ckn -> cmn\"",
            "`1` is no index\n  m1, 1é -> mé\n      ^\n  an index is one letter, a to z or A to Z, as in \"cmk, ckn -> cmn\"",
            "`é` is no index\n  m1, 1é -> mé\n       ^\n  an index is one letter, a to z or A to Z, as in \"cmk, ckn -> cmn\"",
            "`é` is no index\n  m1, 1é -> mé\n             ^\n  an index is one letter, a to z or A to Z, as in \"cmk, ckn -> cmn\"",
        ]
    );
    assert_eq!(mistakes("...mk, ...kn -> ...mn").len(), 9);
    assert!(mistakes("...mk, ...kn -> ...mn")[0].contains("no `...`: name each index by a letter"));
    assert!(mistake("mk; kn -> mn").contains("tensors are separated by `,`"));
    assert!(mistakes("mk, kn => mn")[0].contains("the output comes after `->`"));
    assert!(mistake("mk, kn → mn").contains("the output comes after `->`"));
    assert_eq!(
        mistakes("m1, kn").len(),
        2,
        "both the digit and the missing arrow"
    );
}

#[test]
fn empty_operands() {
    assert_eq!(
        mistake("mk, -> m"),
        "an input has no indices\n  mk, -> m\n      ^\n  each tensor needs at least one letter, as in \"cmk, ckn -> cmn\""
    );
    assert_eq!(
        mistake("k, k ->"),
        "the output has no indices\n  k, k ->\n         ^\n  each tensor needs at least one letter, as in \"cmk, ckn -> cmn\""
    );
    assert_eq!(mistakes("-> m").len(), 2);
}

#[test]
fn too_few_and_too_many_tensors() {
    assert_eq!(
        mistake("mk -> m"),
        "a contraction has two inputs, not one\n  mk -> m\n  ^^\n  separate them by `,`, as in \"cmk, ckn -> cmn\""
    );
    assert_eq!(
        mistake("mk, kn, mn, mn -> mn"),
        "a contraction has two inputs, not 4\n  mk, kn, mn, mn -> mn\n              ^^\n  a third input with the output's letters is multiplied in at the end; contract more tensors in pairs"
    );
    assert_eq!(
        mistake("mk, kn -> mn, nm"),
        "an einsum has one output, not 2\n  mk, kn -> mn, nm\n                ^^"
    );
}

#[test]
fn letters_twice_in_a_tensor() {
    assert_eq!(
        mistake("mkk, kn -> mn"),
        "`k` is twice in the first input (A)\n  mkk, kn -> mn\n    ^\n  diagonals are not supported: give each index of a tensor a letter of its own"
    );
}

#[test]
fn letters_in_one_tensor_only() {
    assert_eq!(
        mistakes("mkx, kny -> mnz"),
        [
            "`x` is only in the first input (A)\n  mkx, kny -> mnz\n    ^\n  it must also be in the other input (to be summed over) or in the output; sum `x` away beforehand otherwise",
            "`y` is only in the second input (B)\n  mkx, kny -> mnz\n         ^\n  it must also be in the other input (to be summed over) or in the output; sum `y` away beforehand otherwise",
            "`z` is only in the output (C)\n  mkx, kny -> mnz\n                ^\n  an input must have `z`, too",
        ]
    );
}

#[test]
fn a_third_input_has_the_outputs_letters() {
    let note =
        "the third input is multiplied in element by element: it has exactly the output's letters";
    assert_eq!(
        mistakes("mk, kn, mk -> mn"),
        [
            format!(
                "the third input (D) lacks `n` of the output\n  mk, kn, mk -> mn\n          ^^\n  {note}"
            ),
            format!(
                "`k` is in the third input (D), but not in the output\n  mk, kn, mk -> mn\n           ^\n  {note}"
            ),
        ]
    );
}

#[test]
fn a_text_on_several_lines_keeps_its_carets() {
    assert_eq!(
        mistake("mk,\nkn -> mn?").lines().nth(1),
        Some("  mk, kn -> mn?")
    );
}

/// The plan in short: letters, type, `*` where tiled.
fn plan(text: &str) -> String {
    let groups: Vec<String> = (einsum(text).plan().groups.iter())
        .map(|group| {
            let tiled = if group.tiled { "*" } else { "" };
            format!("{}:{}{tiled}", group.name(), group.dim_type)
        })
        .collect();
    groups.join(" ")
}

#[test]
fn plans_fuse_what_stays_together_and_tile_what_is_innermost() {
    assert_eq!(plan("cmk, ckn -> cmn"), "c:C m:M* n:N* k:K*");
    assert_eq!(plan("bhqd, bhkd -> bhqk"), "bh:C q:M* k:N* d:K*");
    // Neighbours in A, apart in the output.
    assert_eq!(plan("abk, kn -> anb"), "a:M b:M* n:N* k:K*");
    assert_eq!(plan("abk, kn -> abn"), "ab:M* n:N* k:K*");
    // Neighbours everywhere, but in another order.
    assert_eq!(plan("abk, kn -> ban"), "b:M a:M* n:N* k:K*");
    // Summed indices follow the first input.
    assert_eq!(plan("mpqr, rpqn -> mn"), "m:M* n:N* pq:K r:K*");
    // The third input keeps letters apart, too.
    assert_eq!(plan("abk, kn, nba -> abn"), "a:M b:M* n:N* k:K*");
    assert_eq!(plan("mk, k -> m"), "m:M* k:K*");
    assert_eq!(einsum("mk, k -> m").plan().missing(), [DimType::N]);
    assert_eq!(einsum("cm, cn -> cmn").plan().missing(), [DimType::K]);
    assert!(einsum("mk, kn -> mn").plan().missing().is_empty());
}
