//! The job tokens of the cargo that runs this build script: bytes in a pipe. Who wants to run one more job takes one, and
//! gives it back afterwards ("POSIX Jobserver" in GNU make's manual, which cargo follows).

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;

/// Where cargo says which pipe it is, and other tools that start jobs.
const VARIABLES: [&str; 3] = ["CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"];

/// Linux's `O_NONBLOCK`, on the architectures that bico measures on.
const NONBLOCK: i32 = 0o4000;

/// The pipe.
#[derive(Clone)]
pub(crate) struct Jobserver(Arc<Ends>);

struct Ends {
    /// Reading from it never waits.
    out: File,
    into: File,
}

/// A token, which goes back when this is dropped.
pub(crate) struct Token {
    byte: [u8; 1],
    server: Arc<Ends>,
}

impl Jobserver {
    /// That of the build that runs this program; `None` where there is none.
    // Another build has another pipe: no reason to run the build script again.
    #[allow(clippy::disallowed_methods)]
    pub(crate) fn of_the_build() -> Option<Jobserver> {
        let mut flags = VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
        flags.find_map(|flags| Jobserver::named(&flags))
    }

    /// The one that make's flags name.
    fn named(flags: &str) -> Option<Jobserver> {
        let named = |word: &str| {
            let auth = word.strip_prefix("--jobserver-auth=");
            auth.or_else(|| word.strip_prefix("--jobserver-fds="))
                .map(str::to_string)
        };
        // The last one holds.
        let named = flags
            .split_ascii_whitespace()
            .filter_map(named)
            .next_back()?;
        let (out, into) = match named.strip_prefix("fifo:") {
            Some(path) => (PathBuf::from(path), PathBuf::from(path)),
            None => {
                let (out, into) = named.split_once(',')?;
                (descriptor(out)?, descriptor(into)?)
            }
        };
        // Opened anew: what stands in the flags belongs to all jobs, which expect that reading waits.
        let mut options = OpenOptions::new();
        let out = options.read(true).custom_flags(NONBLOCK).open(out).ok()?;
        let into = OpenOptions::new().write(true).open(into).ok()?;
        // A number that meanwhile means another file.
        let is_pipe = |file: &File| file.metadata().is_ok_and(|of| of.file_type().is_fifo());
        (is_pipe(&out) && is_pipe(&into)).then(|| Jobserver(Arc::new(Ends { out, into })))
    }

    /// A token, if one is free.
    pub(crate) fn take(&self) -> Option<Token> {
        let mut byte = [0];
        let taken = (&self.0.out).read(&mut byte).ok()?;
        let server = Arc::clone(&self.0);
        (taken == 1).then_some(Token { byte, server })
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // Cargo notices a token that is missing when it ends, and nobody else does.
        let _ = (&self.server.into).write_all(&self.byte);
    }
}

/// An open file of this process by its number.
fn descriptor(number: &str) -> Option<PathBuf> {
    let number: u32 = number.parse().ok()?;
    Some(PathBuf::from(format!("/proc/self/fd/{number}")))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::{PipeReader, PipeWriter, pipe};
    use std::os::fd::AsRawFd;

    /// One with so many tokens; it works as long as its pipe is open.
    pub(crate) fn with_tokens(count: usize) -> (Jobserver, PipeReader, PipeWriter) {
        let (out, mut into) = pipe().unwrap();
        into.write_all(&vec![b'+'; count]).unwrap();
        let (read, write) = (out.as_raw_fd(), into.as_raw_fd());
        let flags = format!("-j --jobserver-fds=1,2 --jobserver-auth={read},{write}");
        (Jobserver::named(&flags).unwrap(), out, into)
    }

    #[test]
    fn tokens_go_back_where_they_came_from() {
        let (server, ..) = with_tokens(2);
        let (first, second) = (server.take().unwrap(), server.take().unwrap());
        assert!(server.take().is_none());
        drop(first);
        let again = server.take().unwrap();
        assert!(server.take().is_none());
        drop((second, again));
        assert!(server.take().is_some());
    }

    #[test]
    fn a_pipe_with_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jobs");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let mut both = OpenOptions::new();
        let mut held = both.read(true).write(true).open(&path).unwrap();
        held.write_all(b"+").unwrap();
        let flags = format!("--jobserver-auth=fifo:{}", path.display());
        let server = Jobserver::named(&flags).unwrap();
        let token = server.take();
        assert!(token.is_some() && server.take().is_none());
    }

    #[test]
    fn what_is_no_pipe_is_none() {
        let file = tempfile::tempfile().unwrap();
        let number = file.as_raw_fd();
        for flags in [
            "",
            "-j4",
            "--jobserver-auth=",
            "--jobserver-auth=a,b",
            "--jobserver-auth=fifo:/nowhere/at/all",
            &format!("--jobserver-auth={number},{number}"),
        ] {
            assert!(Jobserver::named(flags).is_none(), "{flags}");
        }
    }
}
