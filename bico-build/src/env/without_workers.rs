//! Stands for lists of workers in a build that knows one.

use super::get;

/// Workers that are started alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workers {
    /// How many.
    pub count: usize,
    /// The command that is put before each.
    pub runner: Vec<String>,
    /// They see no file of this machine.
    pub sends: bool,
}

impl Workers {
    /// This machine's own.
    pub const LOCAL: Workers = Workers {
        count: 1,
        runner: Vec::new(),
        sends: false,
    };
}

/// None; and a word on who asks for some.
///
/// # Errors
///
/// None.
pub fn workers(_in_build: bool) -> Result<(Vec<Workers>, Option<String>), String> {
    let refused = get("BICO_WORKERS").map(|_| {
        "BICO_WORKERS is left alone: bico-build is compiled without its feature `workers`; `cargo bico tune` needs none".to_string()
    });
    Ok((Vec::new(), refused))
}
