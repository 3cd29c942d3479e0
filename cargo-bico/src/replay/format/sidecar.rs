//! The JSON file beside a CSV: parameters, restrictions, the device.

use super::super::facts::{GpuFacts, Written};
use super::json::{self, Json, Object};
use super::value::{Domain, of_json};
use super::{Error, text};
use std::path::{Path, PathBuf};

/// What a sidecar says.
#[derive(Debug, Default)]
pub(super) struct Sidecar {
    pub(super) kernel: Option<String>,
    pub(super) device: Option<String>,
    pub(super) facts: GpuFacts,
    pub(super) parameters: Vec<Domain>,
    pub(super) restrictions: Option<Vec<String>>,
}

/// The sidecar of a CSV; `None` where there is none.
pub(super) fn beside(csv: &Path) -> Result<Option<Sidecar>, Error> {
    let plain = text::plain_name(csv);
    for name in [format!("{plain}.json"), format!("{plain}.json.gz")] {
        let path = csv.with_file_name(name);
        if path.is_file() {
            let text = text::read(&path)?;
            let (object, _) = json::object(&path, &text)?;
            return parse(&path, &object).map(Some);
        }
    }
    Ok(None)
}

/// The CSV that a sidecar stands beside.
pub(super) fn table_beside(sidecar: &Path) -> Result<PathBuf, Error> {
    let plain = text::plain_name(sidecar);
    [format!("{plain}.csv.gz"), format!("{plain}.csv")]
        .iter()
        .map(|name| sidecar.with_file_name(name))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Error::new(sidecar, "describes a recorded space whose CSV is missing")
                .help(format!("put {plain}.csv.gz beside it"))
        })
}

pub(super) fn parse(path: &Path, object: &Object) -> Result<Sidecar, Error> {
    let wrong = |field: &str, wanted: &str, found: &Json| {
        Error::new(
            path,
            format!("`{field}` is {}, but {wanted} is wanted", found.kind()),
        )
    };
    let mut sidecar = Sidecar {
        kernel: json::text(object, "kernel").map(String::from),
        device: ["device_name", "gpu"]
            .iter()
            .find_map(|key| json::text(object, key).filter(|text| !text.is_empty()))
            .map(String::from),
        ..Sidecar::default()
    };
    if let Some(facts) = object.get("gpu_facts") {
        let written = serde_json::to_value(facts)
            .and_then(serde_json::from_value::<Written>)
            .map_err(|error| Error::new(path, format!("`gpu_facts` cannot be read: {error}")))?;
        sidecar.facts = written.into();
    }
    let parameters = object
        .get("params")
        .ok_or_else(|| Error::new(path, "has no `params`").help("list the parameters there"))?;
    let parameters = parameters
        .list()
        .ok_or_else(|| wrong("params", "a list", parameters))?;
    for (at, parameter) in parameters.iter().enumerate() {
        let (Some(name), Some(values)) = (
            parameter.get("name").and_then(Json::text),
            parameter.get("values").and_then(Json::list),
        ) else {
            return Err(
                Error::new(path, format!("`params[{at}]` has no `name` or no `values`"))
                    .help("write {\"name\": \"TILE\", \"values\": [1, 2]}"),
            );
        };
        if sidecar.parameters.iter().any(|known| known.name == name) {
            return Err(Error::new(
                path,
                format!("parameter `{name}` stands in `params` twice"),
            ));
        }
        let known: Option<Vec<_>> = values.iter().map(of_json).collect();
        let known = known.filter(|values| !values.is_empty()).ok_or_else(|| {
            Error::new(
                path,
                format!("the values of parameter `{name}` are no numbers, strings or truth values"),
            )
        })?;
        sidecar.parameters.push(Domain::declared(name, known));
    }
    sidecar.restrictions = match object.get("restrictions") {
        None | Some(Json::Plain(serde_json::Value::Null)) => None,
        Some(Json::List(list)) => {
            let texts: Option<Vec<String>> = list
                .iter()
                .map(|one| one.text().map(String::from))
                .collect();
            Some(texts.ok_or_else(|| {
                Error::new(path, "`restrictions` holds something that is no string")
                    .help("write each as a Python expression in quotes")
            })?)
        }
        Some(other) => return Err(wrong("restrictions", "a list", other)),
    };
    Ok(sidecar)
}
