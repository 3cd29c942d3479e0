//! The files that a search leaves.

use super::*;

#[test]
fn the_journal_holds_whole_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bico/kernel.jsonl");
    let mut journal = Journal::create(&path).unwrap();
    journal.label = Label {
        problem: "m=64".into(),
        device: "a \"CPU\"".into(),
    };
    let (configs, ranked) = (numbers(3), ranked(&[1.0, 2.0, 3.0]));
    let mut told = Told::new([(0, 1.0), (1, 1.01)]);
    let found = run(
        &Search::new(&configs, &ranked, budget(3)),
        &mut *guided(),
        &mut told,
        &mut journal,
    );
    assert!(journal.error().is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), found.trail.rows.len());
    assert_eq!(rows[0]["values"], serde_json::json!({ "N": 0 }));
    assert_eq!(rows[0]["device"], "a \"CPU\"");
    assert_eq!(rows[1]["seconds"], 1.01);
    assert_eq!(rows[2]["failure"], "crash");
    assert_eq!(rows[2]["detail"], "SIGSEGV");
    assert_eq!(rows[2]["best"]["config"], 0);
    assert_eq!(rows[3]["kind"], "final");
}

#[test]
fn the_ranked_list_is_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.ranked.csv");
    let label = Label {
        problem: "m=64, n=2".into(),
        device: "cpu".into(),
    };
    let mut list = Csv::create(&path, true).unwrap();
    write_ranked(&mut list, &label, &numbers(2), &ranked(&[2.0, 0.5])).unwrap();
    let nobody = Label::default();
    write_ranked(&mut list, &nobody, &numbers(1), &ranked(&[1.0])).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "problem,device,rank,config,predicted,N\n\"m=64, n=2\",cpu,1,1,5e-1,1\n\"m=64, n=2\",cpu,2,0,2e0,0\n,,1,0,1e0,0\n"
    );
}
