//! The plain nest in C, as a compiler makes it for any x86-64 and for this CPU.

use gemm_cpu::Contender;
use std::process::Command;

/// Rows of `a` times rows of `b`: the order of loops that compilers vectorise.
const SOURCE: &str = "\
void nest(float *restrict c, const float *restrict a, const float *restrict b, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        for (unsigned long j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (unsigned long k = 0; k < n; k++)
            for (unsigned long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
";

type Nest = unsafe extern "C" fn(*mut f32, *const f32, *const f32, u64);

/// Names, and the flags of each.
const ALL: [(&str, &[&str]); 2] = [
    ("nest", &["-O3"]),
    ("nest_native", &["-O3", "-march=native"]),
];

pub(super) fn contenders() -> Result<Vec<Contender>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = folder.path().join("nest.c");
    std::fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (name, flags) in ALL {
        let object = folder.path().join(format!("{name}.so"));
        let mut command = Command::new("cc");
        command.args(flags).args(["-shared", "-fPIC", "-o"]);
        let status = command.arg(&object).arg(&source).status();
        let status = status.map_err(|error| format!("cc: {error}"))?;
        if !status.success() {
            return Err(format!("cc: {status}"));
        }
        // SAFETY: the object has no initialisers, and the type is that of `nest`. It stays loaded.
        let nest = unsafe {
            let library = libloading::Library::new(&object).map_err(|error| error.to_string())?;
            let nest = *library
                .get::<Nest>("nest")
                .map_err(|error| error.to_string())?;
            std::mem::forget(library);
            nest
        };
        let what = format!("three loops in C, cc {}", flags.join(" "));
        all.push(Contender::new(name, what, move |c, a, b, n| {
            // SAFETY: three dense n x n matrices, c distinct from a and b.
            unsafe { nest(c.as_mut_ptr(), a.as_ptr(), b.as_ptr(), n as u64) }
        }));
    }
    Ok(all)
}
