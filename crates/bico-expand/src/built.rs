//! What the build script left: found, and checked to be made from this very attribute.

use bico_syntax::{Error, TunableSpec};
use proc_macro2::{Span, TokenStream};
use std::path::PathBuf;

/// The package that is being compiled, as cargo and `bico_build::tune()` describe it.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name, as in Cargo.toml.
    pub name: String,
    /// Its version, as in Cargo.toml.
    pub version: String,
    /// Where the build script left its data.
    pub out_dir: PathBuf,
}

impl Package {
    /// What the environment says; what is wrong with the package as a whole is said at `span`.
    pub(crate) fn read(span: Span) -> Result<Package, Error> {
        // `OUT_DIR` alone proves nothing: any build script has one, and some tools leak theirs.
        let (Some(built_by), Some(out_dir)) = (variable("BICO_BUILD"), variable("OUT_DIR")) else {
            return Err(no_build_script(span));
        };
        let own = env!("CARGO_PKG_VERSION");
        if built_by != own {
            let message = format!(
                "the build script uses bico-build {built_by}, this crate uses bico-runtime {own}"
            );
            return Err(Error::new(span, message).note(
                "give both the same version in Cargo.toml, then run `cargo update bico-build bico-runtime`",
            ));
        }
        Ok(Package {
            name: variable("CARGO_PKG_NAME").unwrap_or_default(),
            version: variable("CARGO_PKG_VERSION").unwrap_or_default(),
            out_dir: PathBuf::from(out_dir),
        })
    }

    /// The stem of the tunable's symbols, which is also the name of its static library.
    pub(crate) fn symbol(&self, spec: &TunableSpec) -> String {
        bico_syntax::symbol(&self.name, &self.version, &spec.key.text)
    }

    /// The const arguments of each candidate of a Rust function, as [`Package::check`] found the data.
    pub(crate) fn candidates(&self, spec: &TunableSpec) -> Result<Vec<TokenStream>, Error> {
        let (key, span) = (&spec.key.text, spec.key.span);
        let path = self.out_dir.join(bico_syntax::data_file(key));
        let data = std::fs::read_to_string(path).unwrap_or_default();
        let line = data
            .lines()
            .nth(1)
            .and_then(|line| line.strip_prefix("// "));
        let mut candidates = Vec::new();
        for own in line.unwrap_or_default().split(" | ") {
            let tokens: Option<TokenStream> = own.parse().ok();
            let tokens = tokens.filter(|tokens| !tokens.is_empty());
            candidates.push(tokens.ok_or_else(|| {
                Error::new(
                    span,
                    format!("the build script left no candidates of `{key}`"),
                )
                .note("run `cargo build` again, or `touch build.rs` first")
            })?);
        }
        Ok(candidates)
    }

    /// Whether the data of this tunable is there and made from this attribute.
    pub(crate) fn check(&self, spec: &TunableSpec) -> Result<(), Error> {
        let (key, span) = (&spec.key.text, spec.key.span);
        let path = self.out_dir.join(bico_syntax::data_file(key));
        // The fingerprint stands in the first line; the rest is for `include!`.
        let data = std::fs::read_to_string(path).unwrap_or_default();
        let Some(header) = data.lines().next() else {
            return Err(Error::new(span, format!("the build script has not seen `{key}`"))
                .note("it reads the package's sources before macros are expanded: write the function itself with `#[bico::tunable]`, not through another macro")
                .note("where a `cfg` depends on more than target and features, or the file is not reached by `mod`, it cannot see the function either")
                .note("a doctest cannot have a tunable of its own: move the function into the library"));
        };
        if header == bico_syntax::data_header(bico_syntax::fingerprint(spec)) {
            return Ok(());
        }
        Err(Error::new(span, format!("the build script has seen another attribute of the name `{key}`"))
            .note(format!("where two functions share a name (one of them perhaps in a test, example or doctest), give one of them its own key: `name = \"{key}_2\"`"))
            .note("otherwise its data is stale: run `cargo build` again, or `touch build.rs` first"))
    }
}

fn no_build_script(span: Span) -> Error {
    let version = env!("CARGO_PKG_VERSION");
    let manifest = format!(
        "add to Cargo.toml:\n\n        [build-dependencies]\n        bico-build = \"{version}\"\n"
    );
    let message = "this crate has no build script that calls `bico_build::tune()`";
    Error::new(span, message).note(manifest).note(
        "and as build.rs:\n\n        fn main() {\n            bico_build::tune();\n        }\n",
    )
}

/// What cargo tells rustc. A change of these variables recompiles the crate without our help: cargo
/// tracks them.
#[allow(clippy::disallowed_methods)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn data_must_be_there_and_of_this_attribute() {
        let spec = |tile: u32| {
            let tile = proc_macro2::Literal::u32_unsuffixed(tile);
            let attribute = quote!(source = "k.c", space(TILE in [#tile]), problem(m = 8));
            let item = quote!(
                fn gemm(#[len(m)] c: &mut [f32], m: u32) -> bico::Result<()>;
            );
            bico_syntax::parse(attribute, item)
                .unwrap_or_else(|errors| panic!("{errors}"))
                .spec
        };
        let dir = tempfile::tempdir().unwrap();
        let out_dir = dir.path().to_path_buf();
        let package = Package {
            name: "my-lib".into(),
            version: "0.1.0".into(),
            out_dir,
        };
        let message = |spec: &TunableSpec| package.check(spec).unwrap_err().message;
        assert!(
            message(&spec(1)).contains("has not seen `gemm`"),
            "{}",
            message(&spec(1))
        );

        std::fs::create_dir(dir.path().join("bico")).unwrap();
        let header = bico_syntax::data_header(bico_syntax::fingerprint(&spec(1)));
        std::fs::write(
            dir.path().join("bico/gemm.rs"),
            format!("{header}\nData {{ .. }}\n"),
        )
        .unwrap();
        assert!(package.check(&spec(1)).is_ok());
        assert!(message(&spec(2)).contains("another attribute of the name `gemm`"));
        assert_eq!(package.symbol(&spec(1)), "bico_my_lib_0_1_0_gemm");
    }
}
