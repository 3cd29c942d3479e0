//! Winners as a C header: `#define`s for each device, and which device is meant.

use super::Winner;
use super::names::{comment, distinct, upper};
use crate::Error;
use std::fmt::Write;

/// The winners of one device.
pub(crate) struct Block<'a> {
    /// `NVIDIA_H200_SM_90`.
    pub(crate) name: String,
    pub(crate) device: &'a str,
    pub(crate) capability: Option<i64>,
    pub(crate) winners: Vec<&'a Winner>,
}

/// Groups winners by device, in order of first appearance.
pub(crate) fn blocks(winners: &[Winner]) -> Vec<Block<'_>> {
    let mut devices: Vec<String> = Vec::new();
    for winner in winners {
        if !devices.contains(&winner.device) {
            devices.push(winner.device.clone());
        }
    }
    let named = distinct(&devices).into_iter().zip(&devices);
    let block = |(name, device): (String, &String)| {
        let own: Vec<&Winner> = winners.iter().filter(|of| of.device == *device).collect();
        let first = own.first()?;
        Some(Block {
            name,
            device: &first.device,
            capability: first.capability,
            winners: own,
        })
    };
    named.filter_map(block).collect()
}

/// The header of a package's winners; `more` follows the choice of the device.
///
/// # Errors
///
/// A value that no `#define` can hold.
pub(crate) fn header(package: &str, winners: &[Winner], more: &str) -> Result<String, Error> {
    for (name, value) in winners.iter().flat_map(|winner| &winner.defines) {
        if value.chars().any(|c| c.is_control() || c == '\\') {
            let value = value.escape_debug();
            return Err(Error::Work(format!(
                "`{name}` is \"{value}\", which no `#define` can hold\n  = help: take `--format flags`"
            )));
        }
    }
    let blocks = blocks(winners);
    let guard = format!("BICO_{}_WINNERS", upper(package));
    let mut text = String::new();
    explain(&mut text, package, &blocks);
    let _ = writeln!(text, "#ifndef {guard}\n#define {guard}\n");
    for cuda in [false, true] {
        choose(&mut text, &blocks, cuda);
    }
    text += more;
    for block in &blocks {
        let _ = writeln!(text, "#ifdef BICO_DEVICE_{}", block.name);
        for winner in &block.winners {
            define(&mut text, winner, winners);
        }
        text += "#endif\n\n";
    }
    let _ = writeln!(text, "#endif /* {guard} */");
    Ok(text)
}

fn explain(text: &mut String, package: &str, blocks: &[Block<'_>]) {
    let kernels: Vec<String> = keys(blocks).iter().map(|key| upper(key)).collect();
    let example = kernels.first().map_or("KERNEL", String::as_str);
    let _ = writeln!(
        text,
        "/* What bico tuned of the package `{}`: the winners of its bico.lock.\n \
         * Written by `cargo bico export`; write it anew after tuning, and do not edit it.\n *\n \
         * Say for which device, by a macro before this file or by -D:\n *",
        comment(package)
    );
    for block in blocks {
        let (name, device) = (&block.name, comment(block.device));
        let _ = writeln!(text, " *   BICO_DEVICE_{name}: {device}");
    }
    let _ = writeln!(
        text,
        " *\n \
         * Where none is named: a CPU, if the file knows one only; the GPU that has the architecture which is compiled\n \
         * for (__CUDA_ARCH__, or BICO_CUDA_ARCH=900 in code of the host), if the file knows one only of that. Otherwise\n \
         * nothing is defined.\n *\n \
         * Each parameter is BICO_{example}_.., and after `#define BICO_KERNEL_{example}` it has its own name too, as\n \
         * the kernel's source takes it. BICO_{example}_LAUNCH_.. says how a GPU's kernel is launched; its grid is that of\n \
         * the sizes which were tuned for. */"
    );
}

/// Keys of the tunables, each once.
fn keys<'a>(blocks: &[Block<'a>]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for winner in blocks.iter().flat_map(|block| &block.winners) {
        if !keys.contains(&winner.key.as_str()) {
            keys.push(&winner.key);
        }
    }
    keys
}

/// Chooses among CPUs, or among GPUs, where nobody did.
fn choose(text: &mut String, blocks: &[Block<'_>], cuda: bool) {
    let own = blocks.iter().filter(|of| of.capability.is_some() == cuda);
    let own: Vec<&Block<'_>> = own.collect();
    if own.is_empty() {
        return;
    }
    let defined = |block: &&Block<'_>| format!("defined(BICO_DEVICE_{})", block.name);
    let all: Vec<String> = own.iter().map(defined).collect();
    if own.len() > 1 {
        let kind = if cuda { "GPU" } else { "CPU" };
        let sum = all.join(" + ");
        let _ = writeln!(
            text,
            "#if {sum} > 1\n#error \"more than one BICO_DEVICE_.. of a {kind}\"\n#endif"
        );
    }
    let only = |block: &&&Block<'_>| match block.capability {
        Some(_) => {
            own.iter()
                .filter(|of| of.capability == block.capability)
                .count()
                == 1
        }
        None => own.len() == 1,
    };
    let only: Vec<&&Block<'_>> = own.iter().filter(only).collect();
    if !only.is_empty() {
        let _ = writeln!(text, "#if !({})", all.join(" || "));
        if cuda {
            text.push_str("#if !defined(BICO_CUDA_ARCH) && defined(__CUDA_ARCH__)\n#define BICO_CUDA_ARCH __CUDA_ARCH__\n#endif\n");
        }
        for block in only {
            let _ = match block.capability {
                None => writeln!(text, "#define BICO_DEVICE_{}", block.name),
                Some(of) => writeln!(
                    text,
                    "#if defined(BICO_CUDA_ARCH) && BICO_CUDA_ARCH == {}\n#define BICO_DEVICE_{}\n#endif",
                    10 * of,
                    block.name
                ),
            };
        }
        text.push_str("#endif\n");
    }
    text.push('\n');
}

/// The macros of one winner.
fn define(text: &mut String, winner: &Winner, all: &[Winner]) {
    let same = |of: &&Winner| of.key == winner.key && of.device == winner.device;
    let several = all.iter().filter(same).count() > 1;
    let first = all
        .iter()
        .find(same)
        .is_some_and(|of| of.problem == winner.problem);
    let kernel = upper(&winner.key);
    let prefix = match several {
        true => format!("{kernel}_{}", upper(&winner.problem)),
        false => kernel.clone(),
    };
    let (key, problem) = (comment(&winner.key), comment(&winner.problem));
    let (entries, verified) = (comment(&winner.entries.join(", ")), &winner.verified);
    let _ = writeln!(
        text,
        "/* {key} ({entries}) at {problem}: {:.4} us, verified: {verified} */",
        1e6 * winner.seconds
    );
    let mut macros: Vec<(String, String)> = Vec::new();
    let parameters = winner.config.iter();
    macros
        .extend(parameters.map(|(name, value)| (name.clone(), bico_syntax::bind::written(*value))));
    for (name, value) in &winner.defines {
        if !macros.iter().any(|(known, _)| known == name) {
            macros.push((name.clone(), value.clone()));
        }
    }
    macros.extend(launches(winner));
    for (name, value) in &macros {
        let _ = writeln!(text, "#define BICO_{prefix}_{name} {value}");
    }
    if several && first {
        for (name, _) in &macros {
            let _ = writeln!(text, "#define BICO_{kernel}_{name} BICO_{prefix}_{name}");
        }
    }
    let mut asked = vec![format!("defined(BICO_KERNEL_{prefix})")];
    if several && first {
        asked.push(format!("defined(BICO_KERNEL_{kernel})"));
    }
    if !winner.defines.is_empty() {
        let _ = writeln!(text, "#if {}", asked.join(" || "));
        for (name, value) in &winner.defines {
            let _ = writeln!(text, "#define {name} {value}");
        }
        text.push_str("#endif\n");
    }
}

/// `LAUNCH_BLOCK_X` and the like; of several passes `LAUNCH_2_BLOCK_X` for the second.
fn launches(winner: &Winner) -> Vec<(String, String)> {
    let mut macros = Vec::new();
    for (at, dims) in winner.launches.iter().enumerate() {
        let pass = match at {
            0 => "LAUNCH".to_string(),
            at => format!("LAUNCH_{}", at + 1),
        };
        let cluster = (dims.cluster != [1; 3]).then_some(("CLUSTER", dims.cluster));
        let extents = [("GRID", dims.grid), ("BLOCK", dims.block)];
        for (what, extents) in extents.into_iter().chain(cluster) {
            for (axis, extent) in ["X", "Y", "Z"].iter().zip(extents) {
                macros.push((format!("{pass}_{what}_{axis}"), extent.to_string()));
            }
        }
        macros.push((format!("{pass}_SHARED_BYTES"), dims.shared.to_string()));
    }
    macros
}
