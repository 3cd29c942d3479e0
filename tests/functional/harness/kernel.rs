//! A tunable whose winner is `SPIN = 0` on every machine.

/// `y = 2 x + 1`, after doing nothing for a while.
///
/// It appends a line to the file that `BICO_TEST_LOADED` names whenever it is loaded: that is how
/// tests see whether anything was measured.
pub(crate) const KERNEL: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void)
{
    const char *path = getenv("BICO_TEST_LOADED");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fputs("loaded\n", file);
        fclose(file);
    }
}

void work(float *y, const float *x, uint32_t n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
"#;

/// The item for [`KERNEL`] under another name; `more` are further options.
pub(crate) fn tunable(function: &str, more: &str) -> String {
    format!(
        r#"
#[bico::tunable(
    source = "kernels/work.c",
    entry = "work",
    space(SPIN in [400000, 0, 20000]),
    problem(n = 256),
    verify(reference = "work_reference"),
    budget(evaluations = 8, seconds = 20),
    {more}
)]
pub fn {function}(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
"#
    )
}

/// Calls `work` at 256 and prints what it gave and what served it.
pub(crate) const MAIN: &str = r#"
fn main() -> bico::Result<()> {
    let x: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let mut y = vec![0.0; 256];
    work(&mut y, &x, 256)?;
    println!("y[3] = {}", y[3]);
    println!("{}", bico::config_of(work_tunable(), &[256])?);
    Ok(())
}
"#;
