//! The PTX that bico carries.

use crate::setup::Setup;
use bico_device::nvrtc::{Nvrtc, Program};
use std::path::Path;

/// The kernels that look into buffers are carried as PTX, which is their source's by this version of NVRTC. Of another one it is
/// another text. If this fails: what is printed is the new one.
pub(crate) fn what_is_carried_is_what_is_written(setup: &Setup) {
    if setup.version != (12, 9) {
        println!(
            "SKIPPED: NVRTC {:?} writes another PTX than 12.9",
            setup.version
        );
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/bico-device/src/cuda/look");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let nvrtc = Nvrtc::find(Some(&setup.library)).unwrap();
    let options = ["--gpu-architecture=compute_50", "--std=c++17"].map(String::from);
    let compiled = nvrtc.compile(&Program {
        source: &read("look.cu"),
        name: "look.cu",
        options: &options,
        expressions: &[],
    });
    let ptx = String::from_utf8(compiled.unwrap().ptx.unwrap()).unwrap();
    // Older drivers know this version, and it has all that there is in it.
    let ptx = ptx.replace(".version 8.8", ".version 6.0");
    assert!(ptx.trim() == read("look.ptx").trim(), "{ptx}");
}
