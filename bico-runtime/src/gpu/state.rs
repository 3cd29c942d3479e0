//! What one tunable decided and loaded on each GPU.

use super::clock::{Clock, Relaxed};
use super::module::{self, Kernel};
use super::registry::{self, Gpu};
use crate::data::Data;
use crate::dispatch::Tunable;
use crate::learn::{Board, slot};
use crate::target::{Code, Refusal, Target};
use crate::{Error, Result};
use bico_core::device::KernelLimits;
use bico_device::cuda;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use cudarc::driver::CudaContext;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More GPUs than a machine has. Should there be more, they share.
const HEADS: usize = 64;

/// The states of one tunable: lists by the number of the GPU, one entry per context. They only grow,
/// and what is in them stays for ever, so that reading needs no lock.
pub struct States {
    heads: [AtomicPtr<State>; HEADS],
    adding: Mutex<()>,
}

/// One tunable in one context.
pub(super) struct State {
    /// The address of the context, which [`State::context`] keeps from being another's.
    raw: usize,
    next: AtomicPtr<State>,
    pub(super) gpu: &'static Gpu,
    data: &'static Data,
    /// Kept for ever: modules and functions live as long as their context.
    context: Arc<CudaContext>,
    slots: Box<[AtomicU32]>,
    able: Box<[AtomicU8]>,
    board: Board,
    kernels: Box<[AtomicPtr<Kernel>]>,
    /// What the calls that teach take.
    pub(super) clock: Clock,
    /// Why candidates did not load or launch, for good.
    refusals: Mutex<Box<[Option<Refusal>]>>,
}

impl States {
    /// Without any.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> States {
        States {
            heads: [const { AtomicPtr::new(null_mut()) }; HEADS],
            adding: Mutex::new(()),
        }
    }

    /// The state in a context.
    #[inline]
    pub(super) fn of(
        &self,
        data: &'static Data,
        context: &Arc<CudaContext>,
    ) -> Result<&'static State> {
        let head = &self.heads[context.ordinal() % HEADS];
        match find(head, context) {
            Some(state) => Ok(state),
            None => self.add(data, context),
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, data: &'static Data, context: &Arc<CudaContext>) -> Result<&'static State> {
        let head = &self.heads[context.ordinal() % HEADS];
        cuda::driver().map_err(|why| Error::NoDevice { why: why.into() })?;
        let gpu = registry::gpu(context.ordinal())?;
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = find(head, context) {
            return Ok(state);
        }
        let state: &'static mut State = Box::leak(Box::new(State {
            raw: context.cu_ctx() as usize,
            next: AtomicPtr::new(head.load(Ordering::Acquire)),
            gpu,
            data,
            context: context.clone(),
            slots: fresh(data.problems.len()),
            able: fresh(data.candidates.len()),
            board: Board::new(),
            kernels: fresh(data.candidates.len()),
            clock: Clock::new(),
            refusals: Mutex::new(fresh(data.candidates.len())),
        }));
        head.store(state, Ordering::Release);
        Ok(state)
    }

    /// What each of them decides for, with the number of its GPU.
    pub(crate) fn targets(&self, of: &Tunable) -> Vec<(usize, Target)> {
        let target = |state: &'static State| (state.context.ordinal(), state.target(of));
        self.heads.iter().flat_map(all).map(target).collect()
    }
}

/// So many that say nothing yet.
fn fresh<T: Default>(count: usize) -> Box<[T]> {
    (0..count).map(|_| T::default()).collect()
}

/// The states of a list.
#[inline(always)]
fn all(head: &AtomicPtr<State>) -> impl Iterator<Item = &'static State> + use<'_> {
    let mut next = head;
    core::iter::from_fn(move || {
        // SAFETY: null or a state that was leaked, and complete before it was stored.
        let state: &'static State = unsafe { next.load(Ordering::Acquire).as_ref() }?;
        next = &state.next;
        Some(state)
    })
}

#[inline(always)]
fn find(head: &AtomicPtr<State>, context: &CudaContext) -> Option<&'static State> {
    let raw = context.cu_ctx() as usize;
    all(head).find(|state| state.raw == raw)
}

impl State {
    /// A tunable here.
    #[inline(always)]
    pub(super) fn target(&'static self, of: &Tunable) -> Target {
        Target {
            tunable: Tunable {
                slots: &self.slots,
                able: &self.able,
                board: &self.board,
                ..*of
            },
            facts: &self.gpu.facts,
            key: &self.gpu.key,
            driver: &self.gpu.driver,
            code: Some(self),
        }
    }

    /// A candidate's kernel, once it is loaded.
    #[inline(always)]
    pub(super) fn kernel(&self, candidate: usize) -> Option<&'static Kernel> {
        let kernel = self.kernels[candidate].load(Ordering::Acquire);
        // SAFETY: null, or a kernel that was leaked, and complete before it was stored.
        unsafe { kernel.as_ref() }
    }

    /// A candidate cannot be launched, where others can: calls that it served are decided anew, and no lane
    /// tries it again.
    pub(super) fn take_out(&'static self, candidate: usize, error: &Error) {
        let mut refusals = self.refusals();
        refusals[candidate] = Some(Refusal::lasting(format!("it was tried: {error}")));
        // Whose slots are read after this finds no kernel.
        self.kernels[candidate].store(null_mut(), Ordering::Release);
        self.able[candidate].store(0, Ordering::Relaxed);
        drop(refusals);
        self.vacate(candidate);
        let lanes = self.board.lanes();
        lanes.for_each(|lane| lane.fail_candidate(candidate));
    }

    /// Problems that were decided for it are no longer.
    pub(super) fn vacate(&self, candidate: usize) {
        let own = slot::decided(candidate);
        for slot in &self.slots {
            let (set, read) = (Ordering::Relaxed, Ordering::Relaxed);
            let _ = slot.compare_exchange(own, slot::UNSETTLED, set, read);
        }
    }

    fn refusals(&self) -> MutexGuard<'_, Box<[Option<Refusal>]>> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Code for State {
    fn load(&self, candidate: usize) -> Result<(), Refusal> {
        // Held while loading: no module is loaded twice.
        let mut refusals = self.refusals();
        if let Some(refusal) = &refusals[candidate] {
            return Err(refusal.clone());
        }
        if self.kernel(candidate).is_some() {
            return Ok(());
        }
        let Some(code) = &self.data.candidates[candidate].gpu else {
            return Err(Refusal::lasting("it has no code for GPUs".to_string()));
        };
        let _relaxed = Relaxed::new();
        let loaded = module::load(
            code,
            self.data.sources.get(code.source),
            self.gpu,
            &self.context,
        );
        refusals[candidate] = loaded.as_ref().err().filter(|no| no.lasting).cloned();
        let kernel = Box::leak(Box::new(loaded?));
        self.kernels[candidate].store(kernel, Ordering::Release);
        Ok(())
    }

    fn limits(&self, candidate: usize, pass: usize) -> Option<KernelLimits> {
        let function = self.kernel(candidate)?.functions.get(pass)?;
        Some(function.limits)
    }
}

impl Tunable {
    /// Made by the macro for a CUDA kernel.
    #[doc(hidden)]
    pub const fn on_gpus(self, gpus: &'static States) -> Tunable {
        Tunable {
            gpus: Some(gpus),
            ..self
        }
    }
}
