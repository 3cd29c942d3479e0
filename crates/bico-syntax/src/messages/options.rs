//! Messages about options and their own values.

use super::Message;
use crate::Lists;
use crate::expr::{Expr, ExprKind};
use crate::parse::Type;

messages! {
    stray_comma() = "expected something before this comma", "remove the comma";
    expected_comma() = "expected `,`";
    expected_entry(example: &str) = "expected something like `{example}`";
    expected_value(name: &str, example: &str) = "expected a value for `{name}`", "write something like `{example}`";
    attribute_inside() =
        "attributes cannot stand inside `bico::tunable`",
        "for a tunable that exists only sometimes, put `#[cfg(..)]` on the function";
    unsupported_option(name: &str, owner: &str, known: &[&str]) =
        "unsupported option `{name}` of `{owner}`" [name in known: "options"];
    repeated_option(name: &str) = "repeated option `{name}`", "keep one of them";
    required_option(name: &str, example: &str) = "required option `{name}` is missing", "add `{example}`";
    /// For a word that stands alone.
    option_without_value(name: &str) = "option `{name}` takes no value", "write `{name}`";
    empty_string() = "an empty string", "remove it";
    crate_path() = "expected a path", "write where the runtime library is found: `crate = ::bico`";
    source_ending(path: &str) =
        "`{path}` is in no language that bico compiles",
        "end the file's name with .cu or .cuh (CUDA C++), .c (C), .cpp or .cc (C++); beside files of other names an empty one will do";
    source_languages(path: &str, first: &str) =
        "`{path}` is in another language than `{first}`",
        "the files of `source` are one translation unit, compiled in one language";
    path(path: &str) =
        "`{path}` is no path that works on every machine",
        "write it relative to the package's root, with `/`: `kernels/gemm.c`";
    launch_on_cpu() = "a CPU kernel has no `launch`: it is called once", "remove `launch(..)`";
    option_on_gpu(name: &str) = "`{name}` is for kernels in C and C++", "remove it";
    compiler(name: &str) =
        "`{name}` is no compiler that can be asked for",
        "`compiler = \"nvcc\"` compiles a CUDA kernel by nvcc; without it NVRTC does, else nvcc";
    nvcc_on_cpu() =
        "nvcc compiles CUDA kernels",
        "remove it: the environment variables CC and CXX choose compilers of C and C++";
    arch(name: &str) =
        "`{name}` is no architecture that can be asked for",
        "`arch = \"exact\"` compiles a CUDA kernel for features that only one kind of GPU has (`sm_90a`); without it code runs on later GPUs, too";
    arch_on_cpu() =
        "`arch` is for CUDA kernels",
        "remove it: `flags = [\"-march=x86-64-v4\"]` says what a CPU must have";
    library(name: &str) =
        "`{name}` is no name of a library",
        "write it as linkers take it: `gomp` for libgomp.so";
    variant_name() =
        "a variant begins with its name",
        "write `variant(blocked, source = \"kernels/blocked.c\", ..)`";
    repeated_variant(name: &str) = "there are two variants `{name}`", "give one of them another name";
    beside_variants(option: &str) =
        "`{option}` cannot stand beside variants: each has its own",
        "move it into the `variant(..)` that it belongs to";
    unscored_variant(name: &str, other: &str) =
        "variant `{name}` has no `score`, and `{other}` has one of its own",
        "give it one, or the tunable a `score` for all variants that have none";
    variant_device(name: &str, first: &str) =
        "variant `{name}` is a kernel for GPUs, and `{first}` before it is for CPUs",
        "if all are to run on a GPU, put those in CUDA C++ first: one in C or C++ behind them is called with the stream";
    of_kernels_only(option: &str) =
        "`{option}` is for kernels, and a variant in C or C++ beside those is one function that gets the stream",
        "remove it, or write the variant in CUDA C++";
    passed_without_type() =
        "expected a buffer, a scalar argument, `null`, `tensor_map(..)`, or an expression with the kernel's type",
        "write `args(x, y, n, 2 * n as u32)`";
    tensor_on_cpu() = "tensor maps are for kernels that a GPU runs", "pass the buffer itself";
    tensor_without_buffer() =
        "expected a buffer of numbers that the kernel gets, or scratch",
        "write `tensor_map(a, dims = (k, m), box = (TILE_K, TILE_M))`";
    tensor_rank(rank: usize) = "a tensor has one to five dimensions, not {rank}", "list the one without gaps first: `dims = (k, m)`";
    tensor_extents(what: &str, count: usize, wanted: usize) =
        "`{what}` lists {count}, where `dims` asks for {wanted}",
        "`box` has one for each dimension, `strides` for each but the first";
    tensor_box(extent: i64) = "a box of {extent} elements cannot be copied", "write 1 to 256";
    tensor_bytes(what: &str, known: &[i64]) = "`{what}` is none of {known:?} bytes", "write one of them";
    tensor_fill(element: &str) =
        "`fill` is `zero` or, of floating-point numbers, `nan`; this is a buffer of `{element}`",
        "write `fill = zero`, or leave it out";
    passed_twice(name: &str) = "`{name}` is passed twice", "pass it once: buffers must not overlap";
    not_passed(name: &str) =
        "`args` leaves out the buffer `{name}`",
        "add it where the kernel takes it, or remove it from the function: only scalars may be left out";
    family() = "a family names its types, each as Rust and as the kernel writes it", "write `family(T in [f32 = \"float\", f64 = \"double\"])`";
    repeated_type(name: &str) = "`{name}` stands in the family twice", "remove one of them";
    not_generic(name: &str) =
        "the function of a family is generic over `{name}`, and over nothing else",
        "write `fn softmax<{name}>(y: &mut [{name}], ..)`";
    passed_to_none(name: &str) =
        "no `pass` gets the buffer `{name}`",
        "add it to the `args(..)` of the pass that takes it, or remove it";
    beside_pass(name: &str) =
        "`{name}` cannot stand beside `pass`: each pass has its own",
        "move it into the `pass(..)` of the kernel that it belongs to";
    launch_of_passes(reference: &str) =
        "the reference `{reference}` needs a `launch(..)` of its own: each pass has another one",
        "write how it is launched: `verify(reference = \"{reference}\", launch(grid = .., block = ..))`";
    never_passed(name: &str) = "`{name}` is nothing that a kernel gets", "remove it";
    live_structures(name: &str) =
        "`live` compares numbers, and `{name}` is a buffer of structures",
        "remove it: the build compares them field by field";
    live_on_gpu() =
        "`live` compares the results of C and C++ kernels, not of CUDA kernels",
        "remove it: calls try only candidates that were verified when they were tuned";
    extents(count: usize) = "{count} extents, expected 1 to 3", "write `(x, y, z)`, `(x, y)` or `x`";
    template_in_c() = "C has no templates", "remove `template`: every parameter reaches the kernel as `-DNAME=value`";
    template_name(name: &str, known: &[&str]) = "`{name}` is no parameter of `space`" [name in known: "parameters"];
    template_repeated(name: &str) = "repeated template argument `{name}`", "keep one of them";
    reference(text: &str) =
        "`{text}` is neither a kernel's name nor a C file",
        "name another entry of the same source, or a file that ends in .c";
    beside_judge(option: &str) = "`{option}` means nothing to a judge, which decides alone", "remove `{option}`, or `judge(..)`";
    drive_file(path: &str) =
        "`{path}` is no file of C or C++",
        "give one that ends in .c, .cpp or .cc: it runs on the host, whatever the kernels run on";
    drive_beside(option: &str) =
        "`drive` cannot stand beside `{option}`: it calls kernels that are written, by their names",
        "remove `drive`, or `{option}`";
    drive_twice(entry: &str) =
        "two passes call `{entry}`, and `drive` could not say which launch it means",
        "give each pass a function of its own";
    drive_entry(entry: &Expr) =
        "`drive` calls kernels by name, and `{entry}` is another one in each config",
        "write the function's name in quotes";
    drive_namespace(entry: &str) =
        "`drive` calls kernels by name, and `{entry}` is none that C knows",
        "take the kernel out of its namespace, or declare it `extern \"C\"`";
    drive_constant(name: &str) =
        "`{name}` fills a variable of the module, which `drive` cannot",
        "remove `drive`, or pass the buffer as an argument";
    drive_structure(name: &str) =
        "`{name}` is a structure by value, which `drive` cannot pass on",
        "remove `drive`, or pass the structure in a buffer";
    c_file(path: &str) = "`{path}` is no C file", "give one that ends in .c";
    without_reference(option: &str) =
        "`{option}` belongs to a reference, and there is none",
        "add `reference = \"gemm_naive\"`";
    launch_of_file() = "a reference in C has no `launch`: it runs on the CPU", "remove `launch(..)`";
    entry_of_entry() =
        "`entry` goes with a reference in a file of its own",
        "remove it: `reference` names the entry already";
    with_of_file() =
        "a reference in a file of its own knows no parameters",
        "remove `with(..)`";
    value_form(name: &str, mark: &str, example: &str) {
        let form = if mark == "=" { "`=`" } else { "a colon" };
    } = "`{name}` is followed by {form} and a value here", "write `{example}`";
    default_form(example: &str) = "`default` is a config in braces", "write `{example}`";
    default_of_variant(name: &str, variant: &str) =
        "`{name}` is a parameter of variant `{variant}`",
        "say that the config is of it: `VARIANT: \"{variant}\"`";
    default_derived(name: &str) = "`{name}` follows from other parameters", "remove it from `default`";
    default_outside(name: &str, value: &str, known: &[String]) {
        let known = known.join(", ");
    } = "{value} is no value of `{name}`", "there are {known}";
    default_missing(names: &[&str]) {
        let names = names.join("`, `");
    } = "`default` says nothing of `{names}`", "it is a whole config: give each parameter the value that it has without bico";
    like_itself(name: &str) = "`{name}` is this tunable", "name another one of the package, whose winners are a start for this one";
    strategy(name: &str, known: &[&str]) = "unknown strategy `{name}`" [name in known: "strategies"];
    cache() = "expected `warm` or `cold`", "`cold` (the default) flushes the caches between runs, `warm` does not";
    clock() =
        "expected `sustained` or `free`",
        "`free` (the default) takes the clock as it is, `sustained` runs the kernel until it is steady";
    flag_brace(flag: &str) =
        "the braces in `{flag}` hold no name",
        "write `{{NAME}}` for a value, `{{{{` and `}}}}` for the braces themselves";
    control_character() =
        "a control character in a string",
        "strings become file names, compiler flags and lines of bico.lock";
    empty_space() = "`space` has no parameter", "add one: `space(TILE in [4, 8, 16])`";
    derived_list(name: &str, expr: &Expr) =
        "`{expr}` is a list, `{name} = ..` needs one value",
        "to try each of them, write `{name} in {expr}`";
    const_in_space(name: &str) = "`space` has no `const`", "write `{name} = ..` without it";
    /// What is wrong with tokens that cannot be read.
    syntax(text: &str) = "{text}";
    option_form(name: &str, list: bool, example: &str) {
        let form = if list { "parentheses" } else { "`=` and a value" };
    } = "option `{name}` is written with {form}", "write `{example}`";
    no_output(what: &str, name: &str, outputs: &[&str]) {
        let known = outputs.iter().map(|output| format!("`{output}`")).collect_vec().join(", ");
        let help = match outputs.is_empty() {
            true => String::new(),
            false => format!("outputs are {known}"),
        };
    } = "`{what}` is of outputs, and `{name}` is none", "{help}";
    expected_literal(what: &str, found: &Expr) {
        let help = match &found.kind {
            ExprKind::Name(name) if what == "a string" && !name.is_empty() => format!("put it in quotes: `\"{name}\"`"),
            _ => String::new(),
        };
    } = "expected {what}, written out", "{help}";
    entry_name(text: &str) { let fault = no_name(text, "a kernel"); } =
        "{fault}",
        "give the name of a function in the source";
    key(text: &str) { let fault = no_name(text, "a tunable"); } =
        "{fault}",
        "write an identifier, or several joined by `-`, `.` or `::`: it names files";
    constant_scale(expr: &Expr, parameters: &[&str]) {
        let help = match parameters.is_empty() {
            true => String::new(),
            false => format!("parameters: {}", parameters.join(", ")),
        };
    } = "`{expr}` is the same for every config, `budget_scale` must name a parameter", "{help}";
    not_a_domain(expr: &Expr, found: &Type) =
        "`{expr}` is {found}, `in` needs a list of values",
        "write `[1, 2, 4]`, `1..=32`, `(8..=128).step_by(8)` or `powers_of_two(4..=256)`",
        "a value that follows from other parameters is written with `=`";
}

fn no_name(text: &str, of: &str) -> String {
    match text {
        "" => format!("the name of {of} is empty"),
        _ => format!("`{text}` cannot be the name of {of}"),
    }
}
