//! The memory, for people.

use super::*;
use crate::cache::learned::learned_in;

#[test]
fn everything_that_was_learned_sorted_and_in_a_line_each() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(learned_in(folder.path()), []);
    let (memory, _) = open(folder.path(), &on(gpu()));
    let mut settled = record(
        10,
        Some(1),
        &[arm(32, 1, -20.0, 0.0), arm(64, 41, -18.0, 0.01)],
    );
    settled.consts = vec![("ACT".to_string(), Value::Str("silu".to_string()))];
    settled.arms[1].seconds = 1.23e-5;
    assert!(memory.save(&settled));
    let (memory, _) = open(folder.path(), &on(cpu()));
    let exploring = [arm(8, 1, -9.0, 0.0), arm(4, 3, -8.0, 0.0)];
    assert!(memory.save(&record(6, None, &exploring)));
    assert!(memory.save(&record(3, None, &exploring)));
    let mut other = on(cpu());
    other.0.tunable = "f32::dot".to_string();
    let mut plain = record(0, Some(0), &[arm(1, 2, -7.0, 0.0)]);
    (plain.bucket, plain.sizes) = (Vec::new(), Vec::new());
    plain.arms[0].config.clear();
    plain.arms[0].seconds = 2.0;
    assert!(open(folder.path(), &other).0.save(&plain));

    let learned = learned_in(folder.path());
    let lines: Vec<String> = learned.iter().map(|learned| learned.to_string()).collect();
    let cpu = "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)";
    let expected = [
        format!("f32::dot on {cpu}: the only config: 2.00 s ± 0.0 %, 2 calls, settled"),
        format!("gemm (n=8) on {cpu}: TILE=8: 123.41 ms, 1 call, exploring 2 configs"),
        format!("gemm (n=64) on {cpu}: TILE=8: 123.41 ms, 1 call, exploring 2 configs"),
        "gemm (n=1024, ACT=\"silu\") on a GPU (sm_90), driver 12080: TILE=64: 12.30 µs ± 3.2 %, \
         41 calls, settled"
            .to_string(),
    ];
    assert_eq!(lines, expected);
    let gpu = &learned[3];
    assert_eq!((gpu.arms, gpu.pulls, gpu.settled), (2, 41, true));
    assert_eq!((gpu.hash.as_str(), gpu.driver.as_str()), (KERNEL, "12080"));
    let [low, high] = gpu.interval;
    // 2.021 standard errors to either side, by Student's law of 40: sqrt(0.01 / 40) each.
    let width = 2.021 * 0.01_f64.sqrt() / 40_f64.sqrt();
    assert!(((high / low).ln() / (2.0 * width) - 1.0).abs() < 1e-3);
    assert!(((low * high).sqrt() / 1.23e-5 - 1.0).abs() < 1e-9);
}
