//! What one `#[bico::tunable]` says, as plain data.

use crate::align::Align;
pub use crate::budget::{Budget, DefaultConfig, Measure, Scale};
pub use crate::element::Element;
use crate::expr::Expr;
pub use crate::init::Init;
pub use crate::kernel::Kernel;
use crate::layout::Layout;
pub use crate::pass::Pass;
use crate::rust::RustFunction;
pub use crate::scratch::Scratch;
use crate::tolerance::Tolerance;
use proc_macro2::Span;

/// A name with its place.
#[derive(Debug, Clone)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// This text at this place.
    pub fn new(text: impl ToString, span: Span) -> Self {
        Name {
            text: text.to_string(),
            span,
        }
    }
}

/// One tunable: the attribute and the wrapper's signature.
#[derive(Debug, Clone)]
pub struct TunableSpec {
    /// The key in lock and files: `name = ".."`, else the function's name. An identifier, or
    /// several joined by `-`, `.` or `::` (it becomes a file name).
    pub key: Name,
    /// The wrapper's function name.
    pub function: Name,
    /// The kernels that it chooses from: one, or each `variant(..)`, in order. Never empty, and all for the same kind of device:
    /// that of the first.
    pub kernels: Vec<Kernel>,
    /// `einsum = ".."`: bico writes the source, for these arguments.
    pub contraction: Option<Contraction>,
    /// What is tuned is the function itself.
    pub rust: Option<RustFunction>,
    /// The space, in declaration order. Beside variants it begins with [`VARIANT`](crate::VARIANT), and what only one of them
    /// has bears that one's name: `blocked.TILE`.
    pub parameters: Vec<Parameter>,
    /// Conditions every config meets.
    pub require: Vec<Expr>,
    /// The sizes that are tuned for. Never empty.
    pub problems: Vec<Problem>,
    /// Work of one call. Real arithmetic.
    pub work: Work,
    /// Replaces the built-in ranking; higher is better. Real arithmetic.
    pub score: Option<Expr>,
    /// `inputs(..)`: fills all buffers that the kernel reads. It gets the wrapper's arguments and a seed.
    pub inputs: Option<CFunction>,
    /// `drive(..)`: calls the kernels while they are measured, as the program does. It gets what kernels get without `args`.
    pub drive: Option<CFunction>,
    /// How results are checked.
    pub verify: Verify,
    /// Limits of one search.
    pub budget: Budget,
    /// `budget_scale = ..`: what else a config costs; the report says what each budget of it guarantees.
    pub budget_scale: Option<Scale>,
    /// `default = { TILE: 64 }`: the config that would run without bico.
    pub default: Option<DefaultConfig>,
    /// `like = gemm`: the key of a tunable of this package whose winners a search begins with.
    pub like: Option<Name>,
    /// `measure(..)`: how a kernel is timed.
    pub measure: Measure,
    /// Additional compiler flags, `"-march={ISA}"`: literal text and parameter names in turn.
    pub flags: Vec<Vec<FlagPart>>,
    /// `link = [..]`: libraries that the kernel needs, as linkers name them.
    pub link: Vec<Name>,
    /// `compiler = "nvcc"`: a CUDA kernel that NVRTC does not compile.
    pub nvcc: bool,
    /// `threads = ..`: how many threads a call of the kernel runs on.
    pub threads: Option<Expr>,
    /// The wrapper's arguments, in order.
    pub arguments: Vec<Argument>,
    /// Buffers that bico owns; they follow the arguments in the kernel's signature, unless `args` says otherwise.
    pub scratch: Vec<Scratch>,
    /// Upper-case names that are neither parameters nor sizes: `const` items of the file.
    /// Each once, in order of first appearance, with the place of that appearance.
    pub consts: Vec<Name>,
    /// Whether the wrapper is an `unsafe fn`.
    pub is_unsafe: bool,
    /// `crate = path`: where the runtime library is found. Default `::bico`.
    pub crate_path: String,
}

impl TunableSpec {
    /// The arguments that are buffers, in order.
    pub fn buffers(&self) -> impl Iterator<Item = &Argument> {
        let buffer = |of: &&Argument| matches!(of.kind, ArgumentKind::Buffer { .. });
        self.arguments.iter().filter(buffer)
    }
}

/// What a generated kernel computes, and of which arguments.
#[derive(Debug, Clone)]
pub struct Contraction {
    /// The einsum, spaced as `mk, kn -> mn`. Each of its letters is an integer argument of that name.
    pub einsum: String,
    /// The place of the string.
    pub span: Span,
    /// The argument that is the output: an index into [`TunableSpec::arguments`].
    pub output: usize,
    /// The arguments that are the inputs, in the einsum's order.
    pub inputs: Vec<usize>,
    /// The kernel's function.
    pub kernel: String,
    /// The reference's function, in the same source.
    pub reference: String,
}

/// A kernel's source: one translation unit.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path as written, relative to the package root; of several files the last one. Of a generated
    /// source the build knows the path; from the parser it is `einsum ".."`, of a Rust function `fn name`.
    pub path: Name,
    /// Files that precede it in the translation unit, in order.
    pub before: Vec<Name>,
    /// By the files' endings.
    pub language: Language,
    /// `include = [..]`: folders in which headers are looked for, relative to the package root.
    pub include: Vec<Name>,
}

impl Source {
    /// The compiler flags of its unit. Files before its own are read first: named in errors, with includes of their own.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        for file in &self.before {
            flags.extend(["-include".to_string(), file.text.clone()]);
        }
        [flags, self.folders()].concat()
    }

    /// The compiler flags that say where headers are.
    pub fn folders(&self) -> Vec<String> {
        let folders = self.include.iter();
        folders.map(|of| format!("-I{}", of.text)).collect()
    }
}

/// The language of a kernel, which also says what it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// `.c`
    C,
    /// `.cpp`, `.cc`
    Cpp,
    /// `.cu`
    Cuda,
    /// A function with a body.
    Rust,
}

impl Language {
    /// That of a file, by its ending; headers have none, unless they can only be CUDA's.
    pub fn of(path: &str) -> Option<Language> {
        match path.rsplit_once('.')?.1 {
            "c" => Some(Language::C),
            "cpp" | "cc" => Some(Language::Cpp),
            "cu" | "cuh" => Some(Language::Cuda),
            _ => None,
        }
    }

    /// Whether it runs on a GPU.
    pub fn is_cuda(self) -> bool {
        self == Language::Cuda
    }
}

/// One parameter of the space.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name, as the kernel sees it.
    pub name: Name,
    /// Where its values come from.
    pub domain: Domain,
    /// Its only value in configs of other variants, where it belongs to one.
    pub elsewhere: Option<Expr>,
}

/// Where a parameter's values come from.
#[derive(Debug, Clone)]
pub enum Domain {
    /// `NAME in EXPR`: an expression that yields a list.
    In(Expr),
    /// `NAME = EXPR`: derived from the parameters before it.
    Derived(Expr),
}

/// `launch(grid = .., block = .., cluster = .., shared = .., dependent = ..)`.
#[derive(Debug, Clone)]
pub struct Launch {
    /// One to three extents, x first.
    pub grid: Vec<Expr>,
    /// One to three extents, x first.
    pub block: Vec<Expr>,
    /// Up to three extents, x first; none where blocks form no clusters.
    pub cluster: Vec<Expr>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<Expr>,
    /// Whether it may begin before the launch ahead of it ends.
    pub dependent: Option<Expr>,
}

/// One `problem(..)`: a value for every scalar argument, and compile-time constants.
#[derive(Debug, Clone)]
pub struct Problem {
    /// `m = 1024`: values of the scalar arguments, in the order of the arguments.
    pub sizes: Vec<(Name, Expr)>,
    /// Values of the `#[value]` arguments, in their order; where none is written, the middle of the range.
    pub values: Vec<(Name, Expr)>,
    /// `const ACT = "silu"`: in the order written.
    pub consts: Vec<(Name, Expr)>,
    /// Where it stands.
    pub span: Span,
}

/// A function in C that runs on the CPU, whatever the kernel runs on; what drives kernels may be C++.
#[derive(Debug, Clone)]
pub struct CFunction {
    /// Its file, relative to the package root.
    pub path: Name,
    /// Its name; default: the wrapper's.
    pub entry: String,
}

/// `work(flops = .., bytes = ..)`.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// Floating-point operations of one call.
    pub flops: Option<Expr>,
    /// Bytes moved by one call.
    pub bytes: Option<Expr>,
}

/// `verify(..)`.
#[derive(Debug, Clone)]
pub struct Verify {
    /// `None`: configs must agree with each other ("consensus").
    pub reference: Option<Reference>,
    /// What is said of all outputs.
    pub tolerance: Tolerance,
    /// `judge(..)`: says whether results are right, in place of tolerances. It gets the wrapper's arguments, what each in/out
    /// buffer held before, and what the reference gives.
    pub judge: Option<CFunction>,
    /// What is said of one output, by its name.
    pub outputs: Vec<(String, Tolerance)>,
    /// Whether running programs compare each candidate's results with another one's, once, before it serves. It changes
    /// nothing at build time, and no hash.
    pub live: bool,
}

/// What a result is compared with.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Where the function is.
    pub kind: ReferenceKind,
    /// The place of the string.
    pub span: Span,
    /// Its own launch, for CUDA.
    pub launch: Option<Launch>,
    /// `with(BLOCK = 64)`: the values of parameters for which it is compiled and launched, whatever the config.
    pub with: Vec<(Name, Expr)>,
}

/// Where the reference function is.
#[derive(Debug, Clone)]
pub enum ReferenceKind {
    /// Another entry of the same source.
    Entry(String),
    /// A C file (a path that ends in `.c`, relative to the package root), with a function of the
    /// name that `verify(entry = "..")` gives, by default the wrapper's.
    File {
        /// The path as written.
        path: String,
        /// The function's name.
        entry: String,
    },
}

/// A piece of a compiler flag.
#[derive(Debug, Clone)]
pub enum FlagPart {
    /// Text as written; `{{` and `}}` stand for braces.
    Text(String),
    /// The value of a parameter, a problem's `const`, or a `const` of the file.
    Name(String),
}

/// One argument of the wrapper.
#[derive(Debug, Clone)]
pub struct Argument {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: ArgumentKind,
}

/// What an [`Argument`] is.
#[derive(Debug, Clone)]
pub enum ArgumentKind {
    /// `&[T]`, `&mut [T]`; for CUDA `&CudaSlice<T>`, `&mut CudaSlice<T>` and views, and `&[T]` of a `symbol`.
    Buffer {
        /// What `len` counts as one.
        layout: Box<Layout>,
        /// `&mut`: an output.
        mutable: bool,
        /// `#[len(..)]`: elements that the kernel touches.
        len: Expr,
        /// `#[init(..)]`, where written. On an output it makes it in/out.
        init: Option<Init>,
        /// Where it may begin.
        align: Align,
        /// `#[constant(NAME)]`: no parameter of the kernel, but what this `__constant__` variable holds.
        symbol: Option<String>,
    },
    /// A number or `bool` by value, part of what a problem is.
    Scalar(Element),
    /// `#[value]`: one that is no part of it, such as a seed.
    Value {
        /// Its type.
        element: Element,
        /// `#[value(0..=255)]`: a range of those that it may have, over sizes and constants; else any of its type.
        range: Option<Expr>,
    },
    /// A structure by value: no part of a problem either, and filled as an element of a buffer is.
    Structure(Box<Layout>),
    /// `&Arc<CudaStream>`.
    Stream,
    /// Selects among problems that differ in the `const` of the same name; not passed to the
    /// kernel. `&str`, an integer or `bool`.
    Selector(Element),
}

impl ArgumentKind {
    /// The type of a number or `bool` that the kernel gets by value.
    pub fn by_value(&self) -> Option<Element> {
        match self {
            ArgumentKind::Scalar(element) | ArgumentKind::Value { element, .. } => Some(*element),
            _ => None,
        }
    }

    /// What a buffer's elements are made of, or a structure by value.
    pub fn layout(&self) -> Option<&Layout> {
        match self {
            ArgumentKind::Buffer { layout, .. } | ArgumentKind::Structure(layout) => Some(layout),
            _ => None,
        }
    }

    /// Whether it is a buffer that the kernel writes.
    pub fn is_output(&self) -> bool {
        matches!(self, ArgumentKind::Buffer { mutable: true, .. })
    }

    /// Whether it is a buffer with an `#[init(..)]`: an output of which the kernel reads what is there.
    pub fn is_filled(&self) -> bool {
        matches!(self, ArgumentKind::Buffer { init: Some(_), .. })
    }

    /// The file that a buffer is filled from at the problem's sizes.
    pub fn file(&self) -> Option<&Name> {
        match self {
            ArgumentKind::Buffer {
                init: Some(Init::File(path, _)),
                ..
            } => Some(path),
            _ => None,
        }
    }

    /// The `__constant__` variable that it fills.
    pub fn symbol(&self) -> Option<&String> {
        match self {
            ArgumentKind::Buffer { symbol, .. } => symbol.as_ref(),
            _ => None,
        }
    }
}
