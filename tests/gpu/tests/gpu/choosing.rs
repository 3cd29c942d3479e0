//! Which candidate serves on which GPU, and why.

use bico::cudarc::driver::CudaContext;
use bico::{Choice, Error, Reason};
use bico_gpu_tests::{shift_tunable, shift_warm_up};

const A100: &str = "NVIDIA A100-SXM4-40GB (sm_80)";
const H200: &str = "NVIDIA H200 (sm_90)";

/// What serves this size, by every way to ask.
fn choice(n: u32) -> Choice {
    let tunable = shift_tunable();
    let choice = tunable.config_of(&[n.into()]).unwrap();
    let context = CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    assert_eq!(tunable.config_on(&context, &[n.into()]), Ok(choice.clone()));
    assert_eq!(shift_warm_up(&stream, n, 1.0), Ok(choice.clone()));
    assert_eq!(tunable.device_key(), Ok(choice.device.as_str()));
    choice
}

fn is(n: u32, config: &str, reason: Reason, problem: i64) {
    let choice = choice(n);
    assert_eq!(choice.config.to_string(), config, "{choice}");
    assert_eq!(choice.reason, reason, "{choice}");
    assert_eq!(choice.problem, [("n", problem)]);
}

pub(crate) fn tuned() {
    // The winner's cubin is damaged: its source serves.
    is(1000, "TILE=128, KIB=4", Reason::Exact, 1000);
    is(100_000, "TILE=64, KIB=96", Reason::Exact, 100_000);
    is(1001, "TILE=128, KIB=4", Reason::NearestSize, 1000);
    assert_eq!(choice(1000).device, A100);
}

pub(crate) fn kin() {
    let reason = Reason::SameCapability { device: H200 };
    is(1000, "TILE=64, KIB=160", reason.clone(), 1000);
    // The H200 was not tuned at this size: its nearest.
    is(100_000, "TILE=64, KIB=160", reason, 1000);
}

pub(crate) fn unknown() {
    // By the score the most KIB; 160 are more than this GPU has.
    is(1000, "TILE=64, KIB=96", Reason::Predicted, 1000);
    let reason = Reason::OtherDevice { device: A100 };
    is(100_000, "TILE=64, KIB=96", reason, 100_000);
}

pub(crate) fn small() {
    // 64 KiB are all there is. Of equal scores the winner elsewhere.
    let reason = Reason::OtherDevice { device: A100 };
    is(1000, "TILE=128, KIB=4", reason, 1000);
    let config = shift_tunable().candidates().nth(2).unwrap();
    let error = with(&config).unwrap_err().to_string();
    assert!(
        error.contains("`1024 * KIB <= device.shared_memory_per_block_optin` does not hold"),
        "{error}"
    );
}

pub(crate) fn next() {
    // Neither the winner's cubin nor what its source gives loads: the ranking's best that does.
    is(
        1000,
        "TILE=64, KIB=160",
        Reason::OtherDevice { device: H200 },
        1000,
    );
    is(100_000, "TILE=64, KIB=96", Reason::Exact, 100_000);
    let config = shift_tunable().candidates().nth(1).unwrap();
    let error = with(&config).unwrap_err().to_string();
    assert!(
        error.contains("a cubin for sm_80 does not load (CUDA_ERROR_INVALID_IMAGE"),
        "{error}"
    );
    assert!(
        error.contains("what NVRTC made does not load (CUDA_ERROR_INVALID_IMAGE"),
        "{error}"
    );
    shift(1000).unwrap();
}

pub(crate) fn none() {
    for _ in 0..2 {
        let error = shift(1000).unwrap_err();
        let Error::NoConfig(details) = &error else {
            panic!("{error}");
        };
        assert_eq!(details.tried.len(), 4, "{error}");
        assert!(!details.sized);
        let text = error.to_string();
        assert!(text.contains("TILE=64, KIB=160: for sm_80 this program carries no compiled code; what NVRTC made does not load"), "{text}");
        assert!(
            text.contains("for sm_80 this program carries a cubin for sm_120"),
            "{text}"
        );
    }
}

fn with(config: &bico::Config) -> bico::Result<()> {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.alloc_zeros(1000).unwrap();
    let mut y = stream.alloc_zeros(1000).unwrap();
    bico_gpu_tests::shift_with(config, &stream, &mut y, &x, 1000, 1.0)
}

fn shift(n: u32) -> bico::Result<()> {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.alloc_zeros(n as usize).unwrap();
    let mut y = stream.alloc_zeros(n as usize).unwrap();
    bico_gpu_tests::shift(&stream, &mut y, &x, n, 1.0)
}
