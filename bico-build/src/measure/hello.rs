//! How a conversation begins: what is started, what it must be, and what it says of itself.

use super::protocol::Processor;
use crate::compile::Hash;
use bico_core::device::CudaFacts;
use bico_core::json_struct;
use std::sync::OnceLock;

/// The argument that makes a program a worker: this and the conversation's mark.
pub(super) const ARGUMENT: &str = "--bico-measuring-worker=";

/// The one after it, where another program might have been started in its place: what that must be.
pub(super) const BUILD: &str = "--bico-build=";

/// A hash of this program.
pub(super) fn own_build() -> Result<Hash, String> {
    static KNOWN: OnceLock<Result<Hash, String>> = OnceLock::new();
    let read = || {
        let own = std::env::current_exe().and_then(std::fs::read);
        own.map(Hash::of)
            .map_err(|error| format!("could not read this program: {error}"))
    };
    KNOWN.get_or_init(read).clone()
}

json_struct! {
    /// What a worker is to measure on.
    pub(super) struct Hello {
        pub(super) processor: Processor,
        /// Of several workers: what it must have, whichever it is there.
        pub(super) wanted: Option<Wanted>,
    }

    /// A device that a worker must have.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Wanted {
        /// What it is.
        pub device: String,
        /// Which one of those that are there, counted in a circle: equal workers take one each.
        pub place: usize,
    }

    /// What a worker says of itself.
    #[derive(Debug, Default)]
    pub(super) struct Here {
        /// Differs between machines, and from one start of a machine to the next.
        pub(super) machine: String,
        /// The machine's name, and what is known of the device beside what its key says.
        pub(super) about: String,
    }

    /// A GPU of the worker's machine.
    #[derive(Debug)]
    pub struct Gpu {
        /// Its number there.
        pub ordinal: usize,
        /// Which one it is in that machine: the address on its bus.
        pub address: String,
        /// Its driver: the CUDA version that it serves, and its own.
        pub driver: String,
        /// What it is.
        pub facts: CudaFacts,
    }
}

impl Gpu {
    /// Names it on its machine, for the machine-wide lock.
    pub(crate) fn lock(&self) -> String {
        let address = self.address.chars();
        let plain = address.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        format!("gpu-{}", plain.collect::<String>())
    }
}
