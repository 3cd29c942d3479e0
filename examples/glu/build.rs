//! Tunes the kernel that follows two products; the fused one is tuned with bico-kernels.

fn main() {
    bico_build::tune();
}
