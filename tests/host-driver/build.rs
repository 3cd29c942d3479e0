//! Keeps the library loaded once it is: its signal handlers and the state of its threads must not
//! vanish when a program closes it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
