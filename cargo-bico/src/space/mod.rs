//! What `cargo bico space` tells of a tunable before anything is measured.

mod conditions;
mod show;

pub(crate) use conditions::Condition;

use crate::opened::{Configs, Tunable};
use crate::{Error, check::Sizes};
use bico_core::Value;
use bico_search::rank::{Kind, Ranked, rank};
use bico_syntax::bind::{Scope, scalars};
use bico_syntax::{Domain, Parameter};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value as Json;

/// A tunable at one problem on one device.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    pub(crate) tunable: String,
    pub(crate) device: String,
    pub(crate) problem: String,
    /// Valid configs.
    pub(crate) configs: u64,
    /// Configs without any condition; `None` where they cannot be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) combinations: Option<u64>,
    pub(crate) parameters: Vec<Values>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) conditions: Vec<Condition>,
    /// What the predictions are: `predicted_seconds` or `score`.
    pub(crate) ranked_by: &'static str,
    /// How many configs are ranked: all, or of very many a sample.
    pub(crate) ranked: usize,
    pub(crate) top: Vec<Place>,
    /// Why there is no config.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why_empty: Option<String>,
    pub(crate) notes: Vec<String>,
}

/// A parameter with its values.
#[derive(Debug, Serialize)]
pub(crate) struct Values {
    pub(crate) name: String,
    /// What the attribute says, where the values depend on other parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) follows: Option<String>,
    pub(crate) values: Vec<Json>,
}

/// A config of the ranking.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    pub(crate) rank: usize,
    pub(crate) predicted: f64,
    pub(crate) config: IndexMap<String, Json>,
}

/// How much is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// What each condition removes.
    pub(crate) why: bool,
    /// Configs of the ranking.
    pub(crate) top: usize,
}

/// The problems of a tunable, or those that they become with these sizes in place of their own; none where it has not
/// all arguments that are named.
///
/// # Errors
///
/// A size is none of the tunable's, or no value of its type.
pub(crate) fn problems(tunable: &Tunable<'_>, asked: &[Sizes]) -> Result<Vec<Scope>, Error> {
    let own: Vec<&Scope> = tunable.problems().collect();
    if asked.is_empty() {
        return Ok(own.into_iter().cloned().collect());
    }
    let names = scalars(&tunable.plan.found.spec);
    let mut scopes: Vec<Scope> = Vec::new();
    for sizes in asked.iter().filter(|sizes| sizes.fit(&names)) {
        for scope in &own {
            let values: Vec<Value> = names.iter().filter_map(|name| scope.get(name)).collect();
            let mut other = (*scope).clone();
            for (name, value) in names.iter().zip(sizes.put(&names, &values)?) {
                let map = match other.values.contains_key(*name) {
                    true => &mut other.values,
                    false => &mut other.sizes,
                };
                map.insert((*name).to_string(), value);
            }
            if !scopes
                .iter()
                .any(|known| known.describe() == other.describe())
            {
                scopes.push(other);
            }
        }
    }
    Ok(scopes)
}

impl View {
    /// Builds the space, ranks it, and counts it under some of its conditions.
    ///
    /// # Errors
    ///
    /// An expression cannot be evaluated: a text in rustc's manner.
    pub(crate) fn new(
        tunable: &Tunable<'_>,
        configs: &Configs<'_>,
        wanted: Wanted,
    ) -> Result<View, Error> {
        let (space, bound) = (configs.space(), &configs.bound);
        let ranked = ranking(tunable, configs)?;
        let spec = &tunable.plan.found.spec;
        let parameters = spec.parameters.iter().enumerate();
        let parameters = parameters.map(|(at, parameter)| Values {
            name: parameter.name.text.clone(),
            follows: follows(parameter, bound.rules.domains[at].fixed().is_none()),
            values: space.values(at).iter().map(json).collect(),
        });
        let mut notes = Vec::new();
        let mut counted = |count: Result<u64, String>| {
            count
                .map_err(|why| notes.push(format!("not counted: {why}")))
                .ok()
        };
        let mut all = conditions::without(bound, &|_| true);
        if space.is_empty() && all.is_err() {
            all = Err("the domains depend on conditions that no config meets".to_string());
        }
        let combinations = counted(all);
        let conditions = match wanted.why {
            true => conditions::of(bound, combinations, &mut notes),
            false => Vec::new(),
        };
        notes.dedup();
        let places = ranked.order.iter().zip(&ranked.predicted).zip(1..);
        let top = places.take(wanted.top).map(|((config, predicted), rank)| {
            let values = space.config(*config);
            Place {
                rank,
                predicted: *predicted,
                config: bico_core::own(space.names(), &values)
                    .map(|(name, value)| (name.to_string(), json(&value)))
                    .collect(),
            }
        });
        Ok(View {
            tunable: tunable.key().to_string(),
            device: bound.facts.key().to_string(),
            problem: configs.label(),
            configs: space.len(),
            combinations,
            parameters: parameters.collect(),
            conditions,
            ranked_by: ranked_by(&ranked),
            ranked: ranked.len(),
            top: top.collect(),
            why_empty: space.why_empty(),
            notes,
        })
    }
}

/// The configs as a build would rank them.
///
/// # Errors
///
/// An expression cannot be evaluated: a text in rustc's manner.
pub(crate) fn ranking(tunable: &Tunable<'_>, configs: &Configs<'_>) -> Result<Ranked, Error> {
    rank(configs.space(), &configs.bound).map_err(|error| tunable.shown(&error))
}

fn json(value: &Value) -> Json {
    match value {
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::Bool(value) => Json::from(*value),
        Value::Str(value) => Json::from(*value),
    }
}

/// What the predictions of a ranking are.
pub(crate) fn ranked_by(ranked: &Ranked) -> &'static str {
    match ranked.kind {
        Kind::Seconds => "predicted_seconds",
        Kind::Score => "score",
    }
}

/// `= 2 * TILE`, where that says more than the values.
fn follows(parameter: &Parameter, depends: bool) -> Option<String> {
    match &parameter.domain {
        Domain::Derived(expr) => Some(format!("= {expr}")),
        Domain::In(expr) if depends => Some(format!("in {expr}")),
        Domain::In(_) => None,
    }
}
