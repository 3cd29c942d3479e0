//! What functions of the author's give, the reference's outputs and filled inputs: computed once per size, kept by content,
//! outside of any budget.
//!
//! ```text
//! <hash>.out   the outputs, one after the other
//! <hash>.txt   what else came of the run, or `slow`, or `fault: ` and why there are none
//! ```

use super::build::Built;
use super::client::{Client, Ended};
use super::plan;
use super::protocol::{Call, Reference, ReferenceRun, Reply, Request};
use super::trial::at;
use crate::compile::{Hasher, Unit};
use crate::files::{could_not, written};
use bico_core::json::{self, ToJson};
use bico_search::search::Failure;
use std::path::{Path, PathBuf};

/// A compiled reference, or what fills buffers.
#[derive(Clone)]
pub(super) struct Compiled {
    /// What the user calls it: "the reference `gemm_naive`".
    pub(super) name: String,
    /// What to look at where it is wrong.
    pub(super) help: &'static str,
    /// What it was compiled from.
    pub(super) unit: Unit,
    /// What is loaded.
    pub(super) built: Built,
    /// Whether it runs on the CPU while kernels run elsewhere.
    pub(super) on_cpu: bool,
    /// Where outputs are kept.
    pub(super) folder: PathBuf,
    /// Seconds one call may take.
    pub(super) seconds: f64,
}

/// The outputs for one call.
#[derive(Clone)]
pub(super) enum Outputs {
    /// In this file, and what else came of the run.
    File(PathBuf, ReferenceRun),
    /// It takes too long at this size.
    Slow,
}

impl Compiled {
    /// Where outputs are kept, and what is noted of them.
    fn files(&self, call: &Call, most: f64) -> (PathBuf, PathBuf) {
        let key = Hasher::new()
            .field("outputs 4")
            .field(self.built.hash.to_string())
            .field(call.to_json().compact())
            .field(most.to_string())
            .finish();
        let of = |ending: &str| self.folder.join(format!("{key}.{ending}"));
        (of("out"), of("txt"))
    }

    /// What [`outputs`](Compiled::outputs) gave before: no worker is needed for that.
    pub(super) fn known(&self, call: &Call, most: f64) -> Option<Result<Outputs, String>> {
        let (out, note) = self.files(call, most);
        let noted = std::fs::read_to_string(&note).ok()?;
        if noted.trim() == "slow" {
            return Some(Ok(Outputs::Slow));
        }
        if let Some(fault) = noted.strip_prefix("fault: ") {
            return Some(Err(fault.to_string()));
        }
        let run = json::read(&noted).ok().filter(|_| out.is_file())?;
        Some(Ok(Outputs::File(out, run)))
    }

    /// Computes the outputs for a call, where they are not [known](Compiled::known), that nobody waits longer for than `most` seconds. `doubt`: a crash, or
    /// silence, may be the worker's own.
    ///
    /// # Errors
    ///
    /// The function itself is at fault; the text names it.
    pub(super) fn outputs(
        &self,
        client: &mut Client,
        call: &Call,
        label: &str,
        most: f64,
        doubt: bool,
    ) -> Result<Outputs, String> {
        let seconds = self.seconds.min(most);
        let (out, note) = self.files(call, most);
        let request = self.request(call, label, most)?;
        let answer = match client.ask(&request, seconds) {
            // Something else may have ended the worker.
            Err(Ended::Crashed { .. }) => client.ask(&request, seconds),
            answer => answer,
        };
        match answer {
            Ok(Reply::Referenced(Ok(run))) => {
                written(&note, run.to_json().compact().as_bytes())?;
                Ok(Outputs::File(out, run))
            }
            Ok(Reply::Referenced(Err(failure))) => self.fault(&note, self.blame(&failure)),
            Ok(other) => Err(other.unexpected()),
            Err(Ended::Crashed { how, .. }) if doubt => Err(how),
            Err(ended @ Ended::TimedOut { .. }) if doubt && ended.is_silence() => {
                Err(ended.to_string())
            }
            Err(Ended::TimedOut { .. }) => {
                written(&note, b"slow\n")?;
                Ok(Outputs::Slow)
            }
            Err(Ended::Trespassed { failure, during }) => {
                self.fault(&note, self.blame(&at(failure, &during.step)))
            }
            Err(Ended::Crashed { how, .. }) => {
                let name = &self.name;
                self.fault(&note, format!("{name} crashed at {label}: {how}"))
            }
            Err(Ended::Broken(text)) => Err(text),
        }
    }

    fn request(&self, call: &Call, label: &str, most: f64) -> Result<Request, String> {
        let created = std::fs::create_dir_all(&self.folder);
        created.map_err(could_not("create", &self.folder))?;
        Ok(Request::Reference(Reference {
            kernel: self.built.kernel.clone(),
            call: call.clone(),
            label: label.to_string(),
            out: self.files(call, most).0,
            allow: self.seconds.min(most),
            memory: plan::memory(call),
        }))
    }

    /// Computes the outputs for several calls, for which the worker is asked at once: it may be far. What does not work is
    /// left to whoever asks for it alone.
    #[cfg(feature = "workers")]
    pub(super) fn bring(
        &self,
        client: &mut Client,
        calls: &[(Call, String)],
        most: f64,
    ) -> Option<()> {
        client.greet().ok()?;
        let mut posted = Vec::new();
        for (call, label) in calls {
            let request = self.request(call, label, most).ok()?;
            posted.push((client.post(&request).ok()?, request, call));
        }
        for (posted, request, call) in posted {
            let reply = client.heard(&request, posted, self.seconds.min(most), &mut |_| None);
            if let Reply::Referenced(Ok(run)) = reply.ok()? {
                let note = self.files(call, most).1;
                written(&note, run.to_json().compact().as_bytes()).ok()?;
            }
        }
        Some(())
    }

    /// Notes it: each config would meet it again.
    fn fault(&self, note: &Path, text: String) -> Result<Outputs, String> {
        written(note, format!("fault: {text}").as_bytes())?;
        Err(text)
    }

    /// What is said of outputs with which any would agree.
    pub(super) fn says_nothing(&self, blank: &str, label: &str) -> String {
        let name = &self.name;
        format!(
            "{name} gives nothing but NaN in `{blank}`, at {label}: whatever shares its mistake would pass\n  = help: what does it read that nobody wrote? on a GPU, does its `launch(..)` start the threads that it counts on?\n  = help: if it is not made for such inputs, say which it is made for: `#[init(uniform(1, 2))]`"
        )
    }

    /// What is said of an output that a config might leave alone, or copy, and pass.
    pub(super) fn says_little(&self, faint: &[String], label: &str) -> String {
        let [output, before] = faint else {
            return String::new();
        };
        let (gives, wrong) = match output == before {
            true => (format!("leaves `{output}` as it was"), "leaves it alone"),
            false => (
                format!("gives `{before}` again in `{output}`"),
                "only copies it",
            ),
        };
        let name = &self.name;
        format!(
            "{name} {gives}, within the tolerance, at {label}: a config that {wrong} would pass\n  = help: ask for more, `rtol({output} = 1e-6)`, or for inputs of which it changes more, `#[init(..)]`"
        )
    }

    fn blame(&self, failure: &Failure) -> String {
        let name = &self.name;
        match failure {
            Failure::Worker(text) => text.clone(),
            Failure::Compile(text) => format!("{name} cannot be loaded: {text}"),
            Failure::Crash(text) => format!("{name} crashed: {text}"),
            Failure::Timeout(text) => format!("{name} takes too long: {text}"),
            Failure::Wrong(text) | Failure::OutOfBounds(text) | Failure::Unwritten(text) => {
                let help = self.help;
                // Integers of which nothing is said are small numbers, which places in a matrix are not.
                let places = match failure {
                    Failure::OutOfBounds(_) => {
                        "\n  = help: where it takes places in other buffers from an input, that needs what stands in such a one: `inputs(..)`, or `#[init(uniform(0, n))]`"
                    }
                    _ => "",
                };
                format!(
                    "{name} is wrong: {text}\n  = help: sizes that it cannot take are excluded by a `require` that names them; {help}{places}"
                )
            }
            Failure::Memory(text) | Failure::Unlaunchable(text) => {
                format!("{name} cannot be run: {text}")
            }
        }
    }
}
