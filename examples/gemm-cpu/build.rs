//! Tunes the product, of which OpenBLAS is a variant where it is installed.

fn main() {
    bico_build::tune();
}
