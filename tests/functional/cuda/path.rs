//! From the attribute to a winner that runs.

use super::kernel::{A100, work};

#[test]
fn from_the_attribute_to_the_winner() {
    let package = work("whole");
    let out = package.build("auto").ok();
    println!("{out}");
    println!("{}", package.read("bico.lock"));
    println!("{}", std::fs::read_to_string(package.trail_file("work")).unwrap());
    println!("{}", package.run());
    println!("{}", package.target().display());
    assert_eq!(A100, "");
}
