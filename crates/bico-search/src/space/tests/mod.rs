mod large;
mod near;
mod product;
mod random;

use super::fixture::{facts, scope, space, space_of, spec};
use super::*;
use Value::{Bool, Int, Str};
use bico_core::Value;
use bico_syntax::bind::{Expression, Scope};
use bico_syntax::{Arithmetic, Domain as Declared};

fn all(space: &Space) -> Vec<Vec<Value>> {
    (0..space.len())
        .map(|config| space.config(config))
        .collect()
}

fn ints(options: &str) -> Vec<Vec<i64>> {
    let int = |value: &Value| match value {
        Int(v) => *v,
        other => panic!("{other}"),
    };
    all(&space(options).unwrap())
        .iter()
        .map(|config| config.iter().map(int).collect())
        .collect()
}

fn error(options: &str) -> String {
    space(options).unwrap_err().message
}

#[test]
fn domains_of_every_form() {
    let column = |domain: &str| -> Vec<i64> {
        ints(&format!("space(A in {domain})"))
            .iter()
            .map(|config| config[0])
            .collect()
    };
    assert_eq!(column("[4, 1, 2]"), [4, 1, 2]);
    assert_eq!(column("1..4"), [1, 2, 3]);
    assert_eq!(column("1..=4"), [1, 2, 3, 4]);
    assert_eq!(column("(8..=20).step_by(8)"), [8, 16]);
    assert_eq!(
        column("(0..9000000000).step_by(3000000000)"),
        [0, 3_000_000_000, 6_000_000_000]
    );
    assert_eq!(column("powers_of_two(3..=33)"), [4, 8, 16, 32]);
    assert_eq!(column("powers_of_two(0..LIMIT)"), [1, 2, 4]);
    assert_eq!(
        column("if device.vector_bits == 256 { [8] } else { [4] }"),
        [8]
    );
    assert_eq!(
        column("match LIMIT { 1..=7 => [1], 8 | 9 => [2, 3], _ => [4] }"),
        [2, 3]
    );
    assert_eq!(column("{ let half = LIMIT / 2; half..=half + 1 }"), [4, 5]);
}

#[test]
fn domains_follow_the_parameters_before_them() {
    let configs =
        ints("space(A in [1, 2, 3], B in if A == 1 { 0..1 } else { 0..A }, C = A * 10 + B)");
    assert_eq!(
        configs,
        [
            [1, 0, 10],
            [2, 0, 20],
            [2, 1, 21],
            [3, 0, 30],
            [3, 1, 31],
            [3, 2, 32]
        ]
    );
}

#[test]
fn an_empty_domain_prunes() {
    let configs = ints("space(A in [0, 1, 2], B in 1..=A)");
    assert_eq!(configs, [[1, 1], [2, 1], [2, 2]]);
}

#[test]
fn values_of_every_kind() {
    let space = space(
        "space(ISA in [\"x86-64-v2\", \"x86-64-v3\", \"x86-64-v4\"], ON in [true, false]), require(device.has(ISA), ON || ISA == \"x86-64-v2\")",
    )
    .unwrap();
    assert_eq!(
        all(&space),
        [
            vec![Str("x86-64-v2"), Bool(true)],
            vec![Str("x86-64-v2"), Bool(false)],
            vec![Str("x86-64-v3"), Bool(true)],
        ]
    );
}

#[test]
fn conditions_see_sizes_consts_and_the_device() {
    let configs = ints(
        "space(A in 1..=16), require(m % A == 0, A <= LIMIT, 4 * A * A <= device.l1d_bytes, A * 2 <= device.cores * 8)",
    );
    assert_eq!(configs, [[1], [2], [4], [8]]);
}

#[test]
fn no_parameters_are_one_config() {
    let bare = |require: &str| {
        let mut spec = spec(&format!("space(A in [1]), require({require})"));
        spec.parameters.clear();
        space_of(&spec).unwrap()
    };
    let (open, shut) = (bare("m > 1"), bare("m < 1"));
    assert_eq!((open.len(), shut.len()), (1, 0));
    assert_eq!(open.config(0), []);
    assert_eq!(open.index_of(&[]), Some(0));
    assert!(open.neighbours(0).is_empty());
    assert_eq!(shut.index_of(&[]), None);
    let mut visited = 0;
    open.for_some(&[0], &mut |_, _| visited += 1);
    assert_eq!(visited, 1);
}

#[test]
fn errors_name_the_expression_and_the_values() {
    assert_eq!(
        error(
            "space(A in [1, 4000000000], B in [2, 4000000000]), require(A * B + 1 < 10 || A == 1)"
        ),
        "in `A * B`: attempt to multiply 4000000000 by 4000000000: overflows i64 (A = 4000000000, B = 4000000000)"
    );
    assert_eq!(
        error("space(A in 0..3, B = LIMIT / A)"),
        "in `LIMIT / A`: attempt to divide 8 by 0: division by zero (LIMIT = 8, A = 0)"
    );
    assert_eq!(
        error("space(A in [2], B in { let d = A - 2; 0..(10 / d) })"),
        "in `10 / d`: attempt to divide 10 by 0: division by zero (A = 2)"
    );
    let shallow = error("space(A in [1, 2], B in [A, 2])");
    assert_eq!(
        shallow,
        "in `[A, 2]`: the value 2 stands in it twice (A = 2)"
    );
}

#[test]
fn errors_of_domains_and_conditions() {
    let cases = [
        (
            "space(A in [LIMIT, true])",
            "8 and true are of different types",
        ),
        ("space(A in 0..=1000000)", "more than 1000000 values"),
        (
            "space(A in 0..LIMIT, B in 0..NAME)",
            "the end of a range is an integer, not \"silu\"",
        ),
        (
            "space(A in [0], B in (0..9).step_by(A))",
            "a step is an integer of at least 1, not 0",
        ),
        (
            "space(A in [1]), require(NAME)",
            "it is not a bool (NAME = \"silu\")",
        ),
    ];
    for (options, part) in cases {
        let message = error(options);
        assert!(message.contains(part), "{options}: {message}");
    }
}

#[test]
fn what_is_not_evaluated_is_no_error() {
    let configs = ints("space(A in 0..4), require(A != 0 && 12 % A == 0)");
    assert_eq!(configs, [[1], [2], [3]]);
    // An earlier condition of the same parameters guards a later one.
    let configs = ints("space(A in 0..4), require(A != 0, 12 % A == 0)");
    assert_eq!(configs, [[1], [2], [3]]);
    let message = error("space(A in 0..4), require(12 % A == 0, A != 0)");
    assert!(message.contains("division by zero (A = 0)"), "{message}");
    // A folded expression that would fail stays behind its `if`.
    assert_eq!(
        ints("space(A in [if LIMIT == 0 { 1 / (LIMIT - 8) } else { 7 }])"),
        [[7]]
    );
}

#[test]
fn spans_survive() {
    let spec = spec("space(A in [0], B = 1 / A)");
    let error = space_of(&spec).unwrap_err();
    let Declared::Derived(expr) = &spec.parameters[1].domain else {
        panic!()
    };
    assert_eq!(format!("{:?}", error.span), format!("{:?}", expr.span));
}

#[test]
fn real_arithmetic_divides_for_real() {
    let options =
        "space(A in [2, 4, 8]), score = A / 4 + (A / 3) as i64 / 2 + if A == 8 { 0.5 } else { 0 }";
    let spec = spec(options);
    let names = ["A".to_string()];
    let score = spec.score.as_ref().unwrap();
    let score = Expression::compile(score, Arithmetic::Real, &names, &scope(), &facts()).unwrap();
    let values: Vec<f64> = [2, 4, 8].map(|a| score.number(&[Int(a)]).unwrap()).to_vec();
    assert_eq!(values, [0.5, 1.5, 3.5]);
    assert_eq!(score.depends(), [0]);
}

#[test]
fn constants_fold() {
    let compile = |options: &str| {
        let spec = spec(options);
        Expression::compile(
            &spec.require[0],
            Arithmetic::Integer,
            &["A".into()],
            &scope(),
            &facts(),
        )
        .unwrap()
    };
    assert_eq!(
        compile("space(A in [1]), require(m * 2 == 128 && { let x = n; x } > 3 || A == 1)")
            .node()
            .constant(),
        None
    );
    assert_eq!(
        compile("space(A in [1]), require(m * 2 == 128 || A == 1)")
            .node()
            .constant(),
        Some(Bool(true))
    );
    assert_eq!(
        compile("space(A in [1]), require(match m { 64 => n > 1, _ => A == 1 })")
            .node()
            .constant(),
        Some(Bool(true))
    );
}

#[test]
fn counts_and_columns() {
    let space = space("space(A in [1, 2, 3], B in [1, 2], C = A + B), require(A != 2)").unwrap();
    assert_eq!(space.len(), 4);
    assert_eq!(space.values(0), [Int(1), Int(2), Int(3)]);
    assert!(space.derived[2] && !space.derived[1]);
}

#[test]
fn many_values_need_wider_ids() {
    let space = space("space(A in 0..300, B in [0, 1]), require(A % 2 == B)").unwrap();
    assert_eq!(space.len(), 300);
    assert_eq!(space.config(299), [Int(299), Int(1)]);
    assert_eq!(space.index_of(&[Int(299), Int(1)]), Some(299));
}

#[test]
fn why_a_config_is_not_in_the_space() {
    let space =
        space("space(A in [1, 2, 4], B in [1, 2], C = A * B), require(A + B <= 4, m > 8)").unwrap();
    let why = |values: &[Value]| space.why_not(values);
    assert_eq!(why(&[Int(2), Int(2), Int(4)]), None);
    assert_eq!(
        why(&[Int(3), Int(1), Int(3)]).unwrap(),
        "A is 3, which is not among [1, 2, 4]"
    );
    assert_eq!(
        why(&[Str("2"), Int(1), Int(3)]).unwrap(),
        "A is \"2\", which is not among [1, 2, 4]"
    );
    assert_eq!(
        why(&[Int(2), Int(1), Int(3)]).unwrap(),
        "C is 3, but follows as 2 from the others"
    );
    assert_eq!(
        why(&[Int(4), Int(1), Int(4)]).unwrap(),
        "in `A + B <= 4`: it is not met (A = 4, B = 1)"
    );
    assert_eq!(
        why(&[Int(4)]).unwrap(),
        "it has 1 values, but the space has 3 parameters"
    );
}

#[test]
fn why_nothing_is_left() {
    let space = space("space(A in [1, 2], B in [1, 2]), require(A > 1, A * B > 9)").unwrap();
    assert_eq!(
        space.why_empty().unwrap(),
        "no config meets every `require`; `A * B > 9` turned most of them away"
    );
    assert_eq!(
        super::fixture::space("space(B in [1, 2], A in LIMIT..8)")
            .unwrap()
            .why_empty()
            .unwrap(),
        "`A` has no values"
    );
}

#[test]
fn problems_give_a_scope() {
    let spec = spec("space(A in [1])");
    let consts = std::iter::once(("LIMIT".to_string(), Int(3))).collect();
    let scope = Scope::new(&spec, &spec.problems[0], &facts(), &consts).unwrap();
    assert_eq!(
        (scope.get("m"), scope.get("LIMIT"), scope.get("x")),
        (Some(Int(64)), Some(Int(3)), None)
    );
    assert_eq!(scope.describe(), "m=64, n=100");
}
