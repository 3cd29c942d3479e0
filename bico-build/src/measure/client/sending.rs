//! Workers that see no file of this machine: what they need is sent to them, and what they made is brought back.
//!
//! A shell is started through the prefix, without arguments that anybody between could read in another way, and gets a
//! script. That makes a folder which it alone may enter, asks for the program, starts it there, and removes the folder however
//! this ends.

use super::program::Program;
use super::running::{Outbox, Running};
use super::{Client, Ended, exchange};
use crate::compile::Hash;
use crate::files::{could_not, written};
use crate::measure::fill::Fill;
use crate::measure::hello::{ARGUMENT, BUILD};
use crate::measure::protocol::{Call, Case, Check, Loadable, Reply, Request, SharedCall, Slot};
use crate::measure::slot::BufferSlot;
use bico_core::Set;
use bico_core::json::{self, ToJson};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes a second that any connection carries.
const SLOWEST: f64 = 1e6;

/// The number of an answer to nothing that was asked.
const COPY: &str = "0 copy";

/// Seconds that sending so many bytes may take.
pub(super) fn seconds(bytes: usize) -> f64 {
    bytes as f64 / SLOWEST
}

/// What the shell does. It reads one command, so nothing of it is left to be read when the program comes.
fn script(mark: &str, build: Hash, bytes: usize, threads: Option<u64>) -> String {
    let threads = threads.map_or(String::new(), |of| format!("OMP_NUM_THREADS={of} "));
    format!(
        "{{ umask 077; c() {{ trap '' HUP INT TERM; cd /; rm -rf \"$d\"; }}; d=$(mktemp -d) && trap c EXIT \
         && trap 'kill -9 $w; c; exit 143' HUP INT TERM && cd \"$d\" && echo '{mark} {COPY}' && head -c {bytes} >worker && chmod 700 worker && exec 3<&0 \
         && {{ {threads}./worker '{ARGUMENT}{mark}' {BUILD}{build} <&3 3<&- & w=$!; }} && exec 3<&- </dev/null \
         && wait $w; exit $?; }}\n"
    )
}

impl Running {
    /// Has the program copied to where it is to run, where it is not there.
    pub(super) fn copy(
        &mut self,
        program: &Program,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), Ended> {
        let Some(build) = self.build.filter(|_| program.sends) else {
            return Ok(());
        };
        let read = std::fs::read(&program.executable);
        let bytes = read.map_err(could_not("read", &program.executable));
        let bytes = bytes.map_err(Ended::Broken)?;
        self.outbox
            .write(script(&self.mark, build, bytes.len(), program.threads).into_bytes());
        let deadline = Instant::now() + Duration::from_secs_f64(program.patience);
        // What it says instead is told by whoever waits for its answer.
        while Instant::now() < deadline && !self.has_ended() && !is_over() {
            if self
                .lines
                .within(super::TICK)
                .is_ok_and(|line| line == COPY)
            {
                break;
            }
        }
        self.outbox.write(bytes);
        Ok(())
    }
}

impl Outbox {
    /// Sends the files that a request names and the worker does not have; gives the request with their names there, and how
    /// many bytes were sent.
    pub(super) fn pack(
        &self,
        request: &Request,
        sent: &Mutex<Set<PathBuf>>,
    ) -> Result<(Request, usize), String> {
        let mut request = copied(request)?;
        let (mut bytes, mut fault) = (0, None);
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        request.files(&mut |path, is_read| {
            if is_read && !sent.contains(path) {
                match std::fs::read(&*path).map_err(could_not("read", path)) {
                    Ok(content) => {
                        bytes += content.len();
                        let head = format!("@{} {}\n", content.len(), there(path).display());
                        self.write(head.into_bytes());
                        self.write(content);
                    }
                    Err(why) => fault = Some(why),
                }
            }
            sent.insert(path.clone());
            *path = there(path);
        });
        match fault {
            Some(why) => Err(why),
            None => Ok((request, bytes)),
        }
    }
}

/// Requests are written and read; nobody else needs a second one.
fn copied(request: &Request) -> Result<Request, String> {
    json::read(&request.to_json().compact()).map_err(|error| error.to_string())
}

/// What a file of this machine is called where the worker runs.
fn there(path: &Path) -> PathBuf {
    PathBuf::from(format!(
        "./{}",
        Hash::of(path.as_os_str().as_encoded_bytes())
    ))
}

impl Client {
    /// Brings what a worker wrote for a request, where others need it.
    pub(super) fn bring(
        &self,
        reply: &Reply,
        mut running: Running,
        request: &Request,
    ) -> Result<Running, Ended> {
        let mut wanted = Vec::new();
        let is_founder = match reply {
            Reply::Referenced(Ok(_)) => true,
            Reply::Tried(Ok(tried)) => tried.opinion.is_none(),
            _ => return Ok(running),
        };
        let mut request = copied(request).map_err(Ended::Broken)?;
        request.files(&mut |path, is_read| {
            if !is_read {
                wanted.push(path.clone());
            }
        });
        for path in wanted {
            if !is_founder {
                // That it was written is all that is asked.
                let _ = std::fs::File::create_new(&path);
                continue;
            }
            let mut content = Vec::new();
            let mut hear = |said: &Reply| {
                if let Reply::Part(digits) = said {
                    content.extend(bytes(digits));
                }
                None
            };
            let fetch = Request::Fetch(there(&path));
            let (reply, back) = exchange(running, &fetch, 60.0, &self.is_over(), &mut hear)?;
            running = back;
            // Not every size was run of a config that is too slow.
            if let Reply::Fetched(Ok(())) = reply {
                written(&path, &content).map_err(Ended::Broken)?;
            }
        }
        Ok(running)
    }
}

fn bytes(digits: &str) -> impl Iterator<Item = u8> {
    let value = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
    let pairs = digits.as_bytes().chunks_exact(2);
    pairs.map(move |pair| value(pair[0]) << 4 | value(pair[1]))
}

/// Hears of a file: whether the worker reads it, or writes it.
type See<'a> = &'a mut dyn FnMut(&mut PathBuf, bool);

impl Request {
    /// All files that it names.
    fn files(&mut self, see: See<'_>) {
        match self {
            Request::Reference(of) => {
                see(&mut of.kernel.path, true);
                of.call.files(see);
                see(&mut of.out, false);
            }
            Request::Trial(trial) => {
                trial.kernel.files(see);
                trial.checks.iter_mut().for_each(|check| check.files(see));
            }
            Request::Finals(finals) => {
                for entrant in &mut finals.entrants {
                    entrant.kernel.files(see);
                    entrant.check.files(see);
                }
            }
            Request::Soak(soak) => {
                soak.entrant.kernel.files(see);
                soak.entrant.check.files(see);
            }
            Request::Judge(judging) => {
                judging.kernel.iter_mut().for_each(|of| of.files(see));
                judging.check.files(see);
            }
            Request::Hello(_) | Request::Gpus | Request::Fetch(_) | Request::Go => {}
        }
    }
}

impl Loadable {
    fn files(&mut self, see: See<'_>) {
        see(&mut self.path, true);
        self.drive.iter_mut().for_each(|path| see(path, true));
    }
}

impl Check {
    fn files(&mut self, see: See<'_>) {
        self.timed.files(see);
        self.others.iter_mut().for_each(|case| case.files(see));
    }
}

impl Case {
    fn files(&mut self, see: See<'_>) {
        self.call.files(see);
        let opinions = self.opinions.iter_mut().flatten();
        let read = self.reference.iter_mut().chain(opinions);
        read.for_each(|path| see(path, true));
        self.save.iter_mut().for_each(|path| see(path, false));
        if let Some(judge) = &mut self.judge {
            judge.kernel.files(see);
            judge.call.files(see);
        }
    }
}

impl SharedCall {
    fn files(&mut self, see: See<'_>) {
        let is_stored =
            |slot: &Slot| matches!(slot, Slot::Buffer(of) if matches!(of.fill, Fill::Stored(_)));
        if self.slots.iter().any(is_stored) {
            let mut call = Call::clone(self);
            call.files(see);
            *self = call.into();
        }
    }
}

impl Call {
    fn files(&mut self, see: See<'_>) {
        for slot in &mut self.slots {
            if let Slot::Buffer(BufferSlot {
                fill: Fill::Stored(stored),
                ..
            }) = slot
            {
                see(&mut stored.path, true);
            }
        }
    }
}
