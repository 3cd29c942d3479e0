//! The parts of a page: a tunable with what the lock has of it, and each of its searches.

use super::Tunable;
use super::figures::{self, Figure, Table};
use super::search::{Search, failure};
use super::text::{counted, escaped, script};
use crate::analyse::analyse;
use crate::config::{assignment, in_order, values};
use crate::names::plain;
use crate::trail::Row;
use bico_build::lock::{Entry, Trial};
use bico_build::report::{count, ratio, throughput, time};
use serde_json::{Value, json};
use std::fmt::Write;

/// Rows of a trail that a page holds.
const ROWS: usize = 20_000;

/// A tunable's part of the page, at a place of this name.
pub(super) fn tunable(tunable: &Tunable, place: &str) -> String {
    let key = escaped(&tunable.key);
    let mut out = format!(
        "<section id=\"{place}\" aria-labelledby=\"{place}-title\">\n<h2 id=\"{place}-title\">{key}</h2>\n"
    );
    if !tunable.is_found {
        out += "<p class=\"note\">The sources have no such tunable any more: bico.lock still does.</p>\n";
    }
    let is_known = tunable.kernel.keys().next().is_some();
    if is_known {
        out += &lock(tunable);
    }
    if let Some(figure) = figures::devices(&tunable.kernel) {
        let _ = writeln!(
            out,
            "<div class=\"figures\">\n{}</div>",
            figure.html(place, 3)
        );
    }
    for (number, one) in tunable.searches.iter().enumerate() {
        out += &search(one, &format!("{place}-search-{number}"));
    }
    let note = match (is_known, tunable.searches.is_empty()) {
        (true, false) => "",
        (true, true) => {
            "No trail of a search is here, so nothing is known of configs other than these"
        }
        (false, false) => "bico.lock has nothing of it",
        (false, true) => "It was not tuned yet: neither bico.lock nor a trail knows it",
    };
    if !note.is_empty() {
        let place = escaped(&tunable.place);
        let _ = writeln!(
            out,
            "<p class=\"note\">{note}. <code>cargo bico tune {key} --force</code> measures it, and leaves the trail <code>{place}</code> in the target folder.</p>"
        );
    }
    out += "</section>\n";
    out
}

/// What the lock has.
fn lock(tunable: &Tunable) -> String {
    let mut rows = Vec::new();
    for (device, problems) in tunable.kernel.iter() {
        rows.extend(problems.iter().map(|(problem, entry)| {
            let mut row = vec![problem.clone(), device.to_string()];
            let winner = values(&entry.winner.config);
            row.push(in_order(&winner, &tunable.parameters));
            row.extend(result(entry));
            row
        }));
    }
    rows.sort();
    let head = [
        "problem",
        "device",
        "winner",
        "time of a call",
        "interval",
        "default or first takes",
        "top-ranked takes",
        "measured",
        "verified by",
    ];
    Table::new(head, rows).html("Winners in bico.lock, on all devices")
}

fn result(entry: &Entry) -> Vec<String> {
    let [low, high] = entry.interval.map(time);
    let winner = &entry.winner;
    let over = |other: &Option<Trial>| match other {
        None => "-".to_string(),
        Some(other) if other.config == winner.config => "it is the winner".into(),
        Some(other) => format!("about {}", ratio(other.seconds / winner.seconds)),
    };
    vec![
        time(winner.seconds),
        format!("{low} to {high}"),
        over(&entry.first),
        over(&entry.ranked),
        format!(
            "{} of {}",
            count(entry.evaluations),
            count(entry.space_size)
        ),
        entry.verified.name(entry.rules),
    ]
}

/// A search's part.
fn search(search: &Search, place: &str) -> String {
    let mut out = format!(
        "<article id=\"{place}\" aria-labelledby=\"{place}-title\">\n<h3 id=\"{place}-title\">{}, on {}</h3>\n<p>{}</p>\n",
        escaped(&search.problem),
        escaped(&search.device),
        escaped(&summary(search))
    );
    for line in &search.promise.lines {
        let _ = writeln!(out, "<p class=\"promise\">{}.</p>", escaped(&capital(line)));
    }
    let analysis = analyse(&search.names, &search.measured());
    let all: [Option<Figure>; 7] = [
        figures::evaluations(search),
        figures::seconds(search),
        figures::prediction(search),
        figures::effects(&analysis),
        figures::pair(&analysis),
        figures::failures(search),
        figures::costs(search),
    ];
    let drawn: Vec<String> = all
        .iter()
        .flatten()
        .map(|figure| figure.html(place, 4))
        .collect();
    let _ = writeln!(out, "<div class=\"figures\">\n{}</div>", drawn.concat());
    for missing in missing(search, &all) {
        let _ = writeln!(out, "<p class=\"note\">{missing}</p>");
    }
    out += &trail(search, place);
    out += "</article>\n";
    out
}

fn summary(search: &Search) -> String {
    let trials = counted(search.trials.len(), "config");
    let mut text = format!("The search ({}) measured {trials}", search.strategy);
    let Some(best) = search.best() else {
        return text + "; none of them ran and was right.";
    };
    let chosen = search.winner.unwrap_or(best.config);
    let what = match search.winner {
        Some(_) => "The winner in bico.lock",
        None => "The fastest by its trial",
    };
    text += &format!(". {what} is {}", search.assignment(chosen));
    let row = search
        .rows
        .iter()
        .rev()
        .find(|row| row.config == chosen && row.seconds.is_some());
    if let Some(row) = row {
        let rates = throughput(row.flops_per_second, row.bytes_per_second);
        let rates = rates.map(|rates| format!(", {rates}")).unwrap_or_default();
        text += &format!(", {}{rates}", row.seconds.map(time).unwrap_or_default());
    }
    if search.is_outdated {
        text += ". The kernel was another one then: its source, space, launch or flags were others";
    }
    if search.is_other {
        text += ". bico.lock has another winner, which this search did not measure: the two are of different searches";
    }
    text + "."
}

/// What is not drawn, and why.
fn missing(search: &Search, drawn: &[Option<Figure>; 7]) -> Vec<&'static str> {
    let ran = search.best().is_some();
    let why = [
        (ran, "No config ran, so there is no time to draw."),
        (true, "The rows have no seconds that the search spent."),
        (
            !ran,
            "The ranking predicted nothing, or the same of all configs: there is nothing to compare with the times. An attribute's `work(..)` or `score` lets it predict.",
        ),
        (
            true,
            "No parameter had two values that ran: there is no effect to show.",
        ),
        (
            true,
            "Too few configs ran to tell which two parameters depend on each other.",
        ),
        (true, "No config failed."),
        (true, "The trail does not say where the seconds went."),
    ];
    let missing = why.into_iter().zip(drawn).enumerate();
    let missing = missing.filter(|(at, ((_, _), figure))| figure.is_none() && (ran || *at == 0));
    missing.map(|(_, ((_, why), _))| why).collect()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// What a column holds, for the script: how it is shown and sorted.
const COLUMNS: [(&str, &str); 11] = [
    ("evaluation", "count"),
    ("kind", "text"),
    ("outcome", "text"),
    ("time of a call", "time"),
    ("of the best", "ratio"),
    ("best so far", "time"),
    ("predicted", "number"),
    ("rank", "count"),
    ("spent", "spent"),
    ("config", "text"),
    ("why, and what is known", "text"),
];

/// The trail: a table that the page's script fills, sorts and filters.
fn trail(search: &Search, place: &str) -> String {
    let all = search.rows.len();
    let best = search.best().and_then(|best| best.seconds);
    let constants = search.constants();
    let config = |row: &Row| {
        let values = row.values.iter();
        plain(&assignment(
            values.filter(|(name, _)| !constants.contains_key(name)),
        ))
    };
    let rows = search.rows.iter().take(ROWS);
    let rows: Vec<Value> = rows
        .map(|row| cells(search, row, config(row), best))
        .collect();
    let columns = COLUMNS.map(|(name, shown)| match (name, search.is_score) {
        ("predicted", false) => json!({ "name": name, "as": "time" }),
        ("predicted", true) => json!({ "name": "score", "as": shown }),
        _ => json!({ "name": name, "as": shown }),
    });
    let mut head = String::new();
    for column in &columns {
        let name = column["name"].as_str().unwrap_or_default();
        let _ = write!(
            head,
            "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">{name}</button></th>"
        );
    }
    let data = script(&json!({ "columns": columns, "rows": rows }));
    let cut = match all > ROWS {
        true => format!(", of which the page holds the first {}", count(ROWS as u64)),
        false => String::new(),
    };
    let (id, all) = (format!("{place}-trail"), counted(all, "row"));
    let constants = match constants.is_empty() {
        true => String::new(),
        false => format!(
            " The same in all configs: {}.",
            escaped(&assignment(constants))
        ),
    };
    format!(
        "<section class=\"trail\" aria-labelledby=\"{id}-title\">\n\
         <h4 id=\"{id}-title\">The trail: {all}{cut}</h4>\n\
         <p>Every measurement in its order, the finals last. Press a column's name to sort.{constants}</p>\n\
         <form>\n<label>Rows with all of these words <input type=\"search\" placeholder=\"TILE=16 wrong\"></label>\n\
         <label>Outcome <select><option value=\"\">all</option><option value=\"ran\">ran</option><option value=\"failed\">failed</option></select></label>\n\
         <p role=\"status\"></p>\n</form>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{id}-title\"><table>\n\
         <thead><tr>{head}</tr></thead>\n<tbody></tbody>\n</table></div>\n\
         <p><button type=\"button\" class=\"more\" hidden>Show more rows</button></p>\n\
         <noscript><p class=\"note\">The table needs JavaScript; the charts and their data do not.</p></noscript>\n\
         <script type=\"application/json\">{data}</script>\n</section>\n"
    )
}

/// A row of the table, in the order of [`COLUMNS`].
fn cells(search: &Search, row: &Row, config: String, best: Option<f64>) -> Value {
    let outcome = match failure(row) {
        Some(reason) => plain(&reason),
        None if search.winner == Some(row.config) => "ran: the winner".into(),
        None if row.cut => "ran, cut short".into(),
        None if row.same_as.is_some() => "ran: the code of another".into(),
        None => "ran".into(),
    };
    let known = [row.why.as_deref(), row.detail.as_deref()];
    let known: Vec<String> = known.into_iter().flatten().map(plain).collect();
    let of_best = row.seconds.zip(best).map(|(seconds, best)| seconds / best);
    // What is shown has four digits at most.
    let rounded = |number: f64| format!("{number:.5e}").parse::<f64>().ok();
    json!([
        row.evaluation,
        plain(&row.kind),
        outcome,
        row.seconds,
        of_best.and_then(rounded),
        row.best.map(|best| best.seconds),
        row.predicted.and_then(rounded),
        row.rank,
        row.spent,
        config,
        known.join("; "),
    ])
}
