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
    pub(super) launch: Launch,
    #[serde(default)]
    pub(super) work: Work,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Launch {
    pub(super) grid: Vec<String>,
    pub(super) block: Vec<String>,
    pub(super) shared: Option<String>,
    pub(super) registers: Option<String>,
    pub(super) results: Option<String>,
    pub(super) access: Option<String>,
    pub(super) contiguous: Option<String>,
    pub(super) row: Option<String>,
    pub(super) guarded: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Work {
    pub(super) flops: Option<String>,
    pub(super) bytes: Option<String>,
    pub(super) loads: Option<String>,
    pub(super) shared: Option<String>,
}

/// One name, or a list.
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
                        let message = format_args!("`{name}` stands there twice").to_string();
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
        let Launch {
            grid,
            block,
            shared,
            ..
        } = &mut self.launch;
        let (grid, block, shared) = (std::mem::take(grid), std::mem::take(block), shared.take());
        self.launch = Launch {
            grid,
            block,
            shared,
            ..Launch::default()
        };
        (self.work.loads, self.work.shared) = (None, None);
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<File, Error> {
        let file: File = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            // serde says the place in words; the line stands beside the path.
            let message = message.split(" at line ").next().unwrap_or_default();
            Error::new(path, format!("these are no hints: {message}"))
                .line(error.line() as u64)
                .help("benches/hints holds examples")
        })?;
        for (name, extents) in [("grid", &file.launch.grid), ("block", &file.launch.block)] {
            if !(1..=3).contains(&extents.len()) {
                let message = format!(
                    "`launch.{name}` has {} extents: 1 to 3 are possible",
                    extents.len()
                );
                return Err(Error::new(path, message));
            }
        }
        Ok(file)
    }
}
