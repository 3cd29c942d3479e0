//! Structures by value.

use crate::harness::Package;

const BY_VALUE: &str = r#"
typedef struct { float by; int shift; } plan_t;

struct limits {
    double low, high;
    float step[2];
};

EXTERN void clamped(float *y, const float *x, struct limits limits, plan_t plan, unsigned n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (unsigned i = 0; i < n; i++) {
        double value = x[i] * plan.by + plan.shift + limits.step[i % 2];
        y[i] = value < limits.low ? limits.low : value < limits.high ? value : limits.high;
    }
}
"#;

const PASSED: &str = r#"
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Plan {
    pub by: f32,
    pub shift: i32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Limits {
    low: f64,
    high: f64,
    step: [f32; 2],
}

#[bico::tunable(
    source = "kernels/clamped.c",
    space(SPIN in [400000, 0]),
    problem(n = 100),
    verify(reference = "kernels/plain.c", entry = "plain"),
    budget(evaluations = 2, seconds = 20),
)]
fn clamped(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], limits: Limits, plan: Plan, n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let mut y = [0.0; 3];
    let limits = Limits { low: -1.0, high: 5.0, step: [0.25, 0.5] };
    clamped(&mut y, &[1.0, -9.0, 9.0], limits, Plan { by: 2.0, shift: 1 }, 3)?;
    println!("{y:?}");
    println!("{}", clamped_warm_up(100)?);
    Ok(())
}
"#;

/// In registers or on the stack: the compiler's business.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn structures_by_value() {
    let package = Package::new("structures-by-value");
    let source = BY_VALUE.replace("EXTERN ", "");
    package.file("kernels/clamped.c", &source);
    let plain = source.replace("clamped", "plain").replace("SPIN", "0");
    package.file("kernels/plain.c", &plain);
    package.file("src/main.rs", PASSED);
    package.build("auto").ok();
    let said = package.run();
    assert!(said.starts_with("[3.25, -1.0, 5.0]\n"), "{said}");
    package.file(
        "kernels/clamped.c",
        &source.replace("limits.step[i % 2]", "limits.step[0]"),
    );
    let said = package.build("auto").fails();
    said.says("no config of `clamped` (n=100) ran and was right");
    package.file(
        "kernels/clamped.c",
        &source.replace("float step[2]", "float step[4]"),
    );
    let said = package.build("auto").fails();
    said.says("the arguments of the wrapper differ from those of the kernel `clamped`")
        .says("struct bico_Limits, struct bico_Plan, uint32_t");
    package.file(
        "kernels/clamped.c",
        &source
            .replace("plan_t plan", "plan_t *at")
            .replace("plan.", "at->"),
    );
    package
        .build("auto")
        .fails()
        .says("the arguments of the wrapper differ");
    // Fields that hang on sizes are the author's function's to fill.
    let indexed = source.replace("plan.by +", "x[plan.shift - n] +");
    package.file("kernels/clamped.c", &indexed);
    package.file(
        "kernels/plain.c",
        &plain.replace("plan.by +", "x[plan.shift - n] +"),
    );
    package.build("auto").fails();
    package.file(
        "kernels/fill.c",
        "typedef struct { float by; int shift; } plan_t;\n\
         void fill(float *y, float *x, void *limits, plan_t *plan, unsigned n, unsigned long long seed)\n\
         {\n    plan->shift = n + (n ? seed % n : 0);\n}\n",
    );
    let inputs = "problem(n = 100),\n    inputs(file = \"kernels/fill.c\", entry = \"fill\"),";
    package.edit("src/main.rs", "problem(n = 100),", inputs);
    package.build("auto").ok();
    package.edit("src/main.rs", inputs, "problem(n = 100),");
    package.file("kernels/plain.c", &plain);
    // In C++, which says it in templates.
    let source = BY_VALUE.replace("EXTERN", "extern \"C\"");
    package.file("kernels/clamped.cpp", &source);
    package.edit("src/main.rs", "clamped.c\"", "clamped.cpp\"");
    package.build("auto").ok();
    let said = package.run();
    assert!(said.starts_with("[3.25, -1.0, 5.0]\n"), "{said}");
    package.file(
        "kernels/clamped.cpp",
        &source.replace("float step[2]", "float step[4]"),
    );
    package
        .build("auto")
        .fails()
        .says("the arguments of the wrapper differ");
}
