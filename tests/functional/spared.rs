//! What a search spares itself.

use crate::harness::Package;

/// What the reference does first.
fn begin_reference(package: &Package, statements: &str) {
    let head = "void work_reference(float *y, const float *x, uint32_t n)\n{\n";
    package.edit_all(&[
        (
            "kernels/work.c",
            "#include <stdlib.h>",
            "#include <stdlib.h>\n#include <unistd.h>",
        ),
        ("kernels/work.c", head, &format!("{head}{statements}\n")),
    ]);
}

/// Where nothing ranks configs, the first of their list are as good as any: nobody waits for their compiler.
#[test]
fn what_nothing_ranks_is_not_compiled_ahead() {
    let package = Package::work("unranked");
    let list: Vec<String> = (0..257).rev().map(|of| (10 * of).to_string()).collect();
    package.edit_all(&[
        ("src/main.rs", "400000, 0, 20000", &list.join(", ")),
        ("src/main.rs", "evaluations = 8", "evaluations = 6"),
    ]);
    // While it runs, compilers have time.
    begin_reference(
        &package,
        "for (volatile long wait = 0; n == 256 && wait < 200000000; wait++) {}",
    );
    let compiler = package.compiler();
    let build = package.cargo(&["build"]).env("BICO", "tune");
    build.env("CC", &compiler.script).run().ok();
    let calls = compiler.calls();
    let is_compiled = |spin: &str| calls.contains(&format!("-DSPIN={spin} "));
    let rows = package.trail("work").into_iter();
    let measured: Vec<String> = rows.map(|row| row["values"]["SPIN"].to_string()).collect();
    assert!(measured.iter().all(|spin| is_compiled(spin)), "{calls}");
    for spin in list[..8].iter().filter(|spin| !measured.contains(spin)) {
        assert!(!is_compiled(spin), "{spin}: {calls}");
    }
}

/// Where the reference is slow, one draw of inputs is enough, but for one size.
#[test]
fn a_slow_reference_is_not_asked_twice_at_each_size() {
    let package = Package::work("dear");
    begin_reference(
        &package,
        "usleep(n == 256 ? 1000 : n < 32 ? 20000 : 0);\n\
         FILE *file = fopen(getenv(\"BICO_TEST_LOADED\"), \"a\");\n\
         fprintf(file, \"asked at %u\\n\", n);\n\
         fclose(file);",
    );
    let said = package.command(&["tune"]).run().ok();
    said.says("work: the winner is ")
        .says("x as fast as the reference");
    let asked = std::fs::read_to_string(package.folder().join("loaded")).unwrap();
    let count = |n: u32| asked.matches(&format!("asked at {n}\n")).count();
    let asked_at = |slow: bool| (1..256).filter(move |n| (*n < 32) == slow && count(*n) > 0);
    let twice = |slow: bool| asked_at(slow).filter(|n| count(*n) > 1).count();
    assert!(asked_at(true).count() > 3, "{asked}");
    assert_eq!(twice(true), 1, "{asked}");
    assert_eq!(twice(false), asked_at(false).count(), "{asked}");
    assert!(twice(false) > 0, "{asked}");
}

/// Where the reference is quick, nobody waits ten seconds for a config before there is another one to compare it with, nor at a
/// size that is not the problem's.
#[test]
fn the_first_config_that_hangs_is_stopped_soon() {
    let hangs = [
        ("first_hangs", "SPIN < 0"),
        ("hangs_elsewhere", "SPIN < 0 && n != 256"),
    ];
    for (name, hangs) in hangs {
        let package = Package::work(name);
        package.edit_all(&[
            ("src/main.rs", "400000, 0, 20000", "-1, 0, 20000"),
            (
                "kernels/work.c",
                "spin < SPIN; spin++",
                &format!("{hangs} || spin < SPIN; spin++"),
            ),
        ]);
        package.command(&["tune"]).run().ok();
        let trail = package.trail("work");
        let mut rows = trail.iter().filter(|row| row["values"]["SPIN"] == -1);
        let said = rows.next().unwrap()["detail"].as_str().unwrap();
        let seconds = said.strip_prefix("stopped after ").unwrap();
        let seconds: f64 = seconds.split(' ').next().unwrap().parse().unwrap();
        assert!((1.0..8.0).contains(&seconds), "{said}");
    }
}

/// A compiler that takes many times what it takes for the others is not waited for, unless the package says how long it may
/// take.
#[test]
fn a_config_that_compiles_for_long_is_given_up() {
    let package = Package::work("compiles_for_long");
    package.edit_all(&[(
        "src/main.rs",
        "400000, 0, 20000",
        "400000, 0, 1, 2, 3, 20000",
    )]);
    let compiler = package.compiler();
    let text = "#!/bin/sh\ncase \"$*\" in *-DSPIN=20000*) exec sleep 100;; esac\nexec cc \"$@\"\n";
    std::fs::write(&compiler.script, text).unwrap();
    let said = || {
        let build = package.build_seen().env("CC", &compiler.script);
        build.env("BICO", "tune").run().ok();
        let trail = package.trail("work");
        let slow = trail.iter().find(|row| row["values"]["SPIN"] == 20000);
        let detail = slow.unwrap()["detail"].as_str().unwrap();
        let said = detail.strip_prefix("the compiler was stopped after ");
        let (seconds, of) = said.unwrap().split_once(" s").unwrap();
        (seconds.parse::<f64>().unwrap(), of.to_string())
    };
    let (seconds, of) = said();
    assert!((2.0..50.0).contains(&seconds), "{seconds}");
    assert!(
        of.starts_with(", many times what it takes for other configs: "),
        "{of}"
    );
    package.manifest("[package.metadata.bico]\ncompile_seconds = 5\n");
    let (seconds, of) = said();
    assert_eq!(seconds, 5.0);
    assert!(of.starts_with(": `compile_seconds` in "), "{of}");
}

/// Where the reference takes too long at all awkward sizes, nobody knows what the winner does at them.
#[test]
fn what_a_slow_reference_leaves_out_is_said() {
    let package = Package::work("slow_everywhere");
    begin_reference(&package, "usleep(150000);");
    package
        .build("auto")
        .ok()
        .says("`work` was not checked at every awkward size")
        .says("the time that the reference takes");
    let tested = &package.entries("work")["n=256"]["winner"]["tested"];
    let wanted = "1 awkward size (twice the problem's), ";
    assert!(tested.as_str().unwrap().starts_with(wanted), "{tested}");
}
