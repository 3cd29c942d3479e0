//! What threads share, in every order that the memory model allows:
//! `RUSTFLAGS="--cfg loom" cargo test -p bico-runtime --lib loom`.

use super::super::bandit::{Bandit, Prior};
use super::super::shared::Shared;
use super::super::slot;
use crate::dispatch::Tunable;
use crate::settle::tests::{data, problem, tunable};
use crate::target::Call;
use loom::sync::Arc;
use loom::thread;
use std::sync::OnceLock;

/// The time of each candidate, as a logarithm.
const TIMES: [f64; 3] = [0.0, 0.7, 1.5];

/// A call that every candidate fits, and whose work is one.
fn any() -> Call<'static> {
    static TUNABLE: OnceLock<Tunable> = OnceLock::new();
    let made = || *tunable(data(vec![problem(&[1], &[], &[0, 1, 2])]), &[], &[]);
    TUNABLE.get_or_init(made).host().call_of(0)
}

/// A bandit that so many answers have taught.
fn taught(answers: usize) -> Bandit {
    let mut bandit = Bandit::new(&[Prior::default(); 3]);
    for _ in 0..answers {
        let turn = bandit.next(|_| true).unwrap();
        if turn.timed {
            bandit.observe(turn.arm, TIMES[turn.arm]);
        }
    }
    bandit
}

/// After how many answers it settles.
fn patience() -> usize {
    (0..).find(|n| taught(*n).settled().is_some()).unwrap()
}

fn shared(bandit: Bandit) -> Arc<Shared> {
    Arc::new(Shared::new(Box::new([0, 1, 2]), bandit, 4, Vec::new()))
}

/// One call, as a lane makes it.
fn call(shared: &Shared) {
    let served = shared.turn(&any()).unwrap();
    assert_eq!(served.arm, served.candidate);
    if served.timed {
        shared.answer(served.arm, TIMES[served.arm], 4);
    }
}

/// What the slot says last is what the bandit says.
fn agrees(shared: &Shared) {
    let settled = shared.bandit().settled();
    assert_eq!(slot::settled(shared.slot()), settled);
}

#[test]
fn settling_while_others_call() {
    let brink = patience() - 1;
    loom::model(move || {
        let shared = shared(taught(brink));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                call(&shared);
                call(&shared);
            }
        });
        call(&shared);
        // Readers see nothing, or a whole answer.
        let seen = slot::settled(shared.slot());
        assert!(matches!(seen, None | Some(0)), "{seen:?}");
        other.join().unwrap();
        agrees(&shared);
        assert_eq!(slot::settled(shared.slot()), Some(0));
    });
}

#[test]
fn the_settled_one_fails_while_others_call() {
    let enough = patience();
    loom::model(move || {
        let shared = shared(taught(enough));
        let other = thread::spawn({
            let shared = shared.clone();
            move || call(&shared)
        });
        shared.fail(0);
        call(&shared);
        other.join().unwrap();
        agrees(&shared);
        assert_ne!(slot::settled(shared.slot()), Some(0));
        let served = shared.turn(&any()).unwrap();
        assert_ne!(served.candidate, 0);
    });
}

#[test]
fn given_up_turns_and_answers_meet() {
    loom::model(|| {
        let shared = shared(taught(0));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                let served = shared.turn(&any()).unwrap();
                if served.timed {
                    shared.lost(served.arm);
                }
            }
        });
        call(&shared);
        other.join().unwrap();
        agrees(&shared);
        for _ in 0..64 {
            call(&shared);
        }
        agrees(&shared);
    });
}
