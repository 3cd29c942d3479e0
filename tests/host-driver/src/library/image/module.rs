//! A cubin's code, loaded into this process.

use std::io::Write;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::Cubin;
use super::variables::{self, Variable};
use crate::library::execute::{Run, Statics};
use crate::library::status::{Answer, Status};

/// Loaded code. It goes when the last function of it is gone.
pub(crate) struct Module {
    pub(crate) cubin: Cubin,
    runs: Vec<Run>,
    /// What the host may ask for by name; `at` is where it lies in this process.
    pub(crate) variables: Vec<Variable>,
    /// Static shared memory of all of them.
    pub(crate) statics: Statics,
    _library: Library,
}

/// A row of the table that host.h has in every object; the last one is empty.
#[repr(C)]
struct Row {
    function: Option<unsafe extern "C" fn()>,
    run: Option<Run>,
    parameters: u64,
    sizes: *const u32,
    alignments: *const u32,
}

impl Module {
    /// # Errors
    ///
    /// `InvalidImage` where the object cannot be loaded here or is not what its cubin says.
    pub(crate) fn load(cubin: Cubin) -> Answer<Module> {
        // A file of its own: the loader takes files of one name or inode for the same library.
        let file = tempfile::Builder::new()
            .prefix("host-driver-")
            .suffix(".so")
            .tempfile()
            .and_then(|mut file| file.write_all(&cubin.object).map(|()| file))
            .map_err(|_| Status::Unknown)?;
        // SAFETY: an object that our compiler made: what runs when it is loaded is an empty function of host.h.
        let library = unsafe { Library::open(Some(file.path()), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|_| Status::InvalidImage)?;
        let mut runs = Vec::new();
        let mut variables = variables::of(&cubin.object);
        let table = variables::address(&cubin.object, "host_kernels");
        // SAFETY: the table's rows are as declared, and it ends with an empty one.
        unsafe {
            let mut row: *const Row = *library
                .get(b"host_kernels\0")
                .map_err(|_| Status::InvalidImage)?;
            let moved = row as u64 - table.ok_or(Status::InvalidImage)?;
            for variable in &mut variables {
                variable.at += moved;
            }
            while let Some(run) = (*row).run {
                runs.push(run);
                row = row.add(1);
            }
        }
        if runs.len() != cubin.kernels.len() {
            return Err(Status::InvalidImage);
        }
        Ok(Module {
            cubin,
            statics: Statics::of(runs.first().map_or(0, |run| *run as *const () as usize)),
            runs,
            variables,
            _library: library,
        })
    }

    pub(crate) fn run(&self, index: usize) -> Run {
        self.runs[index]
    }
}
