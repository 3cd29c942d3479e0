//! `BICO_CAPTURE`: what real programs leave, by threads and processes at once, and however they end.

use super::STAGE;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// A process that captures.
fn start(file: &Path, tunable: &str, steps: &[&str]) -> Child {
    scene(file, tunable, steps).spawn().unwrap()
}

fn scene(file: &Path, tunable: &str, steps: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scene"));
    command.arg(tunable).args(steps);
    command.env("BICO_CACHE", "off").env("BICO_CAPTURE", file);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a process said on stderr; it has succeeded.
fn end(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Calls and nanoseconds by what was called, summed as whoever reads sums them.
fn counts(file: &Path) -> BTreeMap<String, (u64, u64)> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("bico capture 1"));
    let mut counts = BTreeMap::<String, (u64, u64)>::new();
    for line in lines {
        let (calls, rest) = line.split_once(' ').unwrap();
        let (nanoseconds, what) = rest.split_once(' ').unwrap();
        assert_eq!((calls.len(), nanoseconds.len()), (20, 20), "{line}");
        let of = counts.entry(what.to_string()).or_default();
        of.0 += calls.parse::<u64>().unwrap();
        of.1 += nanoseconds.parse::<u64>().unwrap();
    }
    counts
}

#[test]
fn eight_threads_of_three_processes_are_counted_exactly() {
    let _stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls");
    let steps = ["threads:8:64:250", "threads:8:100:125", "call:16384:3"];
    let running = ["known", "known", "spin"].map(|tunable| start(&file, tunable, &steps));
    for child in running {
        assert_eq!(end(child), "");
    }
    let counts = counts(&file);
    let calls: Vec<(&str, u64)> = counts.iter().map(|(what, of)| (&**what, of.0)).collect();
    let expected = [
        ("bico-learning-tests known n=100", 2 * 8 * 125),
        ("bico-learning-tests known n=16384", 2 * 3),
        ("bico-learning-tests known n=64", 2 * 8 * 250),
        ("bico-learning-tests spin n=100", 8 * 125),
        ("bico-learning-tests spin n=16384", 3),
        ("bico-learning-tests spin n=64", 8 * 250),
    ];
    assert_eq!(calls, expected);
    assert!(
        counts
            .values()
            .all(|(calls, nanoseconds)| nanoseconds > calls)
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_killed_process_leaves_what_it_counted_and_others_go_on() {
    let _stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls");
    let mut child = start(&file, "known", &["call:64:20", "threads:4:100:4000000000"]);
    let deadline = Instant::now() + Duration::from_secs(60);
    let busy = || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let line = text.lines().find(|line| line.ends_with("n=100"));
        line.is_some_and(|line| line[..20].parse::<u64>().unwrap() > 100)
    };
    while !busy() {
        assert!(Instant::now() < deadline, "it captures nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = counts(&file);
    assert_eq!(before["bico-learning-tests known n=64"].0, 20);
    // As if it had been killed within a line.
    let mut text = std::fs::read_to_string(&file).unwrap();
    text += "00000000000000000001 0000000";
    std::fs::write(&file, &text).unwrap();
    assert_eq!(end(start(&file, "known", &["call:64:5"])), "");
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&(text + "\n")), "{after}");
    let last = after.lines().last().unwrap();
    assert!(
        last.starts_with("00000000000000000005 ") && last.ends_with(" known n=64"),
        "{last}"
    );
}

#[test]
fn what_the_first_call_of_each_size_reads_is_kept_once() {
    let _stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls");
    let data = folder.path().join("calls.data");
    assert_eq!(end(start(&file, "known", &["call:64:2"])), "");
    assert!(!data.exists());
    for _ in 0..2 {
        let mut command = scene(&file, "known", &["threads:4:64:20", "call:3:1"]);
        assert_eq!(
            end(command.env("BICO_CAPTURE_DATA", "1").spawn().unwrap()),
            ""
        );
    }
    let mut names: Vec<_> = std::fs::read_dir(&data)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // Nothing of the output, which the kernel does not read.
    assert_eq!(names, ["known,n=3,input.npy", "known,n=64,input.npy"]);
    let array = std::fs::read(data.join(&names[0])).unwrap();
    assert!(array.starts_with(b"\x93NUMPY\x01\x00"));
    let (head, numbers) = array.split_at(128);
    let head = String::from_utf8_lossy(head);
    assert!(
        head.contains("'descr': '<u4', 'fortran_order': False, 'shape': (3,)"),
        "{head}"
    );
    let expected: Vec<u8> = (0..3u32)
        .flat_map(|i| i.wrapping_mul(0x9E37_79B9).to_le_bytes())
        .collect();
    assert_eq!(numbers, expected);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&data.join(&names[0]))), (0o700, 0o600));
    }
}

#[test]
fn no_other_file_is_touched_and_the_program_goes_on() {
    let _stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("notes");
    std::fs::write(&other, "bico capture 2\nmine\n").unwrap();
    let said = end(start(&other, "known", &["call:64:5"]));
    assert!(
        said.contains("warning: BICO_CAPTURE") && said.contains("another file"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(
        std::fs::read_to_string(&other).unwrap(),
        "bico capture 2\nmine\n"
    );
    let said = end(start(folder.path(), "known", &["call:64:5"]));
    assert!(said.contains("no plain file"), "{said}");
    let said = end(start(
        &folder.path().join("no/where"),
        "known",
        &["call:64:5"],
    ));
    assert!(said.contains("calls are not captured in"), "{said}");
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        let target = folder.path().join("target");
        std::fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let said = end(start(&link, "known", &["call:64:5"]));
        assert!(said.contains("no plain file"), "{said}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
    }
}

#[test]
fn more_sizes_than_a_file_should_hold_are_counted_together() {
    let _stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls");
    let steps: Vec<String> = (1..=4200).map(|n| format!("call:{n}:1")).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    assert_eq!(end(start(&file, "known", &steps)), "");
    let counts = counts(&file);
    assert_eq!(counts.len(), 4097);
    assert_eq!(counts["bico-learning-tests known *"].0, 4200 - 4096);
}
