//! Specs, facts and spaces for tests.

#![allow(missing_docs)] // for tests

use super::Space;
use bico_core::Value;
use bico_core::device::{CpuFacts, Facts};
use bico_syntax::TunableSpec;
use bico_syntax::bind::{Bound, Scope, SpaceError};

/// A tunable with these options and a wrapper with two buffers of `m * n` and `n` elements.
pub fn spec(options: &str) -> TunableSpec {
    let attribute = format!("source = \"kernel.c\", problem(m = 64, n = 100), {options}");
    let item = "pub fn kernel(#[len(m * n)] a: &mut [f32], #[len(n)] b: &[f32], m: u32, n: u32) -> bico::Result<()>;";
    match bico_syntax::parse(attribute.parse().unwrap(), item.parse().unwrap()) {
        Ok(wrapper) => wrapper.spec,
        Err(errors) => panic!("{errors}"),
    }
}

pub fn facts() -> Facts {
    Facts::Cpu(CpuFacts {
        vendor: "AuthenticAMD".into(),
        brand: "a CPU of the tests".into(),
        family: 25,
        model: 17,
        level: "x86-64-v3".into(),
        cores: 2,
        l1d_bytes: 32 << 10,
        l2_bytes: 1 << 20,
        l3_bytes: 32 << 20,
        vector_bits: 256,
        features: ["avx2", "fma", "x86-64-v2", "x86-64-v3"]
            .map(String::from)
            .to_vec(),
    })
}

/// The scope of [`spec`]'s problem, with two `const`s of the file.
pub fn scope() -> Scope {
    let mut scope = Scope::default();
    scope.sizes.insert("m".into(), Value::Int(64));
    scope.sizes.insert("n".into(), Value::Int(100));
    scope.consts.insert("LIMIT".into(), Value::Int(8));
    scope.consts.insert("NAME".into(), Value::Str("silu"));
    scope
}

/// What [`facts`] and [`scope`] make of a spec, which lives as long as the test.
pub fn bound(spec: TunableSpec) -> Result<Bound<'static>, SpaceError> {
    Bound::new(
        Box::leak(Box::new(spec)),
        Box::leak(Box::new(facts())),
        &scope(),
    )
}

pub fn space_of(spec: &TunableSpec) -> Result<Space, SpaceError> {
    Space::new(&bound(spec.clone())?)
}

pub fn space(options: &str) -> Result<Space, SpaceError> {
    space_of(&spec(options))
}
