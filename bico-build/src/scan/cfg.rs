//! Evaluates `cfg` conditions from what cargo tells a build script.
//!
//! Some are not known here (`test`, `doc`, `miri`): a tunable behind one of those is kept, since
//! tuning one too many costs time, and missing one breaks that build.

use crate::env::Env;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Meta, Token};

/// Whether the condition may hold: only `Some(false)` excludes.
pub(super) fn holds(condition: &Meta, env: &Env) -> Option<bool> {
    match condition {
        Meta::Path(path) => {
            let name = path.get_ident()?.to_string();
            match name.as_str() {
                "true" => Some(true),
                "false" => Some(false),
                "test" | "doc" | "doctest" | "miri" | "rust_analyzer" | "clippy" => None,
                _ => Some(value(env, &name).is_some()),
            }
        }
        Meta::NameValue(pair) => {
            let name = pair.path.get_ident()?.to_string();
            let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &pair.value
            else {
                return None;
            };
            let text = text.value();
            if name == "feature" {
                let key = text.to_uppercase().replace('-', "_");
                return Some(env.features.contains(&key));
            }
            Some(value(env, &name).is_some_and(|values| values.contains(&text)))
        }
        Meta::List(list) => {
            let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
            let inner = parser.parse2(list.tokens.clone()).ok()?;
            let mut values = inner.iter().map(|meta| holds(meta, env));
            match list.path.get_ident()?.to_string().as_str() {
                "not" => values.next()?.map(|value| !value),
                "all" => fold(values, false),
                "any" => fold(values, true),
                _ => None,
            }
        }
    }
}

/// `any` for `decisive = true`, `all` for `false`: one decisive value decides, an unknown one leaves
/// it open.
fn fold(values: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for value in values {
        if value == Some(decisive) {
            return value;
        }
        if value.is_none() {
            result = None;
        }
    }
    result
}

fn value<'a>(env: &'a Env, name: &str) -> Option<&'a Vec<String>> {
    env.cfg
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, values)| values)
}

#[cfg(test)]
mod tests {
    use crate::scan::items::tests::env;

    #[test]
    fn conditions() {
        let env = env();
        let holds = |text: &str| super::holds(&syn::parse_str(text).unwrap(), &env);
        assert_eq!(holds("unix"), Some(true));
        assert_eq!(holds("windows"), Some(false));
        assert_eq!(holds("feature = \"fast-math\""), Some(true));
        assert_eq!(holds("feature = \"slow\""), Some(false));
        assert_eq!(holds("target_arch = \"x86_64\""), Some(true));
        assert_eq!(holds("test"), None);
        assert_eq!(holds("not(test)"), None);
        assert_eq!(holds("all(unix, not(windows))"), Some(true));
        assert_eq!(holds("all(windows, test)"), Some(false));
        assert_eq!(holds("any(unix, test)"), Some(true));
        assert_eq!(holds("any(windows, test)"), None);
    }
}
