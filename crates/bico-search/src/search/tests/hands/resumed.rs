//! Searches with many hands that were cut and are gone on with.

use super::*;

/// The trail as the file has it, with the search's strategy on a space whose order is that of the times.
fn journal(path: &std::path::Path, team: &mut Team, strategy: &str, resumes: bool) -> Found {
    let label = Label {
        problem: "m=64".into(),
        device: "a CPU".into(),
    };
    let mut journal = Journal::open(path).unwrap();
    let rows = journal.begin(label, &["m=64"], resumes).unwrap();
    let (configs, ranked) = (numbers(24), ranked(&[1.0; 24]));
    let search = Search::new(&configs, &ranked, budget(16));
    let mut measure = Resumed::new(team, Recorded::read(&rows));
    let mut strategy = by_name(strategy, 3).unwrap();
    let found = run(&search, &mut *strategy, &mut measure, &mut journal);
    journal.end();
    found
}

fn rows(text: &str) -> Vec<serde_json::Value> {
    let row = |line| serde_json::from_str(line).unwrap();
    text.lines().map(row).collect()
}

fn some_fail() -> Told {
    Told::new(times(24).filter(|(config, _)| config % 5 != 3))
}

/// A search that was cut anywhere is gone through in the order of its rows, with as many under way as there were, and goes on
/// with what was under way.
#[test]
fn a_cut_search_is_gone_through_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    // Hands come and go.
    let hands = |arrived: usize| [4, 4, 6, 2, 3, 5, 1, 4][arrived / 2 % 8];
    for strategy in names() {
        let _ = std::fs::remove_file(&whole);
        journal(
            &whole,
            &mut Team::new(some_fail(), 9, hands),
            strategy,
            false,
        );
        let text = std::fs::read_to_string(&whole).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for kept in 0..16 {
            std::fs::write(&cut, lines[..kept].concat()).unwrap();
            let before = rows(&lines[..kept].concat());
            let known = before.iter().any(|row| row.get("seconds").is_some());
            let mut team = Team::new(some_fail(), 1, move |arrived| hands(arrived + kept));
            journal(&cut, &mut team, strategy, true);
            let after = rows(&std::fs::read_to_string(&cut).unwrap());
            let trials = after.iter().filter(|row| row["kind"] != "final");
            let trials: Vec<u64> = trials.map(|row| row["config"].as_u64().unwrap()).collect();
            let distinct: HashSet<&u64> = trials.iter().collect();
            assert_eq!((trials.len(), distinct.len()), (16, 16));
            if known {
                assert_eq!(after[..kept], before, "{strategy}, {kept}");
                assert_eq!(team.told.asked.len(), 16 - kept);
                // What was under way is begun first, in the order in which it was.
                let next = &rows(&text)[kept];
                let config = next["config"].as_u64().unwrap();
                assert!(trials[kept..].contains(&config), "{strategy}, {kept}");
            }
        }
        // The same order of arrival, the same trail.
        journal(&cut, &mut Team::new(some_fail(), 9, hands), strategy, false);
        assert_eq!(std::fs::read_to_string(&cut).unwrap(), text);
    }
}

/// The same search with what is under way arriving in the order of the first.
#[test]
fn it_goes_on_as_if_it_had_not_been_cut() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    for strategy in names() {
        let _ = std::fs::remove_file(&whole);
        // Whatever was begun first arrives first: so after the cut, too.
        let in_turns = || {
            let mut team = Team::new(some_fail(), 0, |_| 5);
            team.in_turns = true;
            team
        };
        journal(&whole, &mut in_turns(), strategy, false);
        let text = std::fs::read_to_string(&whole).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for kept in 0..lines.len() {
            std::fs::write(&cut, lines[..kept].concat()).unwrap();
            journal(&cut, &mut in_turns(), strategy, true);
            let text = std::fs::read_to_string(&cut).unwrap();
            assert_eq!(text, lines.concat(), "{strategy}, {kept}");
        }
    }
}

#[test]
fn another_number_of_hands_goes_on_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (many, one) = (folder.path().join("many"), folder.path().join("one"));
    journal(
        &many,
        &mut Team::new(some_fail(), 9, |_| 6),
        "adaptive",
        false,
    );
    journal(
        &one,
        &mut Team::new(some_fail(), 9, |_| 1),
        "adaptive",
        false,
    );
    let read = |path| std::fs::read_to_string(path).unwrap();
    let (many, one) = (read(many), read(one));
    assert!(!one.contains("under_way") && many.contains(r#""worker":"gpu1","under_way":6"#));
    let cut = folder.path().join("cut");
    for (text, hands) in [(many, 1), (one, 6)] {
        let kept: String = text.split_inclusive('\n').take(7).collect();
        std::fs::write(&cut, &kept).unwrap();
        let mut team = Team::new(some_fail(), 2, move |_| hands);
        journal(&cut, &mut team, "adaptive", true);
        let text = read(cut.clone());
        assert!(text.starts_with(&kept));
        // A team of one is asked as any one is.
        assert_eq!(team.arrived, if hands == 1 { 0 } else { 9 });
        assert_eq!(team.told.asked.len(), 9);
        let last: Vec<_> = rows(&text)
            .into_iter()
            .filter(|row| row["evaluation"] == 16)
            .collect();
        assert!(last[0]["kind"] == "trial");
    }
}

/// What is known no longer, and what a worker was lost over, is measured again among all else.
#[test]
fn what_no_longer_holds_is_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trail");
    for strategy in names() {
        let _ = std::fs::remove_file(&path);
        journal(
            &path,
            &mut Team::new(some_fail(), 9, |_| 4),
            strategy,
            false,
        );
        let text = std::fs::read_to_string(&path).unwrap();
        let mut kept = rows(&text);
        kept.truncate(12);
        let config = |at: usize| kept[at]["config"].as_u64().unwrap();
        let (forgotten, lost) = (config(3), config(6));
        let damaged = |(at, row): (usize, &serde_json::Value)| {
            let mut row = row.clone();
            if at == 6 {
                (row["failure"], row["detail"]) = ("worker".into(), "it was lost".into());
            }
            if at == 10 {
                row["under_way"] = u64::MAX.into();
            }
            row.to_string() + "\n"
        };
        let damaged: String = kept.iter().enumerate().map(damaged).collect();
        std::fs::write(&path, damaged).unwrap();
        let mut team = Team::new(some_fail(), 4, |_| 4);
        team.forgotten = [forgotten].into();
        let found = journal(&path, &mut team, strategy, true);
        let asked: HashSet<u64> = team.told.asked.iter().copied().collect();
        assert!(
            asked.contains(&forgotten) && asked.contains(&lost),
            "{strategy}"
        );
        let trials: HashSet<u64> = configs_of(&found).into_iter().collect();
        assert_eq!((trials.len(), found.trail.trials().count()), (16, 16));
    }
}
