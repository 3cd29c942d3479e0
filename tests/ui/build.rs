//! Plays `bico_build::tune()` for the tunables in `cases/built` and `cases/cuda`: data from `data/<key>.rs`, with
//! the fingerprint that the attribute has today.

#[path = "../attributes.rs"]
mod attributes;

use bico_syntax::{data_file, data_header, fingerprint};
use proc_macro2::TokenStream;
use std::path::{Path, PathBuf};
use std::{fs, io};

const CASES: [&str; 2] = ["cases/built", "cases/cuda"];
/// The tunable whose data is to look as if its attribute had been changed since.
const STALE: &str = "stale";
/// The tunable that the build script did not see.
const UNSEEN: &str = "unseen";

fn main() -> io::Result<()> {
    for folder in CASES {
        println!("cargo::rerun-if-changed={folder}");
    }
    println!("cargo::rerun-if-changed=data");
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo's own variable, no setting"
    )]
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or(io::ErrorKind::NotFound)?;
    let mut cases = Vec::new();
    for folder in CASES {
        cases.extend(fs::read_dir(folder)?);
    }
    for case in cases {
        let path = case?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let tokens: TokenStream = fs::read_to_string(path)?.parse().map_err(invalid)?;
            write(tokens, &out)?;
        }
    }
    Ok(())
}

/// Writes the data of every tunable of a file.
fn write(file: TokenStream, out: &Path) -> io::Result<()> {
    for wrapper in attributes::wrappers(file) {
        let key = &wrapper.spec.key.text;
        if key == UNSEEN {
            continue;
        }
        let mark = fingerprint(&wrapper.spec) ^ u64::from(key == STALE);
        let data = fs::read_to_string(format!("data/{key}.rs")).unwrap_or_default();
        let file = out.join(data_file(key));
        fs::create_dir_all(file.parent().unwrap_or(out))?;
        fs::write(file, format!("{}\n{data}", data_header(mark)))?;
    }
    Ok(())
}

fn invalid(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
