//! Messages about the function and its arguments.

use super::Message;
use crate::Lists;
use crate::spec::Element;

messages! {
    body() = "bico writes the body; end the signature with `;`";
    not_a_function() = "expected a function without a body", "write `pub fn gemm(..) -> bico::Result<()>;`";
    missing_semicolon() = "expected `;` after the signature";
    return_type() = "this function does not say that it may fail", "return `bico::Result<()>`";
    return_value() = "a tunable function has no value but its error", "return `bico::Result<()>`";
    receiver() = "a tunable function cannot have `self`", "write a plain function, and call it from the method";
    repeated_argument(name: &str) = "repeated argument `{name}`", "give one of them another name";
    argument_pattern() = "an argument needs a plain name", "write `name: type`";
    argument_attribute() = "unknown attribute on an argument", "`#[len(..)]`, `#[init(..)]`, `#[align(..)]` and `#[constant(..)]` may stand on a buffer, `#[value]` on a number";
    not_a_buffer(attribute: &str, name: &str) = "`#[{attribute}]` belongs on a buffer, `{name}` is none", "remove it";
    not_a_number(name: &str) = "`#[value]` belongs on a number by value, `{name}` is none", "remove it";
    value_range() =
        "this is no range of values",
        "write the first and the last one, `#[value(0..=255)]`, or `#[value]` if any of its type will do";
    value_of_float(kind: &str) = "a `{kind}` has no range of whole numbers", "write `#[value]`";
    missing_len(name: &str) =
        "buffer `{name}` has no length",
        "write how many elements the kernel touches: `#[len(m * n)] {name}: ..`";
    init() = "unknown way to fill a buffer", "write `uniform(-1, 1)`, `normal`, `zeros`, `ones`, `iota` or `file = \"x.npy\"`";
    init_twice() = "this buffer is filled in another way already", "remove one of them";
    init_file(path: &str) = "`{path}` is no file that a buffer is filled from", "give one that ends in .npy, as `numpy.save` writes it";
    init_file_of_structures() = "no file of NumPy's holds structures", "fill them with `inputs(file = \"kernels/fill.c\")`, or write `uniform(-1, 1)`";
    init_normal(kind: &str) = "`normal` fills floats, not `{kind}`", "write `uniform(-8, 8)`";
    init_deviation() = "a standard deviation is above 0", "write `normal(0, 1)`, or `normal`";
    align() = "this is no alignment", "write a power of two up to 4096, in bytes: `#[align(64)]`";
    init_bounds() = "there is no number between these bounds", "write the smaller bound first: `uniform(-1, 1)`";
    constant_name() = "`#[constant]` takes a name", "write that of the `__constant__` variable in the kernel's source: `#[constant(d_table)]`";
    constant_type() = "a `__constant__` variable is filled from a slice of the host", "write `&[f32]`, or remove `#[constant(..)]`";
    constant_on_cpu() = "a CPU kernel has no `__constant__` memory", "remove it: the kernel gets the slice as an argument";
    constant_in_einsum() = "the kernel of an einsum has no `__constant__` memory", "remove it";
    constant_align() = "where this slice begins is nothing to the kernel, which gets a copy", "remove it";
    repeated_constant(symbol: &str, by: &str) = "`{symbol}` is filled from `{by}` already", "remove one of them";
    missing_stream() = "a CUDA kernel needs a stream to run on", "add the argument `stream: &Arc<CudaStream>`";
    second_stream() = "a kernel runs on one stream", "remove this argument";
    stream_on_cpu() = "a CPU kernel has no stream", "remove this argument";
    stream_type() = "a stream is passed as `&Arc<CudaStream>`";
    view(found: &str, want: &str) =
        "`{found}` is no buffer that a kernel can use",
        "write `&CudaView<'_, f32>` for an input, `{want}` for an output";
    any_buffer(found: &str) =
        "`{found}` is no buffer that a kernel can use",
        "write `&impl DevicePtr<f32>` for an input, `&mut impl DevicePtrMut<f32>` for an output";
    by_value(name: &str) = "a scalar is passed by value", "write `{name}`, or a buffer";
    signature_part(what: &str) =
        "a tunable function cannot have {what}",
        "write a plain function: `pub fn gemm(..) -> bico::Result<()>;`";
    slice_on_gpu(reference: &str, element: Option<Element>) {
        let element = element.map_or("f32", Element::name);
    } =
        "a CUDA kernel cannot read a slice of the host",
        "write `{reference}CudaSlice<{element}>`";
    device_buffer_on_cpu(reference: &str) =
        "a CPU kernel cannot read a GPU's memory",
        "write a slice: `{reference}[f32]`";
    by_reference(name: &str) {
        let instead = match name {
            "Arc" => "`&Arc<CudaStream>`",
            "Vec" => "a slice: `&[f32]` or `&mut [f32]`",
            "String" => "`&str`",
            "CudaSlice" => "`&CudaSlice<f32>` or `&mut CudaSlice<f32>`",
            "CudaView" => "`&CudaView<'_, f32>`",
            "DevicePtr" => "`&impl DevicePtr<f32>`",
            "DevicePtrMut" => "`&mut impl DevicePtrMut<f32>`",
            _ => "`&mut CudaViewMut<'_, f32>`",
        };
    } = "`{name}` cannot be an argument by value", "write {instead}";
    optional() =
        "a kernel gets all of its buffers in every call",
        "write two wrappers of this kernel: one with the buffer, and one with `args(y, x, null)`, which passes a null pointer in its place";
    texture(name: &str) =
        "`{name}` is a texture or surface, and bico fills buffers only",
        "let the kernel read a buffer, `const float *__restrict__ x`: that goes the same way through the caches";
    argument_type(cuda: Option<bool>) {
        let buffers = match cuda {
            Some(true) => "`&Arc<CudaStream>`, `&CudaSlice<T>`, `&mut CudaSlice<T>`, views of them",
            Some(false) => "`&[T]`, `&mut [T]`",
            None => "`&[T]`, `&mut [T]`, `&CudaSlice<T>`, `&mut CudaSlice<T>`",
        };
    } =
        "this type cannot be an argument of a kernel",
        "allowed: {buffers}, numbers, `bool` and `#[repr(C)]` structs by value";
    element_type(more: &str) {
        let names = Element::numbers().map(Element::name).collect_vec().join(", ");
    } = "this type cannot be an element of a buffer", "allowed: {names}{more}";
}
