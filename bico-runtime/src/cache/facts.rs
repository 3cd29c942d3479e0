//! A device's facts, in the very shape that `bico.lock` gives them in its table of devices.

use super::write::object;
use bico_core::device::Facts;
use serde_json::Value;

pub(super) fn json(facts: &Facts) -> Value {
    match facts {
        Facts::Cpu(cpu) => object([
            ("brand", cpu.brand.as_str().into()),
            ("cores", cpu.cores.into()),
            ("family", cpu.family.into()),
            ("features", cpu.features.as_slice().into()),
            ("kind", "cpu".into()),
            ("l1d_bytes", cpu.l1d_bytes.into()),
            ("l2_bytes", cpu.l2_bytes.into()),
            ("l3_bytes", cpu.l3_bytes.into()),
            ("level", cpu.level.as_str().into()),
            ("model", cpu.model.into()),
            ("vector_bits", cpu.vector_bits.into()),
            ("vendor", cpu.vendor.as_str().into()),
        ]),
        Facts::Cuda(gpu) => object([
            ("architecture", gpu.architecture.as_str().into()),
            ("clock_hz", gpu.clock_hz.into()),
            ("compute_capability", gpu.compute_capability.into()),
            ("kind", "cuda".into()),
            ("l2_bytes", gpu.l2_bytes.into()),
            ("max_threads_per_block", gpu.max_threads_per_block.into()),
            (
                "max_threads_per_multiprocessor",
                gpu.max_threads_per_multiprocessor.into(),
            ),
            (
                "memory_bytes_per_second",
                gpu.memory_bytes_per_second.into(),
            ),
            ("multiprocessors", gpu.multiprocessors.into()),
            ("name", gpu.name.as_str().into()),
            ("registers_per_block", gpu.registers_per_block.into()),
            (
                "registers_per_multiprocessor",
                gpu.registers_per_multiprocessor.into(),
            ),
            (
                "shared_memory_per_block",
                gpu.shared_memory_per_block.into(),
            ),
            (
                "shared_memory_per_block_optin",
                gpu.shared_memory_per_block_optin.into(),
            ),
            (
                "shared_memory_per_multiprocessor",
                gpu.shared_memory_per_multiprocessor.into(),
            ),
            ("warp_size", gpu.warp_size.into()),
        ]),
    }
}
