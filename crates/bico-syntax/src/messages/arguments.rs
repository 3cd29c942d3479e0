//! Messages about the function and its arguments.

use super::Message;
use crate::spec::Element;

pub(crate) fn body() -> Message {
    Message::new("bico writes the body; end the signature with `;`")
}

pub(crate) fn not_a_function() -> Message {
    Message::new("expected a function without a body")
        .help("write `pub fn gemm(..) -> bico::Result<()>;`")
}

pub(crate) fn missing_semicolon() -> Message {
    Message::new("expected `;` after the signature")
}

pub(crate) fn signature_part(what: &str) -> Message {
    Message::new(format!(
        "a tunable function cannot have {what}",
        what = words(what)
    ))
    .help("write a plain function: `pub fn gemm(..) -> bico::Result<()>;`")
}

fn words(what: &str) -> String {
    if what.contains(' ') && !what.ends_with("fn") {
        what.to_string()
    } else {
        format!("`{}`", what.trim_end_matches(" fn"))
    }
}

pub(crate) fn return_type() -> Message {
    Message::new("this function does not say that it may fail").help("return `bico::Result<()>`")
}

pub(crate) fn return_value() -> Message {
    Message::new("a tunable function has no value but its error").help("return `bico::Result<()>`")
}

pub(crate) fn receiver() -> Message {
    Message::new("a tunable function cannot have `self`")
        .help("write a plain function, and call it from the method")
}

pub(crate) fn repeated_argument(name: &str) -> Message {
    Message::new(format!("repeated argument `{name}`")).help("give one of them another name")
}

pub(crate) fn argument_pattern() -> Message {
    Message::new("an argument needs a plain name").help("write `name: type`")
}

pub(crate) fn argument_attribute() -> Message {
    Message::new("unknown attribute on an argument")
        .help("`#[len(..)]` and `#[init(..)]` may stand on a buffer")
}

pub(crate) fn not_a_buffer(attribute: &str, name: &str) -> Message {
    Message::new(format!(
        "`#[{attribute}]` belongs on a buffer, `{name}` is none"
    ))
    .help("remove it")
}

pub(crate) fn missing_len(name: &str) -> Message {
    Message::new(format!("buffer `{name}` has no length")).help(format!(
        "write how many elements the kernel touches: `#[len(m * n)] {name}: ..`"
    ))
}

pub(crate) fn init() -> Message {
    Message::new("unknown way to fill a buffer")
        .help("write `uniform(-1, 1)`, `zeros`, `ones` or `iota`")
}

pub(crate) fn init_bounds() -> Message {
    Message::new("there is no number between these bounds")
        .help("write the smaller bound first: `uniform(-1, 1)`")
}

pub(crate) fn missing_stream() -> Message {
    Message::new("a CUDA kernel needs a stream to run on")
        .help("add the argument `stream: &Arc<CudaStream>`")
}

pub(crate) fn second_stream() -> Message {
    Message::new("a kernel runs on one stream").help("remove this argument")
}

pub(crate) fn stream_on_cpu() -> Message {
    Message::new("a CPU kernel has no stream").help("remove this argument")
}

pub(crate) fn stream_type() -> Message {
    Message::new("a stream is passed as `&Arc<CudaStream>`")
}

pub(crate) fn slice_on_gpu(mutable: bool, element: Option<Element>) -> Message {
    let element = element.map_or("f32", Element::name);
    Message::new("a CUDA kernel cannot read a slice of the host").help(if mutable {
        format!("write `&mut CudaSlice<{element}>`")
    } else {
        format!("write `&CudaSlice<{element}>`")
    })
}

pub(crate) fn device_buffer_on_cpu(mutable: bool) -> Message {
    Message::new("a CPU kernel cannot read a GPU's memory").help(if mutable {
        "write a slice: `&mut [f32]`"
    } else {
        "write a slice: `&[f32]`"
    })
}

pub(crate) fn view(found: &str, want: &str) -> Message {
    Message::new(format!("`{found}` is no buffer that a kernel can use")).help(format!(
        "write `&CudaView<'_, f32>` for an input, `{want}` for an output"
    ))
}

pub(crate) fn by_reference(name: &str) -> Message {
    let help = match name {
        "Arc" => "write `&Arc<CudaStream>`",
        "Vec" => "write a slice: `&[f32]` or `&mut [f32]`",
        "String" => "write `&str`",
        "CudaSlice" => "write `&CudaSlice<f32>` or `&mut CudaSlice<f32>`",
        "CudaView" => "write `&CudaView<'_, f32>`",
        _ => "write `&mut CudaViewMut<'_, f32>`",
    };
    Message::new(format!("`{name}` cannot be an argument by value")).help(help)
}

pub(crate) fn by_value(name: &str) -> Message {
    Message::new("a scalar is passed by value").help(format!("write `{name}`, or a buffer"))
}

pub(crate) fn argument_type(cuda: Option<bool>) -> Message {
    let buffers = match cuda {
        Some(true) => "`&Arc<CudaStream>`, `&CudaSlice<T>`, `&mut CudaSlice<T>`, views of them",
        Some(false) => "`&[T]`, `&mut [T]`",
        None => "`&[T]`, `&mut [T]`, `&CudaSlice<T>`, `&mut CudaSlice<T>`",
    };
    Message::new("this type cannot be an argument of a kernel")
        .help(format!("allowed: {buffers}, numbers and `bool` by value"))
}

pub(crate) fn element_type() -> Message {
    let names: Vec<&str> = Element::NUMBERS
        .iter()
        .map(|element| element.name())
        .collect();
    Message::new("this type cannot be an element of a buffer")
        .help(format!("allowed: {}", names.join(", ")))
}
