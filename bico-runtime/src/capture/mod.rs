//! `BICO_CAPTURE=FILE`: with which sizes a program calls its tunables, how often, and for how long.
//!
//! The file is text: a line per process, tunable and sizes, which begins with its calls and their nanoseconds in a
//! fixed number of digits. Each call writes these again, in their place. So nothing is left to do when a process ends,
//! however it ends, and the file grows with the sizes, not with the calls. Only adding a line takes the file's lock.
//! Who reads adds up what is of the same sizes. JSON would have to be written as a whole by every call.

mod data;

pub use data::{Number, Sampled};

use crate::cache::wait_for;
use crate::captured_files::{HEADER, LARGEST, OTHERS};
use crate::dispatch::Tunable;
use crate::rules::{Given, Selector};
use core::fmt::Write as _;
use core::sync::atomic::{AtomicU8, Ordering};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lines of a process: some integer arguments are no sizes, but seeds, which never end.
const MOST: usize = 4096;

/// Another process adds its line meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

static BOOK: Mutex<Option<Book>> = Mutex::new(None);

/// Whether calls are captured, or nobody has asked yet.
#[inline(always)]
pub fn is_on() -> bool {
    STATE.load(Ordering::Relaxed) != OFF
}

/// The time of one call.
pub struct Clock {
    start: Option<Instant>,
    took: Duration,
}

impl Clock {
    /// The call begins, if it is captured at all.
    pub fn start() -> Clock {
        Clock::start_after(|| ())
    }

    /// The same, once something else is done.
    pub fn start_after(prepare: impl FnOnce()) -> Clock {
        if STATE.load(Ordering::Relaxed) == UNKNOWN {
            open();
        }
        let on = STATE.load(Ordering::Relaxed) == ON;
        let start = on.then(|| {
            prepare();
            Instant::now()
        });
        let took = Duration::ZERO;
        Clock { start, took }
    }

    /// The call is over.
    pub fn stop(&mut self) {
        self.took = self.start.map_or(Duration::ZERO, |start| start.elapsed());
    }

    /// Whether it is captured.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_running(&self) -> bool {
        self.start.is_some()
    }

    /// Counts the call.
    pub fn note(&self, package: &str, tunable: &Tunable, sizes: &[i64], given: Given<'_>) {
        if self.start.is_none() {
            return;
        }
        let mut book = book();
        let Some(book) = book.as_mut() else { return };
        let name = format!("{package} {}", word(tunable.name()));
        let noted = book.note(&name, &called(tunable, sizes, given), self.took);
        if let Err(error) = noted {
            give_up(&book.path, &error);
        }
    }
}

/// Keeps what is in a call's buffers, where that is asked for.
pub fn sample(
    tunable: &Tunable,
    sizes: &[i64],
    given: Given<'_>,
    buffers: &[(&str, &dyn Sampled)],
) {
    let mut book = book();
    let Some(book) = book.as_mut() else { return };
    let Some(samples) = &mut book.samples else {
        return;
    };
    if let Err(error) = samples.keep(tunable, sizes, given, buffers) {
        give_up(&book.path, &error);
    }
}

fn book() -> MutexGuard<'static, Option<Book>> {
    BOOK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the file that the environment names.
#[cold]
fn open() {
    #[allow(clippy::disallowed_methods)]
    let asked = std::env::var_os("BICO_CAPTURE").filter(|path| !path.is_empty());
    let mut book = book();
    if STATE.load(Ordering::Relaxed) != UNKNOWN {
        return;
    }
    let Some(path) = asked.map(PathBuf::from) else {
        STATE.store(OFF, Ordering::Relaxed);
        return;
    };
    #[allow(clippy::disallowed_methods)]
    let data = std::env::var_os("BICO_CAPTURE_DATA").is_some_and(|asked| asked == "1");
    match Book::open(&path, data) {
        Ok(opened) => {
            *book = Some(opened);
            STATE.store(ON, Ordering::Relaxed);
        }
        Err(error) => give_up(&path, &error),
    }
}

/// Nothing more is captured; the program goes on. It is said on stderr, since somebody waits for the file.
#[cold]
#[allow(clippy::print_stderr)]
fn give_up(path: &Path, error: &io::Error) {
    if STATE.swap(OFF, Ordering::Relaxed) != OFF {
        let path = path.display();
        eprintln!("warning: BICO_CAPTURE: calls are not captured in {path}: {error}");
    }
}

/// ` m=64 KIND="wide"`: the sizes of a call and its selecting arguments.
fn called(tunable: &Tunable, sizes: &[i64], given: Given<'_>) -> String {
    let mut text = String::new();
    for (name, size) in tunable.data.sizes.iter().zip(sizes) {
        let _ = write!(text, " {name}={size}");
    }
    for (&at, selector) in tunable.rules.selectors.iter().zip(given) {
        let name = tunable.data.consts[at];
        let _ = match selector {
            Selector::Int(value) => write!(text, " {name}={value}"),
            Selector::Bool(value) => write!(text, " {name}={value}"),
            Selector::Str(value) => write!(text, " {name}={}", word(value)),
        };
    }
    text
}

/// A text as one word that stands in a line.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let mut word = String::new();
    for c in text.chars() {
        match plain(c) {
            true => word.push(c),
            false => {
                let _ = write!(word, "%{:x};", u32::from(c));
            }
        }
    }
    word
}

/// The file, and what this process wrote into it.
struct Book {
    file: File,
    path: PathBuf,
    lines: BTreeMap<String, Line>,
    samples: Option<data::Samples>,
}

/// Where a line begins, and what it says.
struct Line {
    at: u64,
    calls: u64,
    nanoseconds: u64,
}

impl Line {
    fn counts(&self) -> String {
        format!("{:020} {:020}", self.calls, self.nanoseconds)
    }
}

impl Book {
    /// Makes the file, for its owner's eyes, or opens one of an earlier run or another process.
    fn open(path: &Path, data: bool) -> io::Result<Book> {
        let mut options = File::options();
        options.read(true).write(true);
        let mut new = options.clone();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
        let file = match new.create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // Looked at before it is opened: a pipe would wait, and a link may lead anywhere.
                let other = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
                if !std::fs::symlink_metadata(path)?.is_file() {
                    return Err(other("it is no plain file"));
                }
                let mut file = options.open(path)?;
                let mut start = Vec::new();
                (&mut file)
                    .take(HEADER.len() as u64)
                    .read_to_end(&mut start)?;
                // Its maker may not have come further yet, or ever.
                if !HEADER.as_bytes().starts_with(&start) {
                    return Err(other(
                        "there is another file already; name one that is not there",
                    ));
                }
                file
            }
            made => made?,
        };
        let samples = data.then(|| data::Samples::open(path)).transpose()?;
        Ok(Book {
            file,
            path: path.to_path_buf(),
            lines: BTreeMap::new(),
            samples,
        })
    }

    /// Counts a call of `name` at these sizes.
    fn note(&mut self, name: &str, called: &str, took: Duration) -> io::Result<()> {
        let mut text = format!("{name}{called}");
        if !self.lines.contains_key(&text) {
            if self.lines.len() >= MOST {
                text = format!("{name} {OTHERS}");
            }
            if !self.lines.contains_key(&text) {
                let line = self.add(&text)?;
                self.lines.insert(text.clone(), line);
            }
        }
        let Some(line) = self.lines.get_mut(&text) else {
            return Ok(());
        };
        line.calls += 1;
        line.nanoseconds = line
            .nanoseconds
            .saturating_add(took.as_nanos().try_into().unwrap_or(u64::MAX));
        self.file.seek(SeekFrom::Start(line.at))?;
        self.file.write_all(line.counts().as_bytes())
    }

    /// Adds a line behind all others.
    fn add(&mut self, text: &str) -> io::Result<Line> {
        if !wait_for(&self.file, PATIENCE) {
            let what = "another process holds its lock";
            return Err(io::Error::new(io::ErrorKind::TimedOut, what));
        }
        let added = self.append(text);
        // A file system without locks has none to give back.
        let _ = self.file.unlock();
        added
    }

    fn append(&mut self, text: &str) -> io::Result<Line> {
        let file = &mut self.file;
        let mut end = file.seek(SeekFrom::End(0))?;
        if end < HEADER.len() as u64 {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(HEADER.as_bytes())?;
            end = HEADER.len() as u64;
        }
        if end > LARGEST {
            let what = format!("it is larger than {} MiB", LARGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
        }
        // A process may have been stopped within its line.
        let mut last = [0];
        file.seek(SeekFrom::Start(end - 1))?;
        file.read_exact(&mut last)?;
        let torn = last != *b"\n";
        let line = Line {
            at: end + u64::from(torn),
            calls: 0,
            nanoseconds: 0,
        };
        let gap = if torn { "\n" } else { "" };
        file.write_all(format!("{gap}{} {text}\n", line.counts()).as_bytes())?;
        Ok(line)
    }
}
