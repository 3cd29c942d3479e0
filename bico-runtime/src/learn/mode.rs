//! `BICO_RUNTIME`: whether calls teach.

use std::sync::OnceLock;

/// What the program does where the lock knows nothing.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// Learns on its calls.
    Learn,
    /// Runs what the lock or the model says, and never anything else.
    Fixed,
    /// Learns also where the lock or the cache knows the device, as if they didn't.
    Anew,
}

/// The mode of this process. The environment is read once.
pub(crate) fn mode() -> Mode {
    static MODE: OnceLock<Mode> = OnceLock::new();
    *MODE.get_or_init(|| {
        #[allow(clippy::disallowed_methods)]
        let asked = std::env::var("BICO_RUNTIME");
        match asked.as_deref() {
            Err(_) | Ok("" | "learn") => Mode::Learn,
            Ok("fixed") => Mode::Fixed,
            Ok("anew") => Mode::Anew,
            Ok(other) => {
                log::warn!(
                    "BICO_RUNTIME is `{other}`, which means nothing: it can be `learn`, `fixed` or `anew`; taken for `learn`"
                );
                Mode::Learn
            }
        }
    })
}
