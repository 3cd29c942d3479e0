//! What the build knew: the constant that the build script writes for each tunable.
//!
//! `OUT_DIR/bico/<key>.rs` is one expression of type [`Data`]; the macro includes it.

use crate::Value;

/// Everything that the build found out about one tunable.
pub struct Data {
    /// The fingerprint of the attribute that the build script read; the macro compares it with its own.
    pub fingerprint: u64,
    /// The hash of what the candidates' times depend on: the kernel's source, its space, launch and flags. 32 digits.
    pub hash: &'static str,
    /// Candidates that nobody has verified for this very kernel: predicted, or measured before it changed.
    pub unverified: &'static [u16],
    /// The tunable's key.
    pub key: &'static str,
    /// Names of the parameters, in declaration order.
    pub parameters: &'static [&'static str],
    /// Names of the integer scalar arguments, in the order of the arguments.
    pub sizes: &'static [&'static str],
    /// Names of the problems' compile-time constants.
    pub consts: &'static [&'static str],
    /// The configs that this binary carries. Never empty. Where a tunable has several
    /// combinations of compile-time constants, each candidate belongs to one of them.
    pub candidates: &'static [Candidate],
    /// The tuned problems, in the order of the attribute. Never empty.
    pub problems: &'static [Problem],
    /// Keys of the devices that the winners below refer to.
    pub devices: &'static [&'static str],
    /// CUDA: the kernels' sources, which the program compiles where no image of a candidate loads.
    pub sources: &'static [Source],
}

/// One config that the binary carries.
pub struct Candidate {
    /// The value of each parameter.
    pub values: &'static [Value],
    /// Index into the distinct combinations of the problems' constants ([`Problem::variant`]).
    pub variant: u16,
    /// What the code needs of a CPU beyond the baseline, by the names that `device.has` takes
    /// (`"x86-64-v3"`, `"avx2"`), read off its compiler flags.
    pub needs: &'static [&'static str],
    /// Set where only devices of these keys may run it (compiled for a CPU by a name that says
    /// no features, such as `-march=native`).
    pub only_on: &'static [&'static str],
    /// CUDA: how it was compiled, and what came of it.
    pub gpu: Option<GpuCode>,
}

/// A candidate's code for GPUs.
pub struct GpuCode {
    /// The kernel of each pass as NVRTC's name expressions write it: `gemm<32, 64>`.
    pub expressions: &'static [&'static str],
    /// Its source: an index into [`Data::sources`], unless there are none.
    pub source: usize,
    /// NVRTC's options but for the architecture and the folders of includes.
    pub options: &'static [&'static str],
    /// Whether it is compiled for what only one kind of GPU has: `sm_90a`.
    pub exact: bool,
    /// Compiled code, in no particular order. Empty where the build had no CUDA compiler.
    pub images: &'static [Image],
}

/// Compiled code of one candidate.
pub struct Image {
    /// What it is.
    pub kind: ImageKind,
    /// The compute capability that it was compiled for: 90 for `sm_90` and `compute_90`; 0 for the host's.
    pub compute_capability: u16,
    /// The kernels' (mangled) names in it, in the order of the expressions.
    pub entries: &'static [&'static str],
    /// Registers of a thread of the first; 0 where unknown (PTX).
    pub registers: u16,
    /// The file's content; of PTX without a NUL at its end.
    pub bytes: &'static [u8],
}

/// What an [`Image`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    /// Machine code: for its compute capability and higher ones with the same first digit.
    Cubin,
    /// Machine code for its compute capability and no other.
    Exact,
    /// What the driver compiles: for its compute capability and all higher ones.
    Ptx,
    /// No code of a GPU: a shared library with the function of the host that is called in place of a kernel.
    Host,
}

/// A CUDA source and what it includes from its package.
pub struct Source {
    /// Path of the kernel's file, relative to the package, with `/`.
    pub path: &'static str,
    /// All files, the kernel's own first: path relative to the package, text.
    pub files: &'static [(&'static str, &'static str)],
}

/// One tuned problem.
pub struct Problem {
    /// The integer scalar arguments.
    pub sizes: &'static [i64],
    /// The values of the compile-time constants, in the order of [`Data::consts`].
    pub consts: &'static [Value],
    /// Which combination of constants this is; equal for problems that agree in all of them.
    pub variant: u16,
    /// `(device, candidate)`: the winner per known device.
    pub winners: &'static [(u16, u16)],
    /// The candidates of this variant, most promising first: the winners of all devices, then the
    /// rest in the lock's and the ranking's order. Indices into [`Data::candidates`].
    pub order: &'static [u16],
    /// The first valid config in the order of the space. Index into [`Data::candidates`].
    pub first: u16,
    /// The most promising config before anything was measured. Index into [`Data::candidates`].
    pub top: u16,
}
