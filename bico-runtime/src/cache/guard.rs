//! One process at a time changes a file.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// The right to change a file, until it is dropped; the operating system takes it back when the process
/// ends, however it ends.
pub(super) struct Guard(#[allow(dead_code)] File);

impl Guard {
    /// Waits so long for its turn; `None` where another process does not come to an end.
    ///
    /// # Errors
    ///
    /// The file that is locked cannot be made.
    pub(super) fn take(path: &Path, patience: Duration) -> std::io::Result<Option<Guard>> {
        let mut options = File::options();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Guard(file))),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                // A file system without locks. The worst that happens there is that, of two processes
                // that write at once, one's newest calls are forgotten.
                Err(TryLockError::Error(_)) => return Ok(Some(Guard(file))),
            }
        }
    }
}
