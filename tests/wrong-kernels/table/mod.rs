//! What is wrong with each kernel, and whether a build notices.

pub(crate) mod c;
pub(crate) mod cuda;

/// One kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Its file, its function and its key in the lock.
    pub(crate) name: &'static str,
    /// What its fast variant does wrong.
    pub(crate) wrong: &'static str,
    pub(crate) today: Today,
}

/// What becomes of the wrong variant today. Who teaches bico to see it moves its row to `Caught`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Today {
    /// It fails, and the trail says this.
    Caught(&'static str),
    /// It wins; what would catch it.
    Open(&'static str),
    /// It wins, and no check of a build can see it; why.
    Never(&'static str),
}

const fn row(name: &'static str, wrong: &'static str, today: Today) -> Row {
    Row { name, wrong, today }
}
