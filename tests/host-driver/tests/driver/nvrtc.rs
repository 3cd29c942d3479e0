//! NVRTC's functions, as programs load them.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use libloading::{Library, Symbol};

type Program = *mut c_void;

pub(crate) struct Compiled {
    pub(crate) code: c_int,
    pub(crate) log: String,
    pub(crate) lowered: Vec<String>,
    pub(crate) cubin: Vec<u8>,
    pub(crate) ptx: String,
}

impl Compiled {
    #[track_caller]
    pub(crate) fn good(self) -> Compiled {
        assert_eq!(self.code, 0, "{}", self.log);
        self
    }
}

/// The kernels of these tests.
pub(crate) fn kernels(options: &[&str], expressions: &[&str]) -> Compiled {
    let source = include_str!("kernels.cu");
    compile(
        source,
        &[("factor.h", "#define FACTOR 7\n")],
        options,
        expressions,
    )
}

/// `nvrtcCreateProgram`.
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;

pub(crate) fn compile(
    source: &str,
    headers: &[(&str, &str)],
    options: &[&str],
    expressions: &[&str],
) -> Compiled {
    let own = |text: &str| CString::new(text).expect("no zero in it");
    let options: Vec<_> = options.iter().map(|it| own(it)).collect();
    let names: Vec<_> = headers.iter().map(|it| own(it.0)).collect();
    let texts: Vec<_> = headers.iter().map(|it| own(it.1)).collect();
    let pointers = |of: &[CString]| of.iter().map(|it| it.as_ptr()).collect::<Vec<_>>();
    // SAFETY: the functions are declared as NVRTC's header declares them, and every pointer outlives
    // its call.
    unsafe {
        let library = Library::new("libnvrtc.so").expect("libnvrtc.so is found");
        let get = |name: &str| -> Symbol<unsafe extern "C" fn(Program, *mut c_void) -> c_int> {
            library.get(name.as_bytes()).expect(name)
        };
        let create: Symbol<Create> = library.get("nvrtcCreateProgram").expect("a symbol");
        let run: Symbol<unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int> =
            library.get("nvrtcCompileProgram").expect("a symbol");
        let lower: Symbol<
            unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> c_int,
        > = library.get("nvrtcGetLoweredName").expect("a symbol");

        let mut program: Program = ptr::null_mut();
        let created = create(
            &mut program,
            own(source).as_ptr(),
            c"k.cu".as_ptr(),
            headers.len() as c_int,
            pointers(&texts).as_ptr(),
            pointers(&names).as_ptr(),
        );
        assert_eq!(created, 0);
        let add = get("nvrtcAddNameExpression");
        for expression in expressions {
            assert_eq!(add(program, own(expression).into_raw().cast()), 0);
        }
        let code = run(program, options.len() as c_int, pointers(&options).as_ptr());
        let bytes = |what: &str| {
            let mut size = 0usize;
            let sized = get(&format!("nvrtcGet{what}Size"))(program, (&raw mut size).cast());
            assert_eq!(sized, 0);
            let mut bytes = vec![0u8; size];
            if size > 0 {
                let got = get(&format!("nvrtcGet{what}"))(program, bytes.as_mut_ptr().cast());
                assert_eq!(got, 0);
            }
            bytes
        };
        let text = |what: &str| {
            let bytes = bytes(what);
            assert_eq!(bytes.last(), Some(&0));
            String::from_utf8(bytes[..bytes.len() - 1].to_vec()).expect("a text")
        };
        let lowered = expressions.iter().filter_map(|expression| {
            let mut name = ptr::null();
            (lower(program, own(expression).as_ptr(), &mut name) == 0)
                .then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        });
        let compiled = Compiled {
            code,
            lowered: lowered.collect(),
            log: text("ProgramLog"),
            cubin: bytes("CUBIN"),
            ptx: text("PTX"),
        };
        assert_eq!(
            get("nvrtcDestroyProgram")((&raw mut program).cast(), ptr::null_mut()),
            0
        );
        compiled
    }
}
