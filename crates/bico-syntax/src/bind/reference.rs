//! How the reference is compiled and launched.

use crate::ReferenceKind;
use crate::bind::launch::Extents;
use crate::bind::{Bound, SpaceError};
use bico_core::device::Dims;
use bico_core::{Set, Value};

impl Bound<'_> {
    /// The values of the parameters for which the reference is compiled and launched: the config's, but for those that
    /// `with(..)` gives.
    ///
    /// # Errors
    ///
    /// A derived parameter that cannot be evaluated with those.
    pub fn reference_values(&self, values: &[Value]) -> Result<Vec<Value>, SpaceError> {
        if self.kernel(values) == 0 || !self.shares_source() {
            return self.rules.with(values, &self.with);
        }
        self.rules.with(self.referring()?, &self.with)
    }

    /// Has one reference for all sizes.
    pub(crate) fn refers_as(&self, other: &Bound<'_>) {
        if let (true, Ok(config)) = (self.shares_source(), other.referring()) {
            let _ = self.referring.set(config.clone());
        }
    }

    fn referring(&self) -> Result<&Vec<Value>, SpaceError> {
        if let Some(config) = self.referring.get() {
            return Ok(config);
        }
        let first = self.first_variant()?;
        Ok(self.referring.get_or_init(|| first))
    }

    /// Whether the reference stands in the source of one of several variants.
    fn shares_source(&self) -> bool {
        let reference = self.spec.verify.reference.as_ref();
        let reference = reference.filter(|_| self.spec.has_variants());
        reference.is_some_and(|of| matches!(of.kind, ReferenceKind::Entry(_)))
    }

    /// The first config of the first variant.
    fn first_variant(&self) -> Result<Vec<Value>, SpaceError> {
        self.first_of(0)?.ok_or_else(|| {
            let name = self.spec.kernels[0].name.as_ref();
            let name = name.map_or("", |name| &name.text);
            let span = self.spec.verify.reference.as_ref().map(|of| of.span);
            let message = format!(
                "the reference is looked for in the source of `{name}`, the first variant, of which no config is valid here: put one first that is, or the reference into a C file"
            );
            SpaceError::new(span.unwrap_or(self.spec.place()), message)
        })
    }

    /// How the reference is launched, where it is a kernel.
    ///
    /// # Errors
    ///
    /// `launch` cannot be evaluated, as in [`Bound::passes`].
    pub fn reference_dims(&self, values: &[Value]) -> Result<Option<Dims>, SpaceError> {
        let values = self.reference_values(values)?;
        let launch = self.reference_launch.as_ref();
        launch.map(|launch| launch.dims(&values)).transpose()
    }

    /// The parameters that the reference's launch depends on.
    pub fn reference_depends(&self) -> Set<usize> {
        let launch = self.reference_launch.as_ref();
        launch.map(Extents::depends).unwrap_or_default()
    }
}
