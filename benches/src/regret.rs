//! What does learning at run time cost? Arms of recorded spaces, each GPU left out in turn, and the
//! total time of bico's bandit and of its rivals over that of always calling the best arm.
//!
//! The arms are what a binary carries that was tuned on the *other* GPUs of the same kernel
//! (`candidates`), the winner of the nearest GPU first. A call takes its arm's
//! recorded mean with normal noise. An arm that fails on the GPU left out is gone after one failed launch, which
//! is charged as a call of the best arm, whatever the strategy.

mod candidates;
mod case;
mod ours;
mod play;
mod rivals;
mod table;
mod world;

use crate::spaces;
use serde_json::{Map, Value, json};
use table::Row;

/// Noise where nothing is recorded.
const NOISE: f64 = 0.05;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let options = Options::read(std::env::args().skip(2))?;
    if let Some(worlds) = options.worlds {
        return world::run(worlds, 1, json, true);
    }
    let Some(folder) = spaces::folder() else {
        return Ok(json!({}));
    };
    let recordings = spaces::read(&folder)?;
    let mut object = Map::new();
    for (recorded, key) in [(true, None), (false, Some("noise_5_percent"))] {
        let cases = case::cases(&recordings, recorded);
        if cases.is_empty() {
            return Err(format!(
                "{}: no kernel was recorded on at least 3 GPUs",
                folder.display()
            ));
        }
        let rows: Vec<Row> = rivals::STRATEGIES
            .iter()
            .map(|strategy| Row::new(strategy, &cases, options.seeds))
            .collect();
        if !json {
            let noise = if recorded {
                "noise as recorded, 5 % where it is not"
            } else {
                "noise of 5 % everywhere"
            };
            println!("{} cases, {} seeds, {noise}\n", cases.len(), options.seeds);
            print!("{}", table::display(&rows, &cases));
        }
        let found = table::object(&rows, &cases);
        match key {
            None => object.extend(found),
            Some(key) => {
                object.insert(key.into(), found.into());
            }
        }
    }
    Ok(object.into())
}

struct Options {
    seeds: u64,
    worlds: Option<u64>,
}

impl Options {
    /// Reads `--seeds N` and `--worlds N`: invented worlds in place of recorded ones.
    fn read(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            seeds: 50,
            worlds: None,
        };
        let mut arguments = arguments.filter(|argument| argument != "--json");
        while let Some(option) = arguments.next() {
            let number = arguments.next().and_then(|text| text.parse::<u64>().ok());
            let number = number
                .filter(|number| *number > 0)
                .ok_or_else(|| format!("`{option}` needs a number above 0"))?;
            match option.as_str() {
                "--seeds" => options.seeds = number,
                "--worlds" => options.worlds = Some(number),
                _ => {
                    return Err(format!(
                        "unknown option `{option}`: there are --seeds and --worlds"
                    ));
                }
            }
        }
        Ok(options)
    }
}
