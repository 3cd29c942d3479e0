//! NVRTC's functions.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::{Arc, Mutex};

use super::options::ARCHITECTURES;
use super::program::{Failure, Program};
use crate::library::abi::{Out, Text, fill};
use crate::library::driver::lock;
use crate::library::handles::{Handle, Table};

type Answer = Result<(), Failure>;

static PROGRAMS: Table<Mutex<Program>> = Table::new();

fn program(handle: Handle) -> Result<Arc<Mutex<Program>>, Failure> {
    PROGRAMS.get(handle).map_err(|_| Failure::InvalidProgram)
}

fn input<T>(answer: crate::library::status::Answer<T>) -> Result<T, Failure> {
    answer.map_err(|_| Failure::InvalidInput)
}

/// The texts of an array of the caller's.
fn texts(count: i32, list: *const Text) -> Result<Vec<String>, Failure> {
    if count > 0 && list.is_null() {
        return Err(Failure::InvalidInput);
    }
    (0..usize::try_from(count).map_err(|_| Failure::InvalidInput)?)
        // SAFETY: not null; the caller says how many there are.
        .map(|index| input(unsafe { &*list.add(index) }.get()))
        .collect()
}

/// With the zero that ends it.
fn size(text: &str) -> usize {
    text.len() + 1
}

fn write(to: &Out<u8>, text: &str) -> Answer {
    input(fill(to, &[text.as_bytes(), &[0]].concat()))
}

entry! {
    answer Answer;

    fn nvrtcVersion(major: Out<i32>, minor: Out<i32>) {
        input(major.set(12))?;
        input(minor.set(9))
    }

    fn nvrtcGetNumSupportedArchs(count: Out<i32>) {
        input(count.set(ARCHITECTURES.len() as i32))
    }

    fn nvrtcGetSupportedArchs(list: Out<u8>) {
        let bytes: Vec<u8> = ARCHITECTURES.iter().flat_map(|it| it.to_le_bytes()).collect();
        input(fill(&list, &bytes))
    }

    fn nvrtcCreateProgram(
        made: Out<Handle>,
        source: Text,
        name: Text,
        count: i32,
        headers: *const Text,
        includes: *const Text,
    ) {
        let headers = texts(count, includes)?.into_iter().zip(texts(count, headers)?);
        let program = Program {
            text: input(source.get())?,
            name: name.get().unwrap_or_else(|_| "default_program".to_string()),
            headers: headers.collect(),
            ..Program::default()
        };
        input(made.set(PROGRAMS.insert(Arc::new(Mutex::new(program)))))
    }

    fn nvrtcDestroyProgram(handle: *mut Handle) {
        if handle.is_null() {
            return Err(Failure::InvalidProgram);
        }
        // SAFETY: not null; the caller's handle, which becomes none.
        let handle = unsafe { handle.replace(0) };
        PROGRAMS.remove(handle).map(drop).map_err(|_| Failure::InvalidProgram)
    }

    fn nvrtcAddNameExpression(handle: Handle, expression: Text) {
        let program = program(handle)?;
        let mut program = lock(&program);
        if program.compiled {
            return Err(Failure::NameExpressionsAfterCompilation);
        }
        let expression = input(expression.get())?;
        if !program.expressions.contains(&expression) {
            program.expressions.push(expression);
        }
        Ok(())
    }

    fn nvrtcCompileProgram(handle: Handle, count: i32, options: *const Text) {
        let options = texts(count, options)?;
        lock(&*program(handle)?).compile(&options)
    }

    fn nvrtcGetLoweredName(handle: Handle, expression: Text, name: Out<*const c_char>) {
        let program = program(handle)?;
        let program = lock(&program);
        if program.lowered.is_empty() {
            return Err(Failure::NoLoweredNamesBeforeCompilation);
        }
        let expression = input(expression.get())?;
        let index = program.expressions.iter().position(|known| *known == expression);
        let lowered = index.and_then(|index| program.lowered.get(index));
        input(name.set(lowered.ok_or(Failure::NameExpressionNotValid)?.as_ptr()))
    }

    fn nvrtcGetPTXSize(handle: Handle, bytes: Out<usize>) {
        input(bytes.set(size(&lock(&*program(handle)?).ptx)))
    }

    fn nvrtcGetPTX(handle: Handle, to: Out<u8>) {
        write(&to, &lock(&*program(handle)?).ptx)
    }

    fn nvrtcGetCUBINSize(handle: Handle, bytes: Out<usize>) {
        input(bytes.set(lock(&*program(handle)?).cubin.len()))
    }

    fn nvrtcGetCUBIN(handle: Handle, to: Out<u8>) {
        input(fill(&to, &lock(&*program(handle)?).cubin))
    }

    fn nvrtcGetProgramLogSize(handle: Handle, bytes: Out<usize>) {
        input(bytes.set(size(&lock(&*program(handle)?).log)))
    }

    fn nvrtcGetProgramLog(handle: Handle, to: Out<u8>) {
        write(&to, &lock(&*program(handle)?).log)
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvrtcGetErrorString(code: i32) -> *const c_char {
    let text: &CStr = match code {
        0 => c"NVRTC_SUCCESS",
        1 => c"NVRTC_ERROR_OUT_OF_MEMORY",
        2 => c"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        3 => c"NVRTC_ERROR_INVALID_INPUT",
        4 => c"NVRTC_ERROR_INVALID_PROGRAM",
        5 => c"NVRTC_ERROR_INVALID_OPTION",
        6 => c"NVRTC_ERROR_COMPILATION",
        7 => c"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        8 => c"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        9 => c"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        10 => c"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        11 => c"NVRTC_ERROR_INTERNAL_ERROR",
        _ => return ptr::null(),
    };
    text.as_ptr()
}
