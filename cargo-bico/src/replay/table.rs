//! A recorded space as it stands in a file, whatever the file's format.

use super::GpuFacts;
use bico_core::Value;

/// Parameters with their values.
pub(crate) type Parameters = [(String, Vec<Value>)];

/// What a file says: parameters, restrictions and the measured configs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What tables call it.
    pub name: String,
    /// What kind of file it was read from: `T4 results`.
    pub format: &'static str,
    /// The kernel.
    pub kernel: String,
    /// The device, for people.
    pub device: String,
    /// The problem, as a lock names it; empty where the file does not say.
    pub problem: String,
    /// What is known of the device.
    pub facts: GpuFacts,
    /// Each parameter with its values, in the file's order. The values of one parameter are all of
    /// one kind.
    pub parameters: Vec<(String, Vec<Value>)>,
    /// Python expressions that must hold; `None` where the file says nothing of restrictions.
    pub restrictions: Option<Vec<String>>,
    /// The measured configs.
    pub rows: Vec<Entry>,
    /// What people should know of how the file was read.
    pub notes: Vec<String>,
}

/// One measured config.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// For each parameter, the place of its value in [`Table::parameters`].
    pub config: Vec<u32>,
    /// What was measured.
    pub record: Record,
}

/// What is recorded of one config. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// The mean time of a run; `None` where it failed.
    pub time: Option<f64>,
    /// Why it failed.
    pub status: Status,
    /// The fastest run.
    pub fastest: Option<f64>,
    /// The standard deviation of the runs.
    pub deviation: Option<f64>,
    /// How many runs.
    pub runs: Option<u32>,
    /// What compiling it took.
    pub compiling: Option<f64>,
    /// What measuring it took.
    pub measuring: Option<f64>,
}

/// What came of a config.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Status {
    /// It ran.
    Ok,
    /// It failed; the file's own word for why.
    Failed(String),
    /// The restrictions allow it, but the file does not hold it.
    #[default]
    Missing,
}

impl Record {
    /// What a file says, its time in seconds and all else in `unit`s of a second, as far as it can be true: a
    /// time makes a success only where nothing says otherwise.
    pub(super) fn checked(self, unit: f64) -> Record {
        let seconds = |value: Option<f64>| {
            let value = value.map(|value| value * unit);
            value.filter(|value| value.is_finite() && *value >= 0.0)
        };
        let time = self.time.filter(|time| time.is_finite() && *time > 0.0);
        let status = match (self.status, time) {
            (Status::Ok, None) => Status::Failed("no time".into()),
            (status, _) => status,
        };
        Record {
            time: time.filter(|_| status == Status::Ok),
            status,
            fastest: seconds(self.fastest),
            deviation: seconds(self.deviation),
            runs: self.runs,
            compiling: seconds(self.compiling),
            measuring: seconds(self.measuring),
        }
    }
}

impl Table {
    /// The value of each parameter in a row.
    pub(crate) fn values(&self, row: &Entry) -> Vec<Value> {
        let places = self.parameters.iter().zip(&row.config);
        places
            .map(|((_, values), place)| values[*place as usize])
            .collect()
    }
}
