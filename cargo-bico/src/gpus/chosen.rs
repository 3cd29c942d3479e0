//! The device that somebody names: a file of facts, one of the lock, or a GPU of the table.

use super::named;
use crate::Error;
use bico_build::lock::Lock;
use bico_core::device::Facts;
use bico_core::json::{Document, Kind};
use std::path::Path;

/// A file of facts is shorter.
const LARGEST: u64 = 1 << 20;

/// A file of facts, in messages.
const FACTS: Kind = Kind {
    name: "file of facts",
    mend: "`cargo bico devices --facts \"NVIDIA H100\"` prints one to begin with",
    fault: |text| {
        let control = text.chars().find(|c| c.is_control())?;
        Some(format!(
            "the control character {}",
            control.escape_unicode()
        ))
    },
};

/// The facts of a device, and what is to be said about the choice. `lock` is the package's.
///
/// # Errors
///
/// There is no such device, or the file cannot be read or is faulty.
pub(crate) fn chosen(name: &str, lock: &Lock) -> Result<(Facts, Option<String>), Error> {
    let path = Path::new(name);
    if path.extension().is_some_and(|of| of == "json") || path.is_file() {
        return Ok((read(path)?, None));
    }
    let is_it = |facts: &&Facts| {
        let bare = match facts {
            Facts::Cpu(cpu) => &cpu.brand,
            Facts::Cuda(gpu) => &gpu.name,
        };
        name.eq_ignore_ascii_case(facts.key().as_str()) || name.eq_ignore_ascii_case(bare)
    };
    // Measured on, so better known than what is published.
    if let Some(facts) = lock.devices.values().find(is_it) {
        return Ok((facts.clone(), None));
    }
    let (gpu, others) = named(name)?;
    let note = (!others.is_empty()).then(|| {
        let others = others.join("`, `");
        format!(
            "`{name}` is taken for `{}`; there are also `{others}`",
            gpu.name
        )
    });
    Ok((gpu.facts(), note))
}

fn read(path: &Path) -> Result<Facts, Error> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        Error::Usage(format!(
            "cannot read {shown}: {error}\n  = help: {}",
            FACTS.mend
        ))
    };
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > LARGEST {
        return Err(Error::Usage(format!(
            "{shown} is too large for a file of facts"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let document = Document::parse(&FACTS, path, &text).map_err(Error::work)?;
    let facts: Facts = document.root().read().map_err(Error::work)?;
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_core::json::ToJson;

    #[test]
    fn a_file_the_lock_or_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("facts.json");
        let (mut h100, note) = chosen("NVIDIA H100", &Lock::default()).unwrap();
        assert_eq!(
            note.unwrap(),
            "`NVIDIA H100` is taken for `NVIDIA H100 80GB HBM3`; there are also `NVIDIA H100 PCIe`"
        );
        // What is printed is read back.
        std::fs::write(&path, h100.to_json().to_text()).unwrap();
        let from_file = |lock: &Lock| chosen(path.to_str().unwrap(), lock);
        assert_eq!(from_file(&Lock::default()).unwrap(), (h100.clone(), None));
        // A device of the lock is as it was there.
        let Facts::Cuda(gpu) = &mut h100 else {
            panic!("a GPU");
        };
        (gpu.clock_hz, gpu.name) = (1, "NVIDIA H100 PCIe".to_string());
        let mut lock = Lock::default();
        lock.devices.insert(h100.key(), h100.clone());
        for name in ["nvidia h100 pcie", "NVIDIA H100 PCIe (sm_90)"] {
            assert_eq!(chosen(name, &lock).unwrap(), (h100.clone(), None));
        }
    }

    #[test]
    fn faulty_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("facts.json");
        let said = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let error = chosen(path.to_str().unwrap(), &Lock::default());
            error.unwrap_err().to_string()
        };
        assert!(said("{").contains("ends in the middle"), "{}", said("{"));
        assert!(said("{\"kind\": \"tpu\"}").contains("`kind` is \"cpu\" or \"cuda\""));
        assert!(said("{\"kind\": \"cuda\"}").contains("name"));
        std::fs::remove_file(&path).unwrap();
        let error = chosen(path.to_str().unwrap(), &Lock::default()).unwrap_err();
        assert!(matches!(error, Error::Usage(said) if said.contains("--facts")));
    }
}
