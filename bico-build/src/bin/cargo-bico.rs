//! The command `cargo bico`.

fn main() -> std::process::ExitCode {
    bico_build::cli::main()
}
