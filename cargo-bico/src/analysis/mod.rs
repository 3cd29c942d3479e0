//! What `cargo bico analyse` tells: what the searches of a tunable say of its parameters, and a narrower space.
//!
//! ```text
//! seen   what is known of its searches: trails, and the lock
//! place  a problem on a device: its space
//! paste  the narrower space as text of the attribute
//! show   a view for people
//! ```
//!
//! What is concluded from them, and why, is [`crate::analyse`].

mod paste;
mod place;
mod seen;
mod show;

#[cfg(test)]
mod tests;

pub(crate) use seen::by_tunable;

use crate::Error;
use crate::analyse::{ENOUGH, Enough, Judged, Narrowed, Search, Verdict, analyse, judge};
use crate::exchange::Filter;
use crate::out::tell;
use bico_build::env::Env;
use bico_build::lock::Lock;
use bico_build::scan::Found;
use bico_core::bare;
use bico_syntax::{Domain, VARIANT};
use place::Places;
use seen::{Seen, seen};
use serde::Serialize;
use std::path::PathBuf;

/// A tunable's searches and what follows from them.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    pub(crate) tunable: String,
    pub(crate) searches: Vec<Searched>,
    pub(crate) values: Vec<Known>,
    pub(crate) narrower: Narrower,
    pub(crate) notes: Vec<String>,
}

/// All that is known of one problem on one device.
#[derive(Debug, Serialize)]
pub(crate) struct Searched {
    pub(crate) problem: String,
    pub(crate) device: String,
    /// Whether trails tell what was tried; else only the best configs are known, which bico.lock keeps.
    pub(crate) has_trail: bool,
    pub(crate) configs: usize,
    pub(crate) failed: usize,
    pub(crate) best_seconds: Option<f64>,
    /// For each trail.
    pub(crate) enough: Vec<Enough>,
    /// What matters most comes first.
    pub(crate) parameters: Vec<Importance>,
    pub(crate) pairs: Vec<Pair>,
    /// Configs of the space, and of the narrower one; `None` where the device's facts are not known here.
    pub(crate) space: Option<u64>,
    pub(crate) narrower_space: Option<u64>,
    /// What the narrower space loses, as far as measured; `None` where nothing is left of what was.
    pub(crate) loss: Option<f64>,
    /// What that loses which follows from the other devices alone; `None` where no trail of another device is there.
    pub(crate) loss_unseen: Option<f64>,
}

/// How much parameters that always change together matter.
#[derive(Debug, Serialize)]
pub(crate) struct Importance {
    pub(crate) names: Vec<String>,
    /// ω²; `None` where too few configs ran to tell.
    pub(crate) share: Option<f64>,
}

/// How much two depend on each other.
#[derive(Debug, Serialize)]
pub(crate) struct Pair {
    pub(crate) names: [String; 2],
    pub(crate) share: f64,
}

/// A value of a parameter.
#[derive(Debug, Serialize)]
pub(crate) struct Known {
    pub(crate) parameter: String,
    pub(crate) value: String,
    /// Configs with it that were tried.
    pub(crate) tried: usize,
    /// How many times the best time its best config takes, in the search where that is least.
    pub(crate) times_best: Option<f64>,
    /// `near`: within 10 % of the best in some search; `far`: in none, of enough tries; `unknown`.
    pub(crate) verdict: &'static str,
}

/// What a narrower space leaves out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Narrower {
    pub(crate) without: Vec<Without>,
    /// To be pasted into the attribute; empty where nothing goes.
    pub(crate) attribute: String,
}

/// A value that goes.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Without {
    #[serde(skip)]
    place: usize,
    /// As the attribute writes it.
    #[serde(skip)]
    literal: String,
    pub(crate) parameter: String,
    pub(crate) value: String,
}

/// Pairs that are told of, and the share from which they are worth it.
const PAIRS: usize = 3;
const LEAST: f64 = 0.02;

impl View {
    /// Reads what there is of a tunable; `None` where no trail is.
    ///
    /// # Errors
    ///
    /// A trail cannot be read, or an expression not be evaluated.
    pub(crate) fn new(
        env: &Env,
        lock: &Lock,
        found: &Found,
        files: &[PathBuf],
        filter: &Filter,
        others: &mut Vec<String>,
    ) -> Result<Option<View>, Error> {
        let places = Places::new(env, lock, found);
        let locked = lock.kernels.get(&found.spec.key.text);
        let (all, outdated) = seen(env, &places, locked, files)?;
        let devices = all.iter().map(|of| &of.search.device);
        let devices = devices.chain(outdated.iter().map(|of| &of.device));
        let is_meant = filter.among(devices.cloned().collect());
        let outdated = outdated
            .iter()
            .filter(|of| is_meant(&of.device, &of.problem));
        tell(outdated.filter_map(|of| of.note(&found.spec.key.text)));
        let (known, left_out): (Vec<Seen>, Vec<Seen>) = all
            .into_iter()
            .partition(|of| is_meant(&of.search.device, &of.search.problem));
        let left_out = left_out.iter().filter(|of| of.search.is_whole);
        others.extend(left_out.map(|of| format!("{} on {}", of.search.problem, of.search.device)));
        if !known.iter().any(|of| of.search.is_whole) {
            return Ok(None);
        }
        Ok(Some(View::of(found, &places, &known)))
    }

    fn of(found: &Found, places: &Places<'_>, known: &[Seen]) -> View {
        let spec = &found.spec;
        let names: Vec<String> = spec
            .parameters
            .iter()
            .map(|of| of.name.text.clone())
            .collect();
        let judged = |searches: &[&Search]| -> Vec<Judged> {
            let room = |search: &Search, parameter: usize, value: &str| {
                places.room(&search.device, &search.problem, parameter, value)
            };
            let mut judged = judge(searches, &room);
            // What follows from others is narrowed by narrowing those; which variants there are is no list.
            judged.retain(|of| !matches!(spec.parameters[of.parameter].domain, Domain::Derived(_)));
            judged
        };
        let searches: Vec<&Search> = known.iter().map(|of| &of.search).collect();
        let all = judged(&searches);
        // A variant that is far as a whole is no question of its parameters' values.
        let narrowed = |judged: &[Judged]| {
            let is_left = |at: usize| {
                let mut judged = judged.iter();
                judged.any(|of| of.parameter == at && of.verdict != Verdict::Far)
            };
            let mut narrowed = Narrowed::new(judged);
            narrowed
                .without
                .retain(|(at, _)| names[*at] != VARIANT && is_left(*at));
            narrowed
        };
        let notes = notes(&names, &all, known);
        let narrower = narrowed(&all);
        let without = places.without(&narrower.without);
        let sizes = |of: &Search| {
            let all = places.count(&of.device, &of.problem, &[]);
            (all, places.count(&of.device, &of.problem, &without))
        };
        let unseen = |of: &Search| {
            let mut others = searches.clone();
            others.retain(|other| other.device != of.device);
            let is_known = others.iter().any(|of| of.is_whole);
            is_known
                .then(|| of.loss(&narrowed(&judged(&others))))
                .flatten()
        };
        View {
            tunable: spec.key.text.clone(),
            searches: known
                .iter()
                .map(|of| {
                    Searched::new(
                        &names,
                        of,
                        sizes(&of.search),
                        of.search.loss(&narrower),
                        unseen(&of.search),
                    )
                })
                .collect(),
            values: values(&names, &all, places),
            narrower: Narrower {
                attribute: places.attribute(&without),
                without,
            },
            notes,
        }
    }
}

impl Searched {
    fn new(
        names: &[String],
        of: &Seen,
        sizes: (Option<u64>, Option<u64>),
        loss: Option<f64>,
        loss_unseen: Option<f64>,
    ) -> Searched {
        let search = &of.search;
        // Of the best ones alone nothing follows.
        let configs = if search.is_whole {
            &search.configs[..]
        } else {
            &[]
        };
        let analysis = analyse(names, configs);
        let named = |at: usize| analysis.parameters[at].names.join(", ");
        let pairs = analysis.pairs.iter().filter(|of| of.1 >= LEAST);
        let pairs = pairs.take(PAIRS).map(|(of, share)| Pair {
            names: of.map(named),
            share: *share,
        });
        Searched {
            problem: search.problem.clone(),
            device: search.device.clone(),
            has_trail: search.is_whole,
            configs: search.configs.len(),
            failed: search
                .configs
                .iter()
                .filter(|of| of.seconds.is_none())
                .count(),
            best_seconds: search.best(),
            enough: of.enough.clone(),
            pairs: pairs.collect(),
            parameters: analysis
                .parameters
                .iter()
                .map(|of| Importance {
                    names: of.names.clone(),
                    share: of.share,
                })
                .collect(),
            space: sizes.0,
            narrower_space: sizes.1,
            loss,
            loss_unseen,
        }
    }
}

/// All values, those that nobody tried among them.
fn values(names: &[String], judged: &[Judged], places: &Places<'_>) -> Vec<Known> {
    let mut values = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let own = judged.iter().filter(|of| of.parameter == at);
        values.extend(own.map(|of| Known {
            parameter: name.clone(),
            value: of.value.clone(),
            tried: of.tried,
            times_best: of.ratio,
            verdict: match of.verdict {
                Verdict::Near => "near",
                Verdict::Far => "far",
                Verdict::Unknown => "unknown",
            },
        }));
        let is_tried = |value: &String| {
            let mut judged = judged.iter();
            judged.any(|of| of.parameter == at && of.value == *value)
        };
        let there = places.values(at).into_iter().map(bare);
        // Of variants some cannot be built here.
        let there = there.filter(|_| name != VARIANT);
        values.extend(there.filter(|value| !is_tried(value)).map(|value| Known {
            parameter: name.clone(),
            value,
            tried: 0,
            times_best: None,
            verdict: "unknown",
        }));
    }
    values
}

fn notes(names: &[String], judged: &[Judged], known: &[Seen]) -> Vec<String> {
    let mut notes = Vec::new();
    for of in judged.iter().filter(|of| names[of.parameter] == VARIANT) {
        if of.verdict == Verdict::Far {
            let variant = &of.value;
            notes.push(format!("variant `{variant}` never came within 10 % of the best: it may go, unless the reference is its"));
        }
    }
    for of in known.iter().filter(|of| of.left_out > 0) {
        let (
            rows,
            Search {
                problem, device, ..
            },
        ) = (of.left_out, &of.search);
        notes.push(format!("{rows} rows of {problem} on {device} are of configs that the space has no more: they do not count"));
    }
    let is_open = judged.iter().any(|of| of.verdict == Verdict::Unknown);
    let short = |of: &&Seen| is_open && of.search.is_whole && of.search.configs.len() < 2 * ENOUGH;
    for of in known.iter().filter(short) {
        let (
            count,
            Search {
                problem, device, ..
            },
        ) = (of.search.configs.len(), &of.search);
        notes.push(format!("only {count} configs of {problem} on {device} were tried: values that they leave unknown stay"));
    }
    notes
}
