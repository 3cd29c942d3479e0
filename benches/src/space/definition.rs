//! The spaces, in our words and in Python's.

use bico::Value;
use bico_syntax::TunableSpec;
use bico_syntax::bind::Scope;
use serde_json::{Value as Json, json};
use std::path::Path;

/// One space.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    /// The options of an attribute: `space(..), require(..)`.
    domains: String,
    conditions: &'static [&'static str],
    /// The names that are the same for every config.
    consts: &'static [(&'static str, i64)],
    /// Parameters and restrictions, for the other tools.
    pub(crate) python: Json,
}

impl Definition {
    /// What the macro would hand over; without conditions: the raw space.
    pub(crate) fn spec(&self, raw: bool) -> Result<TunableSpec, String> {
        let mut options = format!(
            "source = \"kernel.c\", problem(n = 1), space({})",
            self.domains
        );
        if !raw {
            options += &format!(", require({})", self.conditions.join(", "));
        }
        let item = "pub fn kernel(#[len(n)] a: &mut [f32], n: u32) -> bico::Result<()>;";
        let tokens = |text: &str| text.parse().map_err(|e| format!("{}: {e}", self.name));
        bico_syntax::parse(tokens(&options)?, tokens(item)?)
            .map(|wrapper| wrapper.spec)
            .map_err(|errors| format!("{}: {errors}", self.name))
    }

    pub(crate) fn scope(&self) -> Scope {
        let consts = self.consts.iter();
        Scope {
            consts: consts
                .map(|(name, value)| ((*name).into(), Value::Int(*value)))
                .collect(),
            ..Scope::default()
        }
        .with_size("n", Value::Int(1))
    }

    /// Its parameters, as the files of `folder` give them; `None` where they are not there.
    fn recorded(
        folder: &Path,
        name: &'static str,
        file: &str,
        conditions: &'static [&'static str],
    ) -> Result<Definition, String> {
        let path = folder.join(file);
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let json: Json = serde_json::from_str(&text).map_err(|e| format!("{file}: {e}"))?;
        let python = match json.get(name) {
            // `definitions.json`: an object of spaces, parameters as a map in order.
            Some(space) => {
                let order = ordered(&text, name)?;
                let params: Vec<Json> = order
                    .iter()
                    .map(|p| json!([p, space["params"][p]]))
                    .collect();
                json!({ "name": name, "params": params, "restrictions": space["restrictions"] })
            }
            None => {
                let params = json["params"]
                    .as_array()
                    .ok_or(format!("{file}: no `params`"))?;
                let params: Vec<Json> = params
                    .iter()
                    .map(|p| json!([p["name"], p["values"]]))
                    .collect();
                json!({ "name": name, "params": params, "restrictions": json["restrictions"] })
            }
        };
        let params = python["params"].as_array().into_iter().flatten();
        let domains: Vec<String> = params
            .map(|p| format!("{} in {}", p[0].as_str().unwrap_or_default(), p[1]))
            .collect();
        Ok(Definition {
            name,
            domains: domains.join(", "),
            conditions,
            consts: &[],
            python,
        })
    }
}

/// The names of a space's parameters in the order of the file, which our JSON reader does not keep.
fn ordered(text: &str, space: &str) -> Result<Vec<String>, String> {
    let fail = || format!("definitions.json: no parameters of `{space}`");
    let from = text.find(&format!("\"{space}\": {{")).ok_or_else(fail)?;
    let from = from + text[from..].find("\"params\"").ok_or_else(fail)?;
    let to = from + text[from..].find('}').ok_or_else(fail)?;
    let parts: Vec<&str> = text[from..to].split('"').collect();
    // "params" itself comes first; each name stands between two quotes.
    Ok(parts
        .iter()
        .skip(3)
        .step_by(2)
        .map(|name| (*name).to_string())
        .collect())
}

/// All spaces; those of `folder` only if it is there.
pub(crate) fn all(folder: &Path) -> Result<Vec<Definition>, String> {
    let mut all = Vec::new();
    if folder.is_dir() {
        let definitions = "definitions.json";
        all.push(Definition::recorded(folder, "gemm", definitions, GEMM)?);
        all.push(Definition::recorded(
            folder,
            "hotspot",
            definitions,
            HOTSPOT,
        )?);
        let file = "dedispersion_milo__A100_PCIe_40GB.json";
        all.push(Definition::recorded(
            folder,
            "dedispersion",
            file,
            DEDISPERSION,
        )?);
        let file = "convolution_milo__A100_PCIe_40GB.json";
        all.push(Definition::recorded(
            folder,
            "convolution",
            file,
            CONVOLUTION,
        )?);
    } else {
        eprintln!(
            "skipped: gemm, hotspot, dedispersion, convolution: {} is not there (BICO_SPACES names \
             the folder; benches/README.md says where its files come from)",
            folder.display()
        );
    }
    all.push(super::lanai::definition());
    Ok(all)
}

impl Definition {
    /// A space of our own.
    pub(crate) fn own(
        name: &'static str,
        domains: &str,
        conditions: &'static [&'static str],
        consts: &'static [(&'static str, i64)],
        python: Json,
    ) -> Definition {
        Definition {
            name,
            domains: domains.into(),
            conditions,
            consts,
            python,
        }
    }
}

const GEMM: &[&str] = &[
    "KWG % KWI == 0",
    "MWG % (MDIMC * VWM) == 0",
    "NWG % (NDIMC * VWN) == 0",
    "MWG % (MDIMA * VWM) == 0",
    "NWG % (NDIMB * VWN) == 0",
    "KWG % (MDIMC * NDIMC / MDIMA) == 0",
    "KWG % (MDIMC * NDIMC / NDIMB) == 0",
];

const HOTSPOT: &[&str] = &[
    "block_size_x * block_size_y >= 32",
    "temporal_tiling_factor % loop_unroll_factor_t == 0",
    "block_size_x * block_size_y <= 1024",
    "(block_size_x * tile_size_x + temporal_tiling_factor * 2) \
     * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4 <= 49152",
    "blocks_per_sm == 0 || (block_size_x * tile_size_x + temporal_tiling_factor * 2) \
     * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4 * blocks_per_sm <= 167936",
];

const DEDISPERSION: &[&str] = &[
    "32 <= block_size_x * block_size_y && block_size_x * block_size_y <= 1024",
    "tile_size_x > 1 || tile_stride_x == 0",
    "tile_size_y > 1 || tile_stride_y == 0",
];

const CONVOLUTION: &[&str] = &[
    "use_padding == 0 || block_size_x % 32 != 0",
    "block_size_x * block_size_y <= 1024",
    "use_padding == 0 || use_shmem != 0",
    "use_shmem == 0 || (block_size_x * tile_size_x + (filter_width - 1)) \
     * (block_size_y * tile_size_y + (filter_height - 1)) < 12 * 1024",
];
