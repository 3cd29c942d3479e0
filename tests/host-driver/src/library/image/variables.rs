//! The variables of a module that the host may ask for by name: `__constant__` and `__device__`.

use object::elf::STV_PROTECTED;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolFlags, SymbolKind};

/// One of them.
#[derive(Debug)]
pub(crate) struct Variable {
    /// The mangled name.
    pub(crate) name: String,
    /// Whether it is `__constant__`: the rewritten source protects those.
    pub(crate) constant: bool,
    /// Where it lies in the object.
    pub(crate) at: u64,
    pub(crate) size: u64,
    /// What it holds in the beginning; nothing is zeros.
    pub(crate) contents: Vec<u8>,
}

/// Those of a shared object of this host.
pub(crate) fn of(object: &[u8]) -> Vec<Variable> {
    let Ok(file) = object::File::parse(object) else {
        return Vec::new();
    };
    let variables = file.symbols().filter_map(|symbol| {
        let name = symbol.name().ok()?;
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let kind = section.kind();
        let writable = matches!(kind, SectionKind::Data | SectionKind::UninitializedData);
        let is_own = name.contains("host_") || name.starts_with("completed.");
        if symbol.kind() != SymbolKind::Data || symbol.size() == 0 || !writable || is_own {
            return None;
        }
        let data = section.data_range(symbol.address(), symbol.size());
        let SymbolFlags::Elf { st_other, .. } = symbol.flags() else {
            return None;
        };
        Some(Variable {
            name: name.to_string(),
            constant: st_other.visibility() == STV_PROTECTED,
            at: symbol.address(),
            size: symbol.size(),
            contents: data.ok().flatten().unwrap_or_default().to_vec(),
        })
    });
    variables.collect()
}

/// Where a symbol of an object lies in it.
pub(crate) fn address(object: &[u8], name: &str) -> Option<u64> {
    let file = object::File::parse(object).ok()?;
    let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name))?;
    Some(symbol.address())
}
