//! The machine-wide lock: one worker measures on a device at a time, whoever's build it serves.
//!
//! The worker holds it, not the build script, because a runner may have put the worker on another
//! machine. It ends with the process that holds it, however that ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file for a kind of device, the same for all users of a machine.
pub(super) fn path(device: &str) -> PathBuf {
    crate::os::shared_folder().join(format!("bico-{device}.lock"))
}

/// A held lock.
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Who holds a lock.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Hold {
    /// One process, which times.
    Alone,
    /// Any number of them, which do not.
    Shared,
}

/// Seconds after which one who waits looks often.
const LONG: f64 = 1.0;

/// Waits for the lock, `patience` seconds at most: whoever holds it may be stopped or gone astray, and builds
/// must not hang on it. Gives the seconds waited too.
///
/// One waits for the lock at a time, the others for that turn: who measures config after config would get the lock
/// again before somebody who looks now and then sees it free.
pub(super) fn take(path: &Path, hold: Hold, patience: f64) -> (Option<Lock>, f64) {
    let start = Instant::now();
    let Ok(file) = bico_device::os::open_shared(path) else {
        return (None, 0.0);
    };
    let turn = bico_device::os::open_shared(&path.with_extension("turn"));
    let Ok(turn) = turn.map(Lock) else {
        return (None, 0.0);
    };
    let mut pause = Duration::from_millis(1);
    let mut is_next = false;
    loop {
        let waited = start.elapsed().as_secs_f64();
        let taken = match hold {
            _ if !is_next => turn.0.try_lock(),
            Hold::Alone => file.try_lock(),
            Hold::Shared => file.try_lock_shared(),
        };
        match taken {
            Ok(()) if !is_next => {
                (is_next, pause) = (true, Duration::from_millis(1));
                continue;
            }
            Ok(()) => return (Some(Lock(file)), waited),
            Err(TryLockError::WouldBlock) if waited < patience => {}
            Err(_) => return (None, waited),
        }
        std::thread::sleep(pause);
        // Who came last would look most often, and those who have waited long would wait for all who come.
        pause = match waited > LONG {
            true => Duration::from_millis(2),
            false => (2 * pause).min(Duration::from_millis(20)),
        };
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        let (held, _) = take(&file, Hold::Alone, 0.0);
        assert!(held.is_some());
        for hold in [Hold::Alone, Hold::Shared] {
            let (second, waited) = take(&file, hold, 0.02);
            assert!(second.is_none() && waited >= 0.02);
        }
        drop(held);
        let (shared, _) = take(&file, Hold::Shared, 0.0);
        assert!(shared.is_some() && take(&file, Hold::Shared, 0.0).0.is_some());
        assert!(
            take(&file, Hold::Alone, 0.02).0.is_none(),
            "somebody verifies"
        );
        drop(shared);
        assert!(take(&file, Hold::Alone, 0.0).0.is_some());
    }

    /// Two that take the lock again as soon as they gave it back.
    #[test]
    fn it_comes_to_all_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        let file = &folder.path().join("lock");
        let order = &std::sync::Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for name in [1, 2] {
                scope.spawn(move || {
                    for _ in 0..20 {
                        let (held, _) = take(file, Hold::Alone, 60.0);
                        assert!(held.is_some());
                        order.lock().unwrap().push(name);
                        std::thread::sleep(Duration::from_millis(2));
                    }
                });
            }
        });
        let order = order.lock().unwrap();
        let changes = order.windows(2).filter(|of| of[0] != of[1]).count();
        assert!(changes > 10, "{order:?}");
    }

    #[test]
    fn it_is_its_owners_to_write_and_everybodys_to_lock() {
        use std::io::Write;
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        drop(take(&file, Hold::Alone, 0.0));
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        let (existing, _) = take(&file, Hold::Alone, 0.0);
        let mut opened = &existing.as_ref().unwrap().0;
        assert!(opened.write_all(b"x").is_err(), "opened for writing");
    }

    #[test]
    fn a_lock_that_cannot_be_made_is_not_waited_for() {
        assert!(
            take(Path::new("/nowhere/lock"), Hold::Alone, 1000.0)
                .0
                .is_none()
        );
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(take(&link, Hold::Alone, 1.0).0.is_none());
    }
}
