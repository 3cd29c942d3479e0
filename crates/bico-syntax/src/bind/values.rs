//! Arguments that are no sizes: what they may be.

use crate::bind::{Bound, SpaceError};
use crate::{ArgumentKind, Element, Expr};
use bico_core::Lists;

/// What a `#[value]` argument may be: its type, and the first and last of its range, if it has one.
pub type Allowed = (Element, Option<(i64, i64)>);

impl Bound<'_> {
    /// Of each scalar argument that is a `#[value]`: what it may be at these sizes, first and last.
    ///
    /// # Errors
    ///
    /// A bound cannot be evaluated, or there is nothing between them.
    pub fn values(&self) -> Result<Vec<Option<Allowed>>, SpaceError> {
        let arguments = self.spec.arguments.iter().map(|argument| &argument.kind);
        let of = |kind: &ArgumentKind| match kind {
            ArgumentKind::Scalar(_) => Some(Ok(None)),
            ArgumentKind::Value { element, range } => {
                let range = range.as_ref().map(|range| self.range(range)).transpose();
                Some(range.map(|range| Some((*element, range))))
            }
            _ => None,
        };
        arguments.filter_map(of).try_collect_vec()
    }

    fn range(&self, range: &Expr) -> Result<(i64, i64), SpaceError> {
        let [low, high] = self.scope.ends(range, self.facts, "bound")?;
        match low <= high {
            true => Ok((low, high)),
            false => {
                let sizes = self.scope.describe();
                let message = format!("there is no number in `{range}` ({sizes})");
                Err(SpaceError::new(range.span, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::Scope;
    use bico_core::Value;
    use bico_core::device::{CudaFacts, Facts};

    #[test]
    fn ranges_follow_the_sizes() {
        let attribute = "source = \"k.cu\", space(T in [1]), launch(grid = 1, block = 1), problem(n = 9, seed = 2)";
        let item = "fn k(s: &Arc<CudaStream>, #[value] seed: u64, #[value(1..n)] at: u32, n: u32, #[len(n + at)] y: &mut CudaSlice<f32>) -> bico::Result<()>;";
        let wrapper = crate::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = wrapper.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
        let scope = Scope::new(&spec, &spec.problems[0], &facts, &Default::default()).unwrap();
        let bound = Bound::new(&spec, &facts, &scope).unwrap();
        let numbers = [2, 5, 9].map(Value::Int);
        assert_eq!(bound.scalars(), numbers);
        assert_eq!(bound.lengths(&[Value::Int(1)]).unwrap(), [14]);
        assert_eq!(scope.describe(), "n=9");
        let of = |at| Some((Element::U32, Some(at)));
        assert_eq!(
            bound.values().unwrap(),
            [Some((Element::U64, None)), of((1, 8)), None]
        );
        let other = bound.at(&[7, 1, 3].map(Value::Int)).unwrap();
        assert_eq!(other.values().unwrap()[1], of((1, 2)));
        assert_eq!(other.lengths(&[Value::Int(1)]).unwrap(), [4]);
        let empty = bound.at(&[7, 1, 1].map(Value::Int)).unwrap();
        let error = empty.values().unwrap_err();
        assert_eq!(error.message, "there is no number in `1..n` (n=1)");
    }
}
