//! Our own format: a CSV with a row per config, and a sidecar.

use super::super::table::{Entry, Record, Status, Table};
use super::value::{Domain, of_text};
use super::{Error, MILLI, Raw, sidecar};
use bico_core::Value;
use bico_syntax::bind::intern;
use csv::{ErrorKind, Position, ReaderBuilder, Trim};
use std::path::Path;

/// The column that holds the time; the parameters stand before it.
const TIME: &str = "time_ms";

pub(super) fn read(path: &Path, text: &str) -> Result<Raw, Error> {
    let (parameters, mut table) = match sidecar::beside(path)? {
        Some(sidecar) => sidecar,
        None => {
            let mut table = Table::default();
            let note =
                "no sidecar (the same name with .json): the columns say what the parameters are";
            table.notes.push(note.into());
            (Vec::new(), table)
        }
    };
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let broken = |error: csv::Error| {
        let line = error.position().map_or(0, Position::line);
        let message = match error.kind() {
            ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => format!("this row has {len} fields, but the header has {expected_len}"),
            _ => error.to_string(),
        };
        Error::new(path, message)
            .line(line)
            .help("the file was cut off or edited: fetch it again")
    };
    let header = reader.headers().map_err(broken)?.clone();
    let find = |name: &str| header.iter().position(|column| column == name);
    let missing = |name: &str| {
        Error::new(path, format!("has no column `{name}`"))
            .line(1)
            .help("a recorded space has a column for each parameter, then time_ms and status")
    };
    let time = find(TIME).ok_or_else(|| missing(TIME))?;
    let mut domains = match parameters.is_empty() {
        true => header
            .iter()
            .take(time)
            .map(|name| Domain::new(name, None))
            .collect(),
        false => parameters,
    };
    let places = domains
        .iter()
        .map(|domain| find(&domain.name).ok_or_else(|| missing(&domain.name)));
    let places: Vec<usize> = places.collect::<Result<_, _>>()?;
    for row in reader.records() {
        let row = row.map_err(broken)?;
        let line = row.position().map_or(0, Position::line);
        let wrong = |message: String, help: &str| Error::new(path, message).line(line).help(help);
        let mut config = Vec::with_capacity(domains.len());
        for (domain, column) in domains.iter_mut().zip(&places) {
            let field = &row[*column];
            let place = domain.place(of_text(field));
            // A string may look like a number.
            let place = place.or_else(|| domain.place(Value::Str(intern(field))));
            config.push(place.ok_or_else(|| {
                let message = format!("`{field}` is no value of parameter `{}`", domain.name);
                wrong(message, "the sidecar lists its values under `params`")
            })?);
        }
        let field = |name: &str| find(name).map_or("", |column| &row[column]);
        let record = outcome(&field).map_err(|message| {
            wrong(message, "leave the field empty where nothing was measured")
        })?;
        table.rows.push(Entry { config, record });
    }
    Ok((domains, table))
}

/// What a row's columns say, of which `field` gives each; else what is no number.
fn outcome<'r>(field: &dyn Fn(&str) -> &'r str) -> Result<Record, String> {
    let number = |name: &str| match field(name) {
        "" => Ok(None),
        text => match text.parse::<f64>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("`{text}` in column `{name}` is no number")),
        },
    };
    let record = Record {
        time: number(TIME)?.map(|time| time * MILLI),
        status: match field("status") {
            "" | "ok" => Status::Ok,
            why => Status::Failed(why.into()),
        },
        fastest: number("time_min_ms")?,
        deviation: number("time_std_ms")?,
        runs: number("n_runs")?.map(|runs| runs as u32),
        compiling: number("compile_ms")?,
        measuring: number("bench_ms")?,
    };
    Ok(record.checked(MILLI))
}
