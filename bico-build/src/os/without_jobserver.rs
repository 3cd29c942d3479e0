//! Stands for cargo's job tokens where bico does not measure.

#[derive(Clone)]
pub(crate) struct Jobserver;

pub(crate) struct Token;

impl Jobserver {
    pub(crate) fn of_the_build() -> Option<Jobserver> {
        None
    }

    pub(crate) fn take(&self) -> Option<Token> {
        None
    }
}
