//! Names that the macro and the build script must agree on.

/// The stem of a tunable's symbols and of its static library: `bico_<package>_<version>_<key>`, every
/// character that no symbol may have replaced by `_`.
///
/// The library is `lib<symbol>.a`, its table of kernels `<symbol>_table` ([`table`]). Package and version are
/// part of it because two versions of one package may be linked into one program.
pub fn symbol(package: &str, version: &str, key: &str) -> String {
    let symbol = format!("bico_{package}_{version}_{key}");
    let mut symbol = symbol.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    // `a-b`, `a.b` and `a_b` are three keys of one package.
    if key.contains(|c: char| c != '_' && !c.is_ascii_alphanumeric()) {
        let tag = key.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        symbol.push_str(&format!("_{tag:08x}"));
    }
    symbol
}

/// The symbol of a candidate's first, or only, function.
pub fn candidate(symbol: &str, index: usize) -> String {
    format!("{symbol}_c{index}")
}

/// The symbol of the table of a pass's kernels: `void *const <symbol>_table[]`, one entry per candidate.
pub fn table(symbol: &str, pass: usize) -> String {
    match pass {
        0 => format!("{symbol}_table"),
        _ => format!("{symbol}_table_{pass}"),
    }
}

/// The stem of a tunable's files. `::` stands in no file name on some systems; `+` in no key.
pub fn file_stem(key: &str) -> String {
    key.replace("::", "+")
}

/// Where a tunable's data is, relative to `OUT_DIR`, with `/` on every system.
pub fn data_file(key: &str) -> String {
    format!("bico/{}.rs", file_stem(key))
}

/// The first line of a data file, by which the macro sees that it was made from its own attribute.
pub fn data_header(fingerprint: u64) -> String {
    format!("// fingerprint {fingerprint:016x}")
}

/// The second line of the data file of a Rust function: the const arguments of each candidate, in order.
pub fn candidates_line(candidates: &[String]) -> String {
    format!("// {}", candidates.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_plain_and_apart() {
        assert_eq!(
            symbol("my-lib", "0.1.0-rc.1", "gemm"),
            "bico_my_lib_0_1_0_rc_1_gemm"
        );
        let keys = ["a-b", "a.b", "a_b"].map(|key| symbol("p", "1.0.0", key));
        assert!(
            keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2],
            "{keys:?}"
        );
        assert_eq!(data_file("f32::gemm"), "bico/f32+gemm.rs");
        assert_eq!(data_header(0xabc), "// fingerprint 0000000000000abc");
    }
}
