//! Links of one document into the repository.

use super::read;
use crate::harness::WORKSPACE;
use std::path::Path;

/// Links of this page that lead nowhere, ready to be shown.
pub(super) fn broken(page: &Path) -> Vec<String> {
    let text = without_code(&read(page));
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'));
    targets
        .filter_map(|(target, _)| Some((target, fault(page, target)?)))
        .map(|(target, fault)| format!("{}: `{target}`: {fault}", page.display()))
        .collect()
}

fn fault(page: &Path, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    if page.starts_with("docs") && target.starts_with("..") {
        return Some("the book has nothing outside of docs/".to_string());
    }
    let folder = page.parent().unwrap_or(Path::new(""));
    let file = match path {
        "" => page.to_path_buf(),
        path => folder.join(path),
    };
    if !Path::new(WORKSPACE).join(&file).exists() {
        return Some("no such file".to_string());
    }
    if anchor.is_empty() {
        return None;
    }
    let text = prose(&read(&file));
    let mut anchors = text.lines().filter(|line| line.starts_with('#')).map(slug);
    (!anchors.any(|known| known == anchor)).then(|| "no such heading".to_string())
}

/// The text without its fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// The prose without `code`, where brackets are no links.
fn without_code(text: &str) -> String {
    prose(text).split('`').step_by(2).collect()
}

/// What GitHub makes of a heading.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    words
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
