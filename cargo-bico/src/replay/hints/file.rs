//! A file of hints as it stands there.

use crate::replay::Error;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;
use std::path::Path;

/// What a file says; expressions as text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// The kernel's names in recordings.
    #[serde(rename = "kernel")]
    pub(super) kernels: Names,
    /// For people.
    #[serde(default, rename = "about")]
    _about: IgnoredAny,
    #[serde(default)]
    pub(super) sizes: Named<Number>,
    #[serde(default, rename = "let")]
    pub(super) names: Named<String>,
    #[serde(default)]
    pub(super) require: Vec<String>,
    pub(super) launch: Named<Names>,
    #[serde(default)]
    pub(super) work: Named<Names>,
}

/// What `launch` and `work` may say, and whether an attribute can say it too.
const FIELDS: [(&str, &str, bool); 13] = [
    ("launch", "grid", true),
    ("launch", "block", true),
    ("launch", "shared", true),
    ("launch", "registers", false),
    ("launch", "results", false),
    ("launch", "access", false),
    ("launch", "contiguous", false),
    ("launch", "row", false),
    ("launch", "guarded", false),
    ("work", "flops", true),
    ("work", "bytes", true),
    ("work", "loads", false),
    ("work", "shared", false),
];

/// One text, or a list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Names {
    One(String),
    Many(Vec<String>),
}

impl Names {
    pub(super) fn list(&self) -> &[String] {
        match self {
            Names::One(name) => std::slice::from_ref(name),
            Names::Many(names) => names,
        }
    }
}

/// A size of the problem.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(super) enum Number {
    Whole(i64),
    Real(f64),
}

/// An object whose fields keep their order: a name may use those before it.
#[derive(Debug)]
pub(super) struct Named<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut fields: Vec<(String, T)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if fields.iter().any(|(known, _)| *known == name) {
                        let message = format_args!("`{name}` is there twice");
                        return Err(serde::de::Error::custom(message));
                    }
                    fields.push((name, value));
                }
                Ok(Named(fields))
            }
        }

        deserializer.deserialize_map(Fields(std::marker::PhantomData))
    }
}

impl File {
    /// Leaves only what an attribute can say.
    pub(super) fn plain(&mut self) {
        for (part, fields) in [("launch", &mut self.launch), ("work", &mut self.work)] {
            fields
                .0
                .retain(|(name, _)| FIELDS.contains(&(part, name, true)));
        }
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<File, Error> {
        let wrong = |message: &str, line: u64| {
            Error::new(path, format!("these are no hints: {message}"))
                .line(line)
                .help("benches/hints holds examples")
        };
        let file: File = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            // serde says the place in words; the line stands beside the path.
            let message = message.split(" at line ").next().unwrap_or_default();
            wrong(message, error.line() as u64)
        })?;
        for (part, fields) in [("launch", &file.launch), ("work", &file.work)] {
            let known = || FIELDS.iter().filter(|(own, ..)| *own == part);
            for (name, _) in &fields.0 {
                if !known().any(|(_, known, _)| known == name) {
                    return Err(wrong(&format!("unknown field `{name}`"), line(text, name)));
                }
            }
            for (_, name, _) in known() {
                let (least, most, what) = match *name {
                    "grid" | "block" => (1, 3, "extents: 1 to 3 are possible"),
                    _ => (0, 1, "expressions: one is possible"),
                };
                let given = fields.0.iter().find(|(given, _)| given == name);
                let count = given.map_or(0, |(_, texts)| texts.list().len());
                if !(least..=most).contains(&count) {
                    let message = format!("`{part}.{name}` has {count} {what}");
                    return Err(Error::new(path, message));
                }
            }
        }
        Ok(file)
    }
}

/// The line of the file in which this text stands as a string; 0 where it is not found.
pub(super) fn line(text: &str, source: &str) -> u64 {
    let written = serde_json::to_string(source).unwrap_or_default();
    text.find(&written)
        .map_or(0, |at| text[..at].lines().count().max(1) as u64)
}
