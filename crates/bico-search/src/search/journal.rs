//! The trail as a file: JSON lines, written while the search goes on.

use super::appended::Appended;
use super::{Observer, Outcome, Row, Search};
use bico_core::json::{Json, ToJson};
use bico_core::{Lists, own};
use bico_syntax::bind::Expression;
use std::io;
use std::path::Path;

/// What the rows of one search belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// The problem, for people: `m=1024, n=1024`.
    pub problem: String,
    /// The device's key.
    pub device: String,
}

/// What a row says beyond that: of which kernel it is, in which state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tunable's key.
    pub kernel: String,
    /// A hash of all that its times depend on.
    pub hash: String,
    /// Which part of the configs is searched, where not all are: `3/8`.
    pub shard: Option<String>,
}

/// Writes the trails of one tunable, one JSON object per line.
///
/// Each row is written whole and at once, so that a build that is killed leaves whole rows, and searches that run beside
/// each other can share the file. A failing disk doesn't fail the build: see [`Journal::error`].
#[derive(Debug)]
pub struct Journal {
    file: Appended,
    /// Whose rows follow.
    pub label: Label,
    /// What each row's `scale` is: the tunable's `budget_scale`, where it has one.
    pub scale: Option<Expression>,
    /// Written into each row, where there is one.
    pub origin: Option<Origin>,
    names: Vec<String>,
    /// Rows, until there are as many as the file has of the search that was cut, and how many that still lacks.
    kept_back: Option<(String, usize)>,
    error: Option<io::Error>,
}

impl Journal {
    /// Starts the file anew, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<Journal> {
        Journal::on(path, true)
    }

    /// Goes on with a file, which is there from now on, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn open(path: &Path) -> io::Result<Journal> {
        Journal::on(path, false)
    }

    fn on(path: &Path, anew: bool) -> io::Result<Journal> {
        Ok(Journal {
            file: Appended::open(path, anew)?,
            label: Label::default(),
            scale: None,
            origin: None,
            names: Vec::new(),
            kept_back: None,
            error: None,
        })
    }

    /// What follows belongs to this search. Rows of others stay, as far as their problem is still among these. Its own are
    /// those of an earlier one: they go or, where it goes on with that (`resumes`), are given, and stay in the file until as
    /// many are written again.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or written.
    pub fn begin(
        &mut self,
        label: Label,
        problems: &[&str],
        resumes: bool,
    ) -> io::Result<Vec<String>> {
        self.label = label;
        let mark = self.mark();
        let heads: Vec<String> = problems.iter().map(|problem| head(problem)).collect_vec();
        let is_known = |line: &&str| heads.iter().any(|head| line.starts_with(head));
        let mut known: Vec<String> = Vec::new();
        self.file.change(&mut |text| {
            let lines = text.split_inclusive('\n');
            let (own, mut others): (Vec<&str>, Vec<&str>) =
                lines.partition(|line| line.starts_with(&mark));
            others.retain(is_known);
            if resumes {
                known = own.iter().map(|line| line.to_string()).collect_vec();
            }
            others.concat() + &known.concat()
        })?;
        self.kept_back = (!known.is_empty()).then(|| (String::new(), known.len()));
        Ok(known)
    }

    /// What each row of this search begins with.
    fn mark(&self) -> String {
        let device = self.label.device.to_json().compact();
        format!("{}\"device\":{device},", head(&self.label.problem))
    }

    /// The search is over, however many rows it wrote.
    pub fn end(&mut self) {
        let result = self.publish();
        self.note(result);
    }

    /// Puts the rows that were kept back in the place of those that stand there.
    fn publish(&mut self) -> io::Result<()> {
        let Some((rows, _)) = self.kept_back.take() else {
            return Ok(());
        };
        let mark = self.mark();
        self.file.change(&mut |text| {
            let lines = text.split_inclusive('\n');
            let others = lines.filter(|line| !line.starts_with(&mark));
            others.collect::<String>() + &rows
        })
    }

    fn note(&mut self, result: io::Result<()>) {
        self.error = self.error.take().or(result.err());
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The first error of writing, if there was one.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    fn write(&mut self, row: &Row) -> io::Result<()> {
        let scale = self.scale.as_ref();
        let scale = scale.and_then(|scale| scale.number(&row.values).ok());
        let mut json = row.to_json(&self.label, &self.names, scale);
        if let (Json::Object(fields), Some(origin)) = (&mut json, &self.origin) {
            let own = [("kernel", &origin.kernel), ("hash", &origin.hash)].into_iter();
            for (name, value) in own.chain(origin.shard.iter().map(|of| ("shard", of))) {
                fields.push((name.into(), value.to_json()));
            }
        }
        let line = json.compact() + "\n";
        let Some((rows, left)) = &mut self.kept_back else {
            return self.file.add("", &line);
        };
        rows.push_str(&line);
        *left -= 1;
        match *left {
            0 => self.publish(),
            _ => Ok(()),
        }
    }
}

/// What each row of a problem begins with.
fn head(problem: &str) -> String {
    format!("{{\"problem\":{},", problem.to_json().compact())
}

impl Row {
    /// The row as it stands in a trail: that of `label`, with parameters of these names.
    pub fn to_json(&self, label: &Label, names: &[String], scale: Option<f64>) -> Json {
        let row = self;
        let values = own(names, &row.values);
        let values = values.map(|(name, value)| (name.to_string().into(), value.to_json()));
        let mut fields = vec![
            ("problem", label.problem.to_json()),
            ("device", label.device.to_json()),
            ("kind", row.kind.name().to_json()),
            ("evaluation", row.evaluation.to_json()),
            ("spent", row.spent.to_json()),
            ("config", row.config.to_json()),
            ("values", Json::Object(values.collect_vec())),
        ];
        let mut add = |name, value: Option<Json>| fields.extend(value.map(|value| (name, value)));
        add("scale", scale.map(|of| of.to_json()));
        add("strategy", Some(row.strategy.to_json()));
        add("rank", Some(row.rank.to_json()));
        add("predicted", Some(row.predicted.to_json()));
        add("why", row.why.as_ref().map(ToJson::to_json));
        add("worker", row.worker.as_ref().map(ToJson::to_json));
        add("under_way", row.under_way.map(|of| of.to_json()));
        for (name, value) in outcome(&row.outcome) {
            add(name, Some(value));
        }
        add(
            "flops_per_second",
            row.flops_per_second.map(|of| of.to_json()),
        );
        add(
            "bytes_per_second",
            row.bytes_per_second.map(|of| of.to_json()),
        );
        add("resources", row.resources.map(|of| of.to_json()));
        add("of_peak", row.of_peak.map(|of| of.to_json()));
        add("costs", row.costs.map(|of| of.to_json()));
        add("compiler", row.compiler.map(|of| of.to_json()));
        add("best", Some(row.best.to_json()));
        add("against", row.against.map(|of| of.to_json()));
        add("sink", Some(row.sink.to_json()));
        Json::object(fields)
    }
}

/// Every row that was timed has `seconds`, every other one `failure`.
fn outcome(outcome: &Outcome) -> Vec<(&'static str, Json)> {
    let (sample, same_as) = match outcome {
        Outcome::Timed(sample) => (sample, None),
        Outcome::Same(config, sample) => (sample, Some(config)),
        Outcome::Failed(failure) => {
            let (_, detail) = failure.parts();
            return vec![
                ("failure", failure.name().to_json()),
                ("detail", detail.to_json()),
            ];
        }
    };
    let mut fields = vec![
        ("seconds", sample.seconds.to_json()),
        ("low", sample.low.to_json()),
        ("high", sample.high.to_json()),
        ("runs", sample.runs.to_json()),
        ("cut", sample.cut.to_json()),
    ];
    // What is so unless it is said otherwise: 95 %, one time for all that is known of the runs.
    let known = [
        (sample.confidence < 0.95, "confidence", sample.confidence),
        (sample.decile < sample.seconds, "decile", sample.decile),
    ];
    let known = known.into_iter().filter(|(said, ..)| *said);
    fields.extend(known.map(|(_, name, value)| (name, value.to_json())));
    fields.extend(sample.caches.name().map(|of| ("caches", of.to_json())));
    if sample.throttled {
        fields.push(("throttled", true.to_json()));
    }
    let conditions = sample.conditions.as_ref();
    fields.extend(conditions.map(|of| ("conditions", of.to_json())));
    fields.extend(same_as.map(|config| ("same_as", config.to_json())));
    fields
}

impl Observer for Journal {
    fn started(&mut self, search: &Search<'_>) {
        self.names = search.configs.names().to_vec();
    }

    fn row(&mut self, row: &Row) {
        if self.error.is_none() {
            let result = self.write(row);
            self.note(result);
        }
    }

    fn finals(&mut self, _: &[u64]) {
        self.end();
    }
}
