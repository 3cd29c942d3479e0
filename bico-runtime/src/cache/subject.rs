//! What a file is about.

use crate::device::DeviceKey;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// What results hold for: where one of these differs, learning starts anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The tunable's key.
    pub tunable: String,
    /// The device's key.
    pub device: DeviceKey,
    /// The driver's version; empty on CPUs.
    pub driver: String,
    /// The hash of its source, space, launch and flags: `Data::hash`.
    pub hash: String,
}

impl Name {
    /// The file of this subject: readable, and one of its own for each subject and version of the format.
    pub(super) fn path(&self, folder: &Path) -> PathBuf {
        let mut hasher = Xxh3::new();
        let version = super::file::VERSION.to_string();
        let parts = [
            version.as_str(),
            &self.tunable,
            &self.hash,
            self.device.as_str(),
            &self.driver,
        ];
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        folder.join(format!(
            "{}-{}-{:016x}.json",
            safe(&self.tunable),
            safe(self.device.as_str()),
            hasher.digest()
        ))
    }
}

/// A beginning of a text, as every file system takes it.
fn safe(text: &str) -> String {
    const LONGEST: usize = 48;
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(LONGEST);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(tunable: &str, hash: &str, device: &str, driver: &str) -> PathBuf {
        let device = DeviceKey::new(device.to_string());
        let [tunable, hash, driver] = [tunable, hash, driver].map(|text| text.to_string());
        let name = Name {
            tunable,
            device,
            driver,
            hash,
        };
        name.path(Path::new(""))
    }

    #[test]
    fn file_names_are_readable_and_safe() {
        let path = name("f32::gemm", "ab", "NVIDIA H200 (sm_90)", "570.1");
        let text = path.to_str().unwrap();
        assert!(text.starts_with("f32-gemm-NVIDIA-H200-sm_90-"), "{text}");
        for odd in [
            "../../etc/passwd",
            "a\0b",
            "größe",
            "",
            "CON:",
            &"x/".repeat(300),
        ] {
            let path = name(odd, "ab", odd, odd);
            let text = path.to_str().unwrap();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            assert!(text.chars().all(plain), "{text}");
            assert!(!text.starts_with('.') && text.len() < 128, "{text}");
        }
    }

    #[test]
    fn each_subject_has_its_own_file() {
        let first = name("gemm", "ab", "a", "1");
        assert_eq!(first, name("gemm", "ab", "a", "1"));
        for other in [
            name("gemv", "ab", "a", "1"),
            name("gemm", "ac", "a", "1"),
            name("gemm", "ab", "b", "1"),
            name("gemm", "ab", "a", "2"),
            name("gemm", "ab", "a1", ""),
            name("gemm", "ab", "(a)", "1"),
        ] {
            assert_ne!(first, other);
        }
    }
}
