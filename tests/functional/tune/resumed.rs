//! A run that was cut goes on where it was.

use crate::harness::process::{MARK, marked, wait_for};
use crate::harness::{Call, Package};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Configs of the space, and of those as many as are measured.
const CONFIGS: u32 = 20;
const BUDGET: u32 = 14;

/// A kernel on the host driver, which tells exact times: whatever the clock says, each run of the same search is the same.
fn scripted(name: &str) -> Package {
    let package = Package::cuda(name);
    let kernel = "__global__ void work(float *y, const float *x, unsigned n)\n{\n    unsigned i = blockIdx.x * 32 + threadIdx.x;\n    if (i < n)\n        y[i] = 2 * x[i] + SPIN - SPIN;\n}\n\
        __global__ void plain(float *y, const float *x, unsigned n)\n{\n    unsigned i = blockIdx.x * 32 + threadIdx.x;\n    if (i < n)\n        y[i] = 2 * x[i];\n}\n";
    package.file("kernels/work.cu", kernel);
    let main = format!(
        "use bico::cudarc::driver::{{CudaSlice, CudaStream}};\nuse std::sync::Arc;\n\
         #[bico::tunable(source = \"kernels/work.cu\", entry = \"work\", space(SPIN in 0..{CONFIGS}),\n\
         launch(grid = n.div_ceil(32), block = 32), problem(n = 64), problem(n = 96), score = (SPIN * 7) % {CONFIGS},\n\
         verify(reference = \"plain\", launch(grid = n.div_ceil(32), block = 32)), measure(cache = warm),\n\
         budget(evaluations = {BUDGET}, seconds = 600))]\n\
         pub fn work(stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, #[len(n)] x: &CudaSlice<f32>, n: u32) -> bico::Result<()>;\n\
         fn main() {{}}\n"
    );
    package.file("src/main.rs", &main);
    package
}

/// A compiler that waits when the trail has so many rows, as long as the file `hold` is there.
fn compiler(package: &Package, named: &str, rows: usize) -> (PathBuf, PathBuf) {
    let folder = package.folder();
    let (script, hold) = (folder.join("compiler"), folder.join("hold"));
    let text = format!(
        "#!/bin/sh\nwhile [ -e '{}' ] && [ $(cat '{}' | wc -l) -ge {rows} ]; do sleep 0.02; done\nexec {named} \"$@\"\n",
        hold.display(),
        package.trail_file("work").display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    (script, hold)
}

fn tune(package: &Package, args: &[&str]) -> Call {
    let time = |spin: u32| {
        format!(
            "SPIN={spin}={}",
            1.0 + f64::from((spin * 13) % CONFIGS) / 8.0
        )
    };
    let times: Vec<String> = (0..CONFIGS).map(time).collect();
    package
        .command(&[&["tune"], args].concat())
        .env("BICO_HOST_TIMES", times.join(";"))
}

/// Rows without what the clock has to say.
pub(crate) fn timeless(package: &Package) -> Vec<Value> {
    let mut rows = package.trail("work");
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        row.remove("spent");
        row.remove("costs");
        row.remove("compiler");
    }
    rows
}

/// Starts a run with this compiler, and kills it with -9 when its search has made so many trials; gives the trail's text.
fn kill(package: &Package, run: Call, variable: &str, named: &str, count: usize) -> String {
    let (script, hold) = compiler(package, named, count);
    std::fs::write(&hold, "").unwrap();
    let mut child = run.env(variable, script).spawn();
    let trail = package.trail_file("work");
    let rows = || std::fs::read_to_string(&trail).unwrap_or_default();
    wait_for("some trials", || {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        rows().lines().count() >= count
    });
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(hold).unwrap();
    rows()
}

/// The same for the scripted package.
fn kill_scripted(package: &Package) -> String {
    kill(package, tune(package, &[]), "BICO_HOST_CXX", "g++", 3)
}

/// GPUs of two kinds are tuned at once: whichever is faster, and wherever the run was cut, each has the trail that it would
/// have alone.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn of_two_kinds_at_once_each_goes_on() {
    let both = "A100,H100";
    let (undisturbed, cut) = (scripted("resumed"), scripted("resumed"));
    let by_device = |package: &Package| {
        let mut rows = timeless(package);
        // In the order in which they were written for each.
        rows.sort_by_key(|row| row["device"].to_string());
        rows
    };
    let output = tune(&undisturbed, &[]).gpus(both, "").run().ok();
    output
        .says("work (n=64) on NVIDIA A100")
        .says("  NVIDIA H100 80GB HBM3 (sm_90): 1/14")
        .says("NVIDIA H100 80GB HBM3 (sm_90): tuned 1 kernel in 2 searches");
    let rows = by_device(&undisturbed);
    let (a100, h100) = rows.split_at(rows.len() / 2);
    measured_once(a100);
    measured_once(h100);
    // Both were at it at the same time.
    let written = timeless(&undisturbed);
    let mut turns = written
        .windows(2)
        .filter(|of| of[0]["device"] != of[1]["device"]);
    assert!(turns.nth(1).is_some(), "{written:#?}");
    let table = |name: &str| {
        let path = undisturbed.trail_file("work").with_extension(name);
        std::fs::read_to_string(path).unwrap()
    };
    assert_eq!(
        table("ranked.csv").lines().count(),
        1 + 4 * CONFIGS as usize
    );
    assert_eq!(table("ranked.csv").matches("problem").count(), 1);
    assert_eq!(table("guarantee.csv").matches("problem").count(), 1);

    let run = tune(&cut, &[]).gpus(both, "");
    let before = kill(&cut, run, "BICO_HOST_CXX", "g++", 6);
    assert!(before.lines().count() < 2 * BUDGET as usize, "{before}");
    let output = tune(&cut, &[]).gpus(both, "").run().ok();
    output.says("of them known from a search that was cut");
    assert_eq!(by_device(&cut), rows);
    assert_eq!(cut.read("bico.lock"), undisturbed.read("bico.lock"));
}

/// Every config but the finalists is measured once for each problem.
fn measured_once(rows: &[Value]) {
    let trials = rows.iter().filter(|row| row["kind"] != "final");
    let mut seen: Vec<String> = trials
        .map(|row| format!("{} {}", row["problem"], row["config"]))
        .collect();
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((seen.len(), count), (count, 2 * BUDGET as usize));
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn kill_9_and_it_ends_as_if_undisturbed() {
    let (undisturbed, cut) = (scripted("resumed"), scripted("resumed"));
    tune(&undisturbed, &[]).run().ok().says_nothing_of("known");
    measured_once(&timeless(&undisturbed));

    let before = kill_scripted(&cut);
    assert!(before.lines().count() < BUDGET as usize, "{before}");
    // Somebody pulled the plug in the middle of a row.
    let half = &before[..before.len() / before.lines().count() / 2];
    std::fs::write(cut.trail_file("work"), before.clone() + half).unwrap();
    let known = before.lines().count();
    tune(&cut, &[])
        .run()
        .ok()
        .says(&format!("{known} of them known from a search that was cut"));
    // To the last digit: what was measured was taken over, and not measured again.
    let after = std::fs::read_to_string(cut.trail_file("work")).unwrap();
    assert!(after.starts_with(&before), "{before}\n{after}");
    assert_eq!(timeless(&cut), timeless(&undisturbed));
    assert_eq!(cut.read("bico.lock"), undisturbed.read("bico.lock"));
    // Nothing is left to go on with.
    let folder = cut.trail_file("work").parent().unwrap().to_path_buf();
    let left = std::fs::read_dir(&folder).unwrap();
    let mut left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!left.any(|name| name == "unfinished" || name.ends_with(".tmp")));
    tune(&cut, &[])
        .run()
        .ok()
        .says("2 results are fresh, and stay");
}

/// What a run that was forced had done before it was cut is not done again by the next one, and by that after it.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_forced_run_goes_on_too() {
    let package = scripted("forced");
    tune(&package, &[]).run().ok();
    let first = package.trail("work");
    // All compilers' work is cached: the second problem's search is cut by hand.
    tune(&package, &["--force"]).run().ok();
    let forced = package.trail("work");
    assert_ne!(first, forced);
    let text = std::fs::read_to_string(package.trail_file("work")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let second = lines
        .iter()
        .position(|line| line.contains("\"n=96\""))
        .unwrap();
    let cut = lines[..second + 4].concat();
    std::fs::write(package.trail_file("work"), &cut).unwrap();
    let unfinished = package.trail_file("work").with_file_name("unfinished");
    assert!(!unfinished.exists());
    // As a run leaves it that is killed there. Its identities are those that a killed one wrote.
    let killed = scripted("forced");
    let before = kill_scripted(&killed);
    assert!(!before.is_empty());
    let note =
        std::fs::read_to_string(killed.trail_file("work").with_file_name("unfinished")).unwrap();
    let begun = note.trim_end();
    assert!(
        begun.starts_with("begun ") && begun.contains(" work (n=64) on "),
        "{note}"
    );
    let over = begun.replacen("begun", "over", 1);
    let next = begun.replace("(n=64)", "(n=96)");
    std::fs::write(&unfinished, format!("{over}\n{next}\n")).unwrap();
    tune(&package, &["--force"])
        .run()
        .ok()
        .says("work (n=64): kept, from the run that was cut after it")
        .says("4 of them known from a search that was cut");
    let after = std::fs::read_to_string(package.trail_file("work")).unwrap();
    assert!(after.starts_with(&cut), "{cut}\n{after}");
    assert!(!unfinished.exists());
    // It is over: whoever forces it now gets it.
    tune(&package, &["--force"])
        .run()
        .ok()
        .says_nothing_of("kept, ");
    // Another source has nothing of this.
    std::fs::write(&unfinished, format!("{begun}\n{next}\n")).unwrap();
    package.edit("kernels/work.cu", "+ SPIN - SPIN", "+ 2 * SPIN - 2 * SPIN");
    tune(&package, &[]).run().ok().says_nothing_of("known");
}

/// Ctrl-C ends it at once, says that it goes on, and leaves the terminal as it was. A build goes on with it, too.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn interrupted_and_built() {
    let package = Package::work("interrupted");
    let slow = "SPIN in (5000000..=6000000).step_by(50000)";
    package.edit("src/main.rs", "SPIN in [400000, 0, 20000]", slow);
    package.edit(
        "src/main.rs",
        "evaluations = 8, seconds = 20",
        "evaluations = 4, seconds = 60",
    );
    let mark = package.folder().display().to_string();
    let call = package.command_seen(&["tune"], " 1/4").env(MARK, &mark);
    let output = call.run();
    assert_eq!(output.code, Some(130), "{output}");
    let (_, end) = output.stdout.rsplit_once("\x1b[2K").unwrap();
    assert!(
        end.contains("interrupted") && end.contains(": what was measured is kept"),
        "{end:?}"
    );
    assert!(!end.contains('█') && !package.has_lock(), "{end:?}");
    wait_for("its workers to end", || marked(&mark).is_empty());
    let before = std::fs::read_to_string(package.trail_file("work")).unwrap();
    assert!(before.ends_with('\n'), "{before}");
    package.build("auto").ok();
    let after = std::fs::read_to_string(package.trail_file("work")).unwrap();
    assert!(after.starts_with(&before), "{before}\n{after}");
    assert_eq!(
        package
            .trail("work")
            .iter()
            .filter(|row| row["kind"] != "final")
            .count(),
        4
    );
}

/// Without a reference the results of others are gone: what is taken over is verified again, and not timed.
#[test]
fn without_a_reference() {
    let package = Package::work("voted");
    package.edit("src/main.rs", "verify(reference = \"work_reference\"),", "");
    package.edit(
        "src/main.rs",
        "[400000, 0, 20000]",
        "[400000, 0, 20000, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
    );
    package.edit("src/main.rs", "evaluations = 8", "evaluations = 12");
    let right = "y[i] = 2 * x[i] + 1;\n}\n\nvoid work_ref";
    let wrong = right.replace("+ 1;", "+ 1 + (SPIN % 4 == 0);");
    package.edit("kernels/work.c", right, &wrong);
    // The same compiler for both runs: another one would make another search of it.
    let run = || package.command(&["tune"]);
    let before = kill(&package, run(), "CC", "cc", 2);
    let script = package.folder().join("compiler");
    let output = run().env("CC", script).run().ok();
    output.says(" of them known from a search that was cut");
    // What counts in the end is what most say: no multiple of 4, of which two were measured before.
    let spin = package.winner("work")["SPIN"].as_i64().unwrap();
    assert_ne!(spin % 4, 0, "{before}");
    let entries = package.entries("work");
    let entry = entries.as_object().unwrap().values().next().unwrap();
    assert!(
        entry["verified"].as_str().unwrap().starts_with("consensus"),
        "{entry:#}"
    );
}
