//! The configs that the program carries, each with a letter.

use bico::{Config, Tunable};
use core::fmt;

pub(crate) struct Candidates {
    configs: Vec<Config>,
    winners: Vec<(&'static str, Config)>,
}

impl Candidates {
    pub(crate) fn of(tunable: &Tunable, sizes: &[i64]) -> bico::Result<Candidates> {
        Ok(Candidates {
            configs: tunable.candidates().collect(),
            winners: tunable.winners(sizes)?,
        })
    }

    pub(crate) fn configs(&self) -> &[Config] {
        &self.configs
    }

    pub(crate) fn letter(number: usize) -> char {
        char::from(b'A' + number as u8 % 26)
    }

    pub(crate) fn number(&self, config: &Config) -> Option<usize> {
        self.configs.iter().position(|own| own == config)
    }

    pub(crate) fn winner_on(&self, device: &str) -> Option<Config> {
        let mut winners = self.winners.iter();
        let found = winners.find(|(key, _)| *key == device);
        found.map(|(_, config)| *config)
    }

    /// The devices that a candidate won on.
    pub(crate) fn won_on(&self, number: usize) -> Vec<&'static str> {
        let winners = self.winners.iter();
        winners
            .filter(|(_, config)| *config == self.configs[number])
            .map(|(device, _)| *device)
            .collect()
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, config) in self.configs.iter().enumerate() {
            writeln!(f, "  {}  {config}", Candidates::letter(number))?;
            for device in self.won_on(number) {
                writeln!(f, "     the winner on {device}")?;
            }
        }
        Ok(())
    }
}
