//! Which candidate served each call: a line that is redrawn, and one that stays at each power of two.

use crate::candidates::Candidates;
use bico::{Arm, Standing, State, Status};
use std::io::{IsTerminal, Write};
use std::time::Duration;

pub(crate) struct Live<'a> {
    candidates: &'a Candidates,
    terminal: bool,
    /// Of each candidate: calls that it served.
    served: Vec<usize>,
    /// The arms before this call.
    before: Vec<Arm>,
    /// Since the last line that stays: candidates, and how often in a row.
    runs: Vec<(usize, usize)>,
    since: usize,
}

impl<'a> Live<'a> {
    pub(crate) fn new(candidates: &'a Candidates) -> Live<'a> {
        Live {
            candidates,
            terminal: std::io::stdout().is_terminal(),
            served: vec![0; candidates.configs().len()],
            before: Vec::new(),
            runs: Vec::new(),
            since: 1,
        }
    }

    pub(crate) fn served(&self) -> &[usize] {
        &self.served
    }

    pub(crate) fn call(&mut self, call: usize, took: Duration, status: &Status, last: bool) {
        if call == 1 {
            println!("\n  calls          served by");
        }
        let server = self.server(status);
        self.before.clone_from(&status.arms);
        let Some(server) = server else {
            return;
        };
        self.served[server] += 1;
        match self.runs.last_mut() {
            Some((same, count)) if *same == server => *count += 1,
            _ => self.runs.push((server, 1)),
        }
        let stays = call.is_power_of_two() || last;
        if self.terminal {
            // Carriage return, and clear the line.
            print!("\r\x1b[2K");
        }
        if stays {
            let calls = match self.since == call {
                true => format!("{call}"),
                false => format!("{} to {call}", self.since),
            };
            println!("  {calls:13}  {:40}  {}", self.trail(), standing(status));
            self.runs.clear();
            self.since = call + 1;
        } else if self.terminal {
            let letter = Candidates::letter(server);
            let standing = standing(status);
            print!("  {call:<13}  {letter} in {took:.2?}; {standing}");
            let _ = std::io::stdout().flush();
        }
    }

    /// The arm that has one call more than before; once settled most calls are not counted.
    fn server(&self, status: &Status) -> Option<usize> {
        let known = |arm: &Arm| {
            let mut before = self.before.iter();
            before.find(|before| before.config == arm.config).copied()
        };
        let served = |arm: &&Arm| match known(arm) {
            Some(before) => {
                let first = before.standing == Standing::Untried && arm.standing == Standing::Open;
                arm.pulls > before.pulls || first
            }
            None => arm.standing == Standing::Open,
        };
        let arm = status.arms.iter().find(served).map(|arm| arm.config);
        self.candidates.number(&arm.or(status.config)?)
    }

    /// `A×3 B A×12`
    fn trail(&self) -> String {
        const LONGEST: usize = 10;
        let run = |&(candidate, count): &(usize, usize)| match count {
            1 => Candidates::letter(candidate).to_string(),
            _ => format!("{}×{count}", Candidates::letter(candidate)),
        };
        if self.runs.len() <= LONGEST {
            return self.runs.iter().map(run).collect::<Vec<_>>().join(" ");
        }
        // Too much to tell in order: how often each.
        let mut counts = vec![0; self.served.len()];
        for (candidate, count) in &self.runs {
            counts[*candidate] += count;
        }
        let counts = counts
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0);
        let all: Vec<String> = counts.map(|pair| run(&pair)).collect();
        format!("{}, mixed", all.join(" "))
    }
}

fn standing(status: &Status) -> String {
    match status.state {
        State::Exploring { tried, of } => format!("{tried} of {of} tried"),
        State::Settled => "settled".to_string(),
        State::Fixed => "fixed".to_string(),
        _ => "known".to_string(),
    }
}
