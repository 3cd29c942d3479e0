//! The model beside the simulation.

use crate::{agreement, cases};

/// 200 launches, 8 orders of blocks for each of 25 problems, the first seed that was tried.
#[test]
fn the_model_orders_launches_as_the_simulation_does() {
    let agreement = agreement(&cases(7, 25, false));
    assert_eq!(agreement.cases, 200);
    assert!(agreement.bytes >= 0.9, "{agreement:?}");
    // The size of the problem is no help here.
    assert!(agreement.excess >= 0.9, "{agreement:?}");
    // Nor is anything but the order of blocks here. Half of these caches do not even hold a step of a wave.
    assert!(agreement.order >= 0.6, "{agreement:?}");
    assert!(
        agreement.regret <= 0.25 * agreement.row_major,
        "{agreement:?}"
    );
}
