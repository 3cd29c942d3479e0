//! What waiting and measuring may take.

use crate::setup::Setup;
use crate::{RIGHT, checked, failed, timed};
use bico_build::measure::Limit;
use bico_search::search::{Failure, Measure};
use std::fs::File;
use std::time::Duration;

/// Another process holds the machine-wide lock: the limit on waiting is for all trials together.
pub(crate) fn waiting_has_one_limit() {
    let setup = Setup::new(checked());
    let lock = File::create(setup.folder().join("lock")).unwrap();
    lock.lock().unwrap();
    let mut measure = setup.measure_with(|settings| settings.wait_seconds = 1.0);
    measure.prepare(&[0]).unwrap();
    timed(measure.measure(RIGHT, None));
    assert!(measure.wait_seconds() <= 0.0);
    for config in RIGHT + 1..RIGHT + 4 {
        timed(measure.measure(config, None));
    }
    assert!(
        measure.wait_seconds() > -1.0,
        "waited {} s too long",
        -measure.wait_seconds()
    );
    let of = |contention: &bico_build::measure::Contention| {
        (contention.measurements, contention.unlocked)
    };
    assert_eq!(of(&measure.contention), (4, 4));
    drop(lock);
    timed(measure.measure(RIGHT + 4, None));
    assert_eq!(of(&measure.contention), (5, 4));
}

/// A kernel that hangs is stopped at the limit, however long it might have been waited for, and is not blamed.
pub(crate) fn nothing_outlasts_the_limit() {
    let setup = Setup::new(checked());
    let mut measure = setup.measure_with(|settings| {
        settings.hang_seconds = 1000.0;
        settings.limit = Limit::new(2.0);
    });
    measure.prepare(&[0]).unwrap();
    assert!(measure.left() < 2.0);
    let failure = failed(measure.measure(24, None));
    assert!(
        matches!(&failure, Failure::Worker(text) if text.contains("cap on tuning is used up")),
        "{failure:?}"
    );
    assert!(measure.left() < 0.0);
    // Finals may end a little behind it, but no later.
    while measure.left() > -1.0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(measure.finals(&[RIGHT, RIGHT + 1]).is_empty());
}
