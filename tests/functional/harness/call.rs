//! A program that is run, and what it said.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A build that takes longer hangs. Far beyond what any takes, on any machine.
const HANGS: Duration = Duration::from_secs(500);

/// What must not come from the environment of the tests.
const FOREIGN: [&str; 36] = [
    "BICO",
    "BICO_CACHE",
    "BICO_HOST_CXX",
    "BICO_HOST_FAULT",
    "BICO_HOST_GPUS",
    "BICO_HOST_MEMORY",
    "BICO_HOST_REGISTERS",
    "BICO_NVRTC",
    "BICO_RUNNER",
    "BICO_WORKERS",
    "CARGO_BUILD_TARGET",
    "CARGO_INCREMENTAL",
    "CARGO_TARGET_DIR",
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
    "CC",
    "CFLAGS",
    "CI",
    "CUDA_HOME",
    "CUDA_PATH",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "CXX",
    "CXXFLAGS",
    "DOCS_RS",
    "HOST_CC",
    "HOST_CFLAGS",
    "HOST_CXX",
    "HOST_CXXFLAGS",
    "NO_COLOR",
    "OUT_DIR",
    "RA_RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "TARGET_CC",
    "TARGET_CFLAGS",
];

/// A program, ready to be run.
pub(crate) struct Call {
    command: Command,
}

impl Call {
    pub(crate) fn new(mut command: Command) -> Call {
        for name in FOREIGN {
            command.env_remove(name);
        }
        command
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TERM_COLOR", "never");
        Call { command }
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Call {
        self.command.env(name, value);
        self
    }

    /// Lets it see these GPUs of the host driver, with these faults.
    pub(crate) fn gpus(mut self, gpus: &str, faults: &str) -> Call {
        self.command.envs(host_driver::environment(gpus, faults));
        self
    }

    /// Has it look for shared libraries in this folder, too.
    pub(crate) fn library_path(self, folder: &Path) -> Call {
        let known = self.command.get_envs();
        let known = known.filter(|(name, _)| *name == "LD_LIBRARY_PATH");
        let mut path = folder.as_os_str().to_os_string();
        for more in known.filter_map(|(_, value)| value).collect::<Vec<_>>() {
            path.push(":");
            path.push(more);
        }
        self.env("LD_LIBRARY_PATH", path)
    }

    /// Takes from it all that is CUDA: neither a driver nor a compiler.
    pub(crate) fn without_cuda(mut self) -> Call {
        self.command.env_remove("LD_LIBRARY_PATH");
        if Path::new("/proc/driver/nvidia").exists() {
            // This machine has a driver. Files that are no libraries hide it.
            let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-driver");
            std::fs::create_dir_all(&empty).unwrap();
            for name in ["libcuda.so.1", "libcuda.so"] {
                std::fs::write(empty.join(name), "").unwrap();
            }
            self.command.env("LD_LIBRARY_PATH", empty);
        }
        self.env("BICO_NVRTC", "/nowhere")
    }

    /// Starts it; its output is lost.
    pub(crate) fn spawn(mut self) -> Child {
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.command.spawn().unwrap()
    }

    /// Runs it to its end, where nobody reads what it prints.
    #[track_caller]
    pub(crate) fn unread(mut self) -> Output {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.command.stdin(Stdio::null()).stdout(writer);
        let output = self.command.stderr(Stdio::piped()).output().unwrap();
        Output {
            call: format!("{:?}", self.command),
            success: output.status.success(),
            code: output.status.code(),
            stdout: String::new(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn run(mut self) -> Output {
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let stdout = thread::spawn(read(child.stdout.take().unwrap()));
        let stderr = thread::spawn(read(child.stderr.take().unwrap()));
        let deadline = Instant::now() + HANGS;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                child.kill().unwrap();
                panic!("{:?} hangs", self.command);
            }
            thread::sleep(Duration::from_millis(5));
        };
        Output {
            call: format!("{:?}", self.command),
            success: status.success(),
            code: status.code(),
            stdout: stdout.join().unwrap(),
            stderr: stderr.join().unwrap(),
        }
    }
}

fn read(mut from: impl Read) -> impl FnOnce() -> String {
    move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// What a program said, and whether it was content.
#[derive(Debug)]
pub(crate) struct Output {
    call: String,
    pub(crate) success: bool,
    /// How it ended; `None`: by a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    #[track_caller]
    pub(crate) fn ok(self) -> Output {
        assert!(self.success, "failed: {self}");
        self
    }

    #[track_caller]
    pub(crate) fn fails(self) -> Output {
        assert!(!self.success, "should have failed: {self}");
        self
    }

    /// It says this, on either stream.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Output {
        assert!(self.all().contains(text), "does not say `{text}`: {self}");
        self
    }

    /// It does not say this, on neither stream.
    #[track_caller]
    pub(crate) fn says_nothing_of(self, text: &str) -> Output {
        assert!(!self.all().contains(text), "says `{text}`: {self}");
        self
    }

    /// How often it says this.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.all().matches(text).count()
    }

    fn all(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}\n-- stdout\n{}\n-- stderr\n{}",
            self.call, self.stdout, self.stderr
        )
    }
}
