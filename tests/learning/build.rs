//! Plays `bico_build::tune()` for the tunables in `src/lib.rs`: data from `data`, with the
//! fingerprint that the attribute has today, and a table of candidates. So tests say which CPU was tuned for.

#[path = "../attributes.rs"]
mod attributes;

use proc_macro2::TokenStream;
use std::fmt::Write;
use std::path::PathBuf;
use std::{fs, io};

/// What the candidates of all data files cost, in their order.
const COSTS: [u32; 5] = [60, 1, 120, 30, 45];

fn main() -> io::Result<()> {
    for input in ["src/lib.rs", "data", "kernels"] {
        println!("cargo::rerun-if-changed={input}");
    }
    println!("cargo::rustc-env=BICO_BUILD={}", env!("CARGO_PKG_VERSION"));
    println!(
        "cargo::rustc-env=THIS_CPU={}",
        bico_device::this_cpu().clone().key()
    );
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo's own variable, no setting"
    )]
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or(io::ErrorKind::NotFound)?;
    println!("cargo::rustc-link-search=native={}", out.display());
    fs::create_dir_all(out.join("bico"))?;
    let source: TokenStream = fs::read_to_string("src/lib.rs")?
        .parse()
        .map_err(|error: proc_macro2::LexError| io::Error::other(error.to_string()))?;
    for wrapper in attributes::wrappers(source) {
        let header = bico_syntax::data_header(bico_syntax::fingerprint(&wrapper.spec));
        let key = &wrapper.spec.key.text;
        let known = match key.as_str() {
            "known" => "known",
            "liar" | "guess" => "unverified",
            _ => "unknown",
        };
        let data = fs::read_to_string(format!("data/{known}.rs"))?.replace("KEY", key);
        fs::write(
            out.join(bico_syntax::data_file(key)),
            format!("{header}\n{data}"),
        )?;
        let (package, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let symbol = bico_syntax::symbol(package, version, key);
        let file = out.join(format!("{symbol}_table.c"));
        fs::write(
            &file,
            table(&symbol, &wrapper.spec.kernels[0].source.path.text)?,
        )?;
        // The macro names the library.
        let mut library = cc::Build::new();
        library.file(file).opt_level(2).cargo_metadata(false);
        library.compile(&symbol);
    }
    Ok(())
}

/// All candidates in one file, and the table of their entries.
fn table(symbol: &str, source: &str) -> io::Result<String> {
    let kernel = fs::canonicalize(source)?;
    // Kernels are named as their files.
    let entry = kernel.file_stem().unwrap_or_default().display();
    let mut text = String::new();
    let mut entries = String::new();
    for (i, cost) in COSTS.iter().enumerate() {
        let name = format!("{symbol}_{i}");
        let lines = format!(
            "#define COST {cost}\n#define {entry} {name}\n#include \"{}\"\n#undef COST\n#undef {entry}\n",
            kernel.display()
        );
        text.push_str(&lines);
        write!(entries, "(void *){name}, ").map_err(io::Error::other)?;
    }
    writeln!(text, "void *const {symbol}_table[] = {{{entries}}};").map_err(io::Error::other)?;
    Ok(text)
}
