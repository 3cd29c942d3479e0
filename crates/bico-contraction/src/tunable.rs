//! The source of a tunable that is an einsum: one text for all of its configs.

use super::{ContractionError, DataType, Nest, Param, Result, Signature, Target, c, cuda};
use bico_einsum::Einsum;
use bico_syntax::{ArgumentKind, Contraction, Element, Layout, TunableSpec};

/// The text of the kernel that `spec` asks bico to write; `None` where the author wrote one.
///
/// # Errors
///
/// No generator can write it: what it lacks.
pub fn source(spec: &TunableSpec) -> Option<Result<String>> {
    let contraction = spec.contraction.as_ref()?;
    let target = match spec.is_cuda() {
        true => Target::Cuda,
        false => Target::C,
    };
    Some(text(spec, contraction, target))
}

fn text(spec: &TunableSpec, contraction: &Contraction, target: Target) -> Result<String> {
    let first = contraction.inputs.first().copied();
    let input = data_type(spec, first)?;
    let output = data_type(spec, Some(contraction.output))?;
    let einsum = Einsum::parse(&contraction.einsum)
        .map_err(|_| ContractionError::new("the einsum cannot be read"))?;
    let nest = Nest::of_plan(&einsum, input, output, target);
    let signature = signature(spec, contraction)?;
    match target {
        Target::C => c::source(&nest, &signature),
        Target::Cuda => cuda::source(&nest, &signature),
    }
}

fn data_type(spec: &TunableSpec, argument: Option<usize>) -> Result<DataType> {
    let argument = argument.and_then(|index| spec.arguments.get(index));
    let layout = argument.and_then(|argument| argument.kind.layout());
    match layout.and_then(Layout::number) {
        Some(Element::F16) => Ok(DataType::F16),
        Some(Element::F32) => Ok(DataType::F32),
        _ => Err(ContractionError::new(
            "the tensors of an einsum are f32 or f16",
        )),
    }
}

/// The wrapper's arguments without the stream, then scratch: the order in which kernels are called.
fn signature(spec: &TunableSpec, contraction: &Contraction) -> Result<Signature> {
    let mut parameters = Vec::new();
    for (index, argument) in spec.arguments.iter().enumerate() {
        match argument.kind {
            ArgumentKind::Buffer { .. } => {
                parameters.push(Param::Tensor(tensor(contraction, index)))
            }
            ArgumentKind::Scalar(element) => {
                let name = &argument.name.text;
                let (letter, c_type) =
                    name.chars().next().zip(c_type(element)).ok_or_else(|| {
                        ContractionError::new(format!("`{name}` is no size of an index"))
                    })?;
                parameters.push(Param::Size { letter, c_type });
            }
            ArgumentKind::Stream
            | ArgumentKind::Selector(_)
            | ArgumentKind::Value { .. }
            | ArgumentKind::Structure(_) => {}
        }
    }
    parameters.extend((0..spec.scratch.len()).map(Param::Scratch));
    Ok(Signature {
        entry: contraction.kernel.clone(),
        parameters,
        reference: Some(contraction.reference.clone()),
    })
}

/// The number of the tensor that an argument is: inputs are 0, 1 and 3.
fn tensor(contraction: &Contraction, argument: usize) -> usize {
    let input = contraction
        .inputs
        .iter()
        .position(|input| *input == argument);
    input.map_or(2, |input| [0, 1, 3][input.min(2)])
}

/// Spelled without headers, which a GPU's compiler at run time has not.
fn c_type(element: Element) -> Option<&'static str> {
    Some(match element {
        Element::I8 => "signed char",
        Element::I16 => "short",
        Element::I32 => "int",
        Element::I64 | Element::Isize => "long long",
        Element::U8 => "unsigned char",
        Element::U16 => "unsigned short",
        Element::U32 => "unsigned int",
        Element::U64 | Element::Usize => "unsigned long long",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(attribute: &str, function: &str) -> TunableSpec {
        let wrapper = bico_syntax::parse(attribute.parse().unwrap(), function.parse().unwrap());
        wrapper.map_err(|errors| errors.to_string()).unwrap().spec
    }

    fn parameters(spec: &TunableSpec) -> Vec<Param> {
        let contraction = spec.contraction.as_ref().unwrap();
        signature(spec, contraction).unwrap().parameters
    }

    const SCALED: &str = "einsum = \"mk, nk, nm -> mn\", problem(m = 8, n = 8, k = 8)";

    #[test]
    fn parameters_stand_in_the_order_of_the_wrapper() {
        let spec = spec(
            SCALED,
            "fn f(k: i64, a: &[f32], o: &mut [f32], b: &[f32], m: u8, d: &[f32], n: usize) -> bico::Result<()>;",
        );
        let size = |letter, c_type| Param::Size { letter, c_type };
        assert_eq!(
            parameters(&spec),
            [
                size('k', "long long"),
                Param::Tensor(0),
                Param::Tensor(2),
                Param::Tensor(1),
                size('m', "unsigned char"),
                Param::Tensor(3),
                size('n', "unsigned long long"),
                Param::Scratch(0),
                Param::Scratch(1),
            ]
        );
        let text = source(&spec).unwrap().unwrap();
        for name in ["f_kernel(", "f_reference(", "mk, nk, nm -> mn"] {
            assert!(text.contains(name), "{text}");
        }
    }

    #[test]
    fn streams_are_no_parameters() {
        let spec = spec(
            SCALED,
            "fn f(stream: &Arc<CudaStream>, a: &CudaSlice<f16>, b: &CudaSlice<f16>, d: &CudaSlice<f16>, o: &mut CudaSlice<f32>, m: u32, n: u32, k: u32) -> bico::Result<()>;",
        );
        let parameters = parameters(&spec);
        assert_eq!(parameters[..2], [Param::Tensor(0), Param::Tensor(1)]);
        assert_eq!(parameters.len(), 7);
        assert!(source(&spec).unwrap().unwrap().contains("f_kernel"));
    }

    #[test]
    fn a_kernel_of_the_author_is_left_alone() {
        let spec = spec(
            "source = \"k.c\", space(A in [1]), problem(n = 8)",
            "fn f(#[len(n)] c: &mut [f32], n: u32) -> bico::Result<()>;",
        );
        assert!(source(&spec).is_none());
    }
}
