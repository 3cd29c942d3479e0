//! The bench's options.

use bico_search::search::{Budget, names};
use cargo_bico::replay::Plan;

/// What a search knows before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Blind,
    Hints,
    Warm,
}

const MODES: [Mode; 3] = [Mode::Blind, Mode::Hints, Mode::Warm];

/// Strategies that read neither the ranking nor other devices' trials: in the other modes they do
/// what they do blind.
const DEAF: [&str; 3] = ["annealing", "random", "sequential"];

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Mode::Blind => "blind",
            Mode::Hints => "hints",
            Mode::Warm => "warm",
        }
    }
}

/// What is run.
pub(super) struct Options {
    pub(super) modes: Vec<Mode>,
    pub(super) budgets: Vec<u64>,
    seeds: u64,
    strategies: Vec<String>,
    /// How many configs are under way at once, each in turn.
    pub(super) hands: Vec<usize>,
}

impl Options {
    /// Reads `--seeds N --budget N,.. --mode M,.. --strategy S,.. --hands N,..`, each of them optional.
    pub(super) fn read(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            modes: MODES.to_vec(),
            budgets: vec![5, 10, 20, 40, 50, 100, 200],
            seeds: 50,
            strategies: Vec::new(),
            hands: vec![1],
        };
        let mut arguments = arguments.filter(|argument| argument != "--json");
        while let Some(option) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("`{option}` needs a value"))?;
            let parts = || value.split(',').filter(|part| !part.is_empty());
            let number = |text: &str| match text.parse::<u64>() {
                Ok(number) if number > 0 => Ok(number),
                _ => Err(format!("`{option} {value}`: `{text}` is no number above 0")),
            };
            match option.as_str() {
                "--seeds" => options.seeds = number(&value)?,
                "--budget" => {
                    options.budgets = parts().map(number).collect::<Result<_, _>>()?;
                    options.budgets.sort_unstable();
                    options.budgets.dedup();
                }
                "--mode" => options.modes = parts().map(mode).collect::<Result<_, _>>()?,
                "--hands" => {
                    let hands = parts().map(number).map(|number| Ok(number? as usize));
                    options.hands = hands.collect::<Result<_, String>>()?;
                }
                "--strategy" => options.strategies = parts().map(String::from).collect(),
                _ => {
                    return Err(format!(
                        "unknown option `{option}`: there are --seeds, --budget, --mode, --strategy and --hands"
                    ));
                }
            }
        }
        Ok(options)
    }

    /// The plan of one mode: the strategies asked for, else those for which the mode matters. As a build searches, config
    /// 0 is the second one, and the search may end early.
    pub(super) fn plan(&self, mode: Mode, as_a_build: bool, hands: usize) -> Plan {
        let known = names();
        let strategies = if self.strategies.is_empty() {
            let left_out: &[&str] = if mode == Mode::Blind {
                &["sequential"]
            } else {
                &DEAF
            };
            let kept = known.iter().filter(|name| !left_out.contains(name));
            kept.map(|name| name.to_string()).collect()
        } else {
            self.strategies.clone()
        };
        Plan {
            strategies,
            budgets: self.budgets.clone(),
            seeds: self.seeds,
            threads: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            patience: as_a_build.then_some(Budget::default().patience).flatten(),
            baseline: as_a_build,
            hands,
            trails: None,
        }
    }
}

fn mode(name: &str) -> Result<Mode, String> {
    MODES
        .into_iter()
        .find(|mode| mode.name() == name)
        .ok_or_else(|| format!("unknown mode `{name}`: there are blind, hints and warm"))
}
