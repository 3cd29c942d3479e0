//! The processes that measure.

use crate::setup::Setup;
use crate::{RIGHT, checked, failed, timed};
use bico_build::measure::{Program, Settings};
use bico_search::search::{Failure, Measure};

pub(crate) fn a_runner_starts_the_worker() {
    let setup = Setup::new(checked());
    let runner = |words: &[&str]| {
        words
            .iter()
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
    };
    let with = |words: &[&str]| {
        let program = Program::this(runner(words)).unwrap();
        setup.measure_with(|settings: &mut Settings| settings.program = program)
    };
    let mut measure = with(&["sh", "-c", "echo hello; exec \"$0\" \"$@\""]);
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(RIGHT, None));
    assert!(
        matches!(failed(measure.measure(1, None)), Failure::Crash(text) if text.contains("SIGSEGV"))
    );
    timed(measure.measure(RIGHT + 1, None));
    let mut measure = with(&["/no/such/runner"]);
    let failure = failed(measure.measure(RIGHT + 2, None));
    assert!(
        matches!(&failure, Failure::Worker(text) if text.contains("/no/such/runner")),
        "{failure:?}"
    );
}

/// Runs last: kernels of the tests before it forked, hung and crashed.
pub(crate) fn no_process_is_left_behind() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    timed(measure.measure(14, None));
    drop(measure);
    let own = std::env::current_exe().unwrap();
    let others = || {
        let processes = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok());
        processes
            .filter(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .parse()
                    .is_ok_and(|id: u32| id != std::process::id())
            })
            .filter(|entry| {
                std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == own)
            })
            .filter(|entry| {
                let mark = format!("--bico-measuring-worker=bico-{}-", std::process::id());
                std::fs::read_to_string(entry.path().join("cmdline"))
                    .is_ok_and(|line| line.contains(&mark))
            })
            .count()
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while others() > 0 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(others(), 0);
}
