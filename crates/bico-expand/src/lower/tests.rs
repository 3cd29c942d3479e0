use super::*;

fn spec(attribute: TokenStream) -> TunableSpec {
    let attribute = quote!(
        source = "k.c", space(TILE in [1, 2]), problem(m = 8, n = 8, beta = 0.5, const ACT = "relu"), #attribute
    );
    let item = quote!(
        fn f(#[len(m * n)] c: &mut [f32], m: u32, n: u64, beta: f32, act: &str)
        -> bico::Result<()>;
    );
    bico_syntax::parse(attribute, item)
        .unwrap_or_else(|errors| panic!("{errors}"))
        .spec
}

/// The code without the path that all names begin with, and without blanks.
fn lowered(expr: &Expr, spec: &TunableSpec, arithmetic: Arithmetic, place: Place) -> String {
    let private = quote!(P);
    let mut lowering = Lowering::new(spec, &private);
    let code = lowering.value(expr, arithmetic, place).to_string();
    assert!(lowering.errors.is_empty(), "{}", lowering.errors);
    code.replace(' ', "")
        .replace("P::ops::", "")
        .replace("P::", "")
}

#[test]
fn names_are_found_where_they_are() {
    let spec = spec(quote!(require(
        m * TILE + LIMIT <= device.l2_bytes || ACT == "relu"
    )));
    let code = lowered(&spec.require[0], &spec, Arithmetic::Integer, Place::Scope);
    assert_eq!(
        code,
        "Value::Bool(truth(le(add(mul(Value::Int(scope.sizes[0usize]),scope.parameters[0usize])?,\
         lift(LIMIT)?)?,field(scope.device,\"l2_bytes\")?)?)?||\
         truth(eq(scope.consts[__BICO_CONSTS[0usize]],Value::Str(\"relu\"))?)?)"
    );
    let ArgumentKind::Buffer { len, .. } = &spec.arguments[0].kind else {
        panic!()
    };
    assert_eq!(
        lowered(len, &spec, Arithmetic::Integer, Place::Wrapper),
        "mul(Value::Int(sizes[0usize]),Value::Int(sizes[1usize]))?"
    );
}

#[test]
fn real_leaves_are_real() {
    let spec = spec(quote!(score = (m / 2) as i64 * LIMIT));
    let score = spec.score.as_ref().unwrap();
    assert_eq!(
        lowered(score, &spec, Arithmetic::Real, Place::Scope),
        "mul(real(as_i64(div(real(Value::Int(scope.sizes[0usize])),Value::Float(2f64))?)?),\
         real(lift(LIMIT)?))?"
    );
}

#[test]
fn lets_and_arms_nest() {
    let spec = spec(quote!(require({
        let a = TILE;
        let b = {
            let a = a + 1;
            a
        };
        match a {
            1 | 3..=4 => b == a,
            _ => true,
        }
    })));
    let code = lowered(&spec.require[0], &spec, Arithmetic::Integer, Place::Scope);
    assert_eq!(
        code,
        "{letlet_0=scope.parameters[0usize];\
         letlet_1={letlet_1=add(let_0,Value::Int(1i64))?;let_1};\
         {letmatched=let_0;\
         iftruth(eq(matched,Value::Int(1i64))?)?||\
         (truth(ge(matched,Value::Int(3i64))?)?&&truth(le(matched,Value::Int(4i64))?)?)\
         {eq(let_1,let_0)?}elseiftrue{Value::Bool(true)}else\
         {return::core::result::Result::Err(no_arm(matched))}}}"
    );
}

#[test]
fn only_integers_choose_a_config() {
    let spec = spec(quote!(require(beta > 0.0)));
    let private = quote!(P);
    let mut lowering = Lowering::new(&spec, &private);
    assert!(lowering.names_other_scalar(&spec.require[0]) && !lowering.is_sized(&spec.require[0]));
    lowering.value(&spec.require[0], Arithmetic::Integer, Place::Scope);
    assert!(
        lowering
            .errors
            .to_string()
            .contains("`beta` cannot take part"),
        "{}",
        lowering.errors
    );
}

/// In a call it is the call's; where a config is ranked, the first problem's.
#[test]
fn what_is_no_size_has_its_value_in_each_place() {
    let parsed = bico_syntax::parse(
        quote!(source = "k.cu", space(TILE in [1]), launch(grid = n - at, block = TILE), problem(n = 8, at = n / 4)),
        quote!(
            fn f(
                s: &Arc<CudaStream>,
                #[len(n)] y: &mut CudaSlice<f32>,
                n: u32,
                #[value] at: u32,
            ) -> bico::Result<()>;
        ),
    );
    let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
    let grid = &spec.launches()[0].grid[0];
    let lowered = |place| lowered(grid, &spec, Arithmetic::Integer, place);
    assert_eq!(
        lowered(Place::Scope),
        "sub(Value::Int(scope.sizes[0usize]),div(Value::Int(scope.sizes[0usize]),Value::Int(4i64))?)?"
    );
    assert_eq!(
        lowered(Place::Chosen),
        "sub(Value::Int(sizes[0usize]),lift(at)?)?"
    );
}
