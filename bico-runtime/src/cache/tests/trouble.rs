//! Folders and disks that take nothing: told once, in a process that has not told of it yet.

use super::processes::{command, succeeds};
use super::*;
use std::process::Command;

/// In a started process: nothing can be kept, calls go on, and there is one line.
pub(super) fn expect(says: &str) {
    logger::start();
    for bucket in [4, 4, 5] {
        for (name, facts) in [on(cpu()), on(gpu())] {
            let memory = Memory::open(name, facts).unwrap();
            assert!(memory.records.is_empty());
            for _ in 0..3 {
                assert!(memory.save(&record(bucket, None, &[arm(1, 3, -9.0, 0.0)])));
            }
        }
    }
    assert!(crate::learned().is_empty());
    let lines = logger::lines("");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("WARN "), "{lines:?}");
    assert!(lines[0].contains("what was learned cannot be kept: "));
    assert!(lines[0].contains(says), "{lines:?}");
}

#[test]
fn a_folder_that_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    succeeds(command("trouble learned", &file).spawn().unwrap());
    let below = file.join("deeper");
    succeeds(command("trouble deeper", &below).spawn().unwrap());
}

/// Whoever may write anywhere (root) cannot be refused by permissions; the kernel's own file systems
/// refuse everybody.
#[test]
#[cfg(target_os = "linux")]
fn a_read_only_folder() {
    use std::os::unix::fs::PermissionsExt;
    succeeds(command("trouble proc", Path::new("/proc")).spawn().unwrap());
    for made in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let locked = match made {
            true => folder.path().join("learned"),
            false => folder.path().to_path_buf(),
        };
        std::fs::create_dir_all(&locked).unwrap();
        let allow = |mode: u32| {
            std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        allow(0o555);
        if std::fs::write(locked.join("probe"), "").is_err() {
            succeeds(command("trouble denied", folder.path()).spawn().unwrap());
        }
        allow(0o755);
    }
}

/// A limit on the size of files stands in for a full disk: opening works, writing does not.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let cache = tempfile::tempdir().unwrap();
    let child = command("trouble large", cache.path());
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
        .arg(child.get_program())
        .args(child.get_args())
        .envs(
            child
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    succeeds(limited.spawn().unwrap());
    // No half of a file is left.
    let left = std::fs::read_dir(cache.path().join("learned")).unwrap();
    let names: Vec<String> = left
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.iter().all(|name| name.ends_with(".lock")),
        "{names:?}"
    );
    assert_eq!(names.len(), 2);
}
