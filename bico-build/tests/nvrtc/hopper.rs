//! What Hopper brought.

use crate::setup::Setup;
use bico_build::compile::GpuTarget;
use std::path::Path;
use std::process::Command;

/// Whether this NVRTC compiles for it.
fn is_known(setup: &Setup) -> bool {
    let is_known = setup.architectures.contains(&90);
    if !is_known {
        println!("SKIPPED: NVRTC does not know compute capability 9.0");
    }
    is_known
}

/// What only `sm_90a` has: `setmaxnreg` and the fence of `wgmma`. A warpgroup gives registers to the others of its block.
const HOPPER: &str = r#"
extern "C" __global__ void __launch_bounds__(384) hopper(float *out, const float *x)
{
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float sum[160];
        for (int i = 0; i < 160; i++) sum[i] = x[i * 384 + threadIdx.x];
        asm volatile("wgmma.fence.sync.aligned;");
        for (int round = 0; round < out[0]; round++)
            for (int i = 0; i < 160; i++) sum[i] = sum[i] * x[round] + sum[(i + 1) % 160];
        for (int i = 0; i < 160; i++) out[i * 384 + threadIdx.x] = sum[i];
    }
}
"#;

pub(crate) fn features_of_one_gpu(setup: &Setup) {
    if !is_known(setup) {
        return;
    }
    setup.write("hopper.cu", HOPPER);
    let unit = |target| crate::setup::unit("hopper.cu", "hopper", target);
    let entry = &setup.kernel(&unit(GpuTarget::Exact(90))).entries[0];
    let resources = entry.resources.unwrap();
    // What a block is given at first, 65536 / 384 in steps of 8: what warpgroups hand over does not count. Nor does it spill,
    // but for what 160 sums leave of 168 registers.
    assert_eq!(resources.registers, 168);
    assert!(resources.spill_bytes < 64, "{resources:?}");
    assert_eq!(entry.max_threads, Some(384));
    let kernel = setup.kernel(&unit(GpuTarget::ExactPtx(90)));
    let text = std::fs::read_to_string(&kernel.path).unwrap();
    assert!(text.contains(".target sm_90a"), "{text}");
    let error = setup
        .service()
        .kernel(&unit(GpuTarget::Cubin(90)))
        .unwrap_err();
    let help = "on .target 'sm_90'; `arch = \"exact\"` compiles for what only this kind of GPU has";
    assert!(error.to_string().contains(help), "{error}");
}

/// The header that kernels with tensor maps share, in the kernels that the stand-in driver runs.
pub(crate) fn boxes_of_tensors(setup: &Setup) {
    if !is_known(setup) {
        return;
    }
    const HEADER: &str = include_str!("../../../kernels/kernels/tensor_copy.cuh");
    const KERNELS: &str = include_str!("../../../tests/host-driver/tests/driver/tensors.cu");
    setup.write("tensor_copy.cuh", HEADER);
    setup.write("tensors.cu", KERNELS);
    let unit = |name, target| crate::setup::unit("tensors.cu", name, target);
    for (name, parameters) in [
        ("ring", &[8, 128, 4][..]),
        ("box", &[8, 128, 4, 4, 4, 4]),
        ("store", &[128, 4, 4, 4]),
    ] {
        let entry = &setup.kernel(&unit(name, GpuTarget::Cubin(90))).entries[0];
        assert_eq!(entry.parameters.as_deref(), Some(parameters), "{name}");
        assert_eq!(entry.resources.unwrap().local_bytes, 0, "{name}");
    }
    let text = |name| {
        let kernel = setup.kernel(&unit(name, GpuTarget::Ptx(90)));
        std::fs::read_to_string(&kernel.path).unwrap()
    };
    let (ring, store) = (text("ring"), text("store"));
    assert!(ring.contains("cp.async.bulk.tensor.2d.shared::cluster.global"));
    assert!(ring.contains("mbarrier.try_wait.parity"));
    assert!(store.contains("cp.async.bulk.tensor.2d.global.shared::cta"));
}

const KERNELS: [(&str, &str); 9] = [
    (
        "gemm_hopper.cuh",
        include_str!("../../../kernels/kernels/gemm_hopper.cuh"),
    ),
    (
        "glu_hopper.cu",
        include_str!("../../../kernels/kernels/glu_hopper.cu"),
    ),
    ("glu.cuh", include_str!("../../../kernels/kernels/glu.cuh")),
    (
        "attention_hopper.cu",
        include_str!("../../../kernels/kernels/attention_hopper.cu"),
    ),
    (
        "attention.cuh",
        include_str!("../../../kernels/kernels/attention.cuh"),
    ),
    (
        "gemm_hopper.cu",
        include_str!("../../../kernels/kernels/gemm_hopper.cu"),
    ),
    (
        "number.cuh",
        include_str!("../../../kernels/kernels/number.cuh"),
    ),
    (
        "tensor_copy.cuh",
        include_str!("../../../kernels/kernels/tensor_copy.cuh"),
    ),
    (
        "warpgroup.cuh",
        include_str!("../../../kernels/kernels/warpgroup.cuh"),
    ),
];

/// Machine code by NVIDIA's disassembler, from the wheel beside NVRTC's or on the path.
fn disassembled(setup: &Setup, cubin: &Path) -> Option<String> {
    let wheels = setup.library.ancestors().nth(4);
    let beside = wheels.map(|wheels| wheels.join("nvdisasm/nvidia/cu13/bin/nvdisasm"));
    let program = beside.filter(|program| program.is_file());
    let program = program.unwrap_or_else(|| "nvdisasm".into());
    let Ok(output) = Command::new(program).arg(cubin).output() else {
        println!("SKIPPED: there is no nvdisasm");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The machine code of a kernel of these files, which spills nothing; a function that counts in it.
fn counted(
    setup: &Setup,
    file: &str,
    name: &str,
    defines: &[(&str, &str)],
) -> Option<impl Fn(&str) -> usize + use<>> {
    for (name, text) in KERNELS {
        setup.write(name, text);
    }
    let mut unit = crate::setup::unit(file, name, GpuTarget::Exact(90));
    let define = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    unit.defines = defines.iter().map(define).collect();
    let kernel = setup.kernel(&unit);
    let resources = kernel.entries[0].resources.unwrap();
    assert_eq!((resources.spill_bytes, resources.local_bytes), (0, 0));
    let code = disassembled(setup, &kernel.path)?;
    let count = move |what: &str| code.matches(what).count();
    assert_eq!((count(" LDL"), count(" STL")), (0, 0), "{name}");
    Some(count)
}

/// What the machine code of some configs consists of: the instructions that are meant, and no waits but the two that are written,
/// which the assembler adds where it must part products.
pub(crate) fn products_are_instructions(setup: &Setup) {
    if !is_known(setup) {
        return;
    }
    for (arguments, products, boxes, shared_by_cluster) in [
        (
            "__half, 128, 256, 64, 2, 3, 8, 2, 1, true, 1",
            "64x256x16.F32 ",
            5,
            4,
        ),
        (
            "__nv_bfloat16, 128, 128, 64, 1, 4, 8, 1, 1, false, 1",
            "64x128x16.F32.BF16 ",
            3,
            0,
        ),
        (
            "__half, 192, 64, 128, 3, 3, 4, 1, 2, true, 1",
            "64x64x16.F32 ",
            3,
            2,
        ),
        (
            "__half, 128, 256, 64, 2, 3, 8, 1, 1, true, 4",
            "64x256x16.F32 ",
            5,
            0,
        ),
    ] {
        let name = format!("gemm_hopper_kernel<{arguments}>");
        let Some(count) = counted(setup, "gemm_hopper.cu", &name, &[]) else {
            return;
        };
        assert!(count(&format!("HGMMA.{products}")) >= 4, "{name}");
        assert_eq!(
            count("HGMMA."),
            count(&format!("HGMMA.{products}")),
            "{name}"
        );
        assert_eq!(count("WARPGROUP.DEPBAR"), 2, "{name}");
        assert_eq!(count("UTMALDG.2D"), boxes, "{name}");
        assert_eq!(count("UTMALDG.2D.MULTICAST"), shared_by_cluster, "{name}");
        let is_staged = arguments.contains("true");
        assert_eq!(count("UTMASTG.2D") > 0, is_staged, "{name}");
        assert_eq!(
            count("USETMAXREG"),
            if arguments.contains(", 1, 4,") { 0 } else { 2 },
            "{name}"
        );
    }
}

/// The same of attention, whose two products are under way at a time.
pub(crate) fn attention_is_instructions(setup: &Setup) {
    if !is_known(setup) {
        return;
    }
    for (arguments, head, scores, results) in [
        (
            "__half, 128, 2, 2, true, false",
            "128",
            "64x128x16.F32 ",
            "64x128x16.F32 ",
        ),
        (
            "__nv_bfloat16, 160, 2, 2, false, true",
            "64",
            "64x160x16.F32.BF16 ",
            "64x64x16.F32.BF16 ",
        ),
        (
            "__half, 64, 3, 3, true, true",
            "64",
            "64x64x16.F32 ",
            "64x64x16.F32 ",
        ),
    ] {
        let name = format!("attention_hopper_kernel<{arguments}>");
        let Some(count) = counted(
            setup,
            "attention_hopper.cu",
            &name,
            &[("HEAD", head), ("CAUSAL", "1")],
        ) else {
            return;
        };
        let [scores, results] = [scores, results].map(|shape| format!("HGMMA.{shape}"));
        assert!(count(&scores) >= 8 && count(&results) >= 8, "{name}");
        let both = count(&scores)
            + if scores == results {
                0
            } else {
                count(&results)
            };
        assert_eq!(count("HGMMA."), both, "{name}");
        // Of the first scores, of each step's and its results, and of the last results.
        assert_eq!(count("WARPGROUP.DEPBAR"), 4, "{name}");
        assert!(count("UTMALDG.3D") >= 3, "{name}");
    }
}

/// And of the linear unit: two products of each step, with one tile of x.
pub(crate) fn linear_unit_is_instructions(setup: &Setup) {
    if !is_known(setup) {
        return;
    }
    for (arguments, products) in [
        ("128, 128, 64, 2, 3, 4, 2, 1, true", "64x128x16.F32 "),
        ("256, 64, 64, 2, 3, 4, 1, 2, false", "64x64x16.F32 "),
        ("192, 64, 128, 3, 2, 1, 1, 1, true", "64x64x16.F32 "),
    ] {
        let name = format!("glu_hopper_kernel<{arguments}>");
        let Some(count) = counted(setup, "glu_hopper.cu", &name, &[("ACT", "gelu")]) else {
            return;
        };
        assert!(count(&format!("HGMMA.{products}")) >= 8, "{name}");
        assert_eq!(
            count("HGMMA."),
            count(&format!("HGMMA.{products}")),
            "{name}"
        );
        assert_eq!(count("WARPGROUP.DEPBAR"), 2, "{name}");
    }
}
