//! What the compilers say: errors, and ptxas' report of resources.

use bico_core::device::ACCELERATED;
use std::borrow::Cow;

/// The log of a refused program. Errors in the lines that stand for the expressions, in the made-up
/// file that `place` begins with, are told of the kernel's name.
pub(super) fn refused(log: &str, place: &str, expressions: &[&str]) -> String {
    let mut text = String::new();
    let mut told = false;
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let behind = line.strip_prefix(place);
        match behind.and_then(|rest| rest.split_once("): ")) {
            None => text.push_str(&with_target(line)),
            // The first says what is wrong, the others what follows from it.
            Some((_, message)) if !told => {
                told = true;
                // Compilers order them in their own way, but show the line.
                let shown = lines.peek().unwrap_or(&"");
                let named = expressions.iter().filter(|of| shown.contains(**of));
                let named = named.max_by_key(|of| of.len());
                let expression = named.or(expressions.first()).unwrap_or(&"");
                text.push_str(&format!("the kernel `{expression}`: {message}"));
            }
            Some(_) => continue,
        }
        text.push('\n');
    }
    text
}

/// A line of ptxas; where an instruction is one kind of GPU's only, with what to do.
fn with_target(line: &str) -> Cow<'_, str> {
    let target = line.split_once(" not supported on .target 'sm_");
    let target = target.and_then(|(_, rest)| rest.trim_end_matches('\'').parse().ok());
    match target.is_some_and(|of: u16| of >= ACCELERATED) {
        true => {
            format!("{line}; `arch = \"exact\"` compiles for what only this kind of GPU has").into()
        }
        false => line.into(),
    }
}

/// The log of an NVRTC of this major version; where a header is missing, with what to do.
pub(super) fn with_headers(log: &str, major: u32) -> String {
    let told = |line: &str| {
        let (_, rest) = line.split_once("open source file \"")?;
        let header = rest.split('"').next()?;
        // Those of C++ alone have no ending.
        if !header.contains(['.', '/']) {
            return Some(format!(
                "{line}; `{header}` is for a host: `compiler = \"nvcc\"` compiles such sources"
            ));
        }
        let wheel = wheel(header, major)?;
        Some(format!(
            "{line}; the wheel `{wheel}` has it, installed beside NVRTC"
        ))
    };
    let lines = log.lines();
    let lines = lines.map(|line| told(line).unwrap_or_else(|| line.into()) + "\n");
    lines.collect()
}

/// The Python wheel that has a header.
fn wheel(header: &str, major: u32) -> Option<String> {
    let folder = header.split_once('/').map_or("", |(folder, _)| folder);
    let name = match folder {
        "cub" | "cuda" | "nv" | "thrust" => "cccl",
        "crt" if major >= 13 => "crt",
        "crt" => "nvcc",
        _ if header.starts_with("cuda_") || ["cooperative_groups.h", "mma.h"].contains(&header) => {
            "runtime"
        }
        _ => return None,
    };
    // Those of CUDA 13 and later bear no number.
    let ending = if major >= 13 { "" } else { "-cu12" };
    Some(format!("nvidia-cuda-{name}{ending}"))
}

/// How NVRTC tells a place in the file that it makes up for name expressions.
pub(super) const NAME_MAP: &str = "__nv_name_map(";

/// Bytes of registers that `entry` stores to local memory, by ptxas' report; 0 where it has none.
pub(super) fn spill_bytes(log: &str, entry: &str) -> u32 {
    let mut lines = log.lines();
    while let Some(line) = lines.next() {
        let named = line.split_once("Function properties for ");
        if named.is_some_and(|(_, name)| name.trim().trim_matches('\'') == entry) {
            return lines.next().and_then(stores).unwrap_or(0);
        }
    }
    0
}

/// `8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads`
fn stores(line: &str) -> Option<u32> {
    let part = line.split(',').find(|part| part.contains("spill stores"))?;
    part.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spills_are_those_of_the_kernel() {
        // NVRTC 12.9.
        let nvrtc = "ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'crowded' for 'sm_80'
ptxas info    : Function properties for crowded
ptxas         .     840 bytes stack frame, 868 bytes spill stores, 864 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 840 bytes cumulative stack size, 368 bytes cmem[0]
ptxas info    : Compile time = 19.210 ms
ptxas info    : Compiling entry function 'plain' for 'sm_80'
ptxas info    : Function properties for plain
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        assert_eq!(spill_bytes(nvrtc, "crowded"), 868);
        assert_eq!(spill_bytes(nvrtc, "plain"), 0);
        assert_eq!(spill_bytes(nvrtc, "crow"), 0);
        // nvcc leaves the second line's beginning out.
        let nvcc = "ptxas info    : Function properties for k\n    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n";
        assert_eq!(spill_bytes(nvcc, "k"), 4);
        assert_eq!(spill_bytes("Function properties for k", "k"), 0);
        assert_eq!(spill_bytes("", "k"), 0);
    }

    #[test]
    fn an_unknown_kernel_has_one_error() {
        // NVRTC 12.9.
        let log = r#"kernels/k.cu(3): warning #177-D: variable "unused" was declared but never referenced

__nv_name_map(2): error: identifier "nope" is undefined
  #pragma nv_mangled_name nope<3>
                          ^

__nv_name_map(2): error: expected an expression
  #pragma nv_mangled_name nope<3>
                                 ^

2 errors detected in the compilation of "kernels/k.cu".
"#;
        let text = refused(log, NAME_MAP, &["nope<3>"]);
        let errors: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("error: "))
            .collect();
        assert_eq!(
            errors,
            ["the kernel `nope<3>`: error: identifier \"nope\" is undefined"]
        );
        assert!(text.starts_with("kernels/k.cu(3): warning"), "{text}");
        assert!(!text.contains("__nv_name_map"), "{text}");
    }

    #[test]
    fn a_missing_header_names_its_wheel() {
        // NVRTC 12.9.
        let log = "k.cu(1): catastrophic error: cannot open source file \"cub/block/block_reduce.cuh\"\n  #include <x>\n";
        let told = |major| with_headers(log, major).lines().next().map(String::from);
        let line = |wheel| {
            let first = log.lines().next().unwrap();
            Some(format!(
                "{first}; the wheel `{wheel}` has it, installed beside NVRTC"
            ))
        };
        assert_eq!(told(12), line("nvidia-cuda-cccl-cu12"));
        assert_eq!(told(13), line("nvidia-cuda-cccl"));
        assert_eq!(
            wheel("crt/mma.h", 12).as_deref(),
            Some("nvidia-cuda-nvcc-cu12")
        );
        assert_eq!(
            wheel("cuda_fp16.h", 13).as_deref(),
            Some("nvidia-cuda-runtime")
        );
        let host = "k.cu(1): catastrophic error: cannot open source file \"vector\"\n";
        assert!(with_headers(host, 12).contains("\"vector\"; `vector` is for a host"));
        let own = "k.cu(1): error: could not open source file \"own/cuda.h\" (no directories in search list)\n";
        assert_eq!(with_headers(own, 12), own);
    }

    #[test]
    fn other_errors_are_as_they_were() {
        let log = "k.cu(1): error: expected a \";\"\n  float x\n";
        assert_eq!(refused(log, NAME_MAP, &["k"]), log);
    }
}
