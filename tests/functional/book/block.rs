//! The code blocks of a document.

/// One fenced block.
pub(crate) struct Block {
    /// What follows the fence, up to a comma.
    pub(crate) language: String,
    pub(crate) text: String,
    /// The line of the fence.
    pub(crate) line: usize,
}

/// The blocks of a Markdown text, in order.
pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in markdown.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => {
                let language = info.split(',').next().unwrap_or_default().trim();
                open = Some(Block {
                    language: language.to_string(),
                    text: String::new(),
                    line: number + 1,
                });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

impl Block {
    /// The file that the first line names, in a comment: `/* kernels/dot.c: the kernel */`.
    pub(crate) fn file(&self) -> Option<String> {
        let first = self.text.lines().next()?;
        let comment = first.trim_start_matches(['#', '/', '*', ' ']);
        if comment.len() == first.len() {
            return None;
        }
        let name = comment.split([':', ' ']).next()?;
        name.contains('.').then(|| name.to_string())
    }

    pub(crate) fn is_tunable(&self) -> bool {
        self.text.contains("#[bico::tunable(")
    }

    pub(crate) fn is_build_script(&self) -> bool {
        self.file().as_deref() == Some("build.rs")
    }

    /// Whether it can stand in a module as it is.
    pub(crate) fn is_items(&self) -> bool {
        let items = [
            "fn ", "pub fn ", "use ", "mod ", "const ", "struct ", "impl ",
        ];
        let begins = |line: &str| items.iter().any(|item| line.starts_with(item));
        self.is_tunable() || self.text.lines().any(begins)
    }
}
