//! What do many workers bring, and what does the one that asks them take? Workers that sleep for each trial, and nothing to
//! compile: all that is left is bico's own.

use crate::package::Package;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What the way to a worker and back takes.
const HOP: u64 = 45;
/// Configs that there are: 32 times 64.
const CONFIGS: usize = 2048;
/// The argument with which this program is a worker that sleeps.
pub(crate) const SLEEPER: &str = "sleeper";

const KERNEL: &str = "
#include <stdint.h>
void copy(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] + (A * 64 + B) * 1e-30f;
}
void plain(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i];
}
";

/// How many workers, the milliseconds of the way to them, and those of a trial.
const RUNS: [(usize, u64, u64); 7] = [
    (1, 0, 50),
    (8, 0, 50),
    (1, HOP, 50),
    (8, HOP, 50),
    (64, 0, 50),
    (64, HOP, 50),
    (64, HOP, 500),
];

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let package = Package::new("sleepers", &[("kernels/copy.c", KERNEL)])?;
    // Compiles all that will be asked for: the searches after it find it.
    ask(&package, 64, (0, 10), "sequential", CONFIGS)?;
    if !json {
        println!("workers  way    trial   trials/s  of one  CPU of the parent  ms a trial");
    }
    let (mut rows, mut one) = (Vec::new(), 0.0);
    for (workers, hop, trial) in RUNS {
        // It makes half of them at least.
        let evaluations = match workers {
            1 => 96,
            8 => 512,
            _ => 1536,
        };
        let Asked { rate, cores, each } =
            ask(&package, workers, (hop, trial), "adaptive", evaluations)?;
        if one == 0.0 {
            one = rate * trial as f64;
        }
        let times = rate * trial as f64 / one;
        if !json {
            println!(
                "{workers:7}  {hop:2} ms  {trial:3} ms  {rate:8.1}  {times:6.2}  {cores:17.2}  {each:10.2}"
            );
        }
        rows.push(json!({
            "workers": workers, "hop_ms": hop, "trial_ms": trial, "evaluations": evaluations,
            "trials_per_second": rate, "times_one": times, "parent_cores": cores, "parent_ms_per_trial": each,
        }));
    }
    Ok(json!({ "rows": rows }))
}

/// What came of a search.
struct Asked {
    /// Trials a second, once all workers are at it.
    rate: f64,
    /// Processors that the parent used meanwhile.
    cores: f64,
    /// Its milliseconds for each trial.
    each: f64,
}

fn ask(
    package: &Package,
    workers: usize,
    (hop, trial): (u64, u64),
    strategy: &str,
    evaluations: usize,
) -> Result<Asked, String> {
    let domain = |count: usize| {
        let values: Vec<String> = (0..count).map(|at| at.to_string()).collect();
        values.join(", ")
    };
    let (few, many) = (domain(CONFIGS / 64), domain(64));
    let text = format!(
        "#[bico::tunable(\n    source = \"kernels/copy.c\",\n    space(A in [{few}], B in [{many}]),\n    problem(n = 64),\n    \
         verify(reference = \"plain\"),\n    budget(evaluations = {evaluations}, seconds = 3000, strategy = \"{strategy}\"),\n)]\n\
         pub fn copy(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;\n"
    );
    package.write("src/lib.rs", &text)?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let trail = package.path().join("target/bico/sleepers/copy.jsonl");
    // That of the search before.
    let _ = std::fs::remove_file(&trail);
    let mut child = Command::new(&own)
        .args(["bico", "tune", "--force"])
        .current_dir(package.path())
        .env("BICO_CACHE", "off")
        .env(
            "BICO_WORKERS",
            format!("{workers} x '{}' {SLEEPER} {hop} {trial}", own.display()),
        )
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("BICO")
        .env_remove("CI")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut seen: Vec<(Instant, usize, f64)> = Vec::new();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        let rows = std::fs::read(&trail).unwrap_or_default();
        let count = rows.iter().filter(|byte| **byte == b'\n').count();
        if let Some(cpu) = cpu_seconds(child.id()) {
            seen.push((Instant::now(), count, cpu));
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    if !status.success() {
        let output = child
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    // From when all workers are at it to when `adaptive` might find that it is done.
    let at = |share: f64| {
        seen.iter()
            .find(|(_, count, _)| *count as f64 >= share * evaluations as f64)
    };
    let (Some(from), Some(to)) = (at(0.1), at(0.5)) else {
        return Err(format!(
            "the trail of {} was not seen to grow",
            trail.display()
        ));
    };
    let seconds = (to.0 - from.0).as_secs_f64();
    let (count, cpu) = ((to.1 - from.1) as f64, to.2 - from.2);
    Ok(Asked {
        rate: count / seconds,
        cores: cpu / seconds,
        each: 1000.0 * cpu / count,
    })
}

/// What a process has used of the processors, its children left out.
fn cpu_seconds(id: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let user: f64 = fields.nth(11)?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    // Ticks of a hundredth, on every Linux.
    Some((user + system) / 100.0)
}

/// A worker that sleeps: stands before the program that would be one, and answers in its place.
pub(crate) fn sleep(arguments: &[String]) -> Result<(), String> {
    let milliseconds = |at: usize| arguments.get(at).and_then(|text| text.parse().ok());
    let hop = milliseconds(0).unwrap_or(0);
    let trial = Duration::from_millis(milliseconds(1).unwrap_or(0));
    let half = Duration::from_micros(500 * hop);
    let prefix = "--bico-measuring-worker=";
    let mark = arguments.iter().find_map(|word| word.strip_prefix(prefix));
    let mark = mark
        .ok_or("a sleeper is started by a search only")?
        .to_string();
    // Each message is on its way for half a hop, both ways.
    let (sender, requests) = mpsc::channel::<(Instant, String)>();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send((Instant::now() + half, line)).is_err() {
                return;
            }
        }
        std::process::exit(0);
    });
    let (answers, sending) = mpsc::channel::<(Instant, String)>();
    std::thread::spawn(move || {
        for (due, line) in sending {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let mut output = std::io::stdout().lock();
            let _ = output
                .write_all(line.as_bytes())
                .and_then(|()| output.flush());
        }
    });
    let mut before = 0;
    for (due, line) in requests {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let (number, text) = line.split_once(' ').ok_or("no number")?;
        let request: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let say = |reply: Value| {
            let line = format!("{mark} {number} {reply}\n");
            let _ = answers.send((Instant::now() + half, line));
        };
        let (what, of) = (&request[0], &request[1]);
        let (answer, reply) = match what.as_str().unwrap_or_default() {
            "Hello" => ("Ready", json!({ "machine": "elsewhere", "about": "" })),
            "Reference" => {
                let out = of["out"].as_str().unwrap_or_default();
                std::fs::write(out, [0; 64 * 4]).map_err(|error| error.to_string())?;
                let run = json!({ "seconds": 1e-6, "blank": null, "faint": null });
                ("Referenced", run)
            }
            "Trial" => {
                say(json!(["Progress", "loading", 10.0, null]));
                std::thread::sleep(trial);
                let times = of["timing"]
                    .as_object()
                    .map(|_| times(&of["kernel"], (before - 1).max(0)));
                before += 1;
                ("Tried", json!({ "times": times, "opinion": null }))
            }
            "Finals" => {
                let entrants = of["entrants"].as_array().ok_or("no entrants")?;
                let all = entrants
                    .iter()
                    .map(|of| json!(["ok", times(&of["kernel"], 0)]));
                say(json!(["Finals", all.collect::<Vec<_>>()]));
                continue;
            }
            "Soak" => ("Soaked", json!({ "calls": 1, "alike": true })),
            other => return Err(format!("nobody sleeps for {other}")),
        };
        say(json!([answer, ["ok", reply]]));
    }
    Ok(())
}

/// Times that depend on the kernel, and get shorter from one to the next: a search that finds nothing better would end early.
fn times(kernel: &Value, before: i32) -> Value {
    let path = kernel["path"].as_str().unwrap_or_default();
    let mixed = path.bytes().fold(7u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let seconds = 1e-3 * (1.0 + (mixed % 1000) as f64 / 1000.0) * 0.97f64.powi(before);
    let sample = json!({
        "seconds": seconds, "low": 0.99 * seconds, "high": 1.01 * seconds, "confidence": 0.95, "decile": seconds, "runs": 9,
        "caches": "Warm", "cut": false, "throttled": false, "conditions": null, "rounds": [],
    });
    json!({ "sample": sample, "disturbed": 0 })
}
