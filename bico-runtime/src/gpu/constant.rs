//! `__constant__` variables: what they hold in each module, and which launches may still read it.
//!
//! A call gives their contents. Where the module holds others, they are copied on the call's stream, behind all launches
//! that read the old ones, whatever streams they are on; launches on other streams come behind the copy. Until
//! a call's launch is on its way nobody else changes anything: the state is locked so long.

use super::clock::Relaxed;
use super::launch::{Chosen, failure};
use super::scratch::capturing;
use crate::__private::{EvalError, ops};
use crate::{Error, Result, Value};
use cudarc::driver::result::{self, module};
use cudarc::driver::sys::{CUdeviceptr, CUmodule};
use cudarc::driver::{CudaEvent, CudaStream, DriverError};
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Streams whose last launches are remembered, before it is asked which of them are over.
const STREAMS: usize = 16;

/// The variables of a module that calls fill.
pub(super) struct Constants {
    pub(super) module: CUmodule,
    state: Mutex<State>,
}

// SAFETY: a module's handle may be used from every thread.
unsafe impl Send for Constants {}
// SAFETY: as above; all else is locked.
unsafe impl Sync for Constants {}

#[derive(Default)]
struct State {
    variables: Vec<Variable>,
    /// The last change.
    changed: Option<Mark>,
    /// The last launch on each stream since then.
    readers: Vec<Mark>,
    /// What earlier copies are made from, until then.
    spent: Vec<(Vec<u8>, Arc<CudaEvent>)>,
}

/// A point in a stream's work, which is kept, so that its handle means no other.
struct Mark {
    stream: Arc<CudaStream>,
    event: Arc<CudaEvent>,
}

struct Variable {
    symbol: &'static str,
    address: CUdeviceptr,
    room: usize,
    /// What it holds since a call filled it: copies are made from here, so that nobody else changes it meanwhile.
    content: Option<Vec<u8>>,
}

/// What a call gives to a variable.
pub struct Constant<'a> {
    /// The variable.
    pub symbol: &'static str,
    /// The wrapper's argument.
    pub argument: &'static str,
    /// Its bytes, as far as the kernel reads them.
    pub bytes: &'a [u8],
}

/// Variables that hold what a call needs, as long as this lives.
pub struct Filled {
    state: MutexGuard<'static, State>,
    stream: Arc<CudaStream>,
    captured: bool,
    tunable: &'static str,
}

impl Constants {
    pub(super) fn of(module: CUmodule) -> Constants {
        Constants {
            module,
            state: Mutex::default(),
        }
    }
}

/// The bytes of a slice that the kernel reads: those of its `#[len(..)]`, which was checked.
pub fn contents<T: Copy, const BYTES: usize>(slice: &[T], need: Result<Value, EvalError>) -> &[u8] {
    const {
        assert!(
            size_of::<T>() == BYTES,
            "an element of another size than its name says"
        )
    };
    let need = need.and_then(ops::length).ok();
    let need = need.and_then(|need| usize::try_from(need).ok());
    let slice = &slice[..need.unwrap_or(slice.len()).min(slice.len())];
    // SAFETY: the elements are numbers, by the names of their types: all of their bytes are there.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
}

impl Chosen {
    /// Fills the module's variables for a launch on `stream`, which is to follow.
    ///
    /// # Errors
    ///
    /// [`Error::ConstantTooLong`]; [`Error::ConstantInCapture`] where the module holds something else and the stream is
    /// being captured; [`Error::Driver`].
    pub fn fill(&self, stream: &Arc<CudaStream>, constants: &[Constant<'_>]) -> Result<Filled> {
        let captured = capturing(self.tunable.owner(), stream)?;
        let own = &self.kernel.constants;
        let state = own.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut filled = Filled {
            state,
            stream: stream.clone(),
            captured,
            tunable: self.tunable.name(),
        };
        // A function of the host has no module.
        for constant in constants.iter().filter(|_| !own.module.is_null()) {
            filled.fill(own.module, constant)?;
        }
        filled
            .follow()
            .map_err(|error| filled.failed("a call", error))?;
        Ok(filled)
    }
}

impl Filled {
    /// After the launch.
    ///
    /// # Errors
    ///
    /// That of the launch; or it could not be marked for those who change variables later.
    pub fn launched(mut self, launch: Result<()>) -> Result<()> {
        launch?;
        // What a graph launches later, nobody is told.
        if self.captured {
            return Ok(());
        }
        self.mark().map_err(|error| self.failed("a call", error))
    }

    fn fill(&mut self, module: CUmodule, constant: &Constant<'_>) -> Result<()> {
        let Constant {
            symbol,
            argument,
            bytes,
        } = *constant;
        let variables = &self.state.variables;
        let known = variables.iter().position(|own| own.symbol == symbol);
        let index = match known {
            Some(index) => index,
            None => {
                let found = find(module, symbol);
                let what = || format!("the `__constant__` variable `{symbol}`");
                let found = found.map_err(|error| self.failed(&what(), error))?;
                self.state.variables.push(found);
                self.state.variables.len() - 1
            }
        };
        let variable = &self.state.variables[index];
        if variable.room < bytes.len() {
            return Err(Error::ConstantTooLong {
                tunable: self.tunable,
                argument,
                need: bytes.len(),
                have: variable.room,
            });
        }
        let content = variable.content.as_deref().unwrap_or_default();
        if content.get(..bytes.len()) == Some(bytes) {
            return Ok(());
        }
        if self.captured {
            let tunable = self.tunable;
            return Err(Error::ConstantInCapture { tunable, argument });
        }
        let changed = self.change(index, bytes);
        changed.map_err(|error| self.failed(&format!("filling `{symbol}`"), error))
    }

    /// Gives a variable other contents.
    fn change(&mut self, index: usize, bytes: &[u8]) -> Result<(), DriverError> {
        let _relaxed = Relaxed::new();
        let Filled { state, stream, .. } = self;
        for mark in state.readers.iter().chain(&state.changed) {
            if mark.stream != *stream {
                stream.wait(&mark.event)?;
            }
        }
        state.readers.clear();
        let new = bytes.to_vec();
        let variable = &mut state.variables[index];
        // SAFETY: the variable is that long, and the module is never unloaded; what is copied from is kept until the copy is
        // made.
        unsafe { result::memcpy_htod_async(variable.address, &new, stream.cu_stream()) }?;
        let old = variable.content.replace(new);
        let event = Arc::new(stream.context().new_event(None)?);
        event.record(stream)?;
        state.spent.retain(|(_, until)| !until.is_complete());
        state.spent.extend(old.map(|old| (old, event.clone())));
        let stream = stream.clone();
        state.changed = Some(Mark { stream, event });
        Ok(())
    }

    /// Lets the launch come behind the last change.
    fn follow(&self) -> Result<(), DriverError> {
        let Some(changed) = &self.state.changed else {
            return Ok(());
        };
        if self.captured {
            // A graph cannot wait for what is outside of it, and may be launched on any stream.
            let _relaxed = Relaxed::new();
            return changed.event.synchronize();
        }
        let has_waited = |mark: &Mark| mark.stream == self.stream;
        match has_waited(changed) || self.state.readers.iter().any(has_waited) {
            true => Ok(()),
            false => self.stream.wait(&changed.event),
        }
    }

    fn mark(&mut self) -> Result<(), DriverError> {
        let Filled { state, stream, .. } = self;
        let readers = &mut state.readers;
        if let Some(own) = readers.iter().find(|mark| mark.stream == *stream) {
            return own.event.record(stream);
        }
        if readers.len() >= STREAMS {
            let _relaxed = Relaxed::new();
            readers.retain(|mark| !mark.event.is_complete());
        }
        let event = Arc::new(stream.context().new_event(None)?);
        event.record(stream)?;
        let stream = stream.clone();
        readers.push(Mark { stream, event });
        Ok(())
    }

    fn failed(&self, what: &str, error: DriverError) -> Error {
        failure(self.tunable, what.to_string(), error)
    }
}

fn find(module: CUmodule, symbol: &'static str) -> Result<Variable, DriverError> {
    let name = CString::new(symbol).unwrap_or_default();
    // SAFETY: the module is loaded for good.
    let (address, room) = unsafe { module::get_global(module, name) }?;
    Ok(Variable {
        symbol,
        address,
        room,
        content: None,
    })
}
