//! Which of a tunable's kernels a config is of.

use crate::bind::{Bound, SpaceError, intern};
use bico_core::Value;

impl Bound<'_> {
    /// Which of the tunable's kernels a config is of.
    pub fn kernel(&self, values: &[Value]) -> usize {
        let named = match values.first() {
            Some(Value::Str(name)) if self.spec.has_variants() => name,
            _ => return 0,
        };
        let mut names = self.spec.kernels.iter().map(|kernel| &kernel.name);
        let found = names.position(|of| of.as_ref().is_some_and(|of| of.text == **named));
        found.unwrap_or(0)
    }

    /// Whether a config is of a variant that cannot be built here.
    pub fn is_absent(&self, values: &[Value]) -> bool {
        let name = self.spec.kernels[self.kernel(values)].name.as_ref();
        let mut absent = self.scope.absent.iter();
        name.is_some_and(|name| absent.any(|of| of.text == name.text))
    }

    /// The first config of a kernel.
    ///
    /// # Errors
    ///
    /// Those of [`Rules::first`](crate::bind::Rules::first).
    pub fn first_of(&self, kernel: usize) -> Result<Option<Vec<Value>>, SpaceError> {
        let name = self.spec.kernels[kernel].name.as_ref();
        self.rules
            .first_of(name.map(|of| Value::Str(intern(&of.text))))
    }
}
