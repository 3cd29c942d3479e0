//! What goes into a call and what must come out of it, where functions of the author's say so.

use super::KernelMeasure;
use crate::compile::Hash;
use crate::measure::call::SharedCall;
use crate::measure::client::{Client, Ended, Program};
use crate::measure::clock::REFERENCES;
use crate::measure::fill::{Fill, Stored};
use crate::measure::functions;
use crate::measure::harness::preparing;
use crate::measure::plan::{self, CallPlan};
use crate::measure::protocol::{Call, Inputs, Judge, Processor, Slot};
use crate::measure::reference::{Compiled, Outputs};
use bico_core::Value;
use bico_core::device::{Dims, Facts};
use bico_core::model;
use bico_syntax::Callee;
use std::time::Instant;

/// Outputs that are kept in memory; the others are in their files.
const MOST_KEPT: usize = 1000;

/// What the reference's outputs depend on, of one kernel.
#[derive(Clone, PartialEq)]
pub(super) struct Asked {
    scalars: Vec<Value>,
    buffers: Vec<u64>,
    dims: Option<Dims>,
    inputs: Inputs,
    most: f64,
}

impl Asked {
    pub(super) fn new(plan: &CallPlan, scalars: &[Value], inputs: Inputs, most: f64) -> Asked {
        Asked {
            scalars: scalars.to_vec(),
            buffers: plan.buffers.clone(),
            dims: plan.reference_dims,
            inputs,
            most,
        }
    }
}

/// Who runs one of the author's functions.
pub(super) fn runs<'c>(
    function: &Compiled,
    on_cpu: &'c mut Option<Client>,
    client: &'c mut Client,
) -> &'c mut Client {
    match on_cpu {
        Some(on_cpu) if function.on_cpu => on_cpu,
        _ => client,
    }
}

impl KernelMeasure<'_> {
    /// A call with these inputs; `None` where they hold what is timed.
    pub(super) fn called(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
        callee: Callee,
        inputs: Inputs,
    ) -> Result<Option<Call>, String> {
        let call = plan::call(self.spec, plan, scalars, callee, self.settings.seed)?;
        match (&self.inputs, inputs) {
            (None, Inputs::Timed) => Ok(Some(call)),
            (None, _) => Ok(call.with(inputs)),
            (Some(_), Inputs::Special) => Ok(None),
            (Some(function), _) => {
                let name = function.name.clone();
                self.filled(call, plan, scalars, inputs, name).map(Some)
            }
        }
    }

    /// The same of the kernel, which most configs call alike.
    pub(super) fn shared_call(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
        inputs: Inputs,
    ) -> Result<Option<SharedCall>, String> {
        // What the author's function puts into its buffers lies in files, which somebody may have removed.
        if self.inputs.is_none()
            && let Some(known) = self.calls.known(scalars, plan, inputs)
        {
            return Ok(known);
        }
        let call = self.called(plan, scalars, Callee::Kernel(plan.kernel), inputs)?;
        Ok(self.calls.keep(scalars, plan, inputs, call))
    }

    /// A call with what the author's function puts into its buffers; `name` is what that is called.
    fn filled(
        &mut self,
        mut call: Call,
        plan: &CallPlan,
        scalars: &[Value],
        inputs: Inputs,
        name: String,
    ) -> Result<Call, String> {
        let seed = self.settings.seed;
        let filling = functions::filling(self.spec, plan, scalars, seed, inputs)?;
        let label = plan::label(self.spec, scalars);
        let Some(outputs) = self.ask_function(Callee::Inputs, &filling, &label, f64::INFINITY)
        else {
            return Ok(call);
        };
        let Outputs::File(path, ..) = outputs? else {
            let seconds = self.settings.reference_seconds;
            return Err(format!("{name} takes more than {seconds} s, at {label}"));
        };
        let content = Hash::of(path.to_string_lossy().as_bytes());
        let mut offset = 0;
        let buffers = call.slots.iter_mut().filter_map(|slot| match slot {
            Slot::Buffer(slot) => Some(slot),
            Slot::Scalar(_) | Slot::Tensor(_) => None,
        });
        for (slot, filled) in buffers.zip(filling.buffers()) {
            if filled.role.is_checked() {
                let path = path.clone();
                slot.fill = Fill::Stored(Stored {
                    path,
                    offset,
                    content,
                });
                offset += slot.bytes().unwrap_or(0) as u64;
            }
        }
        call.inputs = inputs;
        Ok(call)
    }

    /// Who says whether a call's results are right, where the author's judge does.
    pub(super) fn judge_of(&self, call: &Call) -> Option<Judge> {
        let (name, kernel) = self.judge.clone()?;
        let call = functions::judging(self.spec, call, self.reference.is_some());
        Some(Judge {
            name,
            kernel,
            allow: self.settings.hang_seconds + preparing(&call),
            call,
        })
    }

    /// The reference's outputs at some sizes, if it takes no more than `most` seconds; `None` without a reference.
    pub(super) fn outputs(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
        inputs: Inputs,
        most: f64,
    ) -> Result<Option<Outputs>, String> {
        if self.reference.is_none() {
            return Ok(None);
        }
        let asked = Asked::new(plan, scalars, inputs, most);
        if let Some(outputs) = self.known_outputs(&asked) {
            return Ok(Some(outputs.clone()));
        }
        let outputs = self.asked_outputs(plan, &asked)?;
        if let Some(outputs) = &outputs {
            // Where each config has other lengths, nothing comes again.
            self.outputs.truncate(MOST_KEPT);
            self.outputs.push((asked, outputs.clone()));
        }
        Ok(outputs)
    }

    fn asked_outputs(&mut self, plan: &CallPlan, asked: &Asked) -> Result<Option<Outputs>, String> {
        let (scalars, inputs) = (&asked.scalars, asked.inputs);
        let Some(call) = self.called(plan, scalars, Callee::Reference, inputs)? else {
            return Ok(None);
        };
        let label = plan::label(self.spec, scalars);
        if let (Some(why), Some(reference)) = (self.reference_obstacle(plan), &self.reference) {
            let name = &reference.name;
            return Err(format!("{name} cannot be launched at {label}: {why}"));
        }
        self.ask_function(Callee::Reference, &call, &label, asked.most)
            .transpose()
    }

    /// Outputs that were asked for before.
    pub(super) fn known_outputs(&self, asked: &Asked) -> Option<&Outputs> {
        let mut known = self.outputs.iter();
        known.find(|(known, _)| known == asked).map(|(_, of)| of)
    }

    /// Why the device cannot launch the reference.
    pub(super) fn reference_obstacle(&self, plan: &CallPlan) -> Option<String> {
        let (dims, Facts::Cuda(gpu)) = plan.reference_dims.zip(self.candidates.device())? else {
            return None;
        };
        match dims.is_empty() {
            true => Some("its grid or its block is empty".to_string()),
            false => model::obstacle(gpu, &dims, None, 0),
        }
    }

    /// As [`outputs`](KernelMeasure::outputs) for what is timed at the problem's sizes, and beside it, where a processor is free for
    /// that, for the other inputs that the first config is checked with: then they are known when it comes to those.
    pub(super) fn first_outputs(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
    ) -> Result<Option<Outputs>, String> {
        let second = self.second_reference(plan, scalars);
        std::thread::scope(|scope| {
            if let Some((reference, call, program)) = second {
                let label = plan::label(self.spec, scalars);
                // What came of it, faults too, is asked for by who needs it. Its worker ends with this thread.
                scope.spawn(move || {
                    let mut client = Client::new(program);
                    _ = reference.outputs(&mut client, &call, &label, f64::INFINITY, true);
                });
            }
            self.outputs(plan, scalars, Inputs::Timed, f64::INFINITY)
        })
    }

    /// The reference with other inputs, for a worker of its own; `None` where it is to have none.
    fn second_reference(
        &mut self,
        plan: &CallPlan,
        scalars: &[Value],
    ) -> Option<(Compiled, Call, Program)> {
        let mut reference = self.reference.clone()?;
        let program = match &self.on_cpu {
            Some(client) if reference.on_cpu => &client.program,
            _ => &self.settings.program,
        };
        let program = program.clone();
        let is_alone = self.settings.jobs > 1 && self.pool.is_none();
        if !is_alone || program.processor != Processor::Cpu || !program.runner.is_empty() {
            return None;
        }
        let call = self.called(plan, scalars, Callee::Reference, Inputs::Others);
        let call = call.ok().flatten()?;
        let is_known = reference.known(&call, f64::INFINITY).is_some();
        let fits = plan::needed(&call) <= self.free / 4;
        // Two of them, and compilers beside them, may take longer than one.
        reference.seconds *= 2.0;
        (fits && !is_known).then_some((reference, call, program))
    }

    /// What one of the author's functions gives; `None` where there is none.
    fn ask_function(
        &mut self,
        callee: Callee,
        call: &Call,
        label: &str,
        most: f64,
    ) -> Option<Result<Outputs, String>> {
        let function = match callee {
            Callee::Inputs => self.inputs.as_ref()?,
            _ => self.reference.as_ref()?,
        };
        if let Some(known) = function.known(call, most) {
            return Some(known);
        }
        if !self.sits() {
            return Some(Err("no worker is left".into()));
        }
        let start = Instant::now();
        let before = self.clock.turn(REFERENCES);
        let mut doubted = Vec::new();
        let outputs = loop {
            let doubt = self.has_others(&doubted);
            let function = match callee {
                Callee::Inputs => self.inputs.as_ref()?,
                _ => self.reference.as_ref()?,
            };
            let client = runs(function, &mut self.on_cpu, &mut self.client);
            match function.outputs(client, call, label, most, doubt) {
                // Another worker may do better.
                Err(why)
                    if self.client.is_broken
                        && self.sits_elsewhere(&Ended::Broken(why.clone())) => {}
                Err(why) if doubt && self.doubts(&why, &mut doubted) => {}
                outputs => break outputs,
            }
        };
        if outputs.is_ok() {
            self.blames(doubted);
        }
        self.clock.turn(before);
        self.excluded += start.elapsed().as_secs_f64();
        Some(outputs)
    }
}
