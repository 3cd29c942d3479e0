//! `cargo bico report`: what searches did, as one page.

use crate::harness::Package;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn report_of(package: &Package) -> PathBuf {
    package.trail_file("work").with_file_name("report.html")
}

#[test]
fn a_page_of_what_was_tuned() {
    let package = Package::work("reported");
    package
        .command(&["report"])
        .run()
        .fails()
        .says("there is nothing to report of `reported`: no bico.lock and no trail")
        .says("`cargo bico tune` measures its kernels");
    package.command(&["tune"]).run().ok();
    let (lock, measured) = (package.read("bico.lock"), package.measured());
    let said = package.command(&["report", "work"]).run().ok();
    let file = report_of(&package);
    assert_eq!(said.stdout.trim(), file.display().to_string());
    let page = std::fs::read_to_string(&file).unwrap();
    for text in [
        "<h1>How reported was tuned</h1>",
        "Winners in bico.lock, on all devices",
        "The fastest config takes ",
        "how much SPIN matters",
        "With 95 % reliability the winner&#39;s median call takes at most ",
        "The winner in bico.lock is SPIN=0, ",
    ] {
        assert!(page.contains(text), "{text}\n{page}");
    }
    let trail = package.trail_file("work");
    let rows = std::fs::read_to_string(&trail).unwrap().lines().count();
    assert!(page.contains(&format!(">The trail: {rows} rows<")));
    assert!(measured && !package.measured() && package.read("bico.lock") == lock);

    // A clone has the lock alone.
    std::fs::remove_file(&trail).unwrap();
    package
        .command(&["report", "--output", "some/where.html"])
        .run()
        .ok();
    let page = package.read("some/where.html");
    assert!(page.contains("No trail of a search is here"));
    assert!(page.contains("<code>cargo bico tune work --force</code>") && page.contains("SPIN=0"));
    let files = std::fs::read_dir(package.root().join("some")).unwrap();
    assert_eq!(files.count(), 1);
    // Nobody has built there yet, and the page lies where one will look for it.
    let target = package.folder().join("new");
    let call = package.command(&["report"]);
    call.env("CARGO_TARGET_DIR", &target).run().ok();
    assert!(target.join("bico/reported/report.html").is_file());
}

#[test]
fn a_trail_of_another_state_of_the_kernel_is_told() {
    let package = Package::work("switched");
    package.command(&["tune"]).run().ok();
    let readers: [&[&str]; 4] = [
        &["show", "--trail"],
        &["report"],
        &["analyse"],
        &["export", "--format", "csv"],
    ];
    let told = "note: the trail of `work` (";
    for reader in readers {
        package.command(reader).run().ok().says_nothing_of(told);
    }
    let source = package.read("kernels/work.c");
    package.file(
        "kernels/work.c",
        &format!("{source}static int other = 1;\n"),
    );
    for reader in readers {
        let said = package.command(reader).run();
        // What it would teach is of no kernel that there is.
        let said = match reader {
            ["analyse"] => said.fails().says("there is no trail of `work`"),
            ["export", ..] => said.ok().says("these are the best 3 that bico.lock keeps"),
            _ => said.ok(),
        };
        said.says(told)
            .says(
                "is of another state of the kernel: its source, space, launch or flags were others",
            )
            .says("= help: `cargo bico tune work --force`");
    }
    let page = || std::fs::read_to_string(report_of(&package)).unwrap();
    let winner = "The winner in bico.lock is ";
    assert!(page().contains("The kernel was another one then") && page().contains(winner));
    for reader in [&["analyse"][..], &["export", "--format", "csv"]] {
        let other = [reader, &["--problem", "n=8"]].concat();
        package.command(&other).run().fails().says_nothing_of(told);
    }
    // As another branch has it.
    package.file("kernels/work.c", &source);
    for reader in readers {
        package.command(reader).run().ok().says_nothing_of(told);
    }
    // That one's search, and the lock of this one.
    let lock = package.read("bico.lock");
    package.file("kernels/work.c", &format!("{source}static int more = 1;\n"));
    package.command(&["tune"]).run().ok();
    package.file("kernels/work.c", &source);
    package.file("bico.lock", &lock);
    package.command(&["report"]).run().ok().says(told);
    assert!(page().contains("The fastest by its trial is ") && !page().contains(winner));
}

#[test]
fn what_is_wrong_is_said_with_what_mends_it() {
    let package = Package::work("unreported");
    package.command(&["tune"]).run().ok();
    package
        .command(&["report", "wrok"])
        .run()
        .fails()
        .says("bico.lock and the sources have no tunable `wrok`; did you mean `work`?")
        .says("= help: there are:\n      work\n");
    package
        .command(&["report", "--output", "/dev/null/report.html"])
        .run()
        .fails()
        .says("could not write `/dev/null/report.html`: ")
        .says("= help: name another file by `--output`");
    let trail = package.trail_file("work");
    let text = std::fs::read_to_string(&trail).unwrap();
    std::fs::write(&trail, format!("{text}no row\n")).unwrap();
    let line = text.lines().count() + 1;
    package
        .command(&["report"])
        .run()
        .fails()
        .says(&format!("work.jsonl:{line}: "))
        .says("`cargo bico tune` writes it anew");
    assert!(!trail.with_file_name("report.html").exists());
    // Half a row is what a search leaves that was killed.
    std::fs::write(&trail, format!("{text}{{\"problem\":")).unwrap();
    package.command(&["report"]).run().ok();
}

#[test]
fn it_is_opened_by_the_desktops_program() {
    let package = Package::work("opened");
    package.command(&["tune"]).run().ok();
    let (folder, seen) = (package.folder().join("bin"), package.folder().join("seen"));
    std::fs::create_dir(&folder).unwrap();
    // None of the programs that open files, so nothing is opened.
    package
        .command(&["report", "--open"])
        .env("PATH", &folder)
        .run()
        .fails()
        .says("error: no program here opens the report in a browser")
        .says("= help: it is written: open ");
    let opener = folder.join("xdg-open");
    std::fs::write(
        &opener,
        format!(
            "#!/bin/sh\nprintf %s \"$1\" >'{0}.new' && /bin/mv '{0}.new' '{0}'\n",
            seen.display()
        ),
    )
    .unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    package
        .command(&["report", "--open"])
        .env("PATH", &folder)
        .run()
        .ok();
    let file = report_of(&package);
    for _ in 0..500 {
        if seen.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(
        std::fs::read_to_string(&seen).unwrap(),
        file.display().to_string()
    );
}
