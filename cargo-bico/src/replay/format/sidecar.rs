//! The JSON file beside a CSV: parameters, restrictions, the device.

use super::json::{self, Json, Object};
use super::value::{Domain, of_json};
use super::{Error, Raw, text};
use std::path::{Path, PathBuf};

/// The first file that is there of those with an ending in place of a file's own.
fn beside_with(path: &Path, endings: [&str; 2]) -> Option<PathBuf> {
    let plain = text::plain_name(path);
    endings
        .map(|ending| path.with_file_name(format!("{plain}{ending}")))
        .into_iter()
        .find(|path| path.is_file())
}

/// The sidecar of a CSV; `None` where there is none.
pub(super) fn beside(csv: &Path) -> Result<Option<Raw>, Error> {
    let Some(path) = beside_with(csv, [".json", ".json.gz"]) else {
        return Ok(None);
    };
    let (object, _) = json::object(&path, &text::read(&path)?)?;
    parse(&path, &object).map(Some)
}

/// The CSV that a sidecar stands beside.
pub(super) fn table_beside(sidecar: &Path) -> Result<PathBuf, Error> {
    beside_with(sidecar, [".csv.gz", ".csv"]).ok_or_else(|| {
        let plain = text::plain_name(sidecar);
        Error::new(sidecar, "describes a recorded space whose CSV is missing")
            .help(format!("put {plain}.csv.gz beside it"))
    })
}

fn parse(path: &Path, object: &Object) -> Result<Raw, Error> {
    let wrong = |message: String| Error::new(path, message);
    let no_list = |field: &str, found: &Json| {
        let found = found.kind();
        wrong(format!("`{field}` is {found}, but a list is wanted"))
    };
    let named = |key: &str| json::text(object, key).filter(|text| !text.is_empty());
    let (mut domains, mut table): Raw = Default::default();
    table.kernel = named("kernel").unwrap_or_default().into();
    let device = named("device_name").or_else(|| named("gpu"));
    table.device = device.unwrap_or_default().into();
    json::own(object, &mut table);
    if let Some(facts) = object.get("gpu_facts") {
        table.facts = serde_json::to_value(facts)
            .and_then(serde_json::from_value)
            .map_err(|error| wrong(format!("`gpu_facts` cannot be read: {error}")))?;
    }
    let parameters = object.get("params");
    let parameters = parameters
        .ok_or_else(|| wrong("has no `params`".into()).help("list the parameters there"))?;
    let list = parameters.as_array();
    let list = list.ok_or_else(|| no_list("params", parameters))?;
    for (at, parameter) in list.iter().enumerate() {
        let name = parameter.get("name").and_then(Json::as_str);
        let values = parameter.get("values").and_then(Json::as_array);
        let (name, values) = name.zip(values).ok_or_else(|| {
            wrong(format!("`params[{at}]` has no `name` or no `values`"))
                .help("write {\"name\": \"TILE\", \"values\": [1, 2]}")
        })?;
        if domains.iter().any(|known| known.name == name) {
            return Err(wrong(format!(
                "parameter `{name}` stands in `params` twice"
            )));
        }
        let known: Option<Vec<_>> = values.iter().map(of_json).collect();
        let known = known.filter(|values| !values.is_empty()).ok_or_else(|| {
            wrong(format!(
                "the values of parameter `{name}` are no numbers, strings or truth values"
            ))
        })?;
        domains.push(Domain::new(name, Some(known)));
    }
    table.restrictions = match object.get("restrictions") {
        None | Some(Json::Plain(serde_json::Value::Null)) => None,
        Some(Json::Array(list)) => {
            let texts = list.iter().map(|one| one.as_str().map(String::from));
            Some(texts.collect::<Option<_>>().ok_or_else(|| {
                wrong("`restrictions` holds something that is no string".into())
                    .help("write each as a Python expression in quotes")
            })?)
        }
        Some(other) => return Err(no_list("restrictions", other)),
    };
    Ok((domains, table))
}
