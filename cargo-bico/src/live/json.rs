//! A display for machines: one JSON object in a line for each event, with its `reason`, as cargo has it.

use super::put;
use bico_build::report::{Deed, Listener, Task};
use bico_core::json::{Json, ToJson};
use bico_search::search::{Found, Label, Observer, Row, Search, Stop};

/// Prints events.
#[derive(Default)]
pub(super) struct Events {
    key: String,
    hash: String,
    label: Label,
    known: usize,
    names: Vec<String>,
}

type Field = (&'static str, Json);

/// Prints an event.
fn event(reason: &str, fields: impl IntoIterator<Item = Field>) {
    let mut all = vec![("reason", reason.to_json())];
    all.extend(fields);
    put(&Json::object(all).compact());
}

/// What a person would read.
pub(super) fn note(level: &str, text: &str) {
    event(
        "message",
        [("level", level.to_json()), ("text", text.to_json())],
    );
}

/// All is over.
pub(super) fn end(success: bool) {
    event("tune-finished", [("success", success.to_json())]);
}

impl Events {
    /// What each event says of its search.
    fn about(&self) -> [Field; 3] {
        let Label { problem, device } = &self.label;
        [
            ("kernel", self.key.to_json()),
            ("problem", problem.to_json()),
            ("device", device.to_json()),
        ]
    }

    fn values(&self, values: &[bico_core::Value]) -> Json {
        let values = bico_core::own(&self.names, values);
        Json::Object(
            values
                .map(|(name, value)| (name.to_string().into(), value.to_json()))
                .collect(),
        )
    }
}

impl Observer for Events {
    fn started(&mut self, search: &Search<'_>) {
        self.names = search.configs.names().to_vec();
        let fields = [
            ("configs", search.configs.len().to_json()),
            ("evaluations", search.budget.evaluations.to_json()),
            ("seconds", search.budget.seconds.to_json()),
            ("resumed", self.known.to_json()),
        ];
        event("search-started", self.about().into_iter().chain(fields));
    }

    /// A row of the trail.
    fn row(&mut self, row: &Row) {
        let kernel = ("kernel".into(), self.key.to_json());
        let reason = ("reason".into(), "trial".to_json());
        let mut fields = vec![reason, kernel];
        if let Json::Object(row) = row.to_json(&self.label, &self.names, None) {
            fields.extend(row);
        }
        fields.push(("hash".into(), self.hash.to_json()));
        put(&Json::Object(fields).compact());
    }

    fn finals(&mut self, configs: &[u64]) {
        let configs = ("configs", configs.to_json());
        event("finals", self.about().into_iter().chain([configs]));
    }
}

impl Listener for Events {
    /// Each event names its device.
    fn beside(&self, _: &str) -> Box<dyn Listener> {
        Box::new(Events::default())
    }

    fn tasks(&mut self, tasks: Vec<Task>) {
        for task in tasks {
            let deed = match task.deed {
                Deed::Keep => "keep",
                Deed::Verify => "verify",
                Deed::Check => "check",
                Deed::Search => "search",
                Deed::Predict => "predict",
            };
            event(
                "task",
                [
                    ("kernel", task.key.to_json()),
                    ("problem", task.problem_key.to_json()),
                    ("device", task.device.to_json()),
                    ("action", deed.to_json()),
                ],
            );
        }
    }

    fn begins(&mut self, task: Task, known: usize) {
        self.label = Label {
            problem: task.problem_key,
            device: task.device,
        };
        (self.key, self.hash, self.known) = (task.key, task.hash, known);
    }

    fn ends(&mut self, found: &Found) {
        let stop = match found.stop {
            Stop::Evaluations => "evaluations",
            Stop::Seconds => "seconds",
            Stop::Plateau => "plateau",
            Stop::Gain => "gain",
            Stop::Exhausted => "exhausted",
        };
        let evaluations = found.trail.evaluated().count() as u64;
        let mut fields = vec![
            ("evaluations", evaluations.to_json()),
            ("stop", stop.to_json()),
        ];
        if let Some(winner) = &found.winner {
            let mut rows = found.trail.rows.iter();
            let row = rows.find(|row| row.config == winner.config);
            let sample = &winner.sample;
            fields.extend([
                (
                    "winner",
                    row.map_or(Json::Null, |row| self.values(&row.values)),
                ),
                ("seconds", sample.seconds.to_json()),
                ("low", sample.low.to_json()),
                ("high", sample.high.to_json()),
            ]);
        }
        event("search-finished", self.about().into_iter().chain(fields));
    }

    fn says(&mut self, line: &str) {
        note("note", line);
    }
}
