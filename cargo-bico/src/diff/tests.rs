use super::*;
use crate::adopt::tests::house::{House, cpu};
use bico_build::compile::Hash;
use bico_build::lock::{Value, Verified};

/// A lock with results at these sizes.
fn lock(sizes: &[i64]) -> Lock {
    let house = House::new();
    for n in sizes {
        let problem = format!("alpha=1.0, n={n}");
        house.tuned(&cpu(8), &problem, 4, Verified::Reference);
    }
    house.lock().unwrap_or_default()
}

/// Changes the result at a size.
fn edit(lock: &mut Lock, n: i64, change: impl FnOnce(&mut Entry)) {
    let device = cpu(8).key();
    let kernel = lock.kernels.get_mut("scale").unwrap();
    let problems = kernel.get_mut(&device).unwrap();
    change(
        problems
            .get_mut(format!("alpha=1.0, n={n}").as_str())
            .unwrap(),
    );
}

fn timed(entry: &mut Entry, tile: i64, ms: [f64; 3]) {
    let [low, median, high] = ms.map(|ms| ms * 1e-3);
    entry.winner.config = [("TILE".to_string(), Value::Int(tile))]
        .into_iter()
        .collect();
    (entry.winner.seconds, entry.interval) = (median, [low, high]);
}

/// Results at 64 that stay, at 100 with another winner, at 128 with another kernel, at 256 within noise, and one that comes and
/// one that goes.
fn changed() -> (Lock, Lock) {
    let (mut old, mut new) = (
        lock(&[64, 100, 128, 256, 300]),
        lock(&[64, 100, 128, 256, 512]),
    );
    edit(&mut old, 100, |entry| timed(entry, 4, [1.9, 2.0, 2.1]));
    edit(&mut new, 100, |entry| timed(entry, 8, [1.4, 1.5, 1.6]));
    edit(&mut new, 128, |entry| entry.hashes.source = Hash(7));
    edit(&mut old, 256, |entry| timed(entry, 4, [1.9, 2.0, 2.1]));
    edit(&mut new, 256, |entry| timed(entry, 2, [2.0, 2.05, 2.1]));
    edit(&mut new, 300 + 212, |entry| {
        entry.timed = Some("median, 95 %".to_string())
    });
    (old, new)
}

const TEXT: &str = "\
scale on AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)

problem                config  time     interval            verdict
alpha=1.0, n=100  old  TILE=4  2.00 ms  1.90 ms to 2.10 ms  another winner, 25.0 % less time
                  new  TILE=8  1.50 ms  1.40 ms to 1.60 ms
alpha=1.0, n=128  old  TILE=4  1.00 ms  1.00 ms to 1.00 ms  the same winner, the same time; changed: source
                  new  TILE=4  1.00 ms  1.00 ms to 1.00 ms
alpha=1.0, n=256  old  TILE=4  2.00 ms  1.90 ms to 2.10 ms  another winner, 2.5 % more time (within noise)
                  new  TILE=2  2.05 ms  2.00 ms to 2.10 ms
alpha=1.0, n=300  old  TILE=4  1.00 ms  1.00 ms to 1.00 ms  removed
alpha=1.0, n=512  new  TILE=4  1.00 ms  1.00 ms to 1.00 ms  added

2 with another winner, 1 with the same winner, 1 added, 1 removed, 1 unchanged
";

#[test]
fn what_a_retune_changed() {
    let (old, new) = changed();
    let (changes, same) = diff(&old, &new);
    assert_eq!(for_people(&changes, same), TEXT);
    let noise = |n: &str| {
        let change = changes.iter().find(|change| change.problem.ends_with(n));
        change.unwrap().within_noise
    };
    let noise = ["n=100", "n=128", "n=256", "n=300"].map(noise);
    assert_eq!(noise, [Some(false), Some(true), Some(true), None]);
    assert_eq!(diff(&new, &new), (Vec::new(), 5));
    assert_eq!(for_people(&[], 5), "5 unchanged\n");
}

#[test]
fn times_of_another_kind_are_not_compared() {
    let (old, mut new) = (lock(&[64]), lock(&[64]));
    edit(&mut new, 64, |entry| {
        timed(entry, 4, [0.4, 0.5, 0.6]);
        entry.timed = Some("median, 95 %, warm".to_string());
    });
    let (changes, same) = diff(&old, &new);
    assert_eq!((changes[0].within_noise, same), (None, 0));
    let text = for_people(&changes, same);
    assert!(
        text.contains("the same winner, times of another kind\n"),
        "{text}"
    );
}

#[test]
fn a_pull_request_gets_tables() {
    let (old, new) = changed();
    let (changes, same) = diff(&old, &new);
    let text = markdown(&changes[..1], same);
    let expected = "\
**bico.lock**: 1 with another winner, 1 unchanged

**scale** on AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)

| problem | old | new | old time | new time | |
|---|---|---|---|---|---|
| alpha=1.0, n=100 | TILE=4 | TILE=8 | 2.00 ms (1.90 ms to 2.10 ms) | 1.50 ms (1.40 ms to 1.60 ms) | another winner, 25.0 % less time |
";
    assert_eq!(text, expected);
    let mut spoilt = changes[0].clone();
    spoilt.problem = "A=x|y <b>*".to_string();
    let text = markdown(&[spoilt], 0);
    assert!(text.contains("| A=x\\|y \\<b>\\* |"), "{text}");
}

/// A folder with a repository, or without.
fn folder(commands: &[&[&str]]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for arguments in commands {
        let mut git = std::process::Command::new("git");
        let own = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        git.args(own).args(*arguments).current_dir(folder.path());
        let output = git.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    folder
}

fn said(folder: &tempfile::TempDir, of: &str) -> String {
    earlier(folder.path(), of).err().unwrap().to_string()
}

#[test]
fn revisions_that_there_are_not() {
    let commit: &[&str] = &["commit", "-q", "--allow-empty", "-m", "one"];
    let with = folder(&[&["init", "-q"], commit]);
    let unknown = said(&with, "v1");
    assert!(
        unknown.starts_with("git knows no revision `v1` here, and there is no such file"),
        "{unknown}"
    );
    // The one before the first tuning.
    let empty = earlier(with.path(), "HEAD").unwrap();
    assert!(empty.kernels.keys().next().is_none());
    assert_eq!(
        said(&with, "--all"),
        "`--all` is neither a file nor a revision"
    );
    let without = said(&folder(&[]), "HEAD");
    assert!(
        without.starts_with("there is no revision `HEAD` without a git repository: fatal: "),
        "{without}"
    );
}

#[test]
fn the_lock_of_a_revision_and_of_a_file() {
    let folder = folder(&[&["init", "-q"]]);
    let lock = lock(&[64]);
    let text = bico_build::lock::to_text(&lock).unwrap();
    let package = folder.path().join("package");
    std::fs::create_dir(&package).unwrap();
    let path = package.join("bico.lock");
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        let own = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        git.args(own).args(arguments).current_dir(&package);
        assert!(git.output().unwrap().status.success());
    };
    for content in [text.as_str(), "{\n<<<<<<< ours\n"] {
        std::fs::write(&path, content).unwrap();
        git(&["add", "bico.lock"]);
        git(&["commit", "-q", "-m", "a lock"]);
    }
    let (changes, same) = diff(&earlier(&package, "HEAD~").unwrap(), &lock);
    assert_eq!((changes.len(), same), (0, 1));
    let error = earlier(&package, "HEAD").err().unwrap().to_string();
    assert!(error.contains("HEAD:bico.lock:2:"), "{error}");
    let file = folder.path().join("old.lock");
    std::fs::write(&file, text).unwrap();
    let (changes, _) = diff(&earlier(&package, &file.to_string_lossy()).unwrap(), &lock);
    assert!(changes.is_empty());
}
