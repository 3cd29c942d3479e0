//! Plays `bico_build::tune()` for the tunables in `src/lib.rs`: data from `data/<key>.rs`, with the
//! fingerprint that the attribute has today. So tests say what was tuned, and for which GPU.

#[path = "../attributes.rs"]
mod attributes;

use proc_macro2::TokenStream;
use std::path::PathBuf;
use std::{fs, io};

fn main() -> io::Result<()> {
    for input in ["src/lib.rs", "data", "kernels"] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rustc-env=BICO_BUILD={}", env!("CARGO_PKG_VERSION"));
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo's own variable, no setting"
    )]
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(out.join("bico"))?;
    let source: TokenStream = fs::read_to_string("src/lib.rs")?
        .parse()
        .map_err(|error: proc_macro2::LexError| io::Error::other(error.to_string()))?;
    for wrapper in attributes::wrappers(source) {
        let header = bico_syntax::data_header(bico_syntax::fingerprint(&wrapper.spec));
        let key = &wrapper.spec.key.text;
        let data = fs::read_to_string(format!("data/{key}.rs"))?;
        fs::write(
            out.join(bico_syntax::data_file(key)),
            format!("{header}\n{data}"),
        )?;
    }
    Ok(())
}
