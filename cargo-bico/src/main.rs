//! The command `cargo bico`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    cargo_bico::main()
}
