//! What somebody who knows the best candidate from the start would get.

use crate::candidates::Candidates;
use crate::product::Product;
use bico::Config;
use std::time::Instant;

pub(crate) struct Oracle {
    configs: Vec<Config>,
    /// Seconds of each candidate, one per look. Nothing: it does not run here.
    times: Vec<Vec<f64>>,
    looks: usize,
}

impl Oracle {
    pub(crate) fn new(candidates: &Candidates) -> Oracle {
        let configs = candidates.configs().to_vec();
        Oracle {
            times: vec![Vec::new(); configs.len()],
            configs,
            looks: 0,
        }
    }

    /// Times all candidates in turns, between the calls: whatever the machine does meets all alike.
    pub(crate) fn look(&mut self, product: &mut Product) -> Result<(), String> {
        self.looks += 1;
        for (config, times) in self.configs.iter().zip(&mut self.times) {
            // The caches are the last candidate's: once without the clock.
            if product.with(config).is_err() {
                continue;
            }
            let start = Instant::now();
            let again = product.with(config);
            times.push(start.elapsed().as_secs_f64());
            again.map_err(|error| error.to_string())?;
            product.check()?;
        }
        Ok(())
    }

    pub(crate) fn looks(&self) -> usize {
        self.looks
    }

    /// The typical time of a candidate.
    fn median(&self, number: usize) -> Option<f64> {
        let mut times = self.times[number].clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }

    fn best(&self) -> Option<(usize, f64)> {
        let all = (0..self.configs.len()).filter_map(|i| Some((i, self.median(i)?)));
        all.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    pub(crate) fn table(&self, candidates: &Candidates, serving: Option<Config>) -> String {
        let looks = self.times.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = format!(
            "the oracle: every candidate timed {looks} times in turns, between the calls\n"
        );
        let mut order: Vec<usize> = (0..self.configs.len()).collect();
        let time = |number: usize| self.median(number).unwrap_or(f64::INFINITY);
        order.sort_by(|&a, &b| time(a).total_cmp(&time(b)));
        let best = self.best().map_or(f64::NAN, |(_, seconds)| seconds);
        for number in order {
            let letter = Candidates::letter(number);
            let mut notes = Vec::new();
            if serving == Some(self.configs[number]) {
                notes.push("bico's choice".to_string());
            }
            let won = candidates.won_on(number);
            notes.extend(won.iter().map(|device| format!("the winner on {device}")));
            let row = match self.median(number) {
                Some(seconds) => format!(
                    "  {letter}  {:9.3} ms  {:+7.1} %  {}",
                    seconds * 1e3,
                    100.0 * (seconds / best - 1.0),
                    notes.join(", ")
                ),
                None => format!("  {letter}  does not run here"),
            };
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }

    /// What learning cost, and what each other device's winner would have.
    pub(crate) fn compare(&self, candidates: &Candidates, served: &[usize]) {
        let Some((best, least)) = self.best() else {
            return;
        };
        let calls: usize = served.iter().sum();
        let lost: f64 = served
            .iter()
            .enumerate()
            .filter_map(|(i, &calls)| Some(calls as f64 * (self.median(i)? / least - 1.0)))
            .sum();
        println!(
            "more time than always calling {}, by the oracle's times:",
            Candidates::letter(best)
        );
        let percent = 100.0 * lost / calls.max(1) as f64;
        println!("  these calls                 {percent:+7.1} %  ({lost:.0} calls' worth)");
        for (number, config) in self.configs.iter().enumerate() {
            let won = !candidates.won_on(number).is_empty();
            if let Some(seconds) = self.median(number).filter(|_| won) {
                let percent = 100.0 * (seconds / least - 1.0);
                let letter = candidates.number(config).map_or('?', Candidates::letter);
                println!("  always {letter}, a lock's winner    {percent:+7.1} %");
            }
        }
    }
}
