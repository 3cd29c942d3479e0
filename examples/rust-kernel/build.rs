//! Tunes the kernels.

fn main() {
    bico_build::tune();
}
