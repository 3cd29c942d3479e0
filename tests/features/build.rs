//! Here for the sake of its dependencies.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
