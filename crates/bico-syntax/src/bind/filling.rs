//! What buffers are filled with before a kernel is measured or checked.

use crate::bind::{Bound, Expression, SpaceError};
use crate::{ArgumentKind, Element, Expr, Init};
use bico_core::{Lists, Value};

/// The two numbers of a `uniform(..)` or `normal(..)`.
pub type Numbers = (f64, f64);

impl Bound<'_> {
    /// Of each buffer argument: the numbers of its `#[init(..)]` at these sizes, where it has any; or why it cannot be filled
    /// there: they cannot be evaluated, or leave nothing to choose from.
    pub fn fillings(&self) -> Vec<Result<Option<Numbers>, SpaceError>> {
        let arguments = self.spec.arguments.iter();
        let fillings = arguments.filter_map(|argument| match &argument.kind {
            ArgumentKind::Buffer { layout, init, .. } => {
                // As the grammar has it for the fields of a structure.
                let of = layout.element().unwrap_or(Element::F32);
                Some(self.numbers(init.as_ref(), of))
            }
            _ => None,
        });
        fillings.collect_vec()
    }

    fn numbers(&self, init: Option<&Init>, of: Element) -> Result<Option<Numbers>, SpaceError> {
        let number = |expr: &Expr| {
            let number = Expression::compile(expr, of.arithmetic(), &[], &self.scope, self.facts)?;
            match number.eval(&[])? {
                Value::Int(number) => Ok(number as f64),
                Value::Float(number) => Ok(number),
                other => Err(SpaceError::new(expr.span, format!("{other} is no number"))),
            }
        };
        let (first, second, what) = match init {
            Some(Init::Uniform(low, high)) => (low, high, "there is no number from `{}` to `{}`"),
            Some(Init::Normal(mean, deviation)) => (
                mean,
                deviation,
                "no numbers lie about `{}` with a deviation of `{}`",
            ),
            Some(Init::File(_, other)) => return self.numbers(other.as_deref(), of),
            _ => return Ok(None),
        };
        let numbers = (number(first)?, number(second)?);
        let least = match init {
            Some(Init::Uniform(..)) => numbers.0,
            _ => 0.0,
        };
        match least < numbers.1 && (numbers.1 - numbers.0).is_finite() {
            true => Ok(Some(numbers)),
            false => {
                let sizes = self.scope.describe();
                let what = what.replacen("{}", &first.to_string(), 1);
                let what = what.replacen("{}", &second.to_string(), 1);
                Err(SpaceError::new(second.span, format!("{what} ({sizes})")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::bind::{Bound, Scope};
    use bico_core::Value;
    use bico_core::device::{CudaFacts, Facts};

    #[test]
    fn numbers_follow_the_sizes() {
        let attribute = "source = \"k.cu\", space(T in [1]), launch(grid = 1, block = 1), problem(n = 9, const K = 2)";
        let item = "fn k(s: &Arc<CudaStream>, n: u32, #[len(n)] y: &mut CudaSlice<f32>, \
            #[len(n)] #[init(uniform(-0.5, n / K))] at: &CudaSlice<u32>, \
            #[len(n)] #[init(file = \"x.npy\", normal(1, 1 / n))] x: &CudaSlice<f32>) -> bico::Result<()>;";
        let wrapper = crate::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = wrapper.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
        let scope = Scope::new(&spec, &spec.problems[0], &facts, &Default::default()).unwrap();
        let bound = Bound::new(&spec, &facts, &scope).unwrap();
        // Integers are divided as integers, where there are integers to be filled.
        let fillings = [None, Some((-0.5, 4.0)), Some((1.0, 1.0 / 9.0))];
        assert_eq!(
            bound
                .fillings()
                .into_iter()
                .collect::<Result<Vec<_>, _>>()
                .unwrap(),
            fillings
        );
        let other = bound.at(&[Value::Int(-2)]).unwrap();
        let said = other.fillings().into_iter().filter_map(Result::err);
        assert_eq!(
            said.map(|error| error.message).collect::<Vec<_>>(),
            [
                "there is no number from `-0.5` to `n / K` (n=-2, K=2)",
                "no numbers lie about `1` with a deviation of `1 / n` (n=-2, K=2)"
            ]
        );
        let other = bound.at(&[Value::Int(0)]).unwrap();
        assert!(other.fillings()[1].is_ok() && other.fillings()[2].is_err());
    }
}
