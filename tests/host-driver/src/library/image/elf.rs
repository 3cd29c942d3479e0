//! Writes ELF files as NVIDIA's assembler does: 64 bits, machine 190.

/// `EM_CUDA`.
const MACHINE: u16 = 190;
const HEADER: usize = 64;
const SECTION: usize = 64;

pub(crate) const PROGBITS: u32 = 1;
pub(crate) const SYMTAB: u32 = 2;
pub(crate) const STRTAB: u32 = 3;
pub(crate) const NOBITS: u32 = 8;
/// `.nv.info` and its like.
pub(crate) const INFO: u32 = 0x7000_0000;

/// One section.
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) link: u32,
    pub(crate) info: u32,
    pub(crate) align: u64,
    pub(crate) entry: u64,
    pub(crate) data: Vec<u8>,
    /// The size where it has no data.
    pub(crate) empty: u64,
}

impl Section {
    pub(crate) fn new(name: impl Into<String>, kind: u32, data: Vec<u8>) -> Section {
        Section {
            name: name.into(),
            kind,
            flags: 0,
            link: 0,
            info: 0,
            align: 4,
            entry: 0,
            data,
            empty: 0,
        }
    }
}

/// Texts, each ended by a zero, and where they begin.
#[derive(Default)]
pub(crate) struct Strings(Vec<u8>);

impl Strings {
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        if self.0.is_empty() {
            self.0.push(0);
        }
        let at = self.0.len() as u32;
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
        at
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.0
    }
}

/// What a symbol may be: a kernel, or a variable.
pub(crate) const FUNCTION: [u8; 2] = [0x12, 0x10];
pub(crate) const VARIABLE: [u8; 2] = [0x11, 0];

/// A symbol, which lies `at` bytes into its section.
pub(crate) fn symbol(name: u32, kind: [u8; 2], section: u16, at: u64, size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(name.to_le_bytes());
    bytes.extend(kind);
    bytes.extend(section.to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes
}

/// The flag of code for one architecture only, as in what NVRTC 12.9 makes for `sm_90a`.
pub(crate) const EXACT: u32 = 0x800;

/// The file. Section 1 is the table of names; `sections` begin with number 2.
pub(crate) fn write(architecture: u32, exact: bool, sections: &[Section]) -> Vec<u8> {
    let mut names = Strings::default();
    let own = names.add(".shstrtab");
    let starts: Vec<u32> = sections.iter().map(|it| names.add(&it.name)).collect();
    let mut file = vec![0; HEADER];
    let mut table = vec![0; SECTION];

    let names = names.bytes();
    table.extend(header(
        own,
        STRTAB,
        0,
        file.len(),
        names.len(),
        (0, 0, 1, 0),
    ));
    file.extend(names);
    for (section, name) in sections.iter().zip(starts) {
        file.resize(file.len().next_multiple_of(section.align as usize), 0);
        let size = if section.kind == NOBITS {
            section.empty as usize
        } else {
            section.data.len()
        };
        let rest = (section.link, section.info, section.align, section.entry);
        table.extend(header(
            name,
            section.kind,
            section.flags,
            file.len(),
            size,
            rest,
        ));
        file.extend(&section.data);
    }
    file.resize(file.len().next_multiple_of(8), 0);
    let at = file.len() as u64;
    file.extend(table);

    let mut head = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33, 7];
    head.resize(16, 0);
    head.extend(2u16.to_le_bytes());
    head.extend(MACHINE.to_le_bytes());
    head.extend(0x81u32.to_le_bytes());
    head.extend([0; 16]);
    head.extend(at.to_le_bytes());
    let exact = if exact { EXACT } else { 0 };
    head.extend((architecture << 16 | 0x500 | exact | architecture).to_le_bytes());
    head.extend((HEADER as u16).to_le_bytes());
    head.extend([0; 4]);
    head.extend((SECTION as u16).to_le_bytes());
    head.extend((sections.len() as u16 + 2).to_le_bytes());
    head.extend(1u16.to_le_bytes());
    file[..HEADER].copy_from_slice(&head);
    file
}

fn header(
    name: u32,
    kind: u32,
    flags: u64,
    at: usize,
    size: usize,
    (link, info, align, entry): (u32, u32, u64, u64),
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SECTION);
    bytes.extend(name.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend((at as u64).to_le_bytes());
    bytes.extend((size as u64).to_le_bytes());
    bytes.extend(link.to_le_bytes());
    bytes.extend(info.to_le_bytes());
    bytes.extend(align.to_le_bytes());
    bytes.extend(entry.to_le_bytes());
    bytes
}
