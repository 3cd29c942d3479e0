//! Who measures.

use crate::env::{Env, Workers};
use crate::measure::{Program, Wanted};
use crate::tuner::devices::Target;

/// The workers for a device: one that nobody need tell apart, or all that the user names.
pub(super) fn programs(
    env: &Env,
    target: &Target,
    threads: Option<u64>,
) -> Result<Vec<Program>, String> {
    let started = |of: &Workers| {
        Ok::<_, String>(Program {
            processor: target.processor,
            threads,
            sends: of.sends,
            ..Program::this(of.runner.clone())?
        })
    };
    if env.workers.is_empty() {
        let runner = env.runner.clone();
        return Ok(vec![started(&Workers {
            runner,
            ..Workers::LOCAL
        })?]);
    }
    let mut programs = Vec::new();
    for of in &env.workers {
        let is_local = of.runner.is_empty();
        let count = if is_local { target.local } else { of.count };
        let name = match is_local {
            true => "local".to_string(),
            false => of.runner.join(" "),
        };
        for place in 0..count {
            let name = match count {
                1 => name.clone(),
                _ => format!("{name} #{}", place + 1),
            };
            programs.push(Program {
                name,
                wanted: Some(Wanted {
                    device: target.facts.key().to_string(),
                    place,
                }),
                ..started(of)?
            });
        }
    }
    match programs.is_empty() {
        true => Err(format!("no worker has {}", target.facts.key())),
        false => Ok(programs),
    }
}
