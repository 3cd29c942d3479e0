//! What a cubin says of a kernel. A cubin is an ELF file; its sections `.nv.info` hold attributes,
//! which NVIDIA does not document: their layout is what compilers of CUDA 11 to 13 write.

use crate::compile::{GpuEntry, Resources, Variable};
use bico_core::Lists;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Registers: index of the function's symbol, count.
const REGISTER_COUNT: u8 = 0x2f;
/// Bytes of the stack frame: index of the function's symbol, count.
const FRAME_SIZE: u8 = 0x11;
/// Bytes of the stack with all that it calls; all ones where that has no limit.
const MIN_STACK_SIZE: u8 = 0x12;
/// A parameter: index, ordinal and offset, and a word whose upper 14 bits are its bytes.
const PARAMETER: u8 = 0x17;
/// A parameter where all take more than 4 KiB: the bytes are a word of their own.
const LARGE_PARAMETER: u8 = 0x45;
/// Threads of a block, at most, in each direction.
const MAX_THREADS: u8 = 0x05;
/// Bytes of all parameters together, in 16 bits; missing or 0 where there are none.
const PARAMETERS_SIZE: u8 = 0x19;

/// Where variables lie: `__constant__` ones, and `__device__` ones with contents and without.
const CONSTANTS: &str = ".nv.constant3";
const GLOBALS: [&str; 2] = [".nv.global.init", ".nv.global"];

/// What the system keeps of each block's shared memory from compute capability 9.0 on; there it is
/// part of the section's size, but no launch counts it to the kernel.
const RESERVED: u32 = 1024;

/// An attribute: its kind, and what it holds.
type Attribute<'a> = (u8, &'a [u8]);

/// Reads what `bytes` says of the kernel called `entry`: all but the bytes of spilled registers.
///
/// # Errors
///
/// It is no cubin, it is damaged, or has no such kernel.
pub(super) fn read(bytes: &[u8], entry: &str) -> Result<GpuEntry, String> {
    let file = parsed(bytes)?;
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name() == Ok(entry))
        .ok_or_else(|| format!("it has no kernel `{entry}`"))?;
    let index = u32::try_from(symbol.index().0).map_err(|error| error.to_string())?;
    let section = |name: &str| file.section_by_name(name);
    let data = |name: &str| match section(name) {
        Some(section) => section.data().map_err(|error| format!("`{name}`: {error}")),
        None => Ok(&[][..]),
    };

    let common = attributes(data(".nv.info")?)?;
    // Attributes of all functions: of this one, the largest value counts.
    let of_function = |kind: u8| {
        let values = common.iter().filter(|attribute| attribute.0 == kind);
        let own = values.filter(|attribute| word(attribute.1, 0) == Some(index));
        own.filter_map(|attribute| word(attribute.1, 4))
            .filter(|value| *value != u32::MAX)
            .max()
    };
    let registers = of_function(REGISTER_COUNT).ok_or("it does not tell the kernel's registers")?;
    let local = of_function(FRAME_SIZE).max(of_function(MIN_STACK_SIZE));

    let shared = section(&format!(".nv.shared.{entry}")).map_or(0, |section| section.size());
    let shared = u32::try_from(shared).map_err(|_| "its shared memory has no size".to_string())?;
    let reserved = ".nv.reservedSmem.offset0";
    let reserves = file.symbols().any(|symbol| symbol.name() == Ok(reserved));
    let own = attributes(data(&format!(".nv.info.{entry}"))?)?;
    Ok(GpuEntry {
        name: entry.to_string(),
        resources: Some(Resources {
            registers,
            shared_bytes: shared.saturating_sub(if reserves { RESERVED } else { 0 }),
            local_bytes: local.unwrap_or(0),
            spill_bytes: 0,
        }),
        parameters: parameters(&own),
        max_threads: max_threads(&own),
    })
}

fn parsed(bytes: &[u8]) -> Result<ElfFile64<'_>, String> {
    ElfFile64::<Endianness>::parse(bytes).map_err(|error| error.to_string())
}

/// The variables that the source declares: those of `__constant__` lie in bank 3.
///
/// # Errors
///
/// It is no cubin.
pub(super) fn variables(bytes: &[u8]) -> Result<Vec<Variable>, String> {
    let file = parsed(bytes)?;
    let symbols = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Data);
    let variables = symbols.filter_map(|symbol| {
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let name = section.name().ok()?;
        let constant = name == CONSTANTS;
        if !constant && !GLOBALS.contains(&name) {
            return None;
        }
        let data = section.data().ok()?;
        let start = usize::try_from(symbol.address()).ok()?;
        let own = data.get(start..start.checked_add(usize::try_from(symbol.size()).ok()?)?);
        Some(Variable {
            name: symbol.name().ok()?.to_string(),
            constant,
            bytes: symbol.size(),
            // A section without data is zeros.
            zeros: own.is_none_or(|own| own.iter().all(|byte| *byte == 0)),
        })
    });
    Ok(variables.collect_vec())
}

fn parameters(attributes: &[Attribute<'_>]) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for (kind, payload) in attributes {
        let shift = match *kind {
            PARAMETER => 18,
            LARGE_PARAMETER => 0,
            _ => continue,
        };
        let ordinal = word(payload, 4)? & 0xffff;
        found.push((ordinal, word(payload, 8)? >> shift));
    }
    found.sort_unstable();
    let is_whole = (0..).zip(&found).all(|(at, (ordinal, _))| at == *ordinal);
    let mut sizes = attributes
        .iter()
        .filter(|(kind, _)| *kind == PARAMETERS_SIZE);
    let has_some = sizes.any(|(_, payload)| payload.iter().any(|byte| *byte != 0));
    // A compiler that writes parameters in another way must not look like a kernel without any.
    (is_whole && has_some != found.is_empty())
        .then(|| found.into_iter().map(|(_, bytes)| bytes).collect_vec())
}

fn max_threads(attributes: &[Attribute<'_>]) -> Option<u32> {
    let (_, payload) = attributes.iter().find(|(kind, _)| *kind == MAX_THREADS)?;
    let [x, y, z] = [word(payload, 0)?, word(payload, 4)?, word(payload, 8)?];
    x.checked_mul(y)?.checked_mul(z)
}

/// The attributes of a section: format, kind, and 16 bits that are the length of what follows in
/// format 4, or the value itself.
fn attributes(mut data: &[u8]) -> Result<Vec<Attribute<'_>>, String> {
    let mut found = Vec::new();
    while let Some((head, rest)) = data.split_at_checked(4) {
        let (value, len) = match head[0] {
            4 => (None, usize::from(u16::from_le_bytes([head[2], head[3]]))),
            1..=3 => (Some(&head[2..]), 0),
            format => return Err(format!("an attribute has the unknown format {format}")),
        };
        let parts = rest.split_at_checked(len);
        let (payload, rest) = parts.ok_or("an attribute is longer than its section")?;
        found.push((head[1], value.unwrap_or(payload)));
        data = rest;
    }
    Ok(found)
}

fn word(payload: &[u8], at: usize) -> Option<u32> {
    let bytes = payload.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests;
