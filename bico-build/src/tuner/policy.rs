//! What to do with one tunable at one problem: the table of modes, as one function.

use crate::env::{Mode, Skip};

/// What the lock says about a tunable at a problem, seen from this machine's device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// An entry for this device, and nothing changed since.
    Fresh,
    /// An entry for this device, but these changed: `source`, `space`, `launch`, `verify`, `flags`.
    Stale(Vec<&'static str>),
    /// No entry for this device.
    Missing(Elsewhere),
}

/// What the lock knows of other devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// At least one entry, and nothing changed since.
    Fresh,
    /// Entries, but these changed since all of them.
    Stale(Vec<&'static str>),
    /// Nothing.
    Unknown,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Take the lock as it is: this device's entry, or, at run time, other devices' candidates.
    Use,
    /// Verify and time the winner and its runners-up again.
    Check,
    /// Search.
    Tune,
    /// Take the stale entry where its winner is still in the space, else predict; no measuring.
    /// The reason goes into the one warning.
    Predict(Option<Skip>),
    /// Stop the build.
    Fail(Fault),
}

/// Why a `locked` build stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The entry is older than what changed.
    Stale(Vec<&'static str>),
    /// The lock does not know the tunable on any device.
    Unknown,
}

/// The table in docs/lock.md, and the cases in which `auto` must not measure.
pub(super) fn decide(mode: Mode, skip: Option<Skip>, state: &State) -> Action {
    // Who asks for `tune` by name in CI means it; nothing overrides the other reasons.
    let skip = skip.filter(|skip| !(mode == Mode::Tune && *skip == Skip::Ci));
    let foreign = skip.is_some_and(Skip::is_foreign);
    match (mode, state) {
        (Mode::Locked, State::Fresh | State::Missing(Elsewhere::Fresh)) => Action::Use,
        (Mode::Locked, _) if foreign => Action::Predict(None),
        (Mode::Locked, State::Stale(what) | State::Missing(Elsewhere::Stale(what))) => {
            Action::Fail(Fault::Stale(what.clone()))
        }
        (Mode::Locked, State::Missing(Elsewhere::Unknown)) => Action::Fail(Fault::Unknown),
        (Mode::Off, State::Fresh | State::Missing(Elsewhere::Fresh)) => Action::Use,
        (Mode::Off, _) => Action::Predict(None),
        (Mode::Auto, State::Fresh) => Action::Use,
        (Mode::Tune, State::Fresh) if skip.is_some() => Action::Use,
        (Mode::Auto | Mode::Tune, State::Missing(Elsewhere::Fresh))
            if foreign || matches!(skip, Some(Skip::NoGpu | Skip::NoTune)) =>
        {
            Action::Use
        }
        (Mode::Auto | Mode::Tune, _) if skip.is_some() => Action::Predict(skip),
        (Mode::Auto, State::Stale(_)) => Action::Check,
        (Mode::Auto, State::Missing(_)) | (Mode::Tune, _) => Action::Tune,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale() -> State {
        State::Stale(vec!["source"])
    }

    fn missing(elsewhere: Elsewhere) -> State {
        State::Missing(elsewhere)
    }

    #[test]
    fn the_table() {
        use Mode::*;
        let table = [
            (Auto, State::Fresh, Action::Use),
            (Auto, stale(), Action::Check),
            (Auto, missing(Elsewhere::Fresh), Action::Tune),
            (Auto, missing(Elsewhere::Unknown), Action::Tune),
            (Tune, State::Fresh, Action::Tune),
            (Tune, stale(), Action::Tune),
            (Tune, missing(Elsewhere::Unknown), Action::Tune),
            (Locked, State::Fresh, Action::Use),
            (Locked, stale(), Action::Fail(Fault::Stale(vec!["source"]))),
            (Locked, missing(Elsewhere::Fresh), Action::Use),
            (
                Locked,
                missing(Elsewhere::Stale(vec!["flags"])),
                Action::Fail(Fault::Stale(vec!["flags"])),
            ),
            (
                Locked,
                missing(Elsewhere::Unknown),
                Action::Fail(Fault::Unknown),
            ),
            (Off, State::Fresh, Action::Use),
            (Off, stale(), Action::Predict(None)),
            (Off, missing(Elsewhere::Unknown), Action::Predict(None)),
        ];
        for (mode, state, action) in table {
            assert_eq!(decide(mode, None, &state), action, "{mode:?} {state:?}");
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
            for state in [
                State::Fresh,
                stale(),
                missing(Elsewhere::Fresh),
                missing(Elsewhere::Unknown),
            ] {
                for mode in [Mode::Auto, Mode::Off, Mode::Locked] {
                    let action = decide(mode, Some(skip), &state);
                    assert!(
                        !matches!(action, Action::Tune | Action::Check),
                        "{mode:?} {skip:?} {state:?}"
                    );
                }
            }
        }
        let unknown = missing(Elsewhere::Unknown);
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
            assert_eq!(decide(Elsewhere::Fresh), Action::Use);
            let stale = Elsewhere::Stale(vec!["source"]);
            assert_eq!(decide(stale), Action::Predict(skip));
            assert_eq!(decide(Elsewhere::Unknown), Action::Predict(skip));
        }
        // Nobody builds under `locked` with what nobody knows.
        assert_eq!(
            decide(Mode::Locked, skip, &missing(Elsewhere::Unknown)),
            Action::Fail(Fault::Unknown)
        );
    }

    #[test]
    fn foreign_packages_never_fail() {
        for skip in [Skip::DocsRs, Skip::Packaged, Skip::OutsideWorkspace] {
            for state in [
                stale(),
                missing(Elsewhere::Unknown),
                missing(Elsewhere::Stale(vec![])),
            ] {
                for mode in [Mode::Auto, Mode::Tune, Mode::Locked, Mode::Off] {
                    let action = decide(mode, Some(skip), &state);
                    assert!(
                        !matches!(action, Action::Fail(_) | Action::Tune),
                        "{mode:?} {skip:?} {state:?}"
                    );
                }
            }
        }
    }
}
