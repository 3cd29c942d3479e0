//! `family(..)`: one kernel, one wrapper per element type.

use crate::harness::Package;

/// As libraries have them: one name per type, made by a macro.
const KERNEL: &str = r#"
#define JOIN(name, type) name##type

#define SCALED(name, type)                                       \
    void JOIN(scaled_, name)(type *y, const type *x, unsigned n) \
    {                                                            \
        for (volatile int spin = 0; spin < SPIN; spin++) {       \
        }                                                        \
        for (unsigned i = 0; i < n; i++)                         \
            y[i] = 2 * x[i];                                     \
    }

SCALED(f32, float)
SCALED(f64, double)

void sum(T *y, const T *x, unsigned n, T *part)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    part[0] = 0;
    for (unsigned i = 0; i < n; i++)
        part[0] += x[i];
    y[0] = part[0];
}

void naive_f32(float *y, const float *x, unsigned n)
{
    y[0] = 0;
    for (unsigned i = 0; i < n; i++)
        y[0] += x[i];
}

void naive_i64(long *y, const long *x, unsigned n)
{
    y[0] = 0;
    for (unsigned i = 0; i < n; i++)
        y[0] += x[i];
}
"#;

const MAIN: &str = r#"
/// Twice of each.
#[bico::tunable(
    source = "kernels/family.c",
    family(T in [f32 = "float", f64 = "double"]),
    space(SPIN in [400000, 0]),
    problem(n = 100),
    budget(evaluations = 2, seconds = 20),
)]
pub fn scaled<T>(#[len(n)] y: &mut [T], #[len(n)] x: &[T], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/family.c",
    name = "total",
    entry = "sum",
    family(T in [f32 = "float", i64 = "long"]),
    space(SPIN in [400000, 0]),
    scratch(PART: T, len = 1),
    require(T == "float" || n >= 1),
    problem(n = 100),
    verify(reference = "naive_{T}"),
    budget(evaluations = 2, seconds = 20),
)]
fn sum<T>(#[len(1)] y: &mut [T], #[len(n)] x: &[T], n: u32) -> bico::Result<()>;

enum Storage {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// As tensors do that know their type when the program runs.
fn twice(x: &Storage) -> bico::Result<Storage> {
    fn on<T: Copy + Default>(
        x: &[T],
        kernel: fn(&mut [T], &[T], u32) -> bico::Result<()>,
    ) -> bico::Result<Vec<T>> {
        let mut y = vec![T::default(); x.len()];
        kernel(&mut y, x, x.len() as u32)?;
        Ok(y)
    }
    Ok(match x {
        Storage::F32(x) => Storage::F32(on(x, scaled_f32)?),
        Storage::F64(x) => Storage::F64(on(x, scaled_f64)?),
    })
}

fn main() -> bico::Result<()> {
    let Storage::F32(y) = twice(&Storage::F32(vec![1.5; 3]))? else { panic!() };
    assert_eq!(y, [3.0; 3]);
    let Storage::F64(y) = twice(&Storage::F64(vec![1e300; 3]))? else { panic!() };
    assert_eq!(y, [2e300; 3]);
    let mut y = [0; 1];
    sum_i64(&mut y, &[1 << 40; 4], 4)?;
    println!("{}", y[0]);
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn there_is_a_wrapper_for_each_type() {
    let package = Package::new("family");
    package.file("kernels/family.c", KERNEL);
    package.file("src/main.rs", MAIN);
    package
        .build("auto")
        .ok()
        .says_nothing_of("warning: unused");
    assert_eq!(package.run(), "4398046511104\n");
    let lock = package.read("bico.lock");
    for told in [
        r#""scaled_f32""#,
        r#""scaled_f64""#,
        r#""total.f32""#,
        r#""total.i64""#,
        r#""T": "long""#,
    ] {
        assert!(lock.contains(told), "{told}: {lock}");
    }
    // One type's kernel is wrong: its tunable is told, by its name.
    package.edit(
        "kernels/family.c",
        "naive_i64(long *y, const long *x",
        "naive_i64(int *y, const int *x",
    );
    package
        .build("auto")
        .fails()
        .says("total.i64")
        .says("naive_i64");
}
