use super::super::bandit::*;

#[test]
fn finds_the_best_of_three() {
    let mut bandit = Bandit::new(&[Prior::default(); 3]);
    let times = [1.5f64, 1.0, 4.0];
    for _ in 0..500 {
        let turn = bandit.next(|_| true).unwrap();
        bandit.observe(turn.arm, times[turn.arm].ln());
    }
    assert_eq!(bandit.settled(), Some(1));
}
