//! Whether what ships of a Rust function is compiled as what was measured: the program's profile compiles it again.

use super::TuneError;
use super::devices::Devices;
use super::plan::Plan;
use super::store::Store;
use crate::env::{self, Env};
use bico_core::Lists;
use bico_core::device::DeviceKey;
use bico_syntax::bind::SpaceError;
use boml::table::TomlTable;
use std::cell::OnceCell;

/// In what this build differs from how functions were measured on its devices, and what to set: functions that differ alike
/// in one line.
pub(super) fn warnings(env: &Env, plans: &[Plan], store: &Store, devices: &Devices) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let profile = Profile::of(env);
    for plan in plans {
        let here = devices.keys(plan.found.spec.language());
        let Some(how) = differs(&profile, plan, store, &here) else {
            continue;
        };
        let key = format!("`{}`", plan.key());
        match found.iter_mut().find(|(known, _)| *known == how) {
            Some((_, keys)) => keys.push(key),
            None => found.push((how, vec![key])),
        }
    }
    let told = found.into_iter().map(|(how, keys)| {
        let were = if keys.len() == 1 { "was" } else { "were" };
        format!("{} {were} measured {how}", keys.join(", "))
    });
    told.collect_vec()
}

/// Whether functions that ship as they were measured can be linked: with LTO a linker never sees the parts of `std` that
/// they call.
pub(super) fn linkable(env: &Env, plans: &[Plan]) -> Result<(), TuneError> {
    let measured = |plan: &&Plan| {
        let rust = plan.found.spec.rust.as_ref();
        rust.is_some_and(|own| own.ships_measured)
    };
    let Some(plan) = plans.iter().find(measured) else {
        return Ok(());
    };
    let profile = Profile::of(env);
    let Some(lto) = profile.lto() else {
        return Ok(());
    };
    let (key, name) = (plan.key(), &profile.name);
    let message = format!(
        "`{key}` ships as it was measured, and such code cannot be linked with `lto = {lto}`"
    );
    let error = SpaceError::new(plan.found.spec.function.span, message).note(format!(
        "leave `lto` out of `[profile.{name}]` in Cargo.toml, or `ship = measured` out of the attribute: then the program compiles the function again"
    ));
    Err(plan.shown(env, &error))
}

/// How a function differs; `None`: not at all, or it was not measured.
fn differs(
    profile: &Profile<'_>,
    plan: &Plan,
    store: &Store,
    here: &[DeviceKey],
) -> Option<String> {
    let rust = plan.found.spec.rust.as_ref();
    rust.filter(|own| !own.ships_measured)?;
    let entries = plan.entries(store).into_iter();
    let mut own = entries.filter(|(device, _)| here.contains(*device));
    let (_, entry) = own.next()?;
    let (_, measured) = entry.toolchain.split_once(", ")?;
    let measured = measured.split(';').next()?.split(' ');
    let is_target = |flag: &&str| flag.starts_with("-Ctarget-");
    let measured = measured.filter(is_target).collect_vec();
    let mut found = Vec::new();
    let (package, name) = (&profile.env.package, &profile.name);
    let level = env::get("OPT_LEVEL")?;
    if level != "3" {
        found.push(format!(
            "with opt-level 3, compiled with {level} here: write `opt-level = 3`, `debug-assertions = false` and `overflow-checks = false` below `[profile.{name}.package.{package}]` in Cargo.toml"
        ));
    } else if let on @ [_, ..] = profile.checks().as_slice() {
        let off = on.iter().map(|name| format!("`{name} = false`"));
        found.push(format!(
            "without {}, which are on here: write {} below `[profile.{name}.package.{package}]` in Cargo.toml",
            on.join(" and "),
            off.collect_vec().join(" and ")
        ));
    }
    let own = env::cpu_flags(&env::rust_flags());
    let own = own.iter().map(String::as_str).filter(is_target);
    let own = own.collect_vec();
    if own != measured {
        let shown = |flags: &[&str]| match flags.is_empty() {
            true => "no `-Ctarget-cpu`".to_string(),
            false => format!("`{}`", flags.join(" ")),
        };
        found.push(format!(
            "with {}, compiled with {} here: set RUSTFLAGS as it was, or tune anew with `BICO=tune`",
            shown(&measured),
            shown(&own)
        ));
    }
    if let Some(lto) = profile.lto() {
        found.push(format!(
            "without LTO, compiled with `lto = {lto}` here: leave `lto` out of `[profile.{name}]` in Cargo.toml, if a call takes longer by it"
        ));
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// The profile that the program is compiled with.
struct Profile<'a> {
    env: &'a Env,
    /// By the folder that cargo gave this build.
    name: String,
    /// The workspace's Cargo.toml, read once it is asked for.
    manifest: OnceCell<Option<String>>,
}

impl Profile<'_> {
    fn of(env: &Env) -> Profile<'_> {
        let folder = env.out_dir.ancestors().nth(3);
        let name = folder.and_then(|folder| folder.file_name());
        let name = name.unwrap_or_default().to_string_lossy();
        let name = match &*name {
            "debug" => "dev".to_string(),
            other => other.to_string(),
        };
        Profile {
            env,
            name,
            manifest: OnceCell::new(),
        }
    }

    /// Its `lto`, where it is one that compiles crates together.
    fn lto(&self) -> Option<String> {
        let given = self.told("lto")?;
        match given.as_str() {
            "true" | "fat" | "thin" => Some(given),
            _ => None,
        }
    }

    /// Which checks the dev profile compiles in, as nothing turns them off. Cargo tells build scripts nothing of them.
    fn checks(&self) -> Vec<&'static str> {
        let all = ["debug-assertions", "overflow-checks"].into_iter();
        let on = |name: &&str| self.told(name).as_deref() != Some("false");
        all.filter(|name| self.name == "dev" && on(name))
            .collect_vec()
    }

    /// What the environment, or the workspace's Cargo.toml, says: of this package in it, or of all.
    fn told(&self, option: &str) -> Option<String> {
        let variable = format!("CARGO_PROFILE_{}_{option}", self.name);
        let variable = variable.to_uppercase().replace('-', "_");
        env::get(&variable).or_else(|| {
            let manifest = boml::parse(self.manifest()?).ok()?;
            let profiles = manifest.get_table("profile").ok()?;
            let all: &TomlTable<'_> = profiles.get_table(&self.name).ok()?;
            let packages = all.get_table("package");
            let own = packages.and_then(|of| of.get_table(&self.env.package)).ok();
            own.into_iter().chain([all]).find_map(|of| {
                let told = of.get_string(option).ok().map(String::from);
                told.or_else(|| of.get_boolean(option).ok().map(|told| told.to_string()))
            })
        })
    }

    fn manifest(&self) -> Option<&str> {
        let read = || {
            let root = env::workspace_root(&self.env.manifest_dir)?;
            std::fs::read_to_string(root.join("Cargo.toml")).ok()
        };
        self.manifest.get_or_init(read).as_deref()
    }
}
