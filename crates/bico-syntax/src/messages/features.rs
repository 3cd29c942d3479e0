//! Messages about features of the crates that are not switched on.

use crate::errors::Error;
use proc_macro2::Span;

/// What a `.cu` wrapper meets where bico-runtime was built without its feature `cuda`.
pub fn needs_cuda(span: Span) -> Error {
    needs(span, "CUDA kernels", "cuda")
}

/// What `einsum = ".."` meets where bico-runtime or bico-build was built without its feature `einsum`.
pub fn needs_einsum(span: Span) -> Error {
    needs(span, "einsums", "einsum")
}

/// What a Rust function meets where bico-build was built without its feature `rust`; the macro needs none.
pub fn needs_rust(span: Span) -> Error {
    let version = env!("CARGO_PKG_VERSION");
    Error::new(span, format!(
        "Rust functions need the feature rust: bico-build = {{ version = \"{version}\", features = [\"rust\"] }}"
    ))
    .note("it is one of the build-dependency alone")
}

fn needs(span: Span, what: &str, feature: &str) -> Error {
    let version = env!("CARGO_PKG_VERSION");
    let message = format!(
        "{what} need the feature {feature}: bico-runtime = {{ version = \"{version}\", features = [\"{feature}\"] }}"
    );
    let note = format!(
        "the build-dependency needs it too: bico-build = {{ .., features = [\"{feature}\"] }}"
    );
    Error::new(span, message).note(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_need_one_of_the_build_alone() {
        let error = needs_rust(Span::call_site());
        let says = "Rust functions need the feature rust: bico-build = { version = \"";
        assert!(error.message.starts_with(says), "{}", error.message);
        assert!(error.message.ends_with("features = [\"rust\"] }"));
    }

    #[test]
    fn they_say_which_feature_and_where() {
        for (error, says) in [
            (
                needs_cuda(Span::call_site()),
                "CUDA kernels need the feature cuda: ",
            ),
            (
                needs_einsum(Span::call_site()),
                "einsums need the feature einsum: ",
            ),
        ] {
            assert!(error.message.starts_with(says), "{}", error.message);
            assert!(error.message.contains("bico-runtime = { version = \""));
            assert!(error.notes[0].contains("bico-build = { .., features = [\""));
        }
    }
}
