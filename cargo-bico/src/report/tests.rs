use super::*;
use crate::trail::Trail;
use std::path::Path;

const EVIL: &str = "</script><img src=x onerror=\"alert('1')\">&\u{1b}[31m\u{0}\u{2028}<!--";

/// A row of a trail. Config `at` has the parameters `TILE` and `KIND`, of which `KIND` is text from outside.
fn row(kind: &str, at: u64, seconds: Option<f64>) -> String {
    let outcome = match seconds {
        Some(s) => {
            serde_json::json!({"seconds": s, "low": s * 0.99, "high": s * 1.01, "runs": 9, "cut": false})
        }
        None => serde_json::json!({"failure": "out_of_bounds", "detail": EVIL}),
    };
    let kinds = ["plain", EVIL];
    let mut row = serde_json::json!({
        "problem": format!("n=1 {EVIL}"),
        "device": format!("cpu {EVIL}"),
        "kind": kind,
        "evaluation": at + 1,
        "spent": 0.5 * (at + 1) as f64,
        "config": at,
        "values": {"TILE": 1 << (at % 4), "KIND": kinds[(at / 4 % 2) as usize], "SAME": 7},
        "strategy": EVIL,
        "rank": 20 - at,
        "predicted": 1e-3 * (20 - at) as f64,
        "why": EVIL,
        "costs": {"timing": 0.2, "compiling": 0.3},
        "best": null,
        "sink": 1,
    });
    let fields = row.as_object_mut().unwrap();
    fields.extend(outcome.as_object().unwrap().clone());
    row.to_string() + "\n"
}

/// 16 configs, two of which fail; config 9 is the best.
fn rows() -> String {
    let time = |at: u64| match at {
        3 | 11 => None,
        9 => Some(1.0e-3),
        at => Some(1e-3 * (2.0 + (at % 4) as f64) * (1.0 + at as f64 / 100.0)),
    };
    let mut text: String = (0..16).map(|at| row("trial", at, time(at))).collect();
    text += &row("final", 9, Some(1.1e-3));
    text
}

fn trails(text: &str) -> Vec<Trail> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.jsonl");
    std::fs::write(&path, text).unwrap();
    trail::read(&path).unwrap().unwrap()
}

fn report(text: &str, kernel: Kernel) -> Report {
    let searches = trails(text).into_iter();
    Report {
        package: format!("package {EVIL}"),
        tunables: vec![Tunable {
            key: "work".into(),
            kernel,
            searches: searches
                .map(|trail| Search::new(trail, None, false))
                .collect(),
            place: "bico/package/work.jsonl".into(),
            is_found: true,
            parameters: Vec::new(),
        }],
    }
}

/// The lock of an example, of a device that it knows.
fn kernel() -> Kernel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart/bico.lock");
    let lock = lock::load(&path).unwrap().unwrap();
    lock.kernels.get("dot").unwrap().clone()
}

/// Every element that is opened is closed, in order; attributes are quoted; what scripts and styles hold is left out.
fn is_well_formed(page: &str) {
    const VOID: [&str; 3] = ["meta", "input", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').unwrap();
        let tag = &rest[at + 1..end];
        assert!(
            !tag.contains('<') && tag.matches('"').count().is_multiple_of(2),
            "{tag}"
        );
        rest = &rest[end + 1..];
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
            if matches!(name, "script" | "style") {
                rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn nothing_in_a_trail_becomes_markup_and_the_page_is_whole() {
    let page = html(&report(&rows(), kernel()));
    is_well_formed(&page);
    // The trail and the page's own script.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(
        !page.contains("<img") && !page.contains("onerror=\""),
        "{page}"
    );
    let control = |c: char| c.is_control() && c != '\n';
    assert!(!page.contains(control));
    // The trail is there as it was.
    let start = page.find("<script type=\"application/json\">").unwrap() + 32;
    let data = &page[start..start + page[start..].find("</script>").unwrap()];
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let rows = data["rows"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[9][3], &rows[9][4]),
        (17, &1e-3.into(), &1.0.into())
    );
    assert_eq!(rows[3][2], "out of bounds");
    assert!(
        rows[3][10]
            .as_str()
            .unwrap()
            .contains("</script><img src=x onerror=")
    );
    assert_eq!(rows[0][9], "KIND=plain TILE=1");
    assert!(page.contains("The same in all configs: SAME=7."));
}

#[test]
fn the_page_needs_nothing_else_and_is_the_same_each_time() {
    let page = html(&report(&rows(), kernel()));
    assert_eq!(page, html(&report(&rows(), kernel())));
    let evil = serde_json::to_string(EVIL).unwrap();
    let mut harmless = report(&rows().replace(evil.trim_matches('"'), "x"), kernel());
    harmless.package = "package".into();
    let page = html(&harmless);
    let left = page.replace("http://www.w3.org/2000/svg", "");
    for from_outside in ["http:", "https:", "url(", "@import", " src=", "<link"] {
        assert!(!left.contains(from_outside), "{from_outside}");
    }
    // No colour that stands for another is left.
    assert!(!page.contains("#FA01") && page.contains("stroke=\"var(--search)\""));
    for ink in chart::Ink::all() {
        let variable = format!("{}:", ink.variable());
        assert_eq!(
            page.matches(&variable).count(),
            2,
            "{variable} light and dark"
        );
    }
}

#[test]
fn each_chart_says_what_it_finds() {
    let page = html(&report(&rows(), kernel()));
    for said in [
        ">The fastest config takes 1.00 ms a call; the search met it as number 10 of 16, when random draws would expect 1.",
        ">Within 5 % of the best after 5.0 s, of 8.0 s<",
        ">The prediction ",
        ">TILE matters most: it explains ",
        ">2 of 16 configs failed, for one reason: out of bounds<",
        ">60 % of 8.5 s went to compiling<",
        ">With 95 % reliability the winner&#39;s median call takes at most 1.1",
        "Winners in bico.lock, on all devices",
        ">ISA=x86-64-v4 LANES=8<",
        ">The trail: 17 rows<",
    ] {
        assert!(page.contains(said), "{said}");
    }
    // Each has a title, a description, and its data.
    let charts = page.matches("<figure").count();
    assert_eq!(
        page.matches("<svg role=\"img\" aria-labelledby=").count(),
        charts
    );
    assert_eq!(page.matches("Data of this chart").count(), charts);
    assert!(charts >= 6, "{charts}");
}

#[test]
fn without_a_trail_the_lock_is_shown_with_the_way_to_one() {
    let page = html(&report("", kernel()));
    is_well_formed(&page);
    assert!(page.contains(">ISA=x86-64-v4 LANES=8<"));
    assert!(page.contains("<code>cargo bico tune work --force</code> measures it"));
    assert!(page.contains("stay in the target folder of the machine that tuned"));
    assert!(page.contains("<code>bico/package/work.jsonl</code>"));
    assert!(!page.contains("<figure"));
    // And the other way round.
    let page = html(&report(&rows(), Kernel::default()));
    assert!(page.contains("bico.lock has nothing of it."));
}

#[test]
fn a_search_of_which_nothing_ran_says_so() {
    let text: String = (0..4).map(|at| row("trial", at, None)).collect();
    let page = html(&report(&text, Kernel::default()));
    is_well_formed(&page);
    assert!(page.contains("none of them ran and was right"));
    assert!(page.contains(">4 of 4 configs failed, for one reason: out of bounds<"));
    assert!(page.contains("No config ran, so there is no time to draw."));
    // One that ran is enough for a page.
    is_well_formed(&html(&report(
        &row("trial", 0, Some(1e-3)),
        Kernel::default(),
    )));
    for strange in [0.0, 1e-300, 1e300] {
        let text = row("trial", 0, Some(strange)) + &row("trial", 1, Some(1.0));
        is_well_formed(&html(&report(&text, Kernel::default())));
    }
}

#[test]
fn curves_are_of_the_measured_configs() {
    let search = Search::new(trails(&rows()).remove(0), None, false);
    let last = |points: Vec<(f64, f64)>| points[points.len() - 1];
    // All of them together reach the best.
    assert_eq!(last(search.by_evaluations()), (16.0, 1e-3));
    assert_eq!(last(search.in_ranked_order()), (16.0, 1e-3));
    assert_eq!(last(search.at_random(&[1, 16])), (16.0, 1e-3));
    // One draw: the mean of all that ran.
    let times: Vec<f64> = search
        .trials
        .iter()
        .filter_map(|trial| trial.seconds)
        .collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    assert!((search.at_random(&[1])[0].1 - mean).abs() < 1e-12);
    // The ranking has config 15 first, and 9 as the seventh.
    let reached = search
        .in_ranked_order()
        .into_iter()
        .find(|point| point.1 <= 1e-3);
    assert_eq!(reached.unwrap().0, 7.0);
    assert_eq!(search.failures(), [("out of bounds".to_string(), 2)]);
    // The finals' time is what is promised of the winner.
    assert!(
        search.promise.lines[0].contains("at most 1.1"),
        "{:?}",
        search.promise.lines
    );
}

#[test]
fn a_trial_that_was_judged_anew_is_what_became_of_it() {
    let judged = row("judged", 9, None).replace("\"evaluation\":10", "\"evaluation\":16");
    let search = Search::new(trails(&(rows() + &judged)).remove(0), None, false);
    assert_eq!((search.trials.len(), search.trials[9].seconds), (16, None));
    assert_ne!(search.best().unwrap().config, 9);
    // What a device cannot launch is no evaluation.
    let text = rows().replacen("out_of_bounds", "unlaunchable", 1);
    let search = Search::new(trails(&text).remove(0), None, false);
    assert_eq!((search.trials.len(), search.rows.len()), (15, 17));
}

#[test]
fn a_score_is_better_the_higher_it_is() {
    // Config 15 has the highest rank; scores rise with the rank, times fall.
    let text: String = (0..8)
        .map(|at| row("trial", at, Some(1e-3 / (20 - at) as f64)))
        .collect();
    let verdict = |is_score| {
        let search = Search::new(trails(&text).remove(0), None, is_score);
        let page = section::tunable(
            &Tunable {
                searches: vec![search],
                ..report("", Kernel::default()).tunables.remove(0)
            },
            "tunable-0",
        );
        let at = page.find("rank correlation ").unwrap() + 17;
        (
            page[at..at + 5].to_string(),
            page.contains("\"name\":\"score\""),
        )
    };
    assert_eq!(verdict(true), ("1.00<".to_string(), true));
    assert_eq!(verdict(false), ("-1.00".to_string(), false));
}
