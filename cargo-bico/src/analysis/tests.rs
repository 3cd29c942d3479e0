//! Views of scripted trails.

use super::*;
use crate::adopt::tests::house::House;
use crate::package;
use std::fmt::Write;

const PLAIN: &str = "#[bico::tunable(source = \"k.c\", entry = \"scale\", \
    space(A in [1, 2, 4, 8], B in powers_of_two(1..=A), C = 2 * A, ISA in [\"x\", \"y\"], D in (0..=40).step_by(10)), \
    problem(n = 8))]\n\
    pub fn work(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;\n";

const VARIANTS: &str = "#[bico::tunable(space(W in [1, 2]), \
    variant(plain, source = \"k.c\", entry = \"scale\", space(S in [1, 2, 3])), \
    variant(fast, source = \"k.c\", entry = \"scale\", space(S in 1..=16, T = S + 1)), \
    problem(n = 8), verify(reference = \"k.c\", entry = \"scale\"))]\n\
    pub fn work(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;\n";

fn house(source: &str) -> House {
    let house = House::new();
    house.write("src/lib.rs", source);
    house
}

/// Rows of a trail: values as JSON, and the time.
fn trail(rows: &[(String, Option<f64>)]) -> String {
    let device = bico_device::this_cpu().key().to_string();
    let mut text = String::new();
    for (at, (values, seconds)) in rows.iter().enumerate() {
        let outcome = match seconds {
            Some(seconds) => format!("\"seconds\":{seconds:e}"),
            None => "\"failure\":\"wrong\"".to_string(),
        };
        let evaluation = at + 1;
        let _ = writeln!(
            text,
            "{{\"problem\":\"n=8\",\"device\":{device:?},\"kind\":\"trial\",\"evaluation\":{evaluation},\
             \"spent\":{evaluation},\"config\":{at},\"values\":{values},\"strategy\":\"adaptive\",{outcome},\"sink\":1}}"
        );
    }
    text
}

fn view(house: &House, trails: &[&str]) -> Option<View> {
    let (env, folder) = (house.env(), house.folder.path());
    let files: Vec<PathBuf> = (0..trails.len())
        .map(|at| folder.join(format!("work.{at}.jsonl")))
        .collect();
    for (file, text) in files.iter().zip(trails) {
        std::fs::write(file, text).unwrap();
    }
    let found = package::tunables(&env, &[]).unwrap();
    let named = by_tunable(&files, &found).unwrap();
    let files = named.get("work").map_or(&[][..], Vec::as_slice);
    View::new(
        &env,
        &house.lock().unwrap_or_default(),
        &found[0],
        files,
        &Filter::default(),
        &mut Vec::new(),
    )
    .unwrap()
}

/// All configs of `PLAIN`: A = 8 and `x` are slow, B = 4 fails, D = 40 is tried once only.
fn plain() -> Vec<(String, Option<f64>)> {
    let mut rows = Vec::new();
    for a in [1, 2, 4, 8] {
        for b in [1, 2, 4, 8].into_iter().filter(|b| *b <= a) {
            for isa in ["x", "y"] {
                for d in [0, 10, 20, 30] {
                    let seconds =
                        f64::from(d + 100) * if a == 8 || isa == "x" { 5e-6 } else { 1e-6 };
                    rows.push((
                        format!(
                            "{{\"A\":{a},\"B\":{b},\"C\":{},\"ISA\":\"{isa}\",\"D\":{d}}}",
                            2 * a
                        ),
                        (b != 4).then_some(seconds),
                    ));
                }
            }
        }
    }
    rows.push((
        "{\"A\":1,\"B\":1,\"C\":2,\"ISA\":\"y\",\"D\":40}".to_string(),
        Some(9.0),
    ));
    rows
}

#[test]
fn a_narrower_space_is_one_of_the_attribute() {
    let house = house(PLAIN);
    let view = view(&house, &[&trail(&plain())]).unwrap();
    let without: Vec<String> = view
        .narrower
        .without
        .iter()
        .map(|of| format!("{}={}", of.parameter, of.value))
        .collect();
    // D = 40 was tried once: it stays, and so does D = 10, which is just within 10 %.
    assert_eq!(without, ["A=8", "B=4", "ISA=x", "D=20", "D=30"]);
    assert_eq!(
        view.narrower.attribute,
        "space(\n    A in [1, 2, 4],\n    B in powers_of_two(1..=A),\n    C = 2 * A,\n    ISA in [\"y\"],\n    D in [0, 10, 40],\n),\n\
         require(B != 4),  // beside the conditions that are there\n"
    );
    let search = &view.searches[0];
    // 10 pairs of A and B, of which 5 stay.
    assert_eq!((search.space, search.narrower_space), (Some(100), Some(15)));
    assert_eq!((search.loss, search.loss_unseen), (Some(0.0), None));
    assert_eq!((search.configs, search.failed), (81, 16));
    assert_eq!(search.enough[0].evaluations, 5);
    assert_eq!(search.parameters[0].names, ["A", "C"]);
    let text = view.to_string();
    for part in [
        "n=8 on ",
        "81 of 100 configs tried, 16 failed, best 100 µs",
        "within 1 % of its winner after 5 of 81 evaluations, 5.0 s of 81 s",
        "A=C",
        "never within 10 %",
        "tried too seldom to tell: stays",
        "narrower, without 5 values:",
        "    ISA in [\"y\"],",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = serde_json::to_value(&view).unwrap();
    assert_eq!(json["narrower"]["without"][0]["parameter"], "A");
    assert_eq!(json["values"][0]["verdict"], "near");
    // What is pasted is a space of that size.
    let spec = bico_search::space::spec(&view.narrower.attribute).unwrap();
    let facts = bico_device::this_cpu();
    let bound =
        bico_syntax::bind::Bound::new(&spec, facts, &bico_syntax::bind::Scope::default()).unwrap();
    assert_eq!(bico_search::space::Space::new(&bound).unwrap().len(), 15);
}

#[test]
fn few_trials_narrow_nothing() {
    let house = house(PLAIN);
    let few = [&plain()[..5], &plain()[70..75]].concat();
    let of = view(&house, &[&trail(&few)]).unwrap();
    assert!(of.narrower.without.is_empty() && of.narrower.attribute.is_empty());
    let text = of.to_string();
    assert!(
        text.contains("no value is known to be far from the best"),
        "{text}"
    );
    assert!(text.contains("note: only 10 configs of n=8 on "), "{text}");
    assert!(text.contains("not tried: stays"), "{text}");
    assert!(view(&house, &[]).is_none());
}

#[test]
fn several_searches_of_one_device_are_one_body_of_evidence() {
    let house = house(PLAIN);
    let all = plain();
    let (a, b) = all.split_at(40);
    let two = view(&house, &[&trail(a), &trail(b)]).unwrap();
    assert_eq!((two.searches.len(), two.searches[0].enough.len()), (1, 2));
    let whole = view(&house, &[&trail(&all)]).unwrap();
    assert_eq!(two.narrower.attribute, whole.narrower.attribute);
    // What the space has no more is left out, and said.
    house.write("src/lib.rs", &PLAIN.replace("\"x\", \"y\"", "\"y\""));
    let less = view(&house, &[&trail(&all)]).unwrap();
    assert_eq!(less.searches[0].configs, 41);
    assert!(
        less.notes[0].starts_with("40 rows of n=8 on "),
        "{:?}",
        less.notes
    );
}

#[test]
fn variants_have_spaces_of_their_own() {
    let house = house(VARIANTS);
    let mut rows = Vec::new();
    for w in [1, 2] {
        for s in 1..=3 {
            rows.push((
                format!("{{\"VARIANT\":\"plain\",\"W\":{w},\"S\":{s}}}"),
                Some(5.0),
            ));
        }
        for s in 1..=16 {
            let seconds = if s == 4 { 1.0 } else { 2.0 };
            rows.push((
                format!(
                    "{{\"VARIANT\":\"fast\",\"W\":{w},\"S\":{s},\"T\":{}}}",
                    s + 1
                ),
                Some(seconds),
            ));
        }
    }
    let view = view(&house, &[&trail(&rows)]).unwrap();
    assert_eq!(
        view.narrower.attribute,
        "variant(fast, .. space(\n    S in [4],\n    T = S + 1,\n) ..),\n"
    );
    assert!(
        view.notes[0].starts_with("variant `plain` never came within 10 %"),
        "{:?}",
        view.notes
    );
}

#[test]
fn whose_trail_a_file_is() {
    let house = House::new();
    let found = package::tunables(&house.env(), &[]).unwrap();
    let file = |name: &str| {
        let path = house.folder.path().join(name);
        std::fs::write(&path, "").unwrap();
        path
    };
    let of = |name: &str| by_tunable(&[file(name)], &found);
    assert!(
        of("scale.shard-1-of-2.jsonl")
            .unwrap()
            .contains_key("scale")
    );
    let said = of("x.jsonl").unwrap_err().to_string();
    assert!(
        said.contains("x.jsonl does not say which kernel's trail it is"),
        "{said}"
    );
    assert!(said.contains("name one kernel of scale, act"), "{said}");
    assert!(
        by_tunable(&[file("x.jsonl")], &found[1..])
            .unwrap()
            .contains_key("act")
    );
    let said = by_tunable(&["/nowhere/work.jsonl".into()], &found).unwrap_err();
    assert_eq!(
        said,
        Error::Usage("there is no trail /nowhere/work.jsonl".to_string())
    );
}
