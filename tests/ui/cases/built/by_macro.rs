//! A macro writes wrappers: what it inserts is read as what stands there, but the build script does not expand it.

macro_rules! filled {
    ($name:ident, $of:ty, $least:expr, $space:tt) => {
        #[bico::tunable(
            source = "kernels/fill.c",
            space(TILE in $space),
            require(n >= $least),
            problem(n = 64),
        )]
        fn $name(#[len($least * n)] out: &mut [$of], n: u32) -> bico::Result<()>;
    };
}

filled!(of_macro, f32, 2 + 2, [4, 8]);

fn main() -> bico::Result<()> {
    of_macro(&mut [0.0], 1)
}
