//! Tunes the kernel three times, once with each strategy.

fn main() {
    bico_build::tune();
}
