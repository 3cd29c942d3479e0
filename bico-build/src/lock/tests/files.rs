//! The file: written when it must be, whole, by several at once.

use super::*;
use std::time::{Duration, SystemTime};

#[test]
fn damaged_files_have_a_line_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    std::fs::write(&path, b"{\n \"d\xff\": 1}").unwrap();
    let error = load(&path).unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.place.line, error.place.column),
        ("the lock is not valid UTF-8", 2, 4)
    );
    std::fs::remove_file(&path).unwrap();
    assert!(load(&path).unwrap().is_none());
    std::fs::create_dir(&path).unwrap();
    assert!(
        load(&path)
            .unwrap_err()
            .message
            .starts_with("the lock cannot be read: ")
    );
}

#[test]
fn a_lock_is_written_only_when_it_changes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let (lock, written) = modify(&path, Some(time), |lock| *lock = sample()).unwrap();
    assert!(written);
    // What modify gives is what the file says: times are rounded.
    assert_eq!(load(&path).unwrap().unwrap(), lock);
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), time);

    // One state in another layout is left alone.
    let loose = SAMPLE.replace("  ", " ");
    std::fs::write(&path, &loose).unwrap();
    assert!(
        !modify(&path, Some(time), |lock| *lock = sample())
            .unwrap()
            .1
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), loose);
    let names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["bico.lock"]);
}

#[test]
fn a_faulty_lock_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    std::fs::write(&path, "<<<<<<< HEAD\n").unwrap();
    let error = modify(&path, None, |lock| *lock = sample()).unwrap_err();
    assert!(error.to_string().contains("git checkout --ours"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "<<<<<<< HEAD\n");
    std::fs::remove_file(&path).unwrap();
    let error = modify(&path, None, |lock| with(lock, "a b", "n=1", entry())).unwrap_err();
    assert!(
        error
            .message
            .starts_with("the lock cannot hold this: `a b`"),
        "{error}"
    );
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn permissions_and_links_survive() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("real.lock"), dir.path().join("bico.lock"));
    modify(&real, None, |lock| *lock = sample()).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    modify(&link, None, |lock| with(lock, "conv", "n=1", entry())).unwrap();
    assert!(link.is_symlink());
    assert_eq!(
        std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(load(&real).unwrap().unwrap().kernels.len(), 2);
}

#[test]
fn several_writers_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    // Left behind by a build that was killed.
    std::fs::write(dir.path().join(".bico.lock.tmp"), "{").unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..5 {
                    let problem = format!("n={}", 10 * writer + number);
                    modify(path, None, |lock| with(lock, "gemm", &problem, entry())).unwrap();
                    load(path).unwrap().unwrap();
                }
            });
        }
    });
    assert_eq!(
        load(&path).unwrap().unwrap().kernels["gemm"][DEVICE].len(),
        20
    );
}

#[test]
fn what_is_no_lock_is_overwritten_only_when_that_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bico.lock");
    std::fs::write(&path, "<<<<<<< HEAD\n").unwrap();
    assert_eq!(read_text(&path).unwrap().unwrap(), "<<<<<<< HEAD\n");
    overwrite(&path, &sample()).unwrap();
    assert_eq!(read_text(&path).unwrap().unwrap(), SAMPLE);
    // What no lock can hold leaves it as it is.
    let mut bad = sample();
    bad.devices = Map::default();
    let error = overwrite(&path, &bad).unwrap_err();
    assert!(error.message.starts_with("the lock cannot hold this: "));
    assert_eq!(read_text(&path).unwrap().unwrap(), SAMPLE);
}
