//! A lock that somebody or something has damaged: an error with the line, and nothing of it goes
//! any further.

use crate::harness::Package;

/// The tunable of these tests has a parameter that holds strings, which reach the command line.
fn package(name: &str) -> Package {
    let package = Package::work(name);
    package.edit(
        "src/main.rs",
        "space(SPIN in [400000, 0, 20000]),",
        "space(SPIN in [400000, 0], MODE in [\"one\", \"two\"]), flags = [\"-DMODES={MODE}\"],",
    );
    // Both modes are the same code, and the first that is measured stands for both.
    package.edit(
        "src/main.rs",
        "budget(",
        "budget(strategy = \"sequential\", ",
    );
    package
}

/// A damaged lock.
struct Damage {
    what: &'static str,
    lock: String,
    /// The line that the message names, and words of it.
    line: usize,
    words: Vec<&'static str>,
}

/// Everything that is done to a good lock.
struct Damages<'a> {
    good: &'a str,
    all: Vec<Damage>,
}

impl Damages<'_> {
    fn line_of(&self, part: &str) -> usize {
        let mut lines = self.good.lines();
        lines.position(|line| line.contains(part)).unwrap() + 1
    }

    fn add(&mut self, what: &'static str, lock: String, line: usize, words: &[&'static str]) {
        self.all.push(Damage {
            what,
            lock,
            line,
            words: words.to_vec(),
        });
    }

    fn replace(&mut self, what: &'static str, from: &str, to: &str, words: &[&'static str]) {
        let good = self.good;
        assert!(
            good.contains(from),
            "the lock does not hold `{from}`:\n{good}"
        );
        self.add(what, good.replacen(from, to, 1), self.line_of(from), words);
    }
}

/// Values that may not reach a command line, cargo or a terminal, and configs that are none.
fn damage_configs(damages: &mut Damages) {
    // Both modes are the same code, of which the first is kept.
    let winner = "\"winner\": {\"config\": {\"MODE\": \"one\", \"SPIN\": 0}";
    let with = |config: &str| format!("\"winner\": {{\"config\": {{{config}}}");
    damages.replace(
        "a foreign number",
        winner,
        &with("\"MODE\": \"one\", \"SPIN\": 12345"),
        &["12345", "work"],
    );
    for (what, value) in [
        ("a foreign string", "pwned"),
        ("a flag", "-include/pwned"),
        ("a shell command", "one; touch pwned"),
        ("a substitution", "$(touch pwned)"),
        ("a quote for the shell", "one' -pwned '"),
        ("a response file", "@pwned"),
        ("a directive", "one cargo::rustc-link-arg=pwned"),
    ] {
        damages.replace(
            what,
            winner,
            &with(&format!("\"MODE\": \"{value}\", \"SPIN\": 0")),
            &["work"],
        );
    }
    for (what, value) in [
        ("a quote", "one\\\" -pwned \\\""),
        ("a backslash", "one\\\\pwned"),
        ("a line break", "one\\ncargo::rustc-link-arg=pwned"),
        ("a control character", "one\\u0000pwned"),
        ("an escape sequence", "\\u001b[2Jpwned"),
        ("a turned text", "\\u202epwned"),
    ] {
        damages.replace(
            what,
            winner,
            &with(&format!("\"MODE\": \"{value}\", \"SPIN\": 0")),
            &["MODE"],
        );
    }
    damages.replace(
        "another kind of value",
        winner,
        &with("\"MODE\": \"one\", \"SPIN\": \"0\""),
        &["work"],
    );
    damages.replace(
        "a value that is an object",
        winner,
        &with("\"MODE\": \"one\", \"SPIN\": {}"),
        &["SPIN"],
    );
    damages.replace(
        "a missing parameter",
        winner,
        &with("\"SPIN\": 0"),
        &["SPIN, MODE"],
    );
    damages.replace(
        "a foreign parameter",
        winner,
        &with("\"MODE\": \"one\", \"SPIN\": 0, \"pwned\": 1"),
        &["work"],
    );
    damages.replace(
        "a parameter twice",
        winner,
        &with("\"MODE\": \"one\", \"SPIN\": 0, \"SPIN\": 0"),
        &["`SPIN` stands here twice"],
    );
    damages.replace(
        "a name that is a flag",
        winner,
        &with("\"MODE\": \"one\", \"-Dpwned\": 0"),
        &["-Dpwned"],
    );
}

/// A file that is no lock, or none of this version.
fn damage_form(damages: &mut Damages) {
    damages.replace(
        "a newer format",
        "\"version\": 1",
        "\"version\": 99",
        &["99", "newer", "update bico-build"],
    );
    damages.replace("no number", "\"version\": 1", "\"version\": one", &[]);
    damages.replace(
        "a field twice",
        "\"version\": 1",
        "\"version\": 1, \"version\": 1",
        &["`version` stands here twice"],
    );
    damages.replace(
        "an unknown field",
        "\"version\": 1",
        "\"pwned\": 1, \"version\": 1",
        &["`pwned`"],
    );
    damages.replace(
        "a key that is a path",
        "\"work\": {",
        "\"../../pwned\": {",
        &["../../pwned"],
    );
    damages.replace(
        "a comma too many",
        "\"version\": 1",
        "\"version\": 1,",
        &["comma"],
    );
    damages.replace(
        "a merge conflict",
        "  \"version\": 1",
        "<<<<<<< pwned\n  \"version\": 1\n=======\n  \"version\": 1\n>>>>>>> theirs",
        &[
            "merge conflict",
            "cargo bico merge",
            "git checkout --ours",
            "BICO=tune",
        ],
    );
    let hash = damages.good.split("\"source\": \"").nth(1).unwrap()[..32].to_string();
    damages.replace("a hash that is none", &hash, "pwned", &["`source`", "32"]);
}

/// A device without facts, and a file that ends too early.
fn damage_parts(damages: &mut Damages, device: &str) {
    // A device without facts; two lines are wrong, the one that names it is told.
    let unknown = damages
        .good
        .replacen(&format!("\"{device}\": {{"), "\"pwned\": {", 1);
    damages.add(
        "a device that is not there",
        unknown,
        damages.line_of("\"work\": {") + 1,
        &["devices"],
    );
    let half = &damages.good[..damages.good.len() / 2];
    damages.add(
        "half a file",
        half.to_string(),
        half.trim_end().lines().count(),
        &["ends in the middle"],
    );
}

#[test]
fn each_damage_is_named_with_its_line() {
    let package = package("damaged");
    let compiler = package.compiler();
    let build = || package.cargo(&["build"]).env("CC", &compiler.script).run();
    build().ok();
    let good = package.read("bico.lock");
    let calls = compiler.calls().lines().count();
    let devices = package.lock()["devices"].clone();
    let device = devices.as_object().unwrap().keys().next().unwrap();

    let mut damages = Damages {
        good: &good,
        all: Vec::new(),
    };
    damage_configs(&mut damages);
    damage_form(&mut damages);
    damage_parts(&mut damages, device);
    for damage in &damages.all {
        package.file("bico.lock", &damage.lock);
        let mut said = build()
            .fails()
            .says("error: ")
            .says(&format!("bico.lock:{}:", damage.line));
        for word in &damage.words {
            said = said.says(word);
        }
        said.says_nothing_of("panicked").says_nothing_of("\u{1b}");
        assert!(!package.root().join("pwned").exists(), "{}", damage.what);
        assert_eq!(
            package.read("bico.lock"),
            damage.lock,
            "{}: the file was written",
            damage.what
        );
    }
    for (bad, word) in [
        ("", "empty"),
        ("[]", "an object"),
        ("null", "an object"),
        ("{}", "`version`"),
    ] {
        package.file("bico.lock", bad);
        build().fails().says("bico.lock").says(word);
    }
    std::fs::write(package.root().join("bico.lock"), b"{\n\"version\": \xff\n}").unwrap();
    build().fails().says("bico.lock:2:12").says("UTF-8");

    // Nothing of it has reached the compiler, and the mended file is as good as before.
    package.measured();
    package.file("bico.lock", &good);
    build().ok();
    assert!(!package.measured());
    assert!(!compiler.calls().contains("pwned"), "{}", compiler.calls());
    let more = compiler
        .calls()
        .lines()
        .skip(calls)
        .filter(|call| call.contains("-DSPIN"))
        .count();
    assert_eq!(more, 0, "{}", compiler.calls());
}

/// Where an entry is stale, values of an older space are no fault.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn values_of_an_older_space() {
    let package = package("older");
    package.build("auto").ok();
    package.edit("src/main.rs", "SPIN in [400000, 0]", "SPIN in [30000, 1]");
    package.build("off").ok();
    assert!(package.run().contains("SPIN=30000"));
    // The parameters themselves may have changed.
    package.edit(
        "src/main.rs",
        "SPIN in [30000, 1]",
        "SPIN in [30000, 1], OTHER in [true, false]",
    );
    package.build("off").ok();
    package.measured();
    package.build("auto").ok();
    assert!(package.measured());
    assert_eq!(package.winner("work")["SPIN"], 1);
}
