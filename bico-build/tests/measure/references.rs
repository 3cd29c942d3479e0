//! What a kernel is compared with.

use crate::setup::Setup;
use crate::{RIGHT, checked, failed, scale, timed};
use bico_build::lock::Verified;
use bico_search::search::{Failure, Measure, Outcome};

pub(crate) fn without_a_reference_the_majority_decides() {
    let setup = Setup::new(scale("verify(rtol = 1e-6)"));
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    assert_eq!(measure.verified, Verified::Consensus);
    // The first one is wrong, which nobody can know yet.
    timed(measure.measure(9, None));
    assert!(matches!(
        failed(measure.measure(RIGHT, None)),
        Failure::Wrong(_)
    ));
    assert_eq!(measure.judged_anew(), []);
    // Most disagree with it now: it is out, and what disagreed first is in.
    timed(measure.measure(RIGHT + 1, None));
    let [(9, outvoted), (RIGHT, right)] = &measure.judged_anew()[..] else {
        panic!("not both are judged anew");
    };
    let Failure::Wrong(text) = failed(outvoted.clone()) else {
        panic!("{outvoted:?}");
    };
    assert!(
        text.contains("those of 2 other configs, and none agrees"),
        "{text}"
    );
    timed(right.clone());
    timed(measure.measure(RIGHT + 2, None));
    assert_eq!(measure.judged_anew(), []);
    let outcomes = measure.finals(&[9, RIGHT, RIGHT + 1]);
    assert!(matches!(failed(outcomes[0].clone()), Failure::Wrong(_)));
    timed(outcomes[1].clone());
    timed(outcomes[2].clone());
}

pub(crate) fn equal_code_is_one_vote_and_shares_its_lot() {
    let mut tunable = scale("verify(rtol = 1e-6)");
    let source = include_str!("kernels.c");
    tunable.source = Some(source.replace("MODE == 9\n", "MODE == 9 || MODE == 1009\n"));
    let setup = Setup::new(tunable);
    let mut measure = setup.measure();
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(0, None));
    // No code depends on MODE 500.
    assert!(matches!(measure.measure(500, None), Outcome::Same(0, _)));
    failed(measure.measure(9, None));
    timed(measure.measure(1009, None));
    let anew = measure.judged_anew();
    let right = |(config, outcome): &(u64, Outcome)| (*config, outcome.sample().is_some());
    let anew: Vec<(u64, bool)> = anew.iter().map(right).collect();
    assert_eq!(anew, [(0, false), (500, false), (9, true)]);
    failed(measure.measure(501, None));
}

/// Sixteen configs may serve to compare arguments and to compile the reference: one is enough, and what the search looks ahead to.
pub(crate) fn before_the_reference_runs_no_more_is_compiled_than_will_be_needed() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure();
    let configs: Vec<u64> = (0..16).collect();
    measure.prepare(&configs).unwrap();
    let objects = std::fs::read_dir(setup.folder().join("objects")).unwrap();
    let names = objects.map(|file| file.unwrap().file_name());
    let is_object = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".c.o");
    // What fits the arguments to the functions is compiled, too.
    let objects = names.filter(is_object).count();
    assert!(objects < 16, "{objects}");
}

pub(crate) fn a_faulty_reference_is_named() {
    let prepare = |reference: &str| {
        let setup = Setup::new(scale(&format!("verify(reference = \"{reference}\")")));
        let mut measure = setup.measure();
        measure.prepare(&[0]).unwrap_err()
    };
    let text = prepare("reference_that_crashes");
    assert!(
        text.contains("`reference_that_crashes`") && text.contains("SIGABRT"),
        "{text}"
    );
    let text = prepare("reference_that_trespasses");
    assert!(
        text.contains("`reference_that_trespasses`") && text.contains("behind `out`"),
        "{text}"
    );
    let text = prepare("no_such_reference");
    assert!(
        text.contains("has no function `no_such_reference`"),
        "{text}"
    );
}

pub(crate) fn a_slow_reference_serves_small_sizes() {
    let mut setup = Setup::new(checked());
    setup.tunable.reference = Some("slow_reference");
    setup.tunable.extra = "
void slow_reference(float *out, const float *x, float alpha, uint32_t n)
{
    for (volatile int run = n > 500; run;)
        ;
    scale_reference(out, x, alpha, n);
}
";
    let setup = setup.written();
    let mut measure = setup.measure_with(|settings| settings.reference_seconds = 1.0);
    measure.prepare(&[0]).unwrap();
    assert_eq!(measure.verified, Verified::SmallSizes);
    timed(measure.measure(0, None));
    // Right at small sizes, but not what the others say at the problem's.
    timed(measure.measure(RIGHT, None));
    assert!(matches!(
        failed(measure.measure(9, None)),
        Failure::Wrong(_)
    ));
    assert!(matches!(
        failed(measure.measure(21, None)),
        Failure::Wrong(_)
    ));
}

pub(crate) fn outputs_of_the_reference_are_kept() {
    let setup = Setup::new(checked());
    setup.measure().prepare(&[0]).unwrap();
    let outputs = || {
        let folder = std::fs::read_dir(setup.folder().join("measure/references")).unwrap();
        let mut files: Vec<_> = folder.map(|file| file.unwrap()).collect();
        files.sort_by_key(|file| file.path());
        files
            .iter()
            .map(|file| (file.path(), file.metadata().unwrap().modified().unwrap()))
            .collect::<Vec<_>>()
    };
    let before = outputs();
    assert!(!before.is_empty());
    setup.measure().prepare(&[0]).unwrap();
    assert_eq!(outputs(), before);
}
