//! What hints say of a kernel's code beyond what an attribute can, and what the model makes of it.
//!
//! Bank conflicts are as in the CUDA C++ Best Practices Guide; the rest is the model's own.

use bico_core::device::{CudaFacts, Facts};
use bico_core::model::{self, Launch, Profile, Work, amount};

/// More independent results than this don't help: registers and the scoreboard run out.
const MOST_RESULTS: f64 = 32.0;
/// Banks of shared memory, a word of 4 bytes each.
const BANKS: i64 = 32;
/// A test in every thread.
const GUARD: f64 = 0.05;
/// AMD's compilers keep results of guarded tiles in memory.
const GUARD_AMD: f64 = 4.0;

/// What is `None` is not known, and taken for what is usual.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Code {
    /// Results that one thread computes independently of each other.
    pub(super) results: Option<i64>,
    /// Bytes that all threads together load through the cache.
    pub(super) loads: Option<f64>,
    /// Bytes that all threads together read from and write to shared memory.
    pub(super) shared_traffic: Option<f64>,
    /// Bytes that one load of a thread asks for.
    pub(super) access_bytes: Option<i64>,
    /// Bytes in one piece that the loads of a warp's neighbours make together.
    pub(super) contiguous_bytes: Option<i64>,
    /// Distance in shared memory, in words of 4 bytes, between threads that are neighbours in y.
    pub(super) row_words: Option<i64>,
    /// Whether threads test that they are inside of the data: a tile hangs over the edge.
    pub(super) guarded: bool,
}

impl Code {
    /// The seconds that the model predicts.
    pub(super) fn predict(&self, facts: &Facts, work: &Work) -> f64 {
        match (facts, &work.launch) {
            (Facts::Cuda(gpu), Some(launch)) => {
                let profile = self.profile(gpu, work, launch);
                model::predict_profile(gpu, work, launch, &profile)
            }
            _ => model::predict(facts, work),
        }
    }

    fn profile(&self, gpu: &CudaFacts, work: &Work, launch: &Launch) -> Profile {
        let warp = gpu.warp_size.clamp(1, 1024);
        let (threads, width) = (launch.threads.max(1), launch.width.max(1));
        let results = self.results.unwrap_or(1).max(1) as f64;
        let access = self.access_bytes.unwrap_or(4).clamp(1, 16) as f64;
        let contiguous = self
            .contiguous_bytes
            .unwrap_or(width.saturating_mul(access as i64))
            .clamp(1, 32 * warp) as f64;
        let coalesced = model::coalesced(contiguous);
        let conflicts =
            self.row_words
                .map_or(1, |row| conflicts(width, threads.min(warp), row)) as f64;
        let bytes = work.bytes.map_or(amount(work.footprint), amount);
        let loads = self.loads.map_or(bytes, amount);
        let shared = amount(self.shared_traffic.unwrap_or(0.0));
        let traffic = model::cached(loads, coalesced) + shared * conflicts.sqrt();
        let amd = gpu.compute_capability == 0;
        Profile {
            independent: results.min(MOST_RESULTS),
            coalesced,
            // A load of any width is one instruction.
            accesses: (loads + shared) / access,
            // Accesses of less than a word take the time of one.
            on_chip: traffic * (4.0 / access.min(4.0)),
            factor: match self.guarded {
                true if amd && results > 1.0 => 1.0 + GUARD_AMD,
                true => 1.0 + GUARD,
                false => 1.0,
            },
        }
    }
}

/// How many different words of one bank the lanes of a warp want at once, when lane (x, y) of a block
/// `width` wide reads word `x + y * row`. Equal words are served together.
fn conflicts(width: i64, lanes: i64, row: i64) -> i64 {
    if width >= lanes || row <= 0 {
        return 1;
    }
    // Words of one bank differ by multiples of the banks: each line of them counts once.
    let mut words: Vec<i64> = (0..lanes)
        .map(|lane| {
            (lane / width)
                .saturating_mul(row)
                .saturating_add(lane % width)
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    let mut wanted = [0; BANKS as usize];
    for word in words {
        wanted[(word % BANKS) as usize] += 1;
    }
    wanted.into_iter().max().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn conflicts_are_counted_by_the_bank() {
        // Rows of whole warps never meet.
        assert_eq!(conflicts(32, 32, 100), 1);
        // Two rows of 16: the second starts where the first ends, or on the same banks.
        assert_eq!(conflicts(16, 32, 16), 1);
        assert_eq!(conflicts(16, 32, 32), 2);
        assert_eq!(conflicts(16, 32, 40), 2);
        // One column: a row of 32 words is the classic mistake, one of 33 the classic cure.
        assert_eq!(conflicts(1, 32, 32), 32);
        assert_eq!(conflicts(1, 32, 33), 1);
        // Equal words are one access.
        assert_eq!(conflicts(1, 32, 0), 1);
        assert_eq!(conflicts(4, 32, 1), 1);
    }

    fn any_amount() -> impl Strategy<Value = f64> {
        let odd = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1.0,
            0.0,
            f64::MAX,
            1e-300,
        ];
        prop_oneof![0.0..1e15, prop::sample::select(odd.to_vec())]
    }

    fn any_code() -> impl Strategy<Value = Code> {
        let maybe = || prop::option::of(prop_oneof![1i64..2000, any::<i64>()]);
        let traffic = || prop::option::of(any_amount());
        let counts = (maybe(), maybe(), maybe(), maybe());
        (counts, traffic(), traffic(), any::<bool>()).prop_map(
            |((results, access_bytes, contiguous_bytes, row_words), loads, shared, guarded)| Code {
                results,
                access_bytes,
                contiguous_bytes,
                row_words,
                loads,
                shared_traffic: shared,
                guarded,
            },
        )
    }

    fn any_launch() -> impl Strategy<Value = Launch> {
        let small = || prop_oneof![1i64..2000, any::<i64>()];
        (any_amount(), small(), small(), small()).prop_map(
            |(blocks, threads, width, shared_bytes)| Launch {
                blocks,
                threads,
                width,
                shared_bytes,
                ..Launch::default()
            },
        )
    }

    fn gpus() -> impl Strategy<Value = Facts> {
        let odd = CudaFacts {
            multiprocessors: -1,
            clock_hz: 0,
            memory_bytes_per_second: i64::MIN,
            warp_size: 0,
            max_threads_per_multiprocessor: 0,
            ..CudaFacts::typical("NVIDIA", "", 80)
        };
        let amd = CudaFacts::typical("AMD", "gfx90a", 0);
        let gpus = vec![CudaFacts::typical("NVIDIA", "", 80), odd, amd];
        prop::sample::select(gpus).prop_map(Facts::Cuda)
    }

    proptest! {
        #[test]
        fn any_code_has_a_time(
            facts in gpus(), code in any_code(), launch in any_launch(), flops in any_amount(), bytes in any_amount(),
        ) {
            let work = Work { flops: Some(flops), bytes: Some(bytes), launch: Some(launch), ..Work::default() };
            let seconds = code.predict(&facts, &work);
            prop_assert!(seconds.is_finite() && seconds >= 0.0, "{seconds}");
        }

        /// Code of which nothing is known is what the model takes for usual, to the last bit.
        #[test]
        fn nothing_known_is_the_usual(
            facts in gpus(), launch in any_launch(), flops in any_amount(), bytes in any_amount(),
        ) {
            let work = Work { flops: Some(flops), bytes: Some(bytes), launch: Some(launch), ..Work::default() };
            let (own, usual) = (Code::default().predict(&facts, &work), model::predict(&facts, &work));
            prop_assert_eq!(own.to_bits(), usual.to_bits());
        }

        #[test]
        fn more_work_never_takes_less_time(
            facts in gpus(), code in any_code(), launch in any_launch(),
            amounts in prop::array::uniform4(0.0..1e15f64), more in prop::array::uniform4(1.0..100.0f64),
        ) {
            let time = |[flops, bytes, loads, shared]: [f64; 4]| {
                let code = Code { loads: Some(loads), shared_traffic: Some(shared), ..code };
                let work = Work { flops: Some(flops), bytes: Some(bytes), launch: Some(launch), ..Work::default() };
                code.predict(&facts, &work)
            };
            let before = time(amounts);
            for kind in 0..4 {
                let mut larger = amounts;
                larger[kind] *= more[kind];
                let after = time(larger);
                // Rounding of the powers.
                prop_assert!(after >= before * (1.0 - 1e-12), "{after} < {before}");
            }
        }
    }

    #[test]
    fn a_guard_costs_and_what_cannot_run_comes_last() {
        let facts = Facts::Cuda(CudaFacts::typical("NVIDIA", "", 80));
        let seconds = |threads, width, guarded| {
            let launch = Launch {
                blocks: 10_000.0,
                threads,
                width,
                ..Launch::default()
            };
            let work = Work {
                flops: Some(1e10),
                bytes: Some(1e9),
                launch: Some(launch),
                ..Work::default()
            };
            let code = Code {
                guarded,
                ..Code::default()
            };
            code.predict(&facts, &work)
        };
        assert!(seconds(256, 256, false) < seconds(256, 256, true));
        assert!(seconds(1, 1, true) < seconds(1025, 256, false));
    }
}
