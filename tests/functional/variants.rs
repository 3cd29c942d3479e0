//! `variant(..)`: several kernels of one tunable in one race, libraries among them.

use crate::harness::{MAIN, Package};
use serde_json::json;

/// It knows nothing of the other one's parameters, and has the reference.
const PLAIN: &str = r#"
#include <stdint.h>
#ifdef STEP
#error "another variant's parameter"
#endif

void work(float *y, const float *x, uint32_t n)
{
    for (volatile int spin = 0; spin < SPIN; spin++) {
    }
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + WIDTH / WIDTH;
}

void work_reference(float *y, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
}
"#;

/// Another function, which wants scratch and flags of its own. Its helper bears the name of the other one's kernel.
const STEPS: &str = r#"
#include <stdint.h>
#ifdef SPIN
#error "another variant's parameter"
#endif

static float half;

void work(const float *x) { half = x[0]; }

void steps(float *y, const float *x, uint32_t n, float *twice)
{
    work(x);
    for (uint32_t i = 0; i < n; i += STEP)
        for (uint32_t j = i; j < n && j < i + STEP; j++)
            twice[j] = FACTOR * x[j];
    for (uint32_t i = 0; i < n; i++)
        y[i] = twice[i] + WIDTH / WIDTH;
}
"#;

const ITEM: &str = r#"
#[bico::tunable(
    space(WIDTH in [1, 2]),
    variant(plain, source = "kernels/plain.c", space(SPIN in [400000, 200000])),
    variant(
        steps,
        source = "kernels/steps.c",
        entry = "steps",
        space(STEP in [1, 2, 4], DOUBLE = 2 * STEP),
        require(DOUBLE <= n, STEP != 2),
        flags = ["-DFACTOR=2"],
        scratch(TWICE: f32, len = n),
    ),
    problem(n = 256),
    verify(reference = "work_reference"),
    budget(evaluations = 12, seconds = 20),
)]
pub fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
"#;

fn two(name: &str) -> Package {
    let package = Package::new(name);
    package.file("kernels/plain.c", PLAIN);
    package.file("kernels/steps.c", STEPS);
    package.file("src/main.rs", &format!("{ITEM}{MAIN}"));
    package
}

#[test]
fn the_faster_variant_is_called() {
    let package = two("faster");
    package.build("auto").ok();
    let winner = package.winner("work");
    assert_eq!(winner["VARIANT"], "steps", "{winner}");
    // What others have is neither in the lock nor in what people read.
    assert!(
        winner.get("SPIN").is_none() && winner["DOUBLE"].is_i64(),
        "{winner}"
    );
    let said = package.start().run().ok();
    let said = said.says("y[3] = 7").says("VARIANT=steps, ");
    said.says("STEP=")
        .says_nothing_of("SPIN")
        .says_nothing_of("steps.STEP");
    package.build("locked").ok();

    // All sources count.
    package.edit("kernels/plain.c", "2 * x[i] + 1;", "2 * x[i] + 1.0f;");
    package.build("locked").fails().says("its source changed");
}

#[test]
fn a_default_names_its_variant() {
    let package = two("default-variant");
    let default = "default = { VARIANT: \"plain\", WIDTH: 2, SPIN: 200000 }, problem(n = 256)";
    package.edit("src/main.rs", "problem(n = 256)", default);
    let said = package.command(&["tune"]).run().ok();
    said.says(" as fast as the default").says("VARIANT=steps");
    let trail = package.trail("work");
    assert_eq!(trail[0]["kind"], "default");
    let values = &trail[0]["values"];
    assert_eq!(
        (&values["VARIANT"], &values["SPIN"]),
        (&json!("plain"), &json!(200000))
    );
    package.command(&["show"]).run().ok().says("VARIANT=steps");
    package.command(&["status"]).run().ok().says("fresh");
    package.command(&["space"]).run().ok().says("VARIANT");
    package
        .command(&["export", "--format", "header"])
        .run()
        .ok()
        .says("STEP");
}

/// What calls the library: its own arguments differ from the wrapper's.
const SHIM: &str = r#"
#include <stdint.h>
void bico_test_twice(int count, const float *from, float *to);

void work(float *y, const float *x, uint32_t n) { bico_test_twice((int)n, x, y); }
"#;

const LIBRARY: &str = r#"
void bico_test_twice(int count, const float *from, float *to)
{
    for (int i = 0; i < count; i++)
        to[i] = 2 * from[i] + 1;
}
"#;

const RACE: &str = r#"
#[bico::tunable(
    variant(plain, source = "kernels/plain.c", space(SPIN in [400000, 200000]), flags = ["-DWIDTH=1"]),
    variant(library, source = "kernels/shim.c", link = ["bico_test_twice"]),
    problem(n = 256),
    verify(reference = "work_reference"),
    budget(evaluations = 8, seconds = 20),
)]
pub fn work(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) -> bico::Result<()>;
"#;

/// Makes a library in a folder of the test, and gives the folder.
fn library(package: &Package) -> std::path::PathBuf {
    let folder = package.folder().join("libraries");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("twice.c"), LIBRARY).unwrap();
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(name);
        let done = command.args(arguments).current_dir(&folder).status();
        assert!(done.unwrap().success(), "{name}");
    };
    tool("cc", &["-O2", "-fPIC", "-c", "twice.c"]);
    tool("ar", &["rcs", "libbico_test_twice.a", "twice.o"]);
    folder
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_library_takes_part_where_it_is() {
    let package = Package::new("library");
    package.file("kernels/plain.c", PLAIN);
    package.file("kernels/shim.c", SHIM);
    // The program is another crate than the wrapper's.
    package.file("src/lib.rs", RACE);
    package.file("src/main.rs", &format!("use library::*;\n{MAIN}"));
    let folder = library(&package);
    let missing = "`work` does without its variant `library` here: the linker finds no library `bico_test_twice`";
    let with = |mode: &str| {
        let call = package.cargo(&["build"]).env("LIBRARY_PATH", &folder);
        call.env("BICO", mode).run().ok()
    };
    with("auto").says_nothing_of("does without");
    assert_eq!(package.winner("work"), json!({ "VARIANT": "library" }));
    let served = package.start().env("BICO_RUNTIME", "fixed").run().ok();
    served.says("y[3] = 7").says("VARIANT=library");

    // Elsewhere the best of the others serves, of those that the lock knows.
    let lock = package.read("bico.lock");
    let output = package.build("locked").ok();
    assert_eq!(output.count(missing), 1);
    let served = package.start().run().ok();
    served.says("y[3] = 7").says("VARIANT=plain, SPIN=");
    assert_eq!(package.read("bico.lock"), lock);

    // And it comes back.
    with("locked").says_nothing_of("does without");
    package.start().run().ok().says("VARIANT=library");

    std::fs::remove_file(package.root().join("bico.lock")).unwrap();
    package.build("auto").ok().says(missing);
    assert_eq!(package.winner("work")["VARIANT"], "plain");
}
