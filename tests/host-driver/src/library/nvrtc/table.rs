//! Reads the table of kernels that host.h puts into an object: names, parameters, shared memory.

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::library::image::Parameter;

/// One row.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) shared: u32,
    /// `__launch_bounds__`, 0 for none.
    pub(crate) threads: u32,
}

/// Bytes of a row, and where its fields lie.
const ROW: u64 = 40;
const COUNT: u64 = 16;
const SIZES: u64 = 24;
const ALIGNMENTS: u64 = 32;

/// The first `rows` rows.
pub(crate) fn read(bytes: &[u8], rows: usize) -> Option<Vec<Entry>> {
    let file = object::File::parse(bytes).ok()?;
    let table = file
        .symbols()
        .find(|symbol| symbol.name() == Ok("host_kernels"))?
        .address();
    (0..rows as u64)
        .map(|index| row(&file, table + ROW * index))
        .collect()
}

fn row(file: &object::File, at: u64) -> Option<Entry> {
    let pointer = |at| {
        file.dynamic_relocations()?
            .find(|(address, _)| *address == at)
            .map(|(_, relocation)| relocation.addend() as u64)
    };
    let function = pointer(at)?;
    let name = file
        .symbols()
        .find(|symbol| symbol.kind() == SymbolKind::Text && symbol.address() == function)?
        .name()
        .ok()?
        .to_string();
    let count = u64::from_le_bytes(bytes(file, at + COUNT, 8)?.try_into().ok()?);
    let numbers = |field| {
        let bytes = bytes(file, pointer(at + field)?, count * 4)?;
        let numbers = bytes
            .chunks_exact(4)
            .map(|one| u32::from_le_bytes(one.try_into().expect("four bytes")));
        Some(numbers.collect::<Vec<_>>())
    };
    let mut end = 0;
    let parameters = numbers(SIZES)?
        .into_iter()
        .zip(numbers(ALIGNMENTS)?)
        .map(|(size, alignment)| {
            let offset = u32::next_multiple_of(end, alignment);
            end = offset + size;
            Parameter { offset, size }
        })
        .collect();
    Some(Entry {
        shared: shared(file, &name),
        threads: bounds(file, &name),
        name,
        parameters,
    })
}

fn bytes<'a>(file: &object::File<'a>, at: u64, size: u64) -> Option<&'a [u8]> {
    file.sections()
        .find_map(|section| section.data_range(at, size).ok().flatten())
}

/// Shared memory that a kernel declares: variables of its threads' common storage that belong to it,
/// or to nobody that is known (functions that it may call).
fn shared(file: &object::File, kernel: &str) -> u32 {
    let local = local(kernel);
    let kernels: Vec<_> = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
        .filter_map(|symbol| symbol.name().ok())
        .filter_map(|name| name.strip_prefix("_Z"))
        .map(|rest| format!("_ZZ{rest}E"))
        .collect();
    file.symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Tls)
        .filter(|symbol| {
            let name = symbol.name().unwrap_or("");
            name.starts_with(&local) || !kernels.iter().any(|other| name.starts_with(other))
        })
        .map(|symbol| symbol.size() as u32)
        .sum()
}

/// The size of a variable that the rewritten source has for nothing else.
fn bounds(file: &object::File, kernel: &str) -> u32 {
    let name = local(kernel) + "11host_bounds";
    file.symbols()
        .find(|symbol| symbol.name() == Ok(&name))
        .map_or(0, |symbol| symbol.size() as u32)
}

/// How the names of a kernel's own variables begin.
fn local(kernel: &str) -> String {
    match kernel.strip_prefix("_Z") {
        Some(rest) => format!("_ZZ{rest}E"),
        None => format!("_ZZ{}{kernel}E", kernel.len()),
    }
}
