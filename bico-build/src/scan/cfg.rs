//! Evaluates `cfg` conditions from what cargo tells a build script.
//!
//! Some are not known here (`test`, `doc`, `miri`): a tunable behind one of those is kept, since
//! tuning one too many costs time, and missing one breaks that build.

use crate::env::Env;
use bico_core::Lists;
use proc_macro2::{TokenStream, TokenTree};

/// What an attribute or a condition says: `unix`, `feature = "fast"`, `all(unix, test)`.
pub(super) struct Meta {
    /// The segments of its path.
    pub path: Vec<String>,
    pub value: Value,
}

/// What follows the path of a [`Meta`].
pub(super) enum Value {
    Nothing,
    /// `= "text"`; `None`: something that is no string.
    Text(Option<String>),
    /// `(..)`
    List(TokenStream),
}

impl Meta {
    /// Reads all of `tokens`; `None` for what is malformed, which rustc reports.
    pub(super) fn read(tokens: TokenStream) -> Option<Meta> {
        let mut path = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        loop {
            let value = match tokens.next() {
                Some(TokenTree::Ident(name)) => {
                    path.push(name.to_string());
                    continue;
                }
                Some(TokenTree::Punct(colon)) if colon.as_char() == ':' => continue,
                Some(TokenTree::Punct(equals)) if equals.as_char() == '=' => {
                    let literal = tokens.next()?;
                    let text = bico_syntax::string(&literal.to_string());
                    Value::Text(text.filter(|_| tokens.peek().is_none()))
                }
                Some(TokenTree::Group(group)) if tokens.peek().is_none() => {
                    Value::List(group.stream())
                }
                None => Value::Nothing,
                _ => return None,
            };
            return (!path.is_empty()).then_some(Meta { path, value });
        }
    }

    /// Reads what stands between commas.
    pub(super) fn list(tokens: TokenStream) -> Option<Vec<Meta>> {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
        let mut metas = Vec::new();
        for part in trees.split(comma) {
            if !part.is_empty() {
                metas.push(Meta::read(part.iter().cloned().collect())?);
            }
        }
        Some(metas)
    }
}

/// Whether the condition may hold: only `Some(false)` excludes.
pub(super) fn holds(condition: &Meta, env: &Env) -> Option<bool> {
    let [name] = condition.path.as_slice() else {
        return None;
    };
    match &condition.value {
        Value::Nothing => match name.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            "test" | "doc" | "doctest" | "miri" | "rust_analyzer" | "clippy" => None,
            _ => Some(values(env, name).is_some()),
        },
        Value::Text(text) => {
            let text = text.as_ref()?;
            if name == "feature" {
                let key = text.to_uppercase().replace('-', "_");
                return Some(env.features.contains(&key));
            }
            Some(values(env, name).is_some_and(|values| values.contains(text)))
        }
        Value::List(tokens) => {
            let inner = Meta::list(tokens.clone())?;
            let values: Vec<Option<bool>> = inner.iter().map(|meta| holds(meta, env)).collect_vec();
            match name.as_str() {
                "not" => values.first()?.map(|value| !value),
                "all" => fold(&values, false),
                "any" => fold(&values, true),
                _ => None,
            }
        }
    }
}

/// `any` for `decisive = true`, `all` for `false`: one decisive value decides, an unknown one leaves
/// it open.
fn fold(values: &[Option<bool>], decisive: bool) -> Option<bool> {
    if values.contains(&Some(decisive)) {
        return Some(decisive);
    }
    (!values.contains(&None)).then_some(!decisive)
}

fn values<'a>(env: &'a Env, name: &str) -> Option<&'a Vec<String>> {
    let (_, values) = env.cfg.iter().find(|(key, _)| key == name)?;
    Some(values)
}

#[cfg(test)]
mod tests {
    use crate::scan::items::tests::env;

    #[test]
    fn conditions() {
        let env = env();
        let holds =
            |text: &str| super::holds(&super::Meta::read(text.parse().unwrap()).unwrap(), &env);
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
