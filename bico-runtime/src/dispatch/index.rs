//! What is computed of the data once, while it is compiled.

use crate::data::Data;

/// The logarithm to base two with 16 binary digits after the point, plus a constant that no
/// difference shows: a float's exponent and fraction read as one number. That is linear between
/// powers of two, and off by 0.086 at most: far less than what tells two problems worth tuning apart.
/// Zero and numbers of another sign are very far.
#[inline(always)]
pub(crate) const fn log2(size: i64) -> i64 {
    ((size as f64).to_bits() >> 36) as i64
}

/// The logarithms of all problems' sizes, in a row: `L` is the number of both multiplied.
pub const fn logs<const L: usize>(data: &Data) -> [i64; L] {
    let mut logs = [0; L];
    let width = data.sizes.len();
    let mut i = 0;
    while i < L {
        logs[i] = log2(data.problems[i / width].sizes[i % width]);
        i += 1;
    }
    logs
}

/// Position in [`Data::consts`] of each of these names.
pub const fn find_consts<const K: usize>(data: &Data, names: [&str; K]) -> [usize; K] {
    let mut positions = [0; K];
    let mut i = 0;
    while i < K {
        let mut at = 0;
        while !same_text(data.consts[at], names[i]) {
            at += 1;
        }
        positions[i] = at;
        i += 1;
    }
    positions
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close_and_in_order() {
        let base = log2(1);
        for size in [1, 2, 3, 5, 100, 1000, 4095, 12_288, 1 << 40, i64::MAX] {
            let exact = (size as f64).log2();
            let ours = (log2(size) - base) as f64 / 65536.0;
            assert!((exact - ours).abs() < 0.087, "{size}: {exact} {ours}");
            assert!(log2(size) >= log2(size - 1));
        }
    }
}
