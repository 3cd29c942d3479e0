//! The function below an einsum: which argument is which tensor, and the options that follow.

use crate::options::{self, Operands};
use crate::{Einsum, EinsumError};

/// The elements that there are generators for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Float {
    /// IEEE 754 binary16; on GPUs only.
    F16,
    /// IEEE 754 binary32.
    F32,
}

impl Float {
    /// The Rust name: `f32`.
    pub fn name(self) -> &'static str {
        ["f16", "f32"][self as usize]
    }

    /// Bytes of one value.
    pub fn size(self) -> u64 {
        [2, 4][self as usize]
    }
}

/// An argument of the function, as far as an einsum cares: its name, and what it is.
pub type Argument<'a> = (&'a str, Kind);

/// What an [`Argument`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer by value.
    Integer {
        /// Whether it may be negative.
        signed: bool,
    },
    /// Anything else by value.
    Value,
    /// A buffer.
    Buffer {
        /// Its elements; `None`: others than bico writes kernels for.
        element: Option<Float>,
        /// Whether the kernel writes it.
        mutable: bool,
        /// Whether its author says how it is filled.
        filled: bool,
    },
    /// What is no operand, such as a stream.
    Other,
    /// What could not be read, which has been reported.
    Broken,
}

/// What an einsum is on its function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The argument that is the output.
    pub output: usize,
    /// The arguments that are the inputs, in the einsum's order.
    pub inputs: Vec<usize>,
    /// The length of each of these buffers, as an expression: argument and text.
    pub lengths: Vec<(usize, String)>,
    /// The kernel's function in the generated source.
    pub kernel: String,
    /// The reference's function in the same source.
    pub reference: String,
    /// The options that the einsum stands for, as the inside of an attribute.
    pub options: String,
}

/// What a mistake in a function below an einsum is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The einsum, at the mistake's range.
    Text,
    /// The name of this argument.
    Argument(usize),
    /// The function as a whole.
    Function,
}

/// Finds the arguments of an einsum that [`Einsum::parse_tiled`] read in a function for the GPU (`cuda`) or the CPU, and what follows.
///
/// # Errors
///
/// Every argument that does not fit; none if all that is wrong is a [`Kind::Broken`] one.
///
/// # Examples
///
/// ```
/// use bico_einsum::{Einsum, Float, Kind, call};
///
/// let buffer = |mutable| Kind::Buffer { element: Some(Float::F32), mutable, filled: false };
/// let size = Kind::Integer { signed: false };
/// let arguments = [
///     ("out", buffer(true)), ("a", buffer(false)), ("b", buffer(false)), ("m", size), ("n", size), ("k", size),
/// ];
/// let einsum = Einsum::parse_tiled("mk, kn -> mn").unwrap();
/// let call = call(&einsum, "product", &arguments, false).unwrap();
/// assert_eq!((call.output, &call.inputs[..]), (0, &[1, 2][..]));
/// assert!(call.options.starts_with("entry = \"product_kernel\", space("));
/// ```
pub fn call(
    einsum: &Einsum,
    function: &str,
    arguments: &[Argument<'_>],
    cuda: bool,
) -> Result<Call, Vec<(Place, EinsumError)>> {
    let mut checks = Checks {
        einsum,
        arguments,
        cuda,
        mistakes: Vec::new(),
    };
    checks.sizes();
    let Some((output, inputs)) = checks.buffers() else {
        return Err(checks.mistakes);
    };
    let elements = [output, inputs[0]].map(|at| checks.element(at));
    let ([Some(of_output), Some(of_input)], true) = (elements, checks.mistakes.is_empty()) else {
        return Err(checks.mistakes);
    };
    let name = function.trim_start_matches("r#");
    let (kernel, reference) = (format!("{name}_kernel"), format!("{name}_reference"));
    // Two negative sizes have the product of positive ones: lengths do not see them.
    let signed = arguments.iter();
    let signed = signed.filter(|(_, kind)| *kind == Kind::Integer { signed: true });
    let operands = Operands {
        einsum,
        input: of_input,
        output: of_output,
        kernel: &kernel,
        reference: &reference,
        require: &signed
            .map(|(name, _)| format!("{name} >= 0,"))
            .collect::<String>(),
    };
    let options = match cuda {
        true => options::cuda::options(&operands),
        false => options::cpu::options(&operands),
    };
    let tensors = inputs.iter().zip(&einsum.inputs);
    let tensors = tensors.chain([(&output, &einsum.output)]);
    Ok(Call {
        lengths: tensors
            .map(|(argument, letters)| (*argument, options::product(letters)))
            .collect(),
        options,
        output,
        inputs,
        kernel,
        reference,
    })
}

struct Checks<'a> {
    einsum: &'a Einsum,
    arguments: &'a [Argument<'a>],
    cuda: bool,
    mistakes: Vec<(Place, EinsumError)>,
}

impl Checks<'_> {
    fn report(&mut self, place: Place, message: String, note: String) {
        let error = EinsumError::new(0..0, message).note(note);
        self.mistakes.push((place, error));
    }

    /// Every letter is an integer by value, and nothing else is passed by value.
    fn sizes(&mut self) {
        let letters = self.einsum.letters();
        let letters = letters.iter().map(|(letter, _)| letter.to_string());
        let letters: Vec<String> = letters.collect();
        for letter in &letters {
            let at = self.arguments.iter().position(|(name, _)| name == letter);
            let Some(at) = at else {
                let at = self.einsum.text.find(letter).unwrap_or_default();
                let message = format!("the index `{letter}` has no argument that gives its size");
                let note =
                    format!("add `{letter}: u32` to the function, and its size to each `problem`");
                let error = EinsumError::new(at..at + letter.len(), message).note(note);
                self.mistakes.push((Place::Text, error));
                continue;
            };
            if !matches!(self.arguments[at].1, Kind::Broken | Kind::Integer { .. }) {
                self.report(
                    Place::Argument(at),
                    format!(
                        "`{letter}` is an index of the einsum: its size is an integer by value"
                    ),
                    format!("write `{letter}: u32`; a buffer needs another name than an index"),
                );
            }
        }
        for (at, (name, kind)) in self.arguments.iter().enumerate() {
            let by_value = matches!(kind, Kind::Integer { .. } | Kind::Value);
            if by_value && !letters.iter().any(|letter| letter == name) {
                let message = format!(
                    "`{name}` is no index of the einsum, and the kernel that bico writes takes nothing else by value"
                );
                let note = format!("indices: {}", letters.join(", "));
                self.report(Place::Argument(at), message, note);
            }
        }
    }

    /// The arguments of the output and of the inputs.
    fn buffers(&mut self) -> Option<(usize, Vec<usize>)> {
        if self.arguments.iter().any(|(_, kind)| *kind == Kind::Broken) {
            // What it is has been asked already.
            return None;
        }
        let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
        for (at, (_, kind)) in self.arguments.iter().enumerate() {
            if let Kind::Buffer { mutable, .. } = kind {
                if *mutable { &mut outputs } else { &mut inputs }.push(at);
            }
        }
        let Some(&output) = outputs.first() else {
            let note =
                "write one `&mut` buffer: `out: &mut [f32]`, on a GPU `out: &mut CudaSlice<f32>`";
            let message = "the einsum's output needs an argument".to_string();
            self.report(Place::Function, message, note.to_string());
            return None;
        };
        let (name, kind) = &self.arguments[output];
        for &other in &outputs[1..] {
            let message = format!("an einsum has one output, and that is `{name}`");
            self.report(
                Place::Argument(other),
                message,
                "inputs are `&` buffers".to_string(),
            );
        }
        if matches!(kind, Kind::Buffer { filled: true, .. }) {
            let message = format!("`{name}` is the einsum's output: it is written, never read");
            self.report(
                Place::Argument(output),
                message,
                "remove `#[init(..)]`".to_string(),
            );
        }
        let (wanted, found) = (self.einsum.inputs.len(), inputs.len());
        if found != wanted {
            let place = inputs.get(wanted).copied();
            self.report(
                place.map_or(Place::Function, Place::Argument),
                format!("the einsum has {wanted} inputs, and the function {found}"),
                "write a `&` buffer for each input, in the einsum's order".to_string(),
            );
            return None;
        }
        self.elements(output, &inputs);
        Some((output, inputs))
    }

    fn element(&self, argument: usize) -> Option<Float> {
        match self.arguments[argument].1 {
            Kind::Buffer { element, .. } => element,
            _ => None,
        }
    }

    /// Which elements there are generators for.
    fn elements(&mut self, output: usize, inputs: &[usize]) {
        let cuda = self.cuda;
        let first = inputs.first().and_then(|first| self.element(*first));
        let half = cuda && first == Some(Float::F16);
        for (number, &index) in inputs.iter().chain([&output]).enumerate() {
            let wanted: &[Float] = match number {
                0 if cuda => &[Float::F32, Float::F16],
                // What the first one should be, it says itself.
                _ if !cuda || first == Some(Float::F32) => &[Float::F32],
                _ if half && number == inputs.len() => &[Float::F16, Float::F32],
                _ if half => &[Float::F16],
                _ => continue,
            };
            if self.element(index).is_some_and(|own| wanted.contains(&own)) {
                continue;
            }
            let names: Vec<&str> = wanted.iter().map(|element| element.name()).collect();
            let (device, note) = match cuda {
                true => (
                    "GPU",
                    "inputs are all f32 or all f16; of f16, the output may be f16 or f32",
                ),
                false => ("CPU", "all tensors are f32"),
            };
            let message = format!(
                "the elements of `{}` must be {}: for others bico writes no kernel for a {device}",
                self.arguments[index].0,
                names.join(" or "),
            );
            self.report(Place::Argument(index), message, note.to_string());
        }
    }
}
