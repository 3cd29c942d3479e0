//! "did you mean": the known name that is nearest to a mistyped one.
use crate::Lists;

/// The candidate nearest to `name`, if it is near enough for a slip: for "did you mean".
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = length.div_ceil(3).min(length.saturating_sub(1));
    let near = |candidate: &&str| {
        distance(name, candidate) <= limit || name.eq_ignore_ascii_case(candidate)
    };
    let near = candidates.iter().copied().filter(near);
    near.min_by_key(|candidate| distance(name, candidate))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect_vec(), b.chars().collect_vec());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(table[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        assert_eq!(nearest("sorce", &["entry", "source"]), Some("source"));
        assert_eq!(nearest("tile_m", &["TILE_K", "TILE_M"]), Some("TILE_M"));
        assert_eq!(nearest("gird", &["block", "grid"]), Some("grid"));
        assert_eq!(nearest("banana", &["entry", "source"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
