//! Tunes the kernels that bico writes.

fn main() {
    bico_build::tune();
}
