//! A program of NVRTC: its source, and what came of it.

use super::compiler::{self, Source};
use super::options::Options;
use crate::library::fault::{self, Fault};
use crate::library::image::{Cubin, to_ptx};
use crate::library::settings;

/// NVRTC's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Failure {
    InvalidInput = 3,
    InvalidProgram = 4,
    InvalidOption = 5,
    Compilation = 6,
    NameExpressionsAfterCompilation = 8,
    NoLoweredNamesBeforeCompilation = 9,
    NameExpressionNotValid = 10,
}

#[derive(Default)]
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) name: String,
    pub(crate) headers: Vec<(String, String)>,
    /// With their lowered names, once compiled: C strings that live as long as the program.
    pub(crate) expressions: Vec<String>,
    pub(crate) lowered: Vec<std::ffi::CString>,
    pub(crate) log: String,
    pub(crate) cubin: Vec<u8>,
    pub(crate) ptx: String,
    pub(crate) compiled: bool,
}

impl Program {
    pub(crate) fn compile(&mut self, options: &[String]) -> Result<(), Failure> {
        self.compiled = true;
        let made = Options::read(options)
            .map_err(|log| (Failure::InvalidOption, log))
            .and_then(|read| {
                self.faults(options)
                    .map_err(|log| (Failure::Compilation, log))?;
                let source = Source {
                    text: &self.text,
                    name: &self.name,
                    headers: &self.headers,
                    expressions: &self.expressions,
                    options,
                };
                let cubin =
                    compiler::compile(&source, &read).map_err(|log| (Failure::Compilation, log))?;
                Ok((read, cubin))
            });
        let (read, cubin) = match made {
            Ok(made) => made,
            Err((failure, log)) => {
                self.log = log;
                return Err(failure);
            }
        };
        self.lowered = cubin.kernels[..self.expressions.len()]
            .iter()
            .map(|kernel| std::ffi::CString::new(kernel.name.as_str()).unwrap_or_default())
            .collect();
        let no_cubin = settings::faults().is_ok_and(|faults| faults.contains(&Fault::NoCubin));
        if !read.ptx_only && !no_cubin {
            self.cubin = cubin.write();
        }
        if read.verbose && !read.ptx_only {
            self.log = information(&cubin);
        }
        self.ptx = to_ptx(&cubin);
        Ok(())
    }

    /// Refuses what a test wants refused.
    fn faults(&self, options: &[String]) -> Result<(), String> {
        let given = format!("{} {}", options.join(" "), self.expressions.join(" "));
        for fault in settings::faults()? {
            match fault {
                Fault::Compile(text) if fault::names(&text, &given) => {
                    return Err(format!(
                        "{name}(1): error: refused by the fault compile:{text}\n\n\
                         1 error detected in the compilation of \"{name}\".\n",
                        name = self.name
                    ));
                }
                Fault::Slow(longer, text) if fault::names(&text, &given) => {
                    std::thread::sleep(longer);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What NVIDIA's assembler says with `-v`.
fn information(cubin: &Cubin) -> String {
    let mut log = "ptxas info    : 0 bytes gmem\n".to_string();
    for kernel in &cubin.kernels {
        let name = &kernel.name;
        log += &format!(
            "ptxas info    : Compiling entry function '{name}' for 'sm_{}'\n\
             ptxas info    : Function properties for {name}\n\
             ptxas         .     {spilled} bytes stack frame, {spilled} bytes spill stores, \
             {spilled} bytes spill loads\n\
             ptxas info    : Used {} registers, used 1 barriers, ",
            cubin.architecture,
            kernel.registers,
            spilled = kernel.spilled
        );
        if kernel.shared > 0 {
            log += &format!("{} bytes smem, ", kernel.shared);
        }
        log += &format!("{} bytes cmem[0]\n", 0x160 + kernel.parameter_bytes());
    }
    log
}
