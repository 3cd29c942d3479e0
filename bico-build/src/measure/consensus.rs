//! Where no reference says what is right, configs must agree with each other.
//!
//! The outputs of the first config are the first opinion; each later config joins the first opinion
//! that it agrees with (within the tolerance, at every size both were checked at) or founds another.
//! The opinion of most configs is right, the older one where they are equally many. So the first one
//! counts until most disagree, and then those that were judged before are judged anew.

use super::protocol::Check;
use bico_core::{Lists, Map};
use bico_search::search::Failure;
use std::path::PathBuf;

/// The opinions so far.
pub(super) struct Consensus {
    folder: PathBuf,
    opinions: Vec<Opinion>,
    /// Which opinion a config has.
    holders: Map<u64, usize>,
}

struct Opinion {
    holders: u32,
    /// Outputs by the label of the size.
    outputs: Map<String, PathBuf>,
}

impl Consensus {
    /// Outputs are kept in `folder` until this is dropped.
    pub(super) fn new(folder: PathBuf) -> Consensus {
        Consensus {
            folder,
            opinions: Vec::new(),
            holders: Map::default(),
        }
    }

    /// Adds what a worker needs to compare a config with the opinions, where no reference serves.
    pub(super) fn equip(&self, config: u64, checks: &mut [Check]) {
        let mut cases = checks.iter_mut().flat_map(Check::cases).collect_vec();
        cases.retain(|(_, case)| case.reference.is_none() && case.judge.is_none());
        for (at, (label, case)) in cases.into_iter().enumerate() {
            let outputs = |opinion: &Opinion| opinion.outputs.get(&label).cloned();
            case.opinions = self.opinions.iter().map(outputs).collect_vec();
            let _ = std::fs::create_dir_all(&self.folder);
            case.save = Some(self.folder.join(format!("{config}-{at}.out")));
        }
    }

    /// Whether no config's outputs were held against others'.
    pub(super) fn is_unasked(&self) -> bool {
        self.opinions.is_empty()
    }

    #[cfg(feature = "workers")]
    /// How many opinions there are.
    pub(super) fn opinions(&self) -> usize {
        self.opinions.len()
    }

    /// Takes note of a config that was checked: `opinion` is the one it agrees with.
    pub(super) fn record(&mut self, config: u64, checks: &mut [Check], opinion: Option<usize>) {
        let mut outputs: Map<String, PathBuf> = Map::default();
        for (label, case) in checks.iter_mut().flat_map(Check::cases) {
            // Not all of them are run of a config that is too slow.
            if let Some(path) = case.save.as_ref().filter(|path| path.is_file()) {
                outputs.insert(label, path.clone());
            }
        }
        if outputs.is_empty() {
            return;
        }
        let opinion = match opinion.filter(|opinion| *opinion < self.opinions.len()) {
            Some(opinion) => {
                // Of a config that is measured again they may be those of the opinion.
                let known = &self.opinions[opinion].outputs;
                for (_, path) in outputs
                    .iter()
                    .filter(|(label, path)| known.get(label) != Some(path))
                {
                    let _ = std::fs::remove_file(path);
                }
                opinion
            }
            None => {
                let holders = 0;
                self.opinions.push(Opinion { holders, outputs });
                self.opinions.len() - 1
            }
        };
        self.opinions[opinion].holders += 1;
        if let Some(before) = self.holders.insert(config, opinion) {
            self.opinions[before].holders -= 1;
        }
    }

    /// Whether a config is of the right opinion, as far as is known now.
    ///
    /// # Errors
    ///
    /// It is not.
    pub(super) fn verdict(&self, config: u64) -> Result<(), Failure> {
        let Some(own) = self.holders.get(&config) else {
            return Ok(());
        };
        let holders = |opinion: &usize| self.opinions[*opinion].holders;
        // Of two with as many the older one.
        let right = (0..self.opinions.len()).rev().max_by_key(holders);
        let (ours, theirs) = (holders(own), right.as_ref().map_or(0, holders));
        if right == Some(*own) {
            return Ok(());
        }
        let agree = match ours {
            1 => "none agrees".to_string(),
            2 => "1 agrees".to_string(),
            _ => format!("{} agree", ours - 1),
        };
        Err(Failure::Wrong(format!(
            "its results differ from those of {theirs} other config{}, and {agree} with it; name a reference to decide",
            if theirs == 1 { "" } else { "s" },
        )))
    }
}

impl Drop for Consensus {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::protocol::{Call, Case, Inputs};

    #[test]
    fn the_majority_is_right_in_the_end() {
        let mut consensus = Consensus::new(
            std::env::temp_dir().join(format!("bico-consensus-{}", std::process::id())),
        );
        let check = Check {
            label: "n = 1".into(),
            timed: Case {
                call: Call {
                    slots: vec![],
                    passes: vec![],
                    inputs: Inputs::Timed,
                    judged: false,
                }
                .into(),
                reference: None,
                judge: None,
                opinions: vec![],
                save: None,
            },
            others: vec![],
            blank: None,
            allow: 1.0,
        };
        let mut record = |config: u64, opinion: Option<usize>| {
            let mut checks = [check.clone()];
            consensus.equip(config, &mut checks);
            // As the worker does.
            std::fs::write(checks[0].timed.save.as_ref().unwrap(), "").unwrap();
            consensus.record(config, &mut checks, opinion);
            consensus.verdict(config)
        };
        assert!(record(0, None).is_ok());
        assert!(record(1, None).is_err(), "the older opinion counts");
        assert!(record(2, Some(1)).is_ok());
        assert!(record(3, Some(0)).is_ok());
        assert!(record(4, Some(1)).is_ok());
        assert!(consensus.verdict(0).is_err());
        assert!(consensus.verdict(1).is_ok(), "it counts again");
        let Err(Failure::Wrong(text)) = consensus.verdict(3) else {
            panic!()
        };
        assert!(
            text.contains("3 other configs, and 1 agrees with it"),
            "{text}"
        );
    }
}
