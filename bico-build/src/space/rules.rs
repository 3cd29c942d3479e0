//! The rules of a space without its configs.

use super::{Scope, Space, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_syntax::TunableSpec;

/// Says of single configs whether they belong to a space, without enumerating it: a lock is checked
/// at every build.
#[derive(Debug, Clone)]
pub struct Rules(Space);

impl Rules {
    /// Compiles domains and conditions.
    ///
    /// # Errors
    ///
    /// A name or device field that nobody knows.
    pub fn new(spec: &TunableSpec, facts: &Facts, scope: &Scope) -> Result<Rules, SpaceError> {
        Space::unlisted(spec, facts, scope).map(Rules)
    }

    /// As [`Space::why_not`].
    pub fn why_not(&self, values: &[Value]) -> Option<String> {
        self.0.why_not(values)
    }
}
