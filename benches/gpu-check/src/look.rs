//! What there is on this machine, told by a process of its own: the driver may do with it what it likes.

use bico_core::device::{CudaFacts, Facts};
use cargo_bico::Features;
use cargo_bico::opened::Package;
use cudarc::driver::sys;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The package's folder
    #[arg(long)]
    package: PathBuf,
    /// Its features
    #[arg(long, value_delimiter = ',')]
    features: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The device's key in locks.
    pub(crate) device: String,
    /// Fields of the facts that results depend on.
    pub(crate) facts: Vec<(String, i64)>,
    /// The newest CUDA that the driver serves: `12.8`.
    pub(crate) cuda: String,
    /// The CUDA compiler.
    pub(crate) compiler: String,
    /// The CUDA tunables.
    pub(crate) tunables: Vec<Known>,
}

/// A tunable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Known {
    /// Its package's folder in the bundle.
    pub(crate) package: String,
    pub(crate) key: String,
    /// How many the attribute has.
    pub(crate) problems: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let facts = bico_device::cuda::facts(0)?;
    let features = Features::Some {
        names: arguments.features.clone(),
        default: false,
    };
    let manifest = arguments.package.join("Cargo.toml");
    let device = Facts::Cuda(facts.clone());
    let package = Package::open(&manifest, &features, device.clone())?;
    let tunables = package.tunables()?;
    let name = arguments.package.file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let found = Found {
        device: device.key().to_string(),
        facts: fields(&facts),
        cuda: cuda(),
        compiler: package.compiler()?,
        tunables: tunables
            .iter()
            .map(|tunable| Known {
                package: name.clone(),
                key: tunable.key().to_string(),
                problems: tunable.problems().count(),
            })
            .collect(),
    };
    let line = serde_json::to_string(&found).map_err(|error| error.to_string())?;
    println!("{line}");
    Ok(())
}

fn fields(facts: &CudaFacts) -> Vec<(String, i64)> {
    [
        ("compute capability", facts.compute_capability),
        ("multiprocessors", facts.multiprocessors),
        ("clock, Hz", facts.clock_hz),
        ("memory, bytes per second", facts.memory_bytes_per_second),
        ("second-level cache, bytes", facts.l2_bytes),
        (
            "shared memory per block, bytes",
            facts.shared_memory_per_block_optin,
        ),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .to_vec()
}

fn cuda() -> String {
    let mut version = 0;
    // SAFETY: the driver is there (its facts were read), and writes one number.
    let said = unsafe { sys::cuDriverGetVersion(&mut version) };
    match said.result() {
        Ok(()) => format!("{}.{}", version / 1000, version % 1000 / 10),
        Err(_) => "unknown".to_string(),
    }
}
