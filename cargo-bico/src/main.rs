//! The command `cargo bico`.

fn main() -> std::process::ExitCode {
    cargo_bico::main()
}
