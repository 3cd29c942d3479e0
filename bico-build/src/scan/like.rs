//! `like = gemm`: tunables whose winners others begin with.

use super::Scan;
use bico_core::Lists;
use bico_syntax::{Error, nearest};
use std::path::Path;

/// Reports names that no tunable of the package has.
pub(super) fn check(scan: &mut Scan, root: &Path) {
    let keys: Vec<&str> = scan
        .tunables
        .iter()
        .map(|of| of.spec.key.text.as_str())
        .collect_vec();
    for found in &scan.tunables {
        let Some(like) = &found.spec.like else {
            continue;
        };
        if keys.contains(&like.text.as_str()) {
            continue;
        }
        let message = format!("this package has no tunable `{}`", like.text);
        let note = match nearest(&like.text, &keys) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", keys.join(", ")),
        };
        let text = std::fs::read_to_string(root.join(&found.file)).unwrap_or_default();
        let error = Error::new(like.span, message).note(note);
        let file = found.file.display().to_string();
        scan.errors.push(error.render(&file, &text));
    }
}

/// Who others are like comes before them, so that its winners are known when they are searched.
#[cfg(feature = "tune")]
pub(crate) fn liked_first(mut rest: Vec<super::Found>) -> Vec<super::Found> {
    let mut ordered = Vec::new();
    while !rest.is_empty() {
        let waits = |of: &super::Found| {
            let like = of.spec.like.as_ref();
            like.is_some_and(|like| rest.iter().any(|other| other.spec.key.text == like.text))
        };
        // In a circle somebody has to begin.
        let next = rest.iter().position(|of| !waits(of)).unwrap_or(0);
        ordered.push(rest.remove(next));
    }
    ordered
}
