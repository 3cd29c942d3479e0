//! A tunable's space at its problems, on the devices whose facts are known here.

use super::{Without, paste};
use bico_build::env::Env;
use bico_build::lock::Lock;
use bico_build::scan::Found;
use bico_build::tuner::plan::Plan;
use bico_core::device::{DeviceKey, Facts};
use bico_core::{Value, bare};
use bico_search::space::Space;
use bico_syntax::Domain;
use bico_syntax::bind::Bound;
use bico_syntax::bind::Scope;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A problem on a device.
#[derive(Debug)]
pub(super) struct Place {
    facts: Facts,
    scope: Scope,
    pub(super) space: Space,
}

/// Device and problem.
type Name = (String, String);

/// Those of a tunable, built when they are asked for.
pub(super) struct Places<'a> {
    env: &'a Env,
    lock: &'a Lock,
    pub(super) found: &'a Found,
    known: RefCell<HashMap<Name, Option<Rc<Place>>>>,
    rooms: RefCell<HashMap<(Name, usize, String), Option<u64>>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(env: &'a Env, lock: &'a Lock, found: &'a Found) -> Places<'a> {
        Places {
            env,
            lock,
            found,
            known: RefCell::default(),
            rooms: RefCell::default(),
        }
    }

    /// `None` where the device's facts are not known here, or the tunable has no such problem.
    pub(super) fn at(&self, device: &str, problem: &str) -> Option<Rc<Place>> {
        let name = (device.to_string(), problem.to_string());
        let mut known = self.known.borrow_mut();
        let place = known
            .entry(name)
            .or_insert_with(|| self.make(device, problem).map(Rc::new));
        place.clone()
    }

    fn make(&self, device: &str, problem: &str) -> Option<Place> {
        let own = bico_device::this_cpu();
        let facts = self.lock.devices.get(&DeviceKey::new(device.to_string()));
        let facts = facts.or_else(|| (own.key().as_str() == device).then_some(own))?;
        let plan = Plan::new(self.found.clone(), &self.env.manifest_dir, facts).ok()?;
        let problem = plan.problems.into_iter().find(|of| of.key == problem)?;
        let bound = Bound::new(&self.found.spec, facts, &problem.scope).ok()?;
        let space = Space::new(&bound).ok()?;
        Some(Place {
            facts: facts.clone(),
            scope: problem.scope,
            space,
        })
    }

    /// How many configs have a value.
    pub(super) fn room(
        &self,
        device: &str,
        problem: &str,
        parameter: usize,
        value: &str,
    ) -> Option<u64> {
        let place = self.at(device, problem)?;
        let key = (
            (device.to_string(), problem.to_string()),
            parameter,
            value.to_string(),
        );
        let count = || {
            let mut values = place.space.values(parameter).iter();
            let Some(value) = values.find(|of| bare(**of) == value) else {
                return Some(0);
            };
            let only = [(parameter, *value, true)];
            paste::count(&self.found.spec, &place.facts, &place.scope, &only)
        };
        *self.rooms.borrow_mut().entry(key).or_insert_with(count)
    }

    /// How many configs there are without these values.
    pub(super) fn count(&self, device: &str, problem: &str, without: &[Without]) -> Option<u64> {
        let place = self.at(device, problem)?;
        if without.is_empty() {
            return Some(place.space.len());
        }
        let mut conditions = Vec::new();
        for of in without {
            let values = place.space.values(of.place).iter();
            let value = { values }.find(|value| bare(**value) == of.value);
            conditions.extend(value.map(|value| (of.place, *value, false)));
        }
        paste::count(&self.found.spec, &place.facts, &place.scope, &conditions)
    }

    /// The values of a parameter that stands for itself, in order, on all devices that were asked for.
    pub(super) fn values(&self, parameter: usize) -> Vec<Value> {
        let of = &self.found.spec.parameters[parameter];
        let mut all: Vec<Value> = Vec::new();
        if of.elsewhere.is_none() && matches!(of.domain, Domain::In(_)) {
            let known = self.known.borrow();
            for place in known.values().flatten() {
                let values = place.space.values(parameter).iter();
                let new: Vec<Value> = values
                    .filter(|value| !all.contains(value))
                    .copied()
                    .collect();
                all.extend(new);
            }
        }
        all
    }

    /// Values that go, as the attribute writes them.
    pub(super) fn without(&self, values: &[(usize, String)]) -> Vec<Without> {
        let known = self.known.borrow();
        let each = values.iter().map(|(parameter, value)| {
            let spaces = known.values().flatten();
            let mut all = spaces.flat_map(|place| place.space.values(*parameter));
            let literal = all.find(|of| bare(**of) == *value);
            Without {
                place: *parameter,
                literal: literal.map_or_else(|| value.clone(), Value::to_string),
                parameter: self.found.spec.parameters[*parameter].name.text.clone(),
                value: value.clone(),
            }
        });
        each.collect()
    }

    /// The attribute's text without these values; empty where none goes.
    pub(super) fn attribute(&self, without: &[Without]) -> String {
        if without.is_empty() {
            return String::new();
        }
        let spec = &self.found.spec;
        let known = self.known.borrow();
        match known.values().flatten().next() {
            Some(place) => paste::attribute(spec, &place.facts, &place.scope, without),
            // Lists that say nothing of the device are the same on any.
            None => {
                let mut scope = Scope::default();
                scope.lists.clone_from(&self.found.lists);
                paste::attribute(spec, bico_device::this_cpu(), &scope, without)
            }
        }
    }
}
