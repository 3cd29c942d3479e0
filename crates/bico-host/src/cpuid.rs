//! What an x86 CPU says of itself (the instruction CPUID): one answer of four registers per leaf and sub-leaf.

use bico_core::Lists;
#[cfg(target_arch = "x86")]
use std::arch::x86::{__cpuid_count, CpuidResult};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__cpuid_count, CpuidResult};

const EXTENDED: u32 = 0x8000_0000;
/// Leaves that AMD's CPUs reserve.
const NOT_OF_AMD: [std::ops::RangeInclusive<u32>; 2] = [0x2..=0x4, 0x8..=0xa];
/// More caches than any CPU has.
const MOST_CACHES: u32 = 32;

/// Reads the leaves.
pub(crate) struct CpuId<R = fn(u32, u32) -> CpuidResult> {
    read: R,
    vendor: String,
    /// The highest leaf, and the highest extended one.
    highest: [u32; 2],
}

impl CpuId {
    /// Asks the CPU that this program runs on.
    #[allow(unused_unsafe)] // The instruction is safe in newer versions of the standard library.
    pub(crate) fn native() -> CpuId {
        CpuId::new(|leaf, sub_leaf| {
            // SAFETY: every x86 CPU that Rust's standard library runs on has the instruction; it touches no memory.
            unsafe { __cpuid_count(leaf, sub_leaf) }
        })
    }
}

impl<R: Fn(u32, u32) -> CpuidResult> CpuId<R> {
    fn new(read: R) -> CpuId<R> {
        let first = read(0, 0);
        CpuId {
            vendor: text([first.ebx, first.edx, first.ecx]),
            highest: [first.eax, read(EXTENDED, 0).eax],
            read,
        }
    }

    /// `AuthenticAMD`, `GenuineIntel`.
    pub(crate) fn vendor(&self) -> &str {
        &self.vendor
    }

    fn is_amd(&self) -> bool {
        matches!(self.vendor(), "AuthenticAMD" | "HygonGenuine")
    }

    /// An answer, where there is one.
    fn leaf(&self, leaf: u32, sub_leaf: u32) -> Option<CpuidResult> {
        let is_reserved = self.is_amd() && NOT_OF_AMD.iter().any(|range| range.contains(&leaf));
        let highest = self.highest[usize::from(leaf >= EXTENDED)];
        (leaf <= highest && !is_reserved).then(|| (self.read)(leaf, sub_leaf))
    }

    /// `AMD EPYC 9654 96-Core Processor`, as it is; empty where it has none.
    pub(crate) fn brand(&self) -> String {
        let parts = [2, 3, 4].map(|part| self.leaf(EXTENDED + part, 0));
        let [Some(a), Some(b), Some(c)] = parts else {
            return String::new();
        };
        text(
            [a, b, c]
                .map(|of| [of.eax, of.ebx, of.ecx, of.edx])
                .concat(),
        )
    }

    /// Family and model as vendors print them.
    pub(crate) fn family_and_model(&self) -> (u32, u32) {
        let Some(CpuidResult { eax, .. }) = self.leaf(1, 0) else {
            return (0, 0);
        };
        let [family, more_family] = [eax >> 8 & 0xf, eax >> 20 & 0xff];
        let [model, more_model] = [eax >> 4 & 0xf, eax >> 16 & 0xf];
        let is_intel = self.vendor() == "GenuineIntel";
        // Where the short ones say it all.
        let is_short = (is_intel || self.is_amd()) && family != 0xf;
        let is_short_model = is_short && !(is_intel && family == 6);
        (
            if is_short {
                family
            } else {
                family + more_family
            },
            if is_short_model {
                model
            } else {
                more_model << 4 | model
            },
        )
    }

    /// Sizes of the data caches of level 1 to 3; 0 where unknown.
    pub(crate) fn caches(&self) -> [i64; 3] {
        let mut bytes = [0; 3];
        let leaf = if self.is_amd() { EXTENDED + 0x1d } else { 4 };
        for cache in (0..MOST_CACHES).map_while(|index| self.leaf(leaf, index)) {
            match cache.eax & 0x1f {
                1 | 3 => {}
                // Instructions.
                2 => continue,
                _ => break,
            }
            let ways = [
                cache.ebx >> 22,
                cache.ebx >> 12 & 0x3ff,
                cache.ebx & 0xfff,
                cache.ecx,
            ];
            let sizes = ways.map(|less_one| i64::from(less_one) + 1).into_iter();
            let level = (cache.eax >> 5 & 7) as usize;
            if let Some(found) = bytes.get_mut(level.wrapping_sub(1)) {
                *found = sizes.fold(1, i64::saturating_mul);
            }
        }
        // AMD CPUs older than their topology extension answer these leaves instead.
        if bytes[0] == 0
            && self.is_amd()
            && let Some(first) = self.leaf(EXTENDED + 5, 0)
        {
            bytes[0] = i64::from(first.ecx >> 24) << 10;
        }
        if bytes[1] == 0
            && let Some(outer) = self.leaf(EXTENDED + 6, 0)
        {
            bytes[1] = i64::from(outer.ecx >> 16) << 10;
            bytes[2] = i64::from(outer.edx >> 18) << 19;
        }
        bytes
    }

    /// Whether the CPU has AVX-VNNI and AVX512-FP16, whatever the operating system lets programs use.
    pub(crate) fn vnni_and_fp16(&self) -> [bool; 2] {
        let has = |sub_leaf, bit: fn(CpuidResult) -> u32| {
            self.leaf(7, sub_leaf).is_some_and(|of| bit(of) & 1 != 0)
        };
        [has(1, |of| of.eax >> 4), has(0, |of| of.edx >> 23)]
    }
}

/// Registers as text, up to the first zero.
fn text(registers: impl AsRef<[u32]>) -> String {
    let bytes = registers.as_ref().iter().flat_map(|of| of.to_le_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect_vec();
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raw_cpuid::{CacheType, CpuIdResult};

    /// What another reader makes of the same answers.
    type Other = raw_cpuid::CpuId<fn(u32, u32) -> CpuIdResult>;

    fn caches_of(other: &Other) -> [i64; 3] {
        let mut bytes = [0; 3];
        for cache in other.get_cache_parameters().into_iter().flatten() {
            let size = cache.associativity() as i64
                * cache.physical_line_partitions() as i64
                * cache.coherency_line_size() as i64
                * cache.sets() as i64;
            let level = usize::from(cache.level()).wrapping_sub(1);
            match bytes.get_mut(level) {
                Some(found) if cache.cache_type() != CacheType::Instruction => *found = size,
                _ => {}
            }
        }
        if bytes[0] == 0
            && let Some(first) = other.get_l1_cache_and_tlb_info()
        {
            bytes[0] = i64::from(first.dcache_size()) << 10;
        }
        if bytes[1] == 0
            && let Some(outer) = other.get_l2_l3_cache_and_tlb_info()
        {
            bytes[1] = i64::from(outer.l2cache_size()) << 10;
            bytes[2] = i64::from(outer.l3cache_size()) << 19;
        }
        bytes
    }

    /// Asserts that both readers say the same of a CPU.
    fn agree<R: Fn(u32, u32) -> CpuidResult>(own: &CpuId<R>, other: &Other) {
        let vendor = other.get_vendor_info();
        assert_eq!(own.vendor(), vendor.as_ref().map_or("", |of| of.as_str()));
        let brand = other.get_processor_brand_string();
        let brand = brand.as_ref().map_or("", |of| of.as_str());
        assert_eq!(own.brand().trim(), brand);
        let info = other.get_feature_info();
        let both = info.map(|of| (of.family_id().into(), of.model_id().into()));
        assert_eq!(own.family_and_model(), both.unwrap_or((0, 0)));
        assert_eq!(own.caches(), caches_of(other));
        let more = other.get_extended_feature_info();
        let more = more.map(|of| [of.has_avx_vnni(), of.has_avx512_fp16()]);
        assert_eq!(own.vnni_and_fp16(), more.unwrap_or_default());
    }

    #[test]
    fn this_cpu_reads_as_elsewhere() {
        let read: fn(u32, u32) -> CpuIdResult = |leaf, sub| {
            let CpuidResult { eax, ebx, ecx, edx } = (CpuId::native().read)(leaf, sub);
            CpuIdResult { eax, ebx, ecx, edx }
        };
        agree(&CpuId::native(), &raw_cpuid::CpuId::with_cpuid_reader(read));
    }

    /// The answers of a CPU: vendor, first leaf's `eax`, whether it is too old for the leaves of caches.
    fn cpu(vendor: u32, leaf: u32, sub: u32) -> [u32; 4] {
        let of = |text: &[u8; 12]| {
            let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| text[at + i]));
            [word(0), word(8), word(4)]
        };
        let is_old = vendor >= 3;
        let [ebx, ecx, edx] = match vendor % 3 {
            0 => of(b"AuthenticAMD"),
            1 => of(b"GenuineIntel"),
            _ => of(b"CentaurHauls"),
        };
        match (leaf, sub) {
            (0, _) => [if is_old { 1 } else { 7 }, ebx, ecx, edx],
            (EXTENDED, _) => [EXTENDED + if is_old { 6 } else { 0x1e }, 0, 0, 0],
            (1, _) => [
                [0x00a2_0f12, 0x0009_06ed, 0x0000_0f4a][vendor as usize % 3],
                0,
                0,
                0,
            ],
            (0x8000_0002..=0x8000_0004, _) => {
                [0x2041_4d44, leaf & 0x7f7f_7f7f, 0x4141_4141, 0x20_2020]
            }
            (4 | 0x8000_001d, 0) => [1 | 1 << 5, 7 << 22 | 63, 63, 0],
            (4 | 0x8000_001d, 1) => [2 | 1 << 5, 7 << 22 | 63, 63, 0],
            (4 | 0x8000_001d, 2) => [3 | 2 << 5, 7 << 22 | 1 << 12 | 63, 1023, 0],
            (4 | 0x8000_001d, 3) => [3 | 3 << 5, 15 << 22 | 63, 32767, 0],
            (7, 0) => [1, 0, 0, 1 << 23],
            (7, 1) => [1 << 4, 0, 0, 0],
            (0x8000_0005, _) => [0, 0, 64 << 24, 0],
            (0x8000_0006, _) => [0, 0, 512 << 16, 12 << 18],
            _ => [0; 4],
        }
    }

    #[test]
    fn other_cpus_read_as_elsewhere() {
        macro_rules! compare {
            ($($vendor:literal)+) => {$({
                let own = CpuId::new(|leaf, sub| {
                    let [eax, ebx, ecx, edx] = cpu($vendor, leaf, sub);
                    CpuidResult { eax, ebx, ecx, edx }
                });
                let read: fn(u32, u32) -> CpuIdResult = |leaf, sub| {
                    let [eax, ebx, ecx, edx] = cpu($vendor, leaf, sub);
                    CpuIdResult { eax, ebx, ecx, edx }
                };
                agree(&own, &raw_cpuid::CpuId::with_cpuid_reader(read));
                assert!(own.caches()[0] > 0 || $vendor > 3, "{}", $vendor);
            })+};
        }
        compare!(0 1 2 3 4 5);
    }
}
