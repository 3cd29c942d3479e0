//! Winners as constants of C++, for sources that nvcc or NVRTC compiles: each device's in a namespace of its own, so that
//! a program's host code can choose among them when it runs.

use super::Winner;
use super::header::{Block, blocks, header};
use super::names::upper;
use crate::Error;
use bico_core::Value;
use std::fmt::Write;

/// The header of [`header`], and the constants.
///
/// # Errors
///
/// No winner is of a GPU, or a value that no `#define` can hold.
pub(crate) fn cuh(package: &str, winners: &[Winner]) -> Result<String, Error> {
    let on_gpu = winners.iter().filter(|winner| winner.capability.is_some());
    let winners: Vec<Winner> = on_gpu.cloned().collect();
    if winners.is_empty() {
        return Err(
            "no winner is of a CUDA kernel\n  = help: take `--format header` for C and C++".into(),
        );
    }
    let mut text = String::from(
        "#ifdef __cplusplus\n\
         /* The same as constants, for all devices: bico_winners::<device>::<kernel>::<parameter>; the device that was\n \
         * chosen is bico_winners::here. */\n\
         namespace bico_winners {\n",
    );
    for block in &blocks(&winners) {
        device(&mut text, block);
    }
    text += "}\n#endif\n\n";
    header(package, &winners, &text)
}

fn device(text: &mut String, block: &Block<'_>) {
    let mut name = block.name.to_lowercase();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "device_");
    }
    let _ = writeln!(text, "namespace {name} {{");
    for winner in &block.winners {
        let several = block
            .winners
            .iter()
            .filter(|of| of.key == winner.key)
            .count()
            > 1;
        let mut kernel = upper(&winner.key).to_lowercase();
        if several {
            kernel += &format!("_{}", upper(&winner.problem).to_lowercase());
        }
        let _ = writeln!(text, "struct {kernel} {{");
        for (name, value) in &winner.config {
            let value = constant(name, *value);
            let _ = writeln!(text, "    static constexpr {value};");
        }
        for (at, dims) in winner.launches.iter().enumerate() {
            let pass = if at == 0 {
                String::new()
            } else {
                format!("_{}", at + 1)
            };
            let cluster = (dims.cluster != [1; 3]).then_some(("cluster", dims.cluster));
            let extents = [("grid", dims.grid), ("block", dims.block)];
            for (what, extents) in extents.into_iter().chain(cluster) {
                let [x, y, z] = extents;
                let _ = writeln!(
                    text,
                    "    static constexpr unsigned {what}{pass}_x = {x}, {what}{pass}_y = {y}, {what}{pass}_z = {z};"
                );
            }
            let _ = writeln!(
                text,
                "    static constexpr unsigned shared{pass}_bytes = {};",
                dims.shared
            );
        }
        text.push_str("};\n");
    }
    let _ = writeln!(
        text,
        "}}\n#ifdef BICO_DEVICE_{}\nnamespace here = {name};\n#endif",
        block.name
    );
}

fn constant(name: &str, value: Value) -> String {
    match value {
        Value::Int(value) if i32::try_from(value).is_ok() => format!("int {name} = {value}"),
        Value::Int(value) => format!("long long {name} = {value}"),
        Value::Float(value) => format!("double {name} = {value:?}"),
        Value::Bool(value) => format!("bool {name} = {value}"),
        Value::Str(value) => format!("const char *{name} = {value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::winner;
    use super::cuh;
    use bico_device::nvrtc::{Nvrtc, Program};

    const USER: &str = r#"
template <int TILE> __device__ float tile() { return TILE; }
#if __CUDA_ARCH__ == 900
static_assert(bico_winners::here::f32_gemm::TILE == 64, "the only one of this architecture");
static_assert(BICO_F32_GEMM_TILE == 64 && BICO_F32_GEMM_LAUNCH_BLOCK_X == 64, "as macros");
#elif defined(BICO_F32_GEMM_TILE)
#error "two GPUs have this architecture"
#endif
static_assert(bico_winners::nvidia_a30_sm_80::f32_gemm::block_y == 2, "those of others are there");
extern "C" __global__ void user(float *y) {
    y[threadIdx.x] = tile<bico_winners::nvidia_a100_sm_80::f32_gemm::TILE>();
}
"#;

    /// Where there is no NVRTC, this says so and tests nothing.
    #[test]
    fn nvrtc_takes_the_constants() {
        let nvrtc = match Nvrtc::find(None) {
            Ok(nvrtc) => nvrtc,
            // Who names one wants this test to run.
            Err(missing) if bico_build::env::get("BICO_NVRTC").is_some() => panic!("{missing}"),
            Err(missing) => return println!("SKIPPED: no NVRTC\n{missing}"),
        };
        let winners = [
            winner("NVIDIA H200 (sm_90)", Some(90), "n=8", 64),
            winner("NVIDIA A100 (sm_80)", Some(80), "n=8", 32),
            winner("NVIDIA A30 (sm_80)", Some(80), "n=8", 16),
            winner("a CPU", None, "n=8", 4),
        ];
        let text = cuh("p", &winners).unwrap() + USER;
        for architecture in [80, 90] {
            let options = [
                format!("--gpu-architecture=compute_{architecture}"),
                "--std=c++17".to_string(),
            ];
            let program = Program {
                source: &text,
                name: "winners.cu",
                options: &options,
                expressions: &["user"],
            };
            let compiled = nvrtc.compile(&program);
            assert!(compiled.is_ok(), "{}\n{text}", compiled.unwrap_err());
        }
    }
}
