//! A pass, bound: which function it is, how it is launched and what is computed for it.

use crate::bind::launch::Extents;
use crate::bind::{Expression, SpaceError, bare};
use crate::{Arithmetic, Expr, KernelArgument, Name, Pass};
use bico_core::device::Dims;
use bico_core::{Lists, Value};

/// The expressions of a pass.
#[derive(Debug, Clone)]
pub(crate) struct BoundPass<'a> {
    entry: Expression,
    template: &'a [Name],
    pub(crate) launch: Option<Extents>,
    /// What its `args` computes.
    passed: Vec<Expression>,
}

/// One of the launches of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct PassPlan {
    /// The values that its `args` computes, in order; of a tensor map its numbers.
    pub passed: Vec<Value>,
    /// How it is launched, on a GPU.
    pub dims: Option<Dims>,
}

impl<'a> BoundPass<'a> {
    pub(crate) fn new(
        pass: &'a Pass,
        compile: &dyn Fn(&Expr, Arithmetic) -> Result<Expression, SpaceError>,
    ) -> Result<BoundPass<'a>, SpaceError> {
        let mut passed = Vec::new();
        for argument in pass.args.iter().flatten() {
            match argument {
                KernelArgument::Value(value, element) => {
                    passed.push(compile(value, element.arithmetic())?);
                }
                KernelArgument::Tensor(map) => {
                    for number in map.numbers() {
                        passed.push(compile(number, Arithmetic::Integer)?);
                    }
                }
                _ => {}
            }
        }
        let integer = |expr: &Expr| compile(expr, Arithmetic::Integer);
        let launch = pass.launch.as_ref();
        Ok(BoundPass {
            entry: integer(&pass.entry)?,
            template: &pass.template,
            launch: launch.map(|of| Extents::new(of, &integer)).transpose()?,
            passed,
        })
    }

    /// Its function for a config.
    pub(crate) fn entry(&self, values: &[Value]) -> Result<String, SpaceError> {
        match self.entry.eval(values)? {
            Value::Str(name) => Ok(name.to_string()),
            other => {
                let text = self.entry.text();
                let message = format!("`{text}` must give the name of a function, not {other}");
                Err(SpaceError::new(self.entry.span(), message))
            }
        }
    }

    /// Its function as an expression of CUDA C++; `parameter` gives the value of one.
    pub(crate) fn instance(
        &self,
        values: &[Value],
        parameter: &dyn Fn(&str) -> Option<Value>,
    ) -> Result<String, SpaceError> {
        let entry = self.entry(values)?;
        let arguments = self.template.iter();
        let arguments = arguments.filter_map(|name| parameter(&name.text));
        // A string names a type in a template argument, and a boolean is one.
        let arguments: Vec<String> = arguments.map(bare).collect_vec();
        Ok(match arguments.is_empty() {
            true => entry,
            false => format!("{entry}<{}>", arguments.join(", ")),
        })
    }

    #[inline]
    pub(crate) fn plan(&self, values: &[Value]) -> Result<PassPlan, SpaceError> {
        let passed = self.passed.iter().map(|value| value.eval(values));
        let launch = self.launch.as_ref();
        Ok(PassPlan {
            passed: passed.try_collect_vec()?,
            dims: launch.map(|launch| launch.dims(values)).transpose()?,
        })
    }
}
