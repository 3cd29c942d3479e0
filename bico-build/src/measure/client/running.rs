//! A worker that runs: its process and its pipes.

use super::program::Program;
use crate::compile::Hash;
use crate::measure::hello::own_build;
use crate::measure::protocol::Request;
use crate::os;
use crate::queue::{Nothing, Receiver, Sender, queue};
use bico_core::json::ToJson;
use bico_core::{Lists, Set};
use bico_device::os::has_ended;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is kept of a worker's standard error: its end, where the cause stands.
const KEPT: usize = 8 * 1024;

/// A longer line is no answer.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// Lines that wait to be read, at most.
const MOST_WAITING: usize = 1000;

/// How long the last words of a dead worker are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What a runner's processes get to end after being asked.
const FAREWELL: Duration = Duration::from_secs(3);

/// What a worker is told. Whoever has it may ask something before the answer to what was asked last has come.
pub(crate) struct Outbox {
    /// Another thread writes: a worker that is stopped reads nothing.
    input: Sender<Vec<u8>>,
    /// The number of what it was asked last.
    asked: AtomicU64,
    /// Files that it has; `None` where they need not be sent.
    #[cfg_attr(not(feature = "workers"), allow(dead_code))]
    pub(super) sent: Option<Mutex<Set<PathBuf>>>,
}

impl Outbox {
    fn new(input: Sender<Vec<u8>>, sends: bool) -> Outbox {
        Outbox {
            input,
            asked: AtomicU64::new(0),
            sent: sends.then(Mutex::default),
        }
    }

    /// Asks for something, and sends what it needs along.
    pub(in crate::measure) fn post(&self, request: &Request) -> Result<Posted, String> {
        #[cfg(feature = "workers")]
        if let Some(sent) = &self.sent {
            let (packed, bytes) = self.pack(request, sent)?;
            let (number, more) = (self.ask(&packed), super::sending::seconds(bytes));
            return Ok(Posted { number, more });
        }
        let number = self.ask(request);
        Ok(Posted { number, more: 0.0 })
    }

    /// Asks for something; gives the number that its answer bears. If this fails, the worker has ended, which is seen when its
    /// answer is waited for.
    pub(super) fn ask(&self, request: &Request) -> u64 {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.line(number, request);
        number
    }

    fn line(&self, number: u64, request: &Request) {
        let mut text = format!("{number} ");
        request.to_json().append_to(&mut text);
        text.push('\n');
        self.write(text.into_bytes());
    }

    pub(super) fn write(&self, bytes: Vec<u8>) {
        self.input.send(bytes);
    }
}

/// What a worker was asked.
#[derive(Clone, Copy)]
pub(crate) struct Posted {
    /// Its answer bears this number.
    pub(super) number: u64,
    /// Seconds that it may take beside what is asked, as files went along.
    pub(super) more: f64,
}

/// A worker's process.
#[cfg_attr(not(feature = "workers"), allow(dead_code))]
pub(super) struct Running {
    child: Child,
    /// What it is told.
    pub(super) outbox: Arc<Outbox>,
    /// The number of the request whose answer is waited for; answers bear it.
    pub(super) awaited: u64,
    /// What this program is, where another one might be started.
    pub(super) build: Option<Hash>,
    pub(super) mark: String,
    /// Whether it said what it measures on.
    pub(super) greeted: bool,
    /// What it answers, line by line.
    pub(super) lines: Receiver<String>,
    errors: Arc<Mutex<Vec<u8>>>,
    /// Closed when all of its standard error has been read.
    errors_end: Receiver<()>,
    /// A launcher that is killed leaves its job behind: it is asked to end first.
    is_launcher: bool,
    /// Whether a kernel has run in it.
    pub(super) used: bool,
}

impl Running {
    /// Starts a worker that begins its answers with `mark`.
    ///
    /// # Errors
    ///
    /// The operating system does not start it.
    pub(super) fn start(program: &Program, mark: &str) -> Result<Running, String> {
        let is_launcher = !program.runner.is_empty();
        let build = is_launcher.then(own_build).transpose()?;
        let mut command = program.command(mark, build);
        let mut child = command.spawn().map_err(|error| {
            let name = command.get_program().to_string_lossy();
            format!("the measuring worker `{name}` could not be started: {error}")
        })?;
        let (sender, lines) = queue();
        let (output, stream) = (child.stdout.take(), child.stderr.take());
        let (input, told) = queue::<Vec<u8>>();
        let pipe = child.stdin.take();
        crate::os::thread(Box::new(move || {
            if let Some(mut pipe) = pipe {
                while let Some(bytes) = told.next()
                    && pipe.write_all(&bytes).is_ok()
                {}
            }
        }));
        let own = mark.to_string();
        let mark = format!("{mark} ");
        crate::os::thread(Box::new(move || {
            if let Some(output) = output {
                read_lines(output, &mark, &sender);
            }
        }));
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        let (open, errors_end) = queue();
        crate::os::thread(Box::new(move || {
            if let Some(stream) = stream {
                keep_end(stream, &kept);
            }
            drop(open);
        }));
        Ok(Running {
            child,
            outbox: Arc::new(Outbox::new(input, program.sends)),
            awaited: 0,
            build,
            mark: own,
            greeted: false,
            lines,
            errors,
            errors_end,
            is_launcher,
            used: false,
        })
    }

    /// Says something more of what was asked.
    pub(super) fn say(&self, request: &Request) {
        self.outbox.line(self.awaited, request);
    }

    /// What a line says to what was asked; `None` if it answers something else.
    pub(super) fn answer<'l>(&self, line: &'l str) -> Option<&'l str> {
        let (number, answer) = line.split_once(' ')?;
        (number.parse() == Ok(self.awaited)).then_some(answer)
    }

    pub(super) fn has_ended(&self) -> bool {
        has_ended(self.child.id())
    }

    /// Ends it, and says how it ended.
    pub(super) fn bury(&mut self) -> String {
        // Its end of input tells it to go; what it was started through ends with it, and may have to clean up.
        self.outbox = Arc::new(Outbox::new(queue().0, false));
        let deadline = Instant::now() + LAST_WORDS;
        while self.is_launcher && !self.has_ended() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        let status = match self.is_launcher {
            true => os::end_group(&mut self.child, FAREWELL),
            false => os::kill_group(&mut self.child),
        };
        status.map_or_else(|| "it vanished".to_string(), os::describe_exit)
    }

    /// It is not needed any more.
    pub(super) fn end(mut self) {
        self.bury();
    }

    /// How it ended that has closed its output, with its last words. It may live on: no longer than its step had.
    pub(super) fn crashed(mut self, deadline: Instant) -> String {
        while !self.has_ended() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let how = self.bury();
        // The thread that reads may still be at it; a process that escaped may hold the pipe open.
        let _: Result<(), Nothing> = self.errors_end.within(LAST_WORDS);
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        match last_words(&String::from_utf8_lossy(&errors)) {
            Some(words) => format!("{how}: {words}"),
            None => how,
        }
    }
}

/// The last line that says something, shortened; of a panic where and why it was.
fn last_words(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.collect_vec();
    let panic = lines.windows(2).rev().find_map(|pair| {
        let (_, place) = pair[0].split_once(" panicked at ")?;
        place
            .ends_with(':')
            .then(|| format!("panicked at {place} {}", pair[1]))
    });
    let line = panic.or_else(|| lines.last().map(ToString::to_string))?;
    Some(line.chars().filter(|c| !c.is_control()).take(200).collect())
}

/// Passes on what follows the mark in each line that bears it.
fn read_lines(output: impl Read, mark: &str, to: &Sender<String>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut rest = (&mut output).take(LONGEST_LINE);
        if !matches!(rest.read_until(b'\n', &mut line), Ok(1..)) {
            return;
        }
        // Who talks faster than anybody listens waits.
        while to.waiting() > MOST_WAITING {
            std::thread::sleep(Duration::from_millis(1));
        }
        let text = String::from_utf8_lossy(&line);
        if let Some((_, answer)) = text.split_once(mark)
            && !to.send(answer.trim_end().to_string())
        {
            return;
        }
    }
}

/// Reads to the end and keeps the last bytes.
fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut block = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut block) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&block[..count]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_lines_are_answers() {
        let (sender, lines) = queue();
        let text = "hello\nbico-1: {\"a\":1}\n\u{7f}garbage bico-1: {\"b\":2}\n[0] bico-1: 3\r\n";
        read_lines(text.as_bytes(), "bico-1: ", &sender);
        drop(sender);
        assert_eq!(
            std::iter::from_fn(|| lines.next()).collect::<Vec<_>>(),
            ["{\"a\":1}", "{\"b\":2}", "3"]
        );
    }

    #[test]
    fn a_flood_on_standard_error_keeps_its_end() {
        let kept = Mutex::new(Vec::new());
        keep_end(
            format!("{}the end\n\n", "x".repeat(100_000)).as_bytes(),
            &kept,
        );
        let kept = kept.into_inner().unwrap();
        assert!(kept.len() <= KEPT);
        let text = String::from_utf8_lossy(&kept).into_owned();
        assert!(last_words(&text).unwrap().len() <= 200);
        assert_eq!(
            last_words("a\nfree(): invalid pointer\n \n").as_deref(),
            Some("free(): invalid pointer")
        );
        let panic = "\nthread '<unnamed>' (7) panicked at src/lib.rs:3:9:\nindex out of bounds\nstack backtrace:\n  0: f\n";
        assert_eq!(
            last_words(panic).as_deref(),
            Some("panicked at src/lib.rs:3:9: index out of bounds")
        );
    }
}
