//! What the author's own judge says of results.

use super::Harness;
use crate::measure::poison::Poison;
use crate::measure::protocol::{Call, Case, Inputs, Judge, Judging, Role};
use bico_core::Lists;
use bico_device::measure::{Bytes, numbers};
use bico_search::search::Failure;
use std::path::Path;
use std::rc::Rc;

impl Harness {
    /// Why results are wrong; `None`: they are right.
    pub(super) fn verdict(
        &mut self,
        case: &Case,
        judge: &Judge,
        outputs: &[Bytes],
    ) -> Result<Option<String>, Failure> {
        let bench = match self.bench.take() {
            Some(bench) => Ok(bench),
            None => bico_device::cpu()
                .map(|device| Box::new(Harness::new(device, Rc::clone(&self.parent)))),
        };
        let mut bench = bench.map_err(Failure::Worker)?;
        let expected = match &case.reference {
            Some(path) => self.wanted(path, &case.call)?,
            None => Vec::new(),
        };
        self.parent.step(&judge.name, judge.allow);
        let said = bench.ask(judge, outputs.iter().chain(&expected));
        self.bench = Some(bench);
        said
    }

    /// What the reference gives.
    fn wanted(&mut self, path: &Path, call: &Call) -> Result<Vec<Bytes>, Failure> {
        let at = self.known(path, call)?;
        let known = self.known[at].1.iter();
        Ok(known.map(|known| known.want.bytes.clone()).collect_vec())
    }

    /// The results of a kernel that was judged to be right, and its results of other inputs.
    fn both(&mut self, judging: &Judging) -> Result<(Vec<Bytes>, Option<Vec<Bytes>>), Failure> {
        let (check, Some(kernel)) = (&judging.check, &judging.kernel) else {
            return Ok(Default::default());
        };
        let code = self.load(kernel)?;
        let mut run = || {
            let (prepared, _) = self.check(code, check, &mut [])?;
            let (own, mut other) = (self.outputs(&prepared)?, None);
            for case in &check.others {
                self.go_on(code, check, case, &mut [])?;
                other = Some(self.outputs(&prepared)?);
            }
            Ok((own, other))
        };
        let both = run();
        self.device.unload(code);
        both
    }

    /// Calls a judge with these results, and says what it says.
    fn ask<'b>(
        &mut self,
        judge: &Judge,
        results: impl Iterator<Item = &'b Bytes>,
    ) -> Result<Option<String>, Failure> {
        let prepared = self.prepare(&judge.call)?;
        self.give(&prepared)?;
        let mut results = results;
        for filled in prepared.with(Role::Output) {
            match results.next() {
                Some(bytes) => self.write(filled, bytes)?,
                // What it says, nothing so far.
                None => self.fill(filled, [0; 8])?,
            }
        }
        let code = self.load(&judge.kernel)?;
        let called = self.lap(code, &prepared, 1);
        let called = called.and_then(|_| self.trespass(&prepared));
        self.device.unload(code);
        called.map_err(|failure| {
            Failure::Worker(format!("{} is wrong: {}", judge.name, failure.parts().1))
        })?;
        let last = prepared.with(Role::Output).collect_vec();
        let [.., why, code] = last.as_slice() else {
            return Ok(None);
        };
        let code = numbers::<i32>(&self.contents(code)?).first().copied();
        let Some(code) = code.filter(|code| *code != 0) else {
            return Ok(None);
        };
        let why = self.contents(why)?;
        let why = why.split(|byte| *byte == 0).next().unwrap_or_default();
        let why = String::from_utf8_lossy(why).replace(char::is_control, " ");
        Ok(Some(match why.trim() {
            "" => format!("{} gives {code}", judge.name),
            why => format!("{}: {why}", judge.name),
        }))
    }
}

/// What is wrong with a judge, seen at results that are certainly wrong, or right.
pub(crate) fn try_out(harness: &mut Harness, judging: &Judging) -> Result<Option<String>, Failure> {
    harness.accept(&judging.terms);
    let _turn = harness.take_part();
    let (check, case) = (&judging.check, &judging.check.timed);
    let Some(judge) = &case.judge else {
        return Ok(None);
    };
    let poisoned: Vec<Bytes> = case
        .call
        .results()
        .map(|slot| Poison::FIRST.bytes(slot))
        .collect_vec();
    if harness.verdict(case, judge, &poisoned)?.is_none() {
        return Ok(Some(
            "accepts results that nobody has written: it would accept anything".into(),
        ));
    }
    let others = check
        .others
        .iter()
        .find(|other| other.call.inputs == Inputs::Others);
    let (own, other) = match (&judging.kernel, &case.reference) {
        (Some(_), _) => harness.both(judging)?,
        (None, Some(path)) => {
            let own = harness.wanted(path, &case.call)?;
            if let Some(why) = harness.verdict(case, judge, &own)? {
                return Ok(Some(format!(
                    "does not accept what the reference gives: {why}"
                )));
            }
            let path = others.and_then(|other| other.reference.as_ref());
            let other = path.map(|path| harness.wanted(path, &case.call));
            (own, other.transpose()?)
        }
        (None, None) => return Ok(None),
    };
    let differ = |other: &Vec<Bytes>| {
        let mut pairs = own.iter().zip(other);
        pairs.any(|(own, other)| own.as_slice() != other.as_slice())
    };
    match other.filter(differ) {
        Some(other) if harness.verdict(case, judge, &other)?.is_none() => Ok(Some(
            "accepts the results of other inputs: it looks at nothing that depends on them".into(),
        )),
        _ => Ok(None),
    }
}
