//! Our own format: a CSV with a row per config, and a sidecar.

use super::super::table::{Entry, Record, Status, Table};
use super::fields::{MILLI, duration, record};
use super::text::Name;
use super::value::{Domain, finish, of_text};
use super::{Error, sidecar};
use std::path::Path;

/// The column that holds the time; the parameters stand before it.
const TIME: &str = "time_ms";

/// The columns behind the parameters, where they are.
#[derive(Default)]
struct Columns {
    time: usize,
    status: Option<usize>,
    fastest: Option<usize>,
    deviation: Option<usize>,
    runs: Option<usize>,
    compiling: Option<usize>,
    measuring: Option<usize>,
}

pub(super) fn read(path: &Path, text: &str) -> Result<Table, Error> {
    let mut notes = Vec::new();
    let sidecar = match sidecar::beside(path)? {
        Some(sidecar) => sidecar,
        None => {
            notes.push(
                "no sidecar (the same name with .json): the columns say what the parameters are"
                    .into(),
            );
            sidecar::Sidecar::default()
        }
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let broken = |error: csv::Error| {
        let line = error.position().map_or(0, csv::Position::line);
        let message = match error.kind() {
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => {
                format!("this row has {len} fields, but the header has {expected_len}")
            }
            _ => error.to_string(),
        };
        Error::new(path, message)
            .line(line)
            .help("the file was cut off or edited: fetch it again")
    };
    let header: Vec<String> = reader
        .headers()
        .map_err(broken)?
        .iter()
        .map(String::from)
        .collect();
    let (mut domains, places, columns) = layout(path, &header, sidecar.parameters)?;
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(broken)?;
        let line = row.position().map_or(0, csv::Position::line);
        let mut config = Vec::with_capacity(domains.len());
        for (domain, column) in domains.iter_mut().zip(&places) {
            let field = row.get(*column).unwrap_or_default();
            let place = domain.place(of_text(field)).ok_or_else(|| {
                Error::new(
                    path,
                    format!("`{field}` is no value of parameter `{}`", domain.name),
                )
                .line(line)
                .help("the sidecar lists its values under `params`")
            })?;
            config.push(place);
        }
        let record = columns.record(&row).map_err(|(column, field)| {
            Error::new(
                path,
                format!("`{field}` in column `{}` is no number", header[column]),
            )
            .line(line)
            .help("leave the field empty where nothing was measured")
        })?;
        rows.push(Entry { config, record });
    }
    let name = Name::of(path, false);
    Ok(Table {
        name: name.whole,
        kernel: sidecar.kernel.unwrap_or(name.kernel),
        device: sidecar.device.unwrap_or(name.device),
        facts: sidecar.facts,
        parameters: finish(domains, &mut rows),
        restrictions: sidecar.restrictions,
        rows,
        notes,
    })
}

/// The parameters with their columns, and where the rest is.
fn layout(
    path: &Path,
    header: &[String],
    declared: Vec<Domain>,
) -> Result<(Vec<Domain>, Vec<usize>, Columns), Error> {
    let find = |name: &str| header.iter().position(|column| column == name);
    let missing = |name: &str| {
        Error::new(path, format!("has no column `{name}`"))
            .line(1)
            .help("a recorded space has a column for each parameter, then time_ms and status")
    };
    let time = find(TIME).ok_or_else(|| missing(TIME))?;
    let domains = if declared.is_empty() {
        header[..time].iter().map(Domain::open).collect()
    } else {
        declared
    };
    let places: Result<Vec<usize>, Error> = domains
        .iter()
        .map(|domain| find(&domain.name).ok_or_else(|| missing(&domain.name)))
        .collect();
    let columns = Columns {
        time,
        status: find("status"),
        fastest: find("time_min_ms"),
        deviation: find("time_std_ms"),
        runs: find("n_runs"),
        compiling: find("compile_ms"),
        measuring: find("bench_ms"),
    };
    Ok((domains, places?, columns))
}

impl Columns {
    /// The record of a row, or the column and the field that is no number.
    fn record(&self, row: &csv::StringRecord) -> Result<Record, (usize, String)> {
        let number = |column: Option<usize>| {
            let Some(column) = column else {
                return Ok(None);
            };
            let field = row.get(column).unwrap_or_default();
            if field.is_empty() {
                return Ok(None);
            }
            match field.parse::<f64>() {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err((column, field.to_string())),
            }
        };
        let status = match self.status.and_then(|column| row.get(column)) {
            None | Some("" | "ok") => Status::Ok,
            Some(why) => Status::Failed(why.into()),
        };
        let time = number(Some(self.time))?.map(|time| time * MILLI);
        Ok(Record {
            fastest: duration(number(self.fastest)?, MILLI),
            deviation: duration(number(self.deviation)?, MILLI),
            runs: number(self.runs)?.map(|runs| runs as u32),
            compiling: duration(number(self.compiling)?, MILLI),
            measuring: duration(number(self.measuring)?, MILLI),
            ..record(time, status)
        })
    }
}
