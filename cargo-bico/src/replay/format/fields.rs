//! Numbers of a record, checked.

use super::super::table::{Record, Status};

/// Milliseconds in one second, for files that count in them.
pub(super) const MILLI: f64 = 1e-3;

/// A record of what a file says: a time makes it a success only where nothing says otherwise.
pub(super) fn record(time: Option<f64>, status: Status) -> Record {
    let time = time.filter(|time| time.is_finite() && *time > 0.0);
    let status = match (status, time) {
        (Status::Ok, None) => Status::Failed("no time".into()),
        (status, _) => status,
    };
    Record {
        time: time.filter(|_| status == Status::Ok),
        status,
        ..Record::default()
    }
}

/// A duration in seconds, if it is one.
pub(super) fn duration(value: Option<f64>, unit: f64) -> Option<f64> {
    value
        .map(|value| value * unit)
        .filter(|value| value.is_finite() && *value >= 0.0)
}
