//! The one PTX that is not of ours and yet runs here: that of bico's own kernels, which look into buffers. Its source is compiled in
//! its place, once for all processes.

use super::Cubin;
use crate::library::nvrtc::{HEADER, Options, Source, compile};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

const SOURCE: &str = include_str!("../../../../../crates/bico-device/src/cuda/look/look.cu");
/// A kernel of it.
const ENTRY: &str = ".visible .entry bico_differ(";

/// The source of this PTX, compiled; `None`: it is another one, or does not compile.
pub(crate) fn from_source(text: &str) -> Option<Cubin> {
    if !text.contains(ENTRY) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    (SOURCE, HEADER).hash(&mut hasher);
    let name = format!("host-driver-look-{:x}.cubin", hasher.finish());
    let file = std::env::temp_dir().join(name);
    if let Ok(known) = fs::read(&file)
        && let Ok(cubin) = Cubin::read(&known)
    {
        return Some(cubin);
    }
    let options = ["--gpu-architecture=compute_50".to_string()];
    let read = Options::read(&options).ok()?;
    let source = Source {
        text: SOURCE,
        name: "look.cu",
        headers: &[],
        expressions: &[],
        options: &options,
    };
    let cubin = compile(&source, &read).ok()?;
    // Under another name first: others may read it already.
    let own = file.with_extension(std::process::id().to_string());
    if fs::write(&own, cubin.write()).is_ok() {
        let _ = fs::rename(&own, &file);
    }
    Some(cubin)
}
