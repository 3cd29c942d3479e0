//! `cargo bico merge`, by hand and as git's merge driver.

use crate::harness::{Call, Output, Package};
use std::path::PathBuf;
use std::process::Command;

/// A repository with a package whose lock is committed.
struct Repository {
    package: Package,
}

impl Repository {
    fn new(name: &str) -> Repository {
        let package = Package::work(name);
        package.command(&["tune"]).run().ok();
        let repository = Repository { package };
        repository.git(&["init", "-q", "-b", "main"]).ok();
        repository.package.file(".gitignore", "target\n");
        repository.commit("first");
        repository
    }

    /// What git calls is `cargo bico`, and cargo looks for `cargo-bico` among the programs.
    fn call(&self, program: &str, args: &[&str]) -> Call {
        let script = "PATH=\"$PROGRAMS:$PATH\" exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, program]).args(args);
        command.current_dir(self.package.root());
        let cache = self.package.folder().join("cache");
        self.package
            .call(command)
            .env("PROGRAMS", self.programs())
            .env("BICO_CACHE", cache)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
    }

    /// A folder with this command under the name that cargo calls.
    fn programs(&self) -> PathBuf {
        let folder = self.package.folder().join("programs");
        let link = folder.join("cargo-bico");
        if !link.exists() {
            std::fs::create_dir_all(&folder).unwrap();
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_command"), link).unwrap();
        }
        folder
    }

    fn git(&self, args: &[&str]) -> Output {
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        self.call("git", &[&who[..], args].concat()).run()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]).ok();
        self.git(&["commit", "-q", "-m", message]).ok();
    }

    fn bico(&self, args: &[&str]) -> Output {
        self.call("cargo", &[&["bico", "merge"], args].concat())
            .run()
    }

    /// The upper end of the winner's interval in the lock.
    fn upper(&self) -> f64 {
        let entries = self.package.entries("work");
        let upper = &entries["n=256"]["winner"]["interval_seconds"][1];
        upper.as_f64().unwrap()
    }

    /// Changes that upper end, as another measurement would.
    fn measure(&self, upper: &str) {
        let lock = self.package.read("bico.lock");
        let (before, after) = lock.split_once("\"interval_seconds\": [").unwrap();
        let after = after.split_once(']').unwrap().1;
        let text = format!("{before}\"interval_seconds\": [0, {upper}]{after}");
        self.package.file("bico.lock", &text);
    }

    /// Two branches with a measurement each: `other`'s with 5 seconds at most, `main`'s, which is checked out, with 7.
    fn diverge(&self) {
        self.git(&["checkout", "-q", "-b", "other"]).ok();
        self.measure("5");
        self.commit("theirs");
        self.git(&["checkout", "-q", "main"]).ok();
        self.measure("7");
        self.commit("ours");
    }
}

#[test]
fn git_merges_by_itself_once_it_is_told_to() {
    let repository = Repository::new("driver");
    repository
        .bico(&["--install"])
        .ok()
        .says("adds the line `bico.lock merge=bico` to ")
        .says("runs `git config merge.bico.driver \"cargo bico merge --driver %O %A %B\"`: each clone needs it");
    assert_eq!(
        repository.package.read(".gitattributes"),
        "bico.lock merge=bico\n"
    );
    let again = repository.bico(&["--install"]).ok();
    again.says(".gitattributes has the line `bico.lock merge=bico`");
    assert_eq!(
        repository.package.read(".gitattributes"),
        "bico.lock merge=bico\n"
    );
    repository.commit("driver");
    repository.diverge();
    let merged = repository.git(&["merge", "other", "-m", "both"]).ok();
    merged
        .says("bico.lock: work (n=256) on ")
        .says(": took theirs: at most 5.00 s, against 7.00 s");
    assert_eq!(repository.upper(), 5.0);
    let status = repository.git(&["status", "--porcelain"]).ok();
    assert_eq!(status.stdout, "");
    // What is merged is a lock that builds take.
    repository.package.build("locked").ok();

    // The side whose kernel changed has its way, though it is slower, for the sources will be its.
    repository.git(&["checkout", "-q", "-b", "kernel"]).ok();
    repository
        .package
        .edit("kernels/work.c", "2 * x[i] + 1", "1 + 2 * x[i]");
    repository.package.command(&["tune"]).run().ok();
    repository.measure("9");
    repository.commit("another kernel");
    repository.git(&["checkout", "-q", "main"]).ok();
    repository.measure("1");
    repository.commit("faster");
    let merged = repository.git(&["merge", "kernel", "-m", "both"]).ok();
    merged.says(": took theirs: only that side changed the kernel");
    assert_eq!(repository.upper(), 9.0);
    repository.package.build("locked").ok();

    // A side that is no lock is a conflict as without the driver.
    repository.git(&["checkout", "-q", "-b", "broken"]).ok();
    repository.package.file("bico.lock", "{\n");
    repository.commit("broken");
    repository.git(&["checkout", "-q", "main"]).ok();
    repository.measure("2");
    repository.commit("whole");
    let conflict = repository.git(&["merge", "broken", "-m", "both"]).fails();
    conflict.says("bico.lock (theirs)").says("CONFLICT");
    assert_eq!(repository.upper(), 2.0);
}

#[test]
fn a_conflict_is_resolved_from_gits_index() {
    let repository = Repository::new("index");
    repository.diverge();
    repository.git(&["merge", "other"]).fails().says("CONFLICT");
    // A build names the way out.
    let build = repository.package.build("auto").fails();
    build
        .says("the lock holds a merge conflict")
        .says("run `cargo bico merge` in the package's folder");
    let merged = repository.bico(&[]).ok();
    merged
        .says(": took theirs: at most 5.00 s, against 7.00 s")
        .says("from git's index: 1 entry, 1 conflict; look at it, then `git add bico.lock`")
        .says("`cargo bico merge --install` lets git do it by itself");
    assert_eq!(repository.upper(), 5.0);
    repository.commit("merged");
    repository.package.build("locked").ok();
    repository
        .bico(&[])
        .fails()
        .says("error: ./bico.lock has no conflict")
        .says("name the locks to merge");
}

/// Which kernel there will be, nobody knows before the sources are merged.
#[test]
fn sources_in_conflict_come_first() {
    let repository = Repository::new("sources");
    let tune = |change: &str, upper: &str| {
        repository
            .package
            .edit("kernels/work.c", "2 * x[i] + 1", change);
        repository.package.command(&["tune"]).run().ok();
        repository.measure(upper);
        repository.commit(change);
    };
    repository.git(&["checkout", "-q", "-b", "other"]).ok();
    tune("1 + 2 * x[i]", "5");
    repository.git(&["checkout", "-q", "main"]).ok();
    tune("x[i] + x[i] + 1", "7");
    repository.git(&["merge", "other"]).fails();
    let before = repository.package.read("bico.lock");
    repository
        .bico(&[])
        .fails()
        .says("error: `kernels/work.c` is in conflict as well")
        .says("mend those first, then run `cargo bico merge` again");
    assert_eq!(repository.package.read("bico.lock"), before);
    // Ours is slower, and what the sources are in the end.
    repository
        .git(&["checkout", "--ours", "kernels/work.c"])
        .ok();
    repository.git(&["add", "kernels/work.c"]).ok();
    repository
        .bico(&[])
        .ok()
        .says(": took ours: its hashes fit the sources");
    assert_eq!(repository.upper(), 7.0);
    repository.package.build("locked").ok();
}

#[test]
fn a_conflict_is_resolved_from_its_marks() {
    let repository = Repository::new("marks");
    repository.diverge();
    repository.git(&["merge", "other"]).fails();
    let marked = repository.package.read("bico.lock");
    // Committed as it is, which git knows nothing about any more.
    repository.commit("careless");
    let merged = repository.bico(&[]).ok();
    merged.says("from the marks in the file: 1 entry, 1 conflict");
    assert_eq!(repository.upper(), 5.0);
    // Marks that were edited.
    repository
        .package
        .file("bico.lock", &marked.replace("=======", ""));
    repository
        .bico(&[])
        .fails()
        .says("the conflict's markers no longer match");
    // A side that is no lock is named, and the file stays.
    let broken = marked.replace("\"version\": 1", "\"version\": 1,");
    repository.package.file("bico.lock", &broken);
    repository.bico(&[]).fails().says("bico.lock (ours):");
    assert_eq!(repository.package.read("bico.lock"), broken);
    std::fs::remove_file(repository.package.root().join("bico.lock")).unwrap();
    repository
        .bico(&[])
        .fails()
        .says("error: there is no ./bico.lock");
}

#[test]
fn a_lock_that_one_side_deleted_is_left_to_people() {
    let repository = Repository::new("deleted");
    repository.git(&["checkout", "-q", "-b", "other"]).ok();
    repository.git(&["rm", "-q", "bico.lock"]).ok();
    repository.commit("theirs");
    repository.git(&["checkout", "-q", "main"]).ok();
    repository.measure("7");
    repository.commit("ours");
    repository.git(&["merge", "other"]).fails();
    let said = repository.bico(&[]).fails();
    said.says("bico.lock was deleted on one side")
        .says("`git rm bico.lock`");
}

#[test]
fn locks_are_merged_by_name() {
    let repository = Repository::new("named");
    let package = &repository.package;
    package.file("a.lock", &package.read("bico.lock"));
    repository.measure("0.5");
    package.file("b.lock", &package.read("bico.lock"));
    // Another problem, and another kernel.
    let other = package.read("bico.lock").replace("\"n=256\"", "\"n=512\"");
    package.file("c.lock", &other);
    let tuned = package.read("a.lock");
    let hash = tuned.split("\"source\": \"").nth(1).unwrap()[..32].to_string();
    let stale = tuned.replace(&hash, &"0".repeat(32));
    package.file("stale.lock", &stale);
    let merged = repository
        .bico(&["a.lock", "b.lock", "c.lock", "-o", "bico.lock"])
        .ok();
    merged
        .says(": took a.lock: at most ")
        .says("wrote bico.lock: 2 entries, 1 conflict");
    let all = package.read("bico.lock");
    // In any order the same bytes, and on stdout where no file is named.
    for order in [
        ["c.lock", "a.lock", "b.lock"],
        ["b.lock", "c.lock", "a.lock"],
    ] {
        assert_eq!(repository.bico(&order).ok().stdout, all);
    }
    // A faulty one is named, with the line.
    package.file("faulty.lock", &tuned.replace("\"budget\"", "\"x\""));
    let faulty = repository.bico(&["b.lock", "faulty.lock"]).fails();
    faulty
        .says("faulty.lock:")
        .says("the field `budget` of an entry is missing");
    // What fits the sources, though the other is faster.
    let fits = repository.bico(&["b.lock", "stale.lock"]).ok();
    fits.says(": took b.lock: its hashes fit the sources");
    // Sources that cannot be read are an error where it depends on them.
    package.edit("src/main.rs", "kernels/work.c", "kernels/none.c");
    let said = repository.bico(&["b.lock", "stale.lock"]).fails();
    said.says("cannot read `kernels/none.c`")
        .says("mend those first, then run `cargo bico merge` again");
    repository.bico(&["a.lock", "b.lock"]).ok();
    // Without sources times alone decide, and it is said.
    std::fs::remove_file(package.root().join("Cargo.toml")).unwrap();
    let said = repository.bico(&["b.lock", "stale.lock"]).ok();
    said.says(": took stale.lock: the kernels differ, and there are no sources to ask; at most ");
    repository
        .bico(&["a.lock"])
        .fails()
        .says("error: there is nothing to merge one lock with: name two or more");
    repository
        .bico(&["a.lock", "none.lock"])
        .fails()
        .says("error: there is no file none.lock");
}

#[test]
fn installing_needs_a_repository() {
    let package = Package::work("no-repository");
    let said = package.command(&["merge", "--install"]).run().fails();
    said.says("is in no git repository, or git is not installed");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(package.root());
        package.call(command).run()
    };
    git(&["init", "-q"]).ok();
    std::fs::create_dir(package.root().join(".gitattributes")).unwrap();
    let said = package.command(&["merge", "--install"]).run().fails();
    said.says("error: cannot read ").says(".gitattributes: ");
    std::fs::remove_dir(package.root().join(".gitattributes")).unwrap();
    let without = package.command(&["merge", "--install"]);
    let said = without.env("PATH", "/usr/bin:/bin").run().ok();
    said.says("warning: there is no `cargo bico` on the PATH: ");
    let help = package.command(&["merge", "--help"]).run().ok();
    help.says("    bico.lock merge=bico\n")
        .says("git config merge.bico.driver \"cargo bico merge --driver %O %A %B\"");
}
