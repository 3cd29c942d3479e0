//! Builds that want one GPU at the same time.

use super::kernel::{A100, work};

#[test]
#[ignore = "slow: .ci/run runs it"]
fn two_builds_share_a_gpu() {
    let packages = [work("left"), work("right")];
    std::thread::scope(|scope| {
        for package in &packages {
            scope.spawn(|| package.build("auto").ok());
        }
    });
    for package in &packages {
        let entry = &package.entries("work")["n=256"];
        assert_eq!(entry["winner"]["config"]["SPIN"], 0, "{entry:#}");
        assert_eq!(entry["evaluations"], 6, "{entry:#}");
        let trail = package.trail("work");
        assert!(
            trail.iter().all(|row| row["seconds"].is_number()),
            "{trail:#?}"
        );
        let printed = package.run();
        assert!(
            printed.contains("SPIN=0") && printed.contains(&format!("(tuned on {A100})")),
            "{printed}"
        );
    }
}
