//! Mistakes: collected, then shown all at once by rustc (the macro) or by ourselves (the build).

use crate::Lists;
use crate::messages::Message;
#[cfg(feature = "span-locations")]
use crate::sorted::sorted_by_key;
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};

/// One mistake of the user.
#[derive(Debug, Clone)]
pub struct Error {
    /// The token it is about, or the first of several.
    pub span: Span,
    /// The last of several tokens, which no macro can join into one span on a stable compiler.
    pub last: Option<Span>,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead, one line each.
    pub notes: Vec<String>,
}

/// One token, or all from one to another.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub(crate) first: Span,
    last: Option<Span>,
}

impl Extent {
    pub(crate) fn new(first: Span, last: Span) -> Self {
        match first.join(last) {
            Some(all) => all.into(),
            None => Extent {
                first,
                last: Some(last),
            },
        }
    }
}

impl From<Span> for Extent {
    fn from(first: Span) -> Self {
        Extent { first, last: None }
    }
}

impl Error {
    /// A mistake at `span`, without notes.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Error {
            span,
            last: None,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Adds a line that says what to write instead.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The mistake in rustc's manner, for a program that is not rustc.
    ///
    /// `source` is the text of the file `path`, from which the tokens were read.
    #[cfg(feature = "span-locations")]
    pub fn render(&self, path: &str, source: &str) -> String {
        use std::fmt::Write;

        let (start, end) = (self.span.start(), self.span.end());
        let number = start.line.to_string();
        let margin = " ".repeat(number.len());
        let mut out = format!("error: {}\n", self.message);
        let _ = writeln!(out, "{margin}--> {path}:{number}:{}", start.column + 1);
        // A span that came from no file (or from another one) has no line to show.
        let index = start.line.checked_sub(1);
        if let Some(line) = index.and_then(|index| source.lines().nth(index)) {
            let width = line.chars().count();
            let first = start.column.min(width);
            let last = match end.line == start.line {
                true => end.column,
                false => width,
            };
            // Tabs stay tabs, so that the caret stands under its token in any terminal.
            let tab = |c| if c == '\t' { '\t' } else { ' ' };
            let pad: String = line.chars().take(first).map(tab).collect();
            let carets = "^".repeat(last.min(width).saturating_sub(first).max(1));
            let _ = writeln!(
                out,
                "{margin} |\n{number} | {line}\n{margin} | {pad}{carets}"
            );
        }
        for note in &self.notes {
            let _ = writeln!(out, "{margin} = help: {note}");
        }
        out
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for String {
    fn from(error: Error) -> String {
        error.message
    }
}

/// The mistakes of one item, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub struct Errors {
    list: Vec<Error>,
}

impl Errors {
    /// Adds one.
    pub fn push(&mut self, error: Error) {
        self.list.push(error);
    }

    /// Adds one from the table of messages. What several variants have from the tunable is read for each, and told once.
    pub(crate) fn report(&mut self, place: impl Into<Extent>, message: Message) {
        let Extent { first, last } = place.into();
        // Spans cannot be compared.
        let shown = |span: Span| format!("{span:?}");
        let mut same = self
            .list
            .iter()
            .filter(|known| known.message == message.text);
        if same.any(|known| shown(known.span) == shown(first)) {
            return;
        }
        self.push(Error {
            span: first,
            last,
            message: message.text,
            notes: message.notes,
        });
    }

    /// Forgets all but the first `count`.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    /// Puts those from number `first` to `before` behind the ones that came after them.
    pub(crate) fn rotate(&mut self, first: usize, before: usize) {
        self.list[first..].rotate_left(before - first);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.list.iter()
    }

    /// `value` if there is no mistake.
    ///
    /// # Errors
    ///
    /// All the mistakes, otherwise.
    pub fn into_result<T>(self, value: T) -> Result<T, Errors> {
        match self.is_empty() {
            true => Ok(value),
            false => Err(self),
        }
    }

    /// One `compile_error!` per mistake, each on its own token.
    pub fn to_compile_error(&self) -> TokenStream {
        let mut shown = Vec::new();
        for error in &self.list {
            let mut text = error.message.clone();
            // rustc indents these lines, so that they stand below the message.
            for note in &error.notes {
                text.push_str("\nhelp: ");
                text.push_str(note);
            }
            shown.extend(compile_error(
                &text,
                error.span,
                error.last.unwrap_or(error.span),
            ));
        }
        TokenStream::from_iter(shown)
    }

    /// The mistakes in rustc's manner, by place, for a program that is not rustc.
    ///
    /// `source` is the text of the file `path`, from which the tokens were read.
    #[cfg(feature = "span-locations")]
    pub fn render(&self, path: &str, source: &str) -> String {
        let sorted = sorted_by_key(self.list.iter().collect_vec(), |error| error.span.start());
        let shown = sorted.iter().map(|error| error.render(path, source));
        shown.collect_vec().join("\n")
    }
}

/// `::core::compile_error! { text }`, which rustc shows from `first` to `last`.
fn compile_error(text: &str, first: Span, last: Span) -> Vec<TokenTree> {
    let at = |mut tree: TokenTree, span: Span| {
        tree.set_span(span);
        tree
    };
    let text = at(Literal::string(text).into(), last);
    let path = "::core::compile_error!".parse::<TokenStream>();
    let path = path.unwrap_or_default().into_iter();
    let mut trees: Vec<TokenTree> = path.map(|tree| at(tree, first)).collect_vec();
    let braces = Group::new(Delimiter::Brace, TokenStream::from(text));
    trees.push(at(braces.into(), last));
    trees
}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Errors { list: vec![error] }
    }
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = self.list.iter().map(|error| {
            let notes = error.notes.iter().map(|note| format!("\n  = help: {note}"));
            format!("error: {}{}", error.message, notes.collect::<String>())
        });
        f.write_str(&shown.collect_vec().join("\n"))
    }
}
