//! Real C kernels, most of them broken: each yields its own failure, and the next config still works.
//!
//! This program is its own measuring worker, hence the `main`.

mod limits;
mod references;
mod setup;
mod signatures;
mod verifying;
mod workers;

use bico_core::Value;
use bico_search::search::{Failure, Outcome, Sample};
use setup::Tunable;

/// Tests with their names.
macro_rules! tests {
    ($($module:ident::$test:ident,)*) => {
        &[$((stringify!($test), $module::$test)),*]
    };
}

fn main() {
    bico_build::measure::run_if_worker();
    bico_build::compile::run_if_compiler();
    let tests: &[(&str, fn())] = tests![
        verifying::right_kernels_are_timed,
        verifying::every_failure_has_its_name,
        verifying::what_one_leaves_behind_is_not_the_next_ones,
        verifying::hangs_are_ended,
        verifying::odd_but_right_kernels_pass,
        verifying::what_turns_wrong_later_is_found,
        verifying::bytes_may_equal_the_poison,
        verifying::in_place_kernels_start_afresh,
        verifying::scratch_is_poisoned_and_guarded,
        verifying::zeroed_scratch_is_left_as_it_was_found,
        verifying::identical_code_is_measured_once,
        verifying::finals_interleave_and_survive,
        limits::waiting_has_one_limit,
        limits::nothing_outlasts_the_limit,
        references::without_a_reference_the_majority_decides,
        references::equal_code_is_one_vote_and_shares_its_lot,
        references::before_the_reference_runs_no_more_is_compiled_than_will_be_needed,
        references::a_faulty_reference_is_named,
        references::a_slow_reference_serves_small_sizes,
        references::outputs_of_the_reference_are_kept,
        signatures::signatures_must_agree,
        signatures::names_of_the_c_library_are_free,
        workers::a_runner_starts_the_worker,
        workers::no_process_is_left_behind,
    ];
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    // Words select tests by part of their name; options are for others.
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    for (name, test) in tests
        .iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|word| name.contains(*word)))
    {
        println!("test {name} ...");
        test();
    }
    println!("test result: ok");
}

const SCALE: &str = "fn scale(#[len(n)] out: &mut [f32], #[len(n)] x: &[f32], alpha: f32, n: u32) -> bico::Result<()>;";

/// Configs from here on are right, each with other code.
const RIGHT: u64 = 1000;

fn scale(extra: &str) -> Tunable {
    Tunable::new(
        &format!(
            "source = \"kernels.c\", space(MODE in [0]), problem(alpha = 0.3, n = 1000), {extra}"
        ),
        SCALE,
        vec![Value::Float(0.3), Value::Int(1000)],
        |sizes| vec![sizes[1], sizes[1]],
    )
}

fn checked() -> Tunable {
    scale("verify(reference = \"scale_reference\", rtol = 1e-6)")
}

fn timed(outcome: Outcome) -> Sample {
    match outcome {
        Outcome::Timed(sample) => sample,
        other => panic!("{other:?}"),
    }
}

fn failed(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}
