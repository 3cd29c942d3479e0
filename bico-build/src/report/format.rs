//! Numbers for people.

/// `9.82 ms`: three digits.
pub fn time(seconds: f64) -> String {
    let (factor, unit) = match seconds {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{} {unit}", digits(seconds * factor, 3))
}

/// `218.7 GFLOP/s`: four digits.
pub(super) fn rate(per_second: f64, unit: &str) -> String {
    let (factor, prefix) = match per_second {
        r if r >= 1e12 => (1e-12, "T"),
        r if r >= 1e9 => (1e-9, "G"),
        r if r >= 1e6 => (1e-6, "M"),
        r if r >= 1e3 => (1e-3, "k"),
        _ => (1.0, ""),
    };
    format!("{} {prefix}{unit}/s", digits(per_second * factor, 4))
}

/// What is done in a second, in the unit that says most.
pub fn throughput(flops: Option<f64>, bytes: Option<f64>) -> Option<String> {
    let flops = flops.map(|per_second| rate(per_second, "FLOP"));
    flops.or_else(|| bytes.map(|per_second| rate(per_second, "B")))
}

/// `11,520`.
pub fn count(number: u64) -> String {
    let plain = number.to_string();
    let mut out = String::new();
    for (at, digit) in plain.chars().enumerate() {
        if at > 0 && (plain.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `4.1x`.
pub(super) fn ratio(factor: f64) -> String {
    let decimals = match factor {
        f if f < 2.0 => 2,
        f if f < 10.0 => 1,
        _ => 0,
    };
    format!("{factor:.decimals$}x")
}

/// `31 s`, `4.2 s`, `2 min 5 s`.
pub fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        format!("{:.1} s", seconds.max(0.0))
    } else if seconds < 119.5 {
        format!("{seconds:.0} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

/// So many significant digits, but all before the point.
fn digits(number: f64, significant: i32) -> String {
    let before = if number >= 1.0 {
        number.log10().floor() as i32 + 1
    } else {
        1
    };
    let decimals = (significant - before).max(0) as usize;
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let cases = [
            (9.8249e-3, "9.82 ms"),
            (12.3e-6, "12.3 µs"),
            (450e-9, "450 ns"),
            (0.1234, "123 ms"),
            (71.26, "71.3 s"),
            (1500.0, "1500 s"),
            (0.0, "0.00 ns"),
        ];
        for (seconds, text) in cases {
            assert_eq!(time(seconds), text);
        }
    }

    #[test]
    fn rates_ratios_counts_and_durations() {
        assert_eq!(rate(218.7e9, "FLOP"), "218.7 GFLOP/s");
        assert_eq!(rate(12.0, "B"), "12.00 B/s");
        assert_eq!(rate(3.2e12, "B"), "3.200 TB/s");
        assert_eq!(
            [ratio(4.13), ratio(1.081), ratio(37.4)],
            ["4.1x", "1.08x", "37x"]
        );
        assert_eq!(
            [count(7), count(11_520), count(1_000_000)],
            ["7", "11,520", "1,000,000"]
        );
        assert_eq!(
            [duration(4.21), duration(31.2), duration(125.0)],
            ["4.2 s", "31 s", "2 min 5 s"]
        );
    }
}
