//! Decisions for made-up GPUs: no driver is asked.

use super::*;
use crate::__private::{GpuCode, Image, ImageKind};
use crate::Choice;
use crate::target::{Code, Refusal, Target};
use bico_core::device::{CudaFacts, DeviceKey, Dims};
use std::sync::Mutex;

/// Loads what it is told to, and remembers what it was asked for.
#[derive(Default)]
struct Loader {
    refuses: Mutex<Vec<usize>>,
    busy: Mutex<Vec<usize>>,
    limits: Mutex<Vec<Option<KernelLimits>>>,
    asked: Mutex<Vec<usize>>,
}

impl Code for Loader {
    fn load(&self, candidate: usize) -> Result<(), Refusal> {
        self.asked.lock().unwrap().push(candidate);
        let busy = self.busy.lock().unwrap().contains(&candidate);
        if self.refuses.lock().unwrap().contains(&candidate) || busy {
            let why = format!("{candidate} does not load");
            let lasting = !busy;
            return Err(Refusal { why, lasting });
        }
        Ok(())
    }

    fn limits(&self, candidate: usize, _pass: usize) -> Option<KernelLimits> {
        let loaded = self.asked.lock().unwrap().contains(&candidate);
        let limits = self.limits.lock().unwrap();
        limits.get(candidate).copied().flatten().filter(|_| loaded)
    }
}

/// A GPU with its state.
struct Gpu {
    facts: &'static Facts,
    key: &'static DeviceKey,
    slots: &'static [AtomicU32],
    able: &'static [AtomicU8],
    board: &'static Board,
    loader: &'static Loader,
}

impl Gpu {
    fn new(name: &str, capability: i64, tunable: &Tunable) -> Gpu {
        let facts = Facts::Cuda(CudaFacts::typical(name, "", capability));
        let slots = tunable.data.problems.iter();
        let able = tunable.data.candidates.iter();
        Gpu {
            key: Box::leak(Box::new(facts.key())),
            facts: Box::leak(Box::new(facts)),
            slots: Vec::leak(slots.map(|_| AtomicU32::new(0)).collect()),
            able: Vec::leak(able.map(|_| AtomicU8::new(0)).collect()),
            board: Box::leak(Box::new(Board::new())),
            loader: Box::leak(Box::default()),
        }
    }

    fn refuses(self, candidates: &[usize]) -> Gpu {
        *self.loader.refuses.lock().unwrap() = candidates.to_vec();
        self
    }

    /// A tunable there.
    fn target(&self, of: &Tunable) -> Target {
        Target {
            tunable: Tunable {
                slots: self.slots,
                able: self.able,
                board: self.board,
                ..*of
            },
            facts: self.facts,
            key: self.key,
            driver: "",
            code: Some(self.loader),
        }
    }

    fn choice(&self, tunable: &Tunable, size: i64) -> Result<Choice> {
        Call::new(self.target(tunable), &[size], &[])?.choice()
    }

    fn chosen(&self, tunable: &Tunable, size: i64) -> (Value, Reason) {
        let choice = self.choice(tunable, size).unwrap();
        assert_eq!(choice.device, self.key.as_str());
        assert_eq!(self.choice(tunable, size).as_ref(), Ok(&choice));
        (choice.config.get("M").unwrap(), choice.reason)
    }
}

const H200: &str = "NVIDIA H200 (sm_90)";
const H100: &str = "NVIDIA H100 80GB HBM3 (sm_90)";
const A100: &str = "NVIDIA A100-SXM4-80GB (sm_80)";

/// `M in [8, 4, 2, 1, 16]` as candidates 0 to 4, in blocks of 64 M threads. The devices are those above.
fn tunable_of(problems: Vec<Problem>) -> &'static mut Tunable {
    let mut data = data(problems);
    let of = |i: usize| Candidate {
        values: std::slice::from_ref(&MS[i]),
        variant: 0,
        needs: &[],
        only_on: &[],
        gpu: Some(GpuCode {
            exact: false,
            source: 0,
            expressions: &["gemm"],
            options: &[],
            images: IMAGES,
        }),
    };
    data.candidates = Vec::leak((0..5).map(of).collect());
    data.devices = &[H200, A100, H100];
    let tunable = leaked(data, &[], &[]);
    tunable.rules = Box::leak(Box::new(Rules {
        launches: &[|scope| {
            let threads = ops::mul(Value::Int(64), scope.parameters[0])?;
            Ok(Dims {
                cluster: [1; 3],
                grid: [1, ops::extent(Value::Int(scope.sizes[0]))?, 1],
                block: [ops::extent(threads)?, 1, 1],
                shared: 0,
                dependent: false,
            })
        }],
        ..*tunable.rules
    }));
    tunable
}

const IMAGES: &[Image] = &[Image {
    kind: ImageKind::Cubin,
    compute_capability: 90,
    entries: &["gemm"],
    registers: 40,
    bytes: &[],
}];

const ORDER: &[u16] = &[0, 1, 2, 3, 4];

#[test]
fn the_same_gpu_takes_its_own_winner_and_loads_nothing_else() {
    let problems = vec![problem(&[100], &[(0, 1), (1, 2), (2, 0)], ORDER)];
    let tunable: &Tunable = tunable_of(problems);
    let gpu = Gpu::new("NVIDIA H200", 90, tunable);
    assert_eq!(gpu.chosen(tunable, 100), (Value::Int(4), Reason::Exact));
    assert_eq!(
        gpu.chosen(tunable, 90),
        (Value::Int(4), Reason::NearestSize)
    );
    assert_eq!(*gpu.loader.asked.lock().unwrap(), [1]);
}

#[test]
fn what_nobody_verified_serves_no_other_gpu() {
    let tunable = tunable_of(vec![problem(&[100], &[(2, 0)], ORDER)]);
    tunable.data = Box::leak(Box::new(Data {
        unverified: &[0],
        sources: &[],
        ..*tunable.data
    }));
    let gpu = Gpu::new("NVIDIA GH200 480GB", 90, tunable);
    assert_eq!(gpu.chosen(tunable, 100).1, Reason::Predicted);
}

#[test]
fn the_same_capability_comes_before_the_ranking() {
    let problems = vec![
        problem(&[100], &[(1, 2)], ORDER),
        problem(&[200], &[(1, 2), (2, 0)], ORDER),
    ];
    let tunable: &Tunable = tunable_of(problems);
    let gpu = Gpu::new("NVIDIA GH200 480GB", 90, tunable);
    let kin = Reason::SameCapability { device: H100 };
    // What was not tuned there at this size comes from the nearest that was.
    for size in [100, 200] {
        assert_eq!(gpu.chosen(tunable, size), (Value::Int(8), kin.clone()));
    }
    let said = gpu.choice(tunable, 100).unwrap();
    assert_eq!(said.problem, [("m", 200)]);
    assert!(
        said.to_string().ends_with(
            "(tuned at m=200 on NVIDIA H100 80GB HBM3 (sm_90), which is of the same kind as NVIDIA GH200 480GB (sm_90))"
        ),
        "{said}"
    );
    // If it does not load, the ranking decides: small M.
    let refusing = Gpu::new("NVIDIA GH200 480GB", 90, tunable).refuses(&[0]);
    assert_eq!(
        refusing.chosen(tunable, 100),
        (Value::Int(1), Reason::Predicted)
    );
    assert_eq!(*refusing.loader.asked.lock().unwrap(), [0, 3]);
}

#[test]
fn of_several_kin_the_first_that_loads_serves() {
    let problems = vec![problem(&[100], &[(0, 1), (2, 0)], ORDER)];
    let tunable: &Tunable = tunable_of(problems);
    let gpu = Gpu::new("NVIDIA GH200 480GB", 90, tunable).refuses(&[1]);
    let kin = Reason::SameCapability { device: H100 };
    assert_eq!(gpu.chosen(tunable, 100), (Value::Int(8), kin));
}

#[test]
fn an_unknown_gpu_follows_the_ranking_until_something_loads() {
    let problems = vec![problem(&[100], &[(0, 1)], ORDER)];
    let tunable: &Tunable = tunable_of(problems);
    let gpu = Gpu::new("NVIDIA GeForce RTX 4090", 89, tunable);
    assert_eq!(gpu.chosen(tunable, 100), (Value::Int(1), Reason::Predicted));
    assert_eq!(*gpu.loader.asked.lock().unwrap(), [3]);
    let gpu = Gpu::new("NVIDIA GeForce RTX 4090", 89, tunable).refuses(&[3, 2]);
    let other = Reason::OtherDevice { device: H200 };
    assert_eq!(gpu.chosen(tunable, 100), (Value::Int(4), other));
}

#[test]
fn none_left_is_an_error_that_tells_all_reasons() {
    let tunable: &Tunable = tunable_of(vec![problem(&[100], &[(0, 1)], ORDER)]);
    let gpu = Gpu::new("NVIDIA H200", 90, tunable).refuses(&[0, 1, 2, 3]);
    // M = 16 makes 1024 threads: it serves.
    assert_eq!(
        gpu.chosen(tunable, 100),
        (Value::Int(16), Reason::Predicted)
    );
    let gpu = Gpu::new("NVIDIA H200", 90, tunable).refuses(&[0, 1, 2, 3, 4]);
    let error = gpu.choice(tunable, 100).unwrap_err();
    let text = error.to_string();
    for candidate in 0..5 {
        assert!(
            text.contains(&format!("{candidate} does not load")),
            "{text}"
        );
    }
    assert!(!text.contains("help"), "{text}");
}

#[test]
fn what_cannot_be_launched_is_not_chosen_and_not_loaded() {
    let tunable: &Tunable = tunable_of(vec![problem(&[100], &[(0, 4)], &[4, 0])]);
    let gpu = Gpu::new("NVIDIA H200", 90, tunable);
    // The grid's y ends at 65535, for all of them.
    let error = gpu.choice(tunable, 65_536).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("65536 blocks in y, 65535 are the most"),
        "{text}"
    );
    assert!(text.contains("help: add a `problem(..)`"), "{text}");
    assert_eq!(gpu.chosen(tunable, 65_535).0, Value::Int(16));
    assert_eq!(*gpu.loader.asked.lock().unwrap(), [4]);
    // Its registers allow the winner fewer threads than it has: only its code tells.
    let gpu = Gpu::new("NVIDIA H200", 90, tunable);
    let narrow = KernelLimits {
        cluster: 1,
        threads: 512,
        shared: 0,
        fixed: 0,
    };
    *gpu.loader.limits.lock().unwrap() = vec![None, None, None, None, Some(narrow)];
    assert_eq!(gpu.chosen(tunable, 100).0, Value::Int(8));
    let config = tunable.candidates().nth(4).unwrap();
    let call = Call::new(gpu.target(tunable), &[100], &[]).unwrap();
    let error = call.with_config(&config).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("1024 threads, 512 are the most"), "{text}");
    assert!(!text.contains("help"), "{text}");
}

#[test]
fn extents_without_a_value_are_told() {
    let tunable: &Tunable = tunable_of(vec![problem(&[100], &[], &[0])]);
    let gpu = Gpu::new("NVIDIA H200", 90, tunable);
    for (size, why) in [(-1, "it is negative"), (1 << 32, "it does not fit 32 bits")] {
        let error = gpu.choice(tunable, size).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("`launch` has no value") && text.contains(why),
            "{text}"
        );
    }
    // Nothing to do is no error.
    assert_eq!(gpu.chosen(tunable, 0).0, Value::Int(8));
}

#[test]
fn what_failed_for_the_moment_is_tried_again() {
    let tunable: &Tunable = tunable_of(vec![problem(&[100], &[(0, 0)], &[0])]);
    let gpu = Gpu::new("NVIDIA H200", 90, tunable);
    gpu.loader.busy.lock().unwrap().push(0);
    assert!(gpu.choice(tunable, 100).is_err());
    gpu.loader.busy.lock().unwrap().clear();
    assert_eq!(gpu.chosen(tunable, 100), (Value::Int(8), Reason::Exact));
}

#[test]
fn registers_of_the_compiled_code_reach_the_ranking() {
    let tunable = tunable_of(vec![problem(&[100], &[], ORDER)]);
    let seen = |scope: &crate::__private::Scope<'_>| {
        assert_eq!(scope.registers, 40);
        ops::number(scope.parameters[0])
    };
    tunable.rules = Box::leak(Box::new(Rules {
        rank: seen,
        ..*tunable.rules
    }));
    let tunable: &Tunable = tunable;
    let gpu = Gpu::new("NVIDIA H200", 90, tunable);
    assert_eq!(gpu.chosen(tunable, 100).0, Value::Int(1));
}
