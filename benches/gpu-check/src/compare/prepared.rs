//! The buffers of a tunable at some sizes, and what must be in them afterwards.

use super::gpu::{Gpu, Kernel, Memory, buffers, given};
use bico_device::measure::Bytes;
use cargo_bico::opened::{Buffer, Call, Configs};

/// Buffers that all configs of a tunable share.
pub(super) struct Prepared {
    pub(super) buffers: Vec<Buffer>,
    pub(super) memory: Vec<Memory>,
    seed: u64,
}

/// A config's kernel with the scratch memory of its own.
pub(super) struct Loaded {
    pub(super) kernel: Kernel,
    _scratch: Vec<Memory>,
}

impl Loaded {
    /// `memory` are its buffers without scratch.
    pub(super) fn new(gpu: &Gpu, call: &Call, memory: &[&Memory]) -> Result<Loaded, String> {
        let scratch = buffers(call)
            .into_iter()
            .filter(|buffer| buffer.is_scratch());
        let scratch = scratch
            .map(|buffer| filled(gpu, buffer, 0))
            .collect::<Result<Vec<_>, _>>()?;
        let memory: Vec<&Memory> = memory.iter().copied().chain(&scratch).collect();
        Ok(Loaded {
            kernel: gpu.load(call, &memory)?,
            _scratch: scratch,
        })
    }
}

impl Prepared {
    /// Allocates and fills what `call` takes, with random numbers of this seed.
    pub(super) fn new(gpu: &Gpu, call: &Call, seed: u64) -> Result<Prepared, String> {
        let mut prepared = Prepared {
            buffers: Vec::new(),
            memory: Vec::new(),
            seed,
        };
        for buffer in given(call) {
            prepared.memory.push(filled(gpu, buffer, seed)?);
            prepared.buffers.push(buffer.clone());
        }
        Ok(prepared)
    }

    /// Bytes of all buffers: what moves at least, if all of each is read or written once.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = self.buffers.iter().filter_map(Buffer::bytes);
        bytes.map(|bytes| bytes as u64).sum()
    }

    /// Loads a config's kernel, or the reference, to run on these buffers.
    pub(super) fn load(&self, gpu: &Gpu, call: &Call) -> Result<Loaded, String> {
        let own = given(call);
        let as_many = own.len() == self.buffers.len();
        // A config of another variant may be passed them in another order.
        let memory = own.into_iter().map(|own| {
            let mut known = self.buffers.iter().zip(&self.memory);
            let known = known.find(|(of, _)| of.name() == own.name() && of.bytes() == own.bytes());
            known.map(|(_, memory)| memory)
        });
        let memory: Option<Vec<&Memory>> = memory.collect();
        let memory = memory.filter(|_| as_many);
        let memory = memory.ok_or("the config takes buffers of other lengths")?;
        Loaded::new(gpu, call, &memory)
    }

    /// What is in the outputs after the work ran once on poisoned outputs: one entry for each output.
    pub(super) fn run(
        &mut self,
        gpu: &Gpu,
        work: impl FnOnce(&Prepared) -> Result<(), String>,
    ) -> Result<Vec<Bytes>, String> {
        for (buffer, memory) in self.buffers.iter().zip(&mut self.memory) {
            if buffer.is_output() {
                gpu.write(memory, buffer.contents(self.seed)?.as_slice())?;
            }
        }
        work(self)?;
        gpu.synchronize()?;
        for (buffer, memory) in self.buffers.iter().zip(&self.memory) {
            if !gpu.is_whole(memory)? {
                return Err(format!("it wrote behind the end of `{}`", buffer.name()));
            }
        }
        self.outputs().map(|(_, memory)| gpu.read(memory)).collect()
    }

    /// What is in the outputs after the reference, which adds up in double precision.
    pub(super) fn expected(
        &mut self,
        gpu: &Gpu,
        configs: &Configs<'_>,
    ) -> Result<Vec<Bytes>, String> {
        let call = configs.reference()?.ok_or("it has no CUDA reference")?;
        let reference = self.load(gpu, &call)?;
        self.run(gpu, |_| gpu.launch(&reference.kernel))
            .map_err(|error| format!("the reference: {error}"))
    }

    /// What is wrong with results; `None`: nothing.
    pub(super) fn difference(&self, got: &[Bytes], want: &[Bytes]) -> Option<String> {
        let outputs = self.outputs().zip(got.iter().zip(want));
        outputs
            .filter_map(|((buffer, _), (got, want))| {
                buffer.difference(got.as_slice(), want.as_slice())
            })
            .next()
    }

    fn outputs(&self) -> impl Iterator<Item = (&Buffer, &Memory)> {
        let all = self.buffers.iter().zip(&self.memory);
        all.filter(|(buffer, _)| buffer.is_output())
    }
}

fn filled(gpu: &Gpu, buffer: &Buffer, seed: u64) -> Result<Memory, String> {
    let len = buffer.bytes().ok_or("a buffer is too long")?;
    let mut memory = gpu.allocate(len)?;
    gpu.write(&mut memory, buffer.contents(seed)?.as_slice())?;
    Ok(memory)
}
