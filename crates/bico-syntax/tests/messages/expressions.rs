//! Expressions.

use crate::{check, cpu, gpu};

/// One condition each.
const CONDITIONS: &[&str] = &[
    "A & 3 == 0",
    "|x| x",
    "f(A)",
    "min(A, 3) > 1",
    "(f)(A)",
    "vec![1]",
    "A[0]",
    "(A, 3)",
    "&A",
    "*A > 1",
    "A = 1",
    "Foo { a: 1 }",
    "std::f64::MAX > 1.0",
    "self > 1",
    "A.b > 1",
    "A.0 > 1",
    "[0; 3]",
    "if let A = 1 { true } else { false }",
    "unsafe { true }",
    "loop {}",
    "return",
    "A?",
    "'x' == 'y'",
    "if A == 1 { true }",
    "if A { true } else { false }",
    "if A == 1 { true } else { 3 }",
    "match A { 1 => true }",
    "match A { 1 if A == 1 => true, _ => false }",
    "match A { x => true }",
    "match A { 1..3 => true, _ => false }",
    "match A { 4..=1 => true, \"x\" => true, 'c'..='d' => true, _ => false }",
    "match A { 1 => true, _ => 3 }",
    "match [1] { _ => true }",
    "match B { true => A }",
    "{ let x = 1; }",
    "{ A; true }",
    "{ let y = 1; y += 1; y = 2; true }",
    "{ let X = 1; true }",
    "{ let n = 1; true }",
    "{ let mut x: i64; true }",
    "{ let (a, b) = 3; true }",
    "{ fn g() {} true }",
    "A.minn(3) > 1",
    "A.clone() > 1",
    "A.min() > 1",
    "A.abs(1, 2) > 1",
    "A.pow::<u32>(3) > 1",
    "A.pow(-1) > 1",
    "F.div_ceil(2) > 1",
    "S.is_power_of_two()",
    "A as u32 > 1",
    "A as f64 < F",
    "(2 * (A as f64 < F))",
    "A.pow::<3",
    "F.div_ceil(2) == (A as f64).div_ceil(2)",
    "S as i64 > 1",
    "4u32 > 1",
    "0.5f32 > 1.0",
    "9223372036854775808 > 1",
    "1e999 > 1.0",
    "A",
    "S",
    "[true]",
    "A + F > 1.5",
    "A * F > 1.5",
    "1 + F > 1.5",
    "A + B > 1",
    "A == \"x\"",
    "A == [1]",
    "S < \"y\"",
    "!A == 1",
    "-S == 1",
    "A && B",
    "x > 1",
    "c > 1",
    "device > 1",
    "device.l2 > 1",
    "device.warp_size > 1",
    "device.hass(\"avx2\")",
    "device.has(3)",
    "device.has(avx2)",
    "device.has()",
    "nn > 1, nope > 2, A > 3.0",
    "true true",
    "(A > 1",
];

#[test]
fn expressions() {
    let mut items: Vec<String> = CONDITIONS
        .iter()
        .filter(|text| !text.starts_with("(A > 1") || text.ends_with(')'))
        .map(|text| cpu(&format!("require({text})")))
        .collect();
    items.extend(
        [
            "work(flops = true, bites = 3)",
            "score = \"x\"",
            "entry = A",
            "entry = device.cores",
        ]
        .map(cpu),
    );
    items.extend(
        [
            "work(flops = [1]), score = A.has()",
            "entry = if n > 1 { \"a\" } else { \"b\" }",
        ]
        .map(cpu),
    );
    items.extend(
        ["launch(grid = n, block = 1), require(device.has(\"avx2\"), device.cores > 1, device.warp_sise == 32)"].map(gpu),
    );
    check("expressions", &items);
}
