//! How far the median of all there could be may lie from that of a few.

/// The share of all medians that may lie beyond an end of their interval, at one look. There are up to fourteen looks at
/// growing numbers of runs, the last of which comes when time is up; all of them together miss the median less than one time
/// in twenty, however times are distributed and whichever look is the last: bico-build's tests add it up.
pub const TAIL: f64 = 0.003;

/// [`TAIL`] in standard deviations.
const REACH: f64 = 2.748;

/// What an interval is asked to be.
pub const CONFIDENCE: f64 = 0.95;

/// The first look: of fewer runs no interval has tails as small.
pub const ENOUGH: usize = 9;

/// Ranks (from 0) of the ordered values between which the median lies, and how often it does, 95 % at most, whatever the
/// distribution: each value is below it with probability one half.
///
/// ```
/// // Of twenty values the fourth and the seventeenth; of five the first and the last, which is not as sure.
/// assert_eq!(bico_search::search::median::interval(20), (3, 16, 0.95));
/// assert_eq!(bico_search::search::median::interval(5), (0, 4, 0.9375));
/// ```
pub fn interval(count: usize) -> (usize, usize, f64) {
    within(count, TAIL, REACH)
}

/// As [`interval`], for finalists that are compared with each other, of which there are up to eight: the tails are a sixth of
/// those, so that of equal ones few seem to differ.
pub(super) fn firm_interval(count: usize) -> (usize, usize) {
    let (low, high, _) = within(count, 0.0005, 3.291);
    (low, high)
}

/// Ranks with so much of all medians, `reach` in standard deviations, beyond each of them.
fn within(count: usize, tail: f64, reach: f64) -> (usize, usize, f64) {
    let last = count.saturating_sub(1);
    if count < ENOUGH {
        // From the fastest to the slowest: the median is outside where all lie on one side of it.
        let both = 1.0 - 0.5f64.powi(last as i32);
        return (0, last, both.min(CONFIDENCE));
    }
    let n = count as f64;
    let mut low = (0.5 * n - 0.5 * reach * n.sqrt() - 0.5) as usize;
    if count <= 200 {
        low = 0;
        // `below` is the probability that at most `low` values are below the median.
        let mut term = 0.5f64.powi(count as i32);
        let mut below = term;
        while below <= tail {
            low += 1;
            term *= (count + 1 - low) as f64 / low as f64;
            below += term;
        }
        low = low.saturating_sub(1);
    }
    (low, last - low, CONFIDENCE)
}
