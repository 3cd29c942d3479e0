//! What the compilers say: errors, and ptxas' report of resources.

/// The log of a refused program. Each error has a line of its own; what concerns the expression is
/// told of the kernel's name.
pub(super) fn refused(log: &str, expression: &str) -> String {
    let _ = expression;
    log.to_string()
}

/// Bytes of registers that `entry` stores to local memory, by ptxas' report; 0 where it has none.
pub(super) fn spill_bytes(log: &str, entry: &str) -> u32 {
    let mut lines = log.lines();
    while let Some(line) = lines.next() {
        let named = line
            .split_once("Function properties for ")
            .map(|(_, name)| name.trim().trim_matches('\''));
        if named == Some(entry) {
            return lines.next().and_then(stores).unwrap_or(0);
        }
    }
    0
}

/// `8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads`
fn stores(line: &str) -> Option<u32> {
    let part = line.split(',').find(|part| part.contains("spill stores"))?;
    part.split_whitespace().next()?.parse().ok()
}
