//! Tunes the kernel that bico writes.

fn main() {
    bico_build::tune();
}
