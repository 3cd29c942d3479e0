//! `cargo bico check --perf`.

use crate::Error;
use crate::check::perf::{Perf, Verdict, perf};
use crate::out::{line, out};
use bico_build::env::Env;
use bico_build::scan::scan;

/// By what share winners may become slower where the package says nothing of it.
const BUDGET: f64 = 0.05;

pub(super) fn run(env: &Env, only: &[String], json: bool) -> Result<(), Error> {
    let limits = scan(env).limits.map_err(Error::work)?;
    let budget = limits.perf.unwrap_or(BUDGET);
    let mut results: Vec<Perf> = Vec::new();
    let mut written = Ok(());
    let ended = perf(env, only, budget, &mut |result| {
        if !json && written.is_ok() {
            written = line(&text(&result));
        }
        results.push(result);
    });
    if json {
        let text = serde_json::to_string_pretty(&results).map_err(Error::work)?;
        out(&(text + "\n"))?;
    }
    ended?;
    written?;
    verdict(&results, budget)
}

fn text(result: &Perf) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let name = format!(
        "{} ({}) on {}",
        result.tunable, result.problem, result.device
    );
    let said = match (result.verdict, &result.note) {
        (_, Some(note)) => return format!("{name}: undecided, {note}"),
        (Verdict::Fine, _) => "fine",
        (Verdict::Slower, _) => "SLOWER",
        (Verdict::Undecided, _) => "undecided",
    };
    let to = match result.to {
        Some("reference") => "the reference's time",
        _ => "the time of the default, or the first config",
    };
    let of = |share: Option<f64>| share.unwrap_or(f64::NAN);
    let (now, kept) = (of(result.now), of(result.kept));
    let change = percent(now / kept - 1.0);
    let (config, noise) = (&result.config, percent(of(result.noise)));
    format!(
        "{name}: {said}, {config} takes {now:.4} of {to}, was {kept:.4} ({change}; noise {noise})"
    )
}

/// What the command says in the end, if it does not pass.
fn verdict(results: &[Perf], budget: f64) -> Result<(), Error> {
    let names = |of: Verdict| {
        let names = results.iter().filter(|result| result.verdict == of);
        let names = names.map(|result| format!("{} ({})", result.tunable, result.problem));
        names.collect::<Vec<_>>().join(", ")
    };
    let (slower, undecided) = (names(Verdict::Slower), names(Verdict::Undecided));
    if results.is_empty() {
        let error = Error::work("bico.lock has no result for a device of this machine");
        return Err(error.help("`cargo bico status` says which devices it knows"));
    }
    if !slower.is_empty() {
        let percent = 100.0 * budget;
        let error = Error::Work(format!(
            "slower by more than {percent} % and noise: {slower}"
        ));
        return Err(error.help(
            "what changed that no hash covers: a library, a compiler, a driver? `cargo bico tune` looks for a better config",
        ));
    }
    if !undecided.is_empty() {
        return Err(Error::Undecided(format!("undecided: {undecided}"))
            .help("run it where nothing else does; the lines above say what else is missing"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(verdict: Verdict) -> Perf {
        Perf {
            tunable: "gemm".into(),
            device: "a CPU".into(),
            problem: "n=8".into(),
            config: "TILE=4".into(),
            to: Some("reference"),
            kept: Some(0.5),
            now: Some(0.55),
            interval: Some([0.54, 0.56]),
            noise: Some(0.004),
            verdict,
            note: None,
            seconds: 1.0,
        }
    }

    #[test]
    fn one_line_each_and_a_status_for_each_end() {
        assert_eq!(
            text(&result(Verdict::Slower)),
            "gemm (n=8) on a CPU: SLOWER, TILE=4 takes 0.5500 of the reference's time, was 0.5000 (10.0 %; noise 0.4 %)"
        );
        let stale = Perf {
            note: Some("its entry is stale (changed: source): tune it".into()),
            ..result(Verdict::Undecided)
        };
        assert!(
            text(&stale).ends_with(": undecided, its entry is stale (changed: source): tune it")
        );
        let ends = |verdicts: &[Verdict]| {
            let results: Vec<Perf> = verdicts.iter().map(|of| result(*of)).collect();
            verdict(&results, 0.05)
        };
        assert_eq!(ends(&[Verdict::Fine]), Ok(()));
        let slower = ends(&[Verdict::Fine, Verdict::Undecided, Verdict::Slower]).unwrap_err();
        assert!(
            matches!(&slower, Error::Work(text) if text.starts_with("slower by more than 5 % and noise: gemm (n=8)\n"))
        );
        let undecided = ends(&[Verdict::Fine, Verdict::Undecided]).unwrap_err();
        assert!(matches!(undecided, Error::Undecided(_)));
        assert!(matches!(ends(&[]), Err(Error::Work(_))));
    }
}
