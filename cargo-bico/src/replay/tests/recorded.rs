//! The recorded spaces of real GPUs, where they are: see benches/README.md.

use crate::replay::format;
use crate::replay::{Recording, locate, rules};
use bico_search::space::Numbered;
use std::path::{Path, PathBuf};

/// The folder of recorded spaces; says loudly that it is missing.
pub(super) fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spaces");
    let folder = bico_build::env::get("BICO_SPACES").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "SKIPPED: no recorded spaces in {}: set BICO_SPACES",
        folder.display()
    );
    None
}

#[test]
fn restrictions_make_exactly_the_recorded_configs() {
    let Some(folder) = folder() else {
        return;
    };
    let files = locate(&folder).unwrap();
    assert!(!files.is_empty());
    for file in files {
        let recording = Recording::read(&file).unwrap();
        let counts = recording.counts;
        assert!(
            !recording.listed,
            "{}: {:?}",
            recording.name, recording.notes
        );
        assert_eq!(
            (counts.missing, counts.disallowed, counts.repeated),
            (0, 0, 0),
            "{}",
            recording.name
        );
        let sidecar = file.to_string_lossy().replace(".csv.gz", ".json");
        let sidecar: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(sidecar).unwrap()).unwrap();
        assert_eq!(
            recording.configs.len(),
            sidecar["n_configs"].as_u64().unwrap()
        );
        assert_eq!(counts.timed, sidecar["n_valid"].as_u64().unwrap());
        let best = sidecar["best_time_ms"].as_f64().unwrap() * 1e-3;
        let (config, optimum) = recording.optimum().unwrap();
        // The CSV has seven digits.
        assert!(
            (optimum / best - 1.0).abs() < 1e-6,
            "{}: {optimum} {best}",
            recording.name
        );
        for (name, value) in recording
            .configs
            .names()
            .iter()
            .zip(recording.configs.config(config))
        {
            assert_eq!(sidecar["best_config"][name].to_string(), value.to_string());
        }
    }
}

#[test]
fn the_list_is_the_space() {
    let Some(folder) = folder() else {
        return;
    };
    for name in [
        "convolution_milo__A100_PCIe_40GB",
        "gemm_clblast__TITAN_RTX",
        "pnpoly__RTX_3060_Laptop",
    ] {
        let path = folder.join(format!("{name}.csv.gz"));
        let table = format::read(&path).unwrap();
        let space =
            rules::configs(&table.parameters, table.restrictions.as_deref().unwrap()).unwrap();
        let rows = table.rows.iter().map(|row| table.values(row));
        let listed = Numbered::listed(&table.parameters, rows).unwrap();
        assert_eq!(listed.len(), space.len());
        for config in (0..space.len()).step_by(97) {
            assert_eq!(listed.config(config), space.config(config));
            assert_eq!(listed.neighbours(config), space.neighbours(config));
        }
    }
}
