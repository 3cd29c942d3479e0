//! What the names of the expressions stand for: shared by the build script and the test, so that
//! both sides see the same values.

use bico::Value;
use bico::device::{CpuFacts, Facts};

// `const` items of the file, whose types the grammar does not know: one that meets an operand of
// another type is an error of the evaluation.
pub(crate) const LIMIT: i64 = 7;
pub(crate) const EDGE: i64 = i64::MAX;
pub(crate) const LOW: i64 = i64::MIN;
pub(crate) const COUNT: usize = 12;
pub(crate) const HALF: f64 = 0.5;
pub(crate) const TENTH: f32 = 0.1;
pub(crate) const WIDE: bool = true;
pub(crate) const SILU: &str = "silu";

/// Where each of the problem's constants is in `Set::consts`: not in the order of the attribute.
pub(crate) const CONSTS: [usize; 3] = [2, 0, 1];

/// One value for each name.
pub(crate) struct Set {
    pub(crate) device: Facts,
    /// `TILE`, `UNIT`, `FAST`, `KIND`, `RATIO`
    pub(crate) parameters: [Value; 5],
    /// `m`, `n`, `i`
    pub(crate) sizes: [i64; 3],
    /// `ACT`, `GAIN`, `DEPTH`
    pub(crate) consts: [Value; 3],
    pub(crate) scope: f32,
    pub(crate) flag: bool,
}

/// The sets that every expression is evaluated for.
pub(crate) fn sets() -> Vec<Set> {
    let set = |parameters, sizes, consts, scope, flag| {
        let ((tile, unit, fast, kind, ratio), (act, gain, depth)) = (parameters, consts);
        Set {
            device: cpu(fast),
            parameters: [
                Value::Int(tile),
                Value::Int(unit),
                Value::Bool(fast),
                Value::Str(kind),
                Value::Float(ratio),
            ],
            sizes,
            consts: [Value::Str(act), Value::Float(gain), Value::Int(depth)],
            scope,
            flag,
        }
    };
    let (max, min) = (i64::MAX, i64::MIN);
    vec![
        set(
            (4, 2, true, "silu", 0.5),
            [8, 3, -1],
            ("relu", 2.0, 3),
            0.5,
            true,
        ),
        set(
            (16, -3, false, "avx2", -1.5),
            [1024, 7, 5],
            ("silu", 0.1, 0),
            -2.0,
            false,
        ),
        set((1, 0, true, "", 0.0), [1, 0, 0], ("", -0.0, 1), 0.0, true),
        set(
            (0, 64, false, "relu", -0.0),
            [0, 1, 64],
            ("relu", 1e300, -1),
            -0.0,
            false,
        ),
        set(
            (max, -1, true, "avx2", 1e308),
            [4_000_000_000, max, min],
            ("silu", 1e-300, 62),
            3.4e38,
            true,
        ),
        set(
            (min, 1, false, "silu", 5e-324),
            [2, min, max],
            ("avx2", 9.3e18, max),
            1e-45,
            true,
        ),
        set(
            (1 << 53, 3, true, "relu", 9.1e15),
            [65_536, 3_037_000_500, -8],
            ("silu", 64.0, 63),
            0.1,
            false,
        ),
        set(
            (-7, 5, false, "fma", 2.5),
            [17, 12, max - 1],
            ("fma", -3.0, min),
            7.0,
            false,
        ),
    ]
}

fn cpu(wide: bool) -> Facts {
    // Sorted, as `Facts::has` wants them; `silu` because the expressions ask for any string.
    let features: &[&str] = if wide {
        &["avx2", "fma", "silu"]
    } else {
        &["fma"]
    };
    Facts::Cpu(CpuFacts {
        vendor: "vendor".to_string(),
        brand: "brand".to_string(),
        family: 1,
        model: 1,
        level: "x86-64".to_string(),
        cores: if wide { 16 } else { 1 },
        l1d_bytes: 32 << 10,
        l2_bytes: 1 << 20,
        l3_bytes: if wide { 32 << 20 } else { 0 },
        vector_bits: if wide { 256 } else { 128 },
        features: features
            .iter()
            .map(|&feature| feature.to_string())
            .collect(),
    })
}
