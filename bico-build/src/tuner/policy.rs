//! What to do with one tunable at one problem: the table of modes, as one function.

use crate::env::{Mode, Skip};

/// What the lock says about a tunable at a problem, seen from this machine's device.
#[derive(Debug)]
pub(super) struct State {
    /// Whether there is an entry for this device. If not, what follows is about other devices' entries.
    pub(super) here: bool,
    /// What changed since: `source`, `space`, `launch`, `verify`, `flags`, `headers`. Nothing did where it is empty; `None`
    /// where there is no entry.
    pub(super) changed: Option<Vec<&'static str>>,
    /// Whether this device's entry was verified by older rules.
    pub(super) outdated: bool,
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Take the lock as it is: this device's entry, or, at run time, other devices' candidates.
    Use,
    /// Verify the winner and its runners-up again, without timing them.
    Verify,
    /// Verify and time the winner and its runners-up again.
    Check,
    /// Search.
    Tune,
    /// Take the stale entry where its winner is still in the space, else predict; no measuring.
    /// The reason goes into the one warning.
    Predict(Option<Skip>),
    /// Stop the build: the entry is older than what changed, or there is none.
    Fail,
}

/// The table in docs/lock.md, and the cases in which `auto` must not measure.
pub(super) fn decide(mode: Mode, skip: Option<Skip>, state: &State) -> Action {
    // Who asks for `tune` by name in CI means it; nothing overrides the other reasons.
    let skip = skip.filter(|skip| !(mode == Mode::Tune && *skip == Skip::Ci));
    let foreign = skip.is_some_and(Skip::is_foreign);
    let fresh = state.changed.as_ref().map(Vec::is_empty);
    match (mode, fresh) {
        (Mode::Locked | Mode::Off, Some(true)) => Action::Use,
        (Mode::Locked, _) if !foreign => Action::Fail,
        (Mode::Locked | Mode::Off, _) => Action::Predict(None),
        (Mode::Auto, Some(true)) if state.here && state.outdated && skip.is_none() => {
            Action::Verify
        }
        (Mode::Auto, Some(true)) if state.here => Action::Use,
        (Mode::Tune, Some(true)) if state.here && skip.is_some() => Action::Use,
        (_, Some(true)) if foreign || matches!(skip, Some(Skip::NoGpu | Skip::NoTune)) => {
            Action::Use
        }
        _ if skip.is_some() => Action::Predict(skip),
        (Mode::Auto, Some(false)) if state.here => Action::Check,
        _ => Action::Tune,
    }
}

/// What follows for a size in between: one without an entry was not made an anchor, and where an end is searched, the
/// search places anchors anew.
pub(super) fn between(action: Action, state: &State, ends: &[Action]) -> Action {
    match ends.contains(&Action::Tune) {
        true => Action::Tune,
        false if !state.here => Action::Use,
        false => action,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: Option<&[&str]> = Some(&[]);
    const STALE: Option<&[&str]> = Some(&["source"]);
    const UNKNOWN: Option<&[&str]> = None;

    fn known(changed: Option<&[&'static str]>) -> State {
        let changed = changed.map(<[_]>::to_vec);
        State {
            here: true,
            changed,
            outdated: false,
        }
    }

    /// A fresh one, verified by older rules.
    fn outdated() -> State {
        State {
            outdated: true,
            ..known(FRESH)
        }
    }

    fn missing(elsewhere: Option<&[&'static str]>) -> State {
        let here = false;
        State {
            here,
            ..known(elsewhere)
        }
    }

    #[test]
    fn the_table() {
        use Mode::*;
        let table = [
            (Auto, known(FRESH), Action::Use),
            (Auto, known(STALE), Action::Check),
            (Auto, outdated(), Action::Verify),
            (Auto, missing(FRESH), Action::Tune),
            (Auto, missing(UNKNOWN), Action::Tune),
            (Tune, known(FRESH), Action::Tune),
            (Tune, known(STALE), Action::Tune),
            (Tune, outdated(), Action::Tune),
            (Tune, missing(UNKNOWN), Action::Tune),
            (Locked, known(FRESH), Action::Use),
            (Locked, known(STALE), Action::Fail),
            (Locked, outdated(), Action::Use),
            (Locked, missing(FRESH), Action::Use),
            (Locked, missing(STALE), Action::Fail),
            (Locked, missing(UNKNOWN), Action::Fail),
            (Off, known(FRESH), Action::Use),
            (Off, known(STALE), Action::Predict(None)),
            (Off, outdated(), Action::Use),
            (Off, missing(UNKNOWN), Action::Predict(None)),
        ];
        for (mode, state, action) in table {
            assert_eq!(decide(mode, None, &state), action, "{mode:?} {state:?}");
        }
    }

    #[test]
    fn a_size_in_between_is_missed_by_nobody() {
        let ends = [Action::Use, Action::Use];
        for mode in [Mode::Auto, Mode::Tune, Mode::Locked, Mode::Off] {
            for state in [missing(UNKNOWN), missing(FRESH), missing(STALE)] {
                let action = decide(mode, None, &state);
                assert_eq!(
                    between(action, &state, &ends),
                    Action::Use,
                    "{mode:?} {state:?}"
                );
            }
            // An anchor is like any other problem.
            for state in [known(FRESH), known(STALE), outdated()] {
                let action = decide(mode, None, &state);
                assert_eq!(between(action, &state, &ends), action, "{mode:?} {state:?}");
            }
        }
        let tuned = [Action::Use, Action::Tune];
        for state in [missing(UNKNOWN), known(FRESH)] {
            assert_eq!(
                between(Action::Use, &state, &tuned),
                Action::Tune,
                "{state:?}"
            );
        }
    }

    #[test]
    fn auto_does_not_measure_where_it_must_not() {
        for skip in [
            Skip::Ci,
            Skip::RustAnalyzer,
            Skip::DocsRs,
            Skip::Packaged,
            Skip::OutsideWorkspace,
            Skip::CrossCompiling,
            Skip::NoGpu,
            Skip::NoTune,
        ] {
            for state in [known(FRESH), known(STALE), missing(FRESH), missing(UNKNOWN)] {
                for mode in [Mode::Auto, Mode::Off, Mode::Locked] {
                    let action = decide(mode, Some(skip), &state);
                    assert!(
                        !matches!(action, Action::Tune | Action::Check),
                        "{mode:?} {skip:?} {state:?}"
                    );
                }
            }
            let action = decide(Mode::Auto, Some(skip), &outdated());
            assert_eq!(action, Action::Use, "{skip:?}");
        }
        let unknown = missing(UNKNOWN);
        assert_eq!(decide(Mode::Tune, Some(Skip::Ci), &unknown), Action::Tune);
        assert_eq!(
            decide(Mode::Tune, Some(Skip::DocsRs), &unknown),
            Action::Predict(Some(Skip::DocsRs))
        );
    }

    #[test]
    fn without_a_gpu_the_lock_of_others_serves() {
        let skip = Some(Skip::NoGpu);
        for mode in [Mode::Auto, Mode::Tune] {
            let decide = |elsewhere| decide(mode, skip, &missing(elsewhere));
            assert_eq!(decide(FRESH), Action::Use);
            let stale = STALE;
            assert_eq!(decide(stale), Action::Predict(skip));
            assert_eq!(decide(UNKNOWN), Action::Predict(skip));
        }
        // Nobody builds under `locked` with what nobody knows.
        assert_eq!(decide(Mode::Locked, skip, &missing(UNKNOWN)), Action::Fail);
    }

    #[test]
    fn foreign_packages_never_fail() {
        for skip in [Skip::DocsRs, Skip::Packaged, Skip::OutsideWorkspace] {
            for state in [known(STALE), missing(UNKNOWN), missing(STALE)] {
                for mode in [Mode::Auto, Mode::Tune, Mode::Locked, Mode::Off] {
                    let action = decide(mode, Some(skip), &state);
                    assert!(
                        !matches!(action, Action::Fail | Action::Tune),
                        "{mode:?} {skip:?} {state:?}"
                    );
                }
            }
        }
    }
}
