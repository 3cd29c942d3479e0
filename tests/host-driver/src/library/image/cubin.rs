//! A cubin: laid out as a real one, as far as tools read it (`.nv.info` and its like), with the
//! kernels' code for this host in a section of our own.

use object::{Object, ObjectSection};

use super::elf::{self, NOBITS, PROGBITS, STRTAB, SYMTAB, Section, Strings};
use super::variables::{self, Variable};
use crate::library::status::{Answer, Status};

/// Sections of our own: the shared object, and what is known of its kernels.
const OBJECT: &str = ".host.object";
const KERNELS: &str = ".host.kernels";
const OPTIONS: &str = ".host.options";

/// Attributes of `.nv.info`: four bytes of format and kind and size, then the value.
const REGCOUNT: u8 = 0x2f;
const FRAME_SIZE: u8 = 0x11;
const MIN_STACK_SIZE: u8 = 0x12;
const KPARAM_INFO: u8 = 0x17;
const PARAM_CBANK: u8 = 0x0a;
const CBANK_PARAM_SIZE: u8 = 0x19;
const CUDA_API_VERSION: u8 = 0x37;
const MAX_THREADS: u8 = 0x05;

/// Where parameters begin in constant bank 0.
const PARAMETERS: u32 = 0x160;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cubin {
    /// 80 for sm_80.
    pub(crate) architecture: u32,
    /// Of `sm_90a`, which runs on no other architecture.
    pub(crate) exact: bool,
    /// The shared object of this host.
    pub(crate) object: Vec<u8>,
    /// The options it was compiled with, by blank.
    pub(crate) options: String,
    pub(crate) kernels: Vec<Kernel>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// The lowered name.
    pub(crate) name: String,
    /// What it was asked for by.
    pub(crate) expression: String,
    pub(crate) registers: u32,
    /// Bytes of shared memory that the code declares.
    pub(crate) shared: u32,
    /// Threads of a block that it was bounded to, 0 for no bound.
    pub(crate) threads: u32,
    /// Bytes of spilled registers per thread.
    pub(crate) spilled: u32,
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

impl Kernel {
    /// Bytes of all parameters.
    pub(crate) fn parameter_bytes(&self) -> u32 {
        self.parameters
            .last()
            .map_or(0, |last| last.offset + last.size)
    }
}

impl Cubin {
    /// What faults are matched with.
    pub(crate) fn identity(&self, kernel: &Kernel) -> String {
        format!("{} {} {}", kernel.name, kernel.expression, self.options)
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        // Numbers of sections: 2 names of symbols, 3 symbols, 4 .nv.info, then for each kernel its
        // information, constants, code and shared memory.
        const SYMBOLS: u32 = 3;
        const FIRST: u32 = 5;
        const EACH: u32 = 4;
        let mut names = Strings::default();
        let mut symbols = vec![0; 24];
        let mut info = Vec::new();
        let mut sections = Vec::new();
        for (index, kernel) in self.kernels.iter().enumerate() {
            let symbol = index as u32 + 1;
            let code = FIRST + EACH * index as u32 + 2;
            let name = names.add(&kernel.name);
            symbols.extend(elf::symbol(name, elf::FUNCTION, code as u16, 0, 128));
            info.extend(pair(REGCOUNT, symbol, kernel.registers));
            info.extend(pair(FRAME_SIZE, symbol, kernel.spilled));
            info.extend(pair(MIN_STACK_SIZE, symbol, kernel.spilled));
            sections.extend(of_kernel(kernel, symbol, code, SYMBOLS));
        }
        let next = FIRST + EACH * self.kernels.len() as u32;
        for (index, (section, own)) in (next..).zip(of_variables(variables::of(&self.object))) {
            for (variable, at) in own {
                let name = names.add(&variable.name);
                let (kind, section) = (elf::VARIABLE, index as u16);
                symbols.extend(elf::symbol(name, kind, section, at, variable.size));
            }
            sections.push(section);
        }
        let mut table = Section::new(".symtab", SYMTAB, symbols);
        (table.link, table.info, table.align, table.entry) = (2, 1, 8, 24);
        let mut general = Section::new(".nv.info", elf::INFO, info);
        general.link = SYMBOLS;
        let mut all = vec![
            Section::new(".strtab", STRTAB, names.bytes()),
            table,
            general,
        ];
        all.extend(sections);
        let object = Section::new(OBJECT, PROGBITS, self.object.clone());
        all.push(object);
        all.push(Section::new(KERNELS, PROGBITS, self.table().into_bytes()));
        let options = self.options.clone().into_bytes();
        all.push(Section::new(OPTIONS, PROGBITS, options));
        elf::write(self.architecture, self.exact, &all)
    }

    /// # Errors
    ///
    /// `InvalidImage` for everything that `write` did not make.
    pub(crate) fn read(bytes: &[u8]) -> Answer<Cubin> {
        Cubin::parse(bytes).ok_or(Status::InvalidImage)
    }

    fn parse(bytes: &[u8]) -> Option<Cubin> {
        let file = object::File::parse(bytes).ok()?;
        let object::FileFlags::Elf { e_flags, .. } = file.flags() else {
            return None;
        };
        let section = |name| Some(file.section_by_name(name)?.data().ok()?.to_vec());
        let table = String::from_utf8(section(KERNELS)?).ok()?;
        Some(Cubin {
            architecture: e_flags.0 & 0xff,
            exact: e_flags.0 & elf::EXACT > 0,
            object: section(OBJECT)?,
            options: String::from_utf8(section(OPTIONS)?).ok()?,
            kernels: table.lines().map(kernel).collect::<Option<_>>()?,
        })
    }

    /// A line for each kernel, with tabs between its parts.
    fn table(&self) -> String {
        self.kernels
            .iter()
            .map(|it| {
                let parameters: Vec<_> = it
                    .parameters
                    .iter()
                    .map(|of| format!("{}:{}", of.offset, of.size))
                    .collect();
                format!(
                    "{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                    it.registers,
                    it.shared,
                    it.threads,
                    it.spilled,
                    parameters.join(","),
                    it.name,
                    it.expression
                )
            })
            .collect()
    }
}

fn kernel(line: &str) -> Option<Kernel> {
    let mut parts = line.split('\t');
    let mut number = || parts.next()?.parse().ok();
    let (registers, shared, threads, spilled) = (number()?, number()?, number()?, number()?);
    let parameters = parts
        .next()?
        .split(',')
        .filter(|one| !one.is_empty())
        .map(|one| {
            let (offset, size) = one.split_once(':')?;
            Some(Parameter {
                offset: offset.parse().ok()?,
                size: size.parse().ok()?,
            })
        })
        .collect::<Option<_>>()?;
    Some(Kernel {
        registers,
        shared,
        threads,
        spilled,
        parameters,
        name: parts.next()?.to_string(),
        expression: parts.next()?.to_string(),
    })
}

/// What a real cubin has of one kernel.
fn of_kernel(kernel: &Kernel, symbol: u32, code: u32, symbols: u32) -> [Section; 4] {
    let bytes = kernel.parameter_bytes();
    let mut info = Vec::new();
    info.extend([4, CUDA_API_VERSION, 4, 0]);
    info.extend(129u32.to_le_bytes());
    info.extend([4, PARAM_CBANK, 8, 0]);
    info.extend(symbol.to_le_bytes());
    info.extend((bytes << 16 | PARAMETERS).to_le_bytes());
    info.extend([3, CBANK_PARAM_SIZE]);
    info.extend((bytes as u16).to_le_bytes());
    for (ordinal, parameter) in kernel.parameters.iter().enumerate().rev() {
        info.extend([4, KPARAM_INFO, 12, 0]);
        info.extend(0u32.to_le_bytes());
        info.extend((ordinal as u16).to_le_bytes());
        info.extend((parameter.offset as u16).to_le_bytes());
        info.extend((parameter.size << 18 | 0x1_f000).to_le_bytes());
    }
    if kernel.threads > 0 {
        info.extend([4, MAX_THREADS, 12, 0]);
        for extent in [kernel.threads, 1, 1] {
            info.extend(extent.to_le_bytes());
        }
    }
    let mut info = Section::new(format!(".nv.info.{}", kernel.name), elf::INFO, info);
    (info.flags, info.link, info.info) = (0x40, symbols, code);
    let mut constants = Section::new(
        format!(".nv.constant0.{}", kernel.name),
        PROGBITS,
        vec![0; (PARAMETERS + bytes) as usize],
    );
    (constants.flags, constants.info) = (0x42, code);
    let mut text = Section::new(format!(".text.{}", kernel.name), PROGBITS, vec![0; 128]);
    (text.flags, text.link, text.align) = (6, symbols, 128);
    text.info = kernel.registers << 24 | symbol;
    let mut shared = Section::new(format!(".nv.shared.{}", kernel.name), NOBITS, Vec::new());
    (shared.flags, shared.info, shared.align) = (0x43, code, 16);
    shared.empty = kernel.shared.into();
    [info, constants, text, shared]
}

/// The sections of variables as a real cubin has them, and which lies where in each.
fn of_variables(all: Vec<Variable>) -> Vec<(Section, Vec<(Variable, u64)>)> {
    let name = |of: &Variable| match (of.constant, of.contents.is_empty()) {
        (true, _) => ".nv.constant3",
        (false, false) => ".nv.global.init",
        (false, true) => ".nv.global",
    };
    let mut found: Vec<(Section, Vec<(Variable, u64)>)> = Vec::new();
    for variable in all {
        let name = name(&variable);
        let known = found.iter().position(|(section, _)| section.name == name);
        let index = known.unwrap_or_else(|| {
            let kind = match name {
                ".nv.global" => NOBITS,
                _ => PROGBITS,
            };
            let mut section = Section::new(name, kind, Vec::new());
            (section.flags, section.align) = (2, 16);
            found.push((section, Vec::new()));
            found.len() - 1
        });
        let (section, own) = &mut found[index];
        let at = section.empty.next_multiple_of(16);
        section.empty = at + variable.size;
        if section.kind == PROGBITS {
            section.data.resize(at as usize, 0);
            section.data.extend(&variable.contents);
            section.data.resize(section.empty as usize, 0);
        }
        own.push((variable, at));
    }
    found
}

/// An attribute of a symbol.
fn pair(kind: u8, symbol: u32, value: u32) -> Vec<u8> {
    let mut bytes = vec![4, kind, 8, 0];
    bytes.extend(symbol.to_le_bytes());
    bytes.extend(value.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Cubin {
        Cubin {
            architecture: 89,
            exact: false,
            object: b"code".to_vec(),
            options: "-DTILE=4 -arch=sm_89".to_string(),
            kernels: vec![
                Kernel {
                    name: "_Z4gemmILi4EEvPf".to_string(),
                    expression: "gemm<4>".to_string(),
                    registers: 40,
                    shared: 1024,
                    threads: 256,
                    spilled: 0,
                    parameters: vec![
                        Parameter { offset: 0, size: 8 },
                        Parameter { offset: 8, size: 4 },
                    ],
                },
                Kernel {
                    name: "plain".to_string(),
                    expression: String::new(),
                    registers: 16,
                    shared: 0,
                    threads: 0,
                    spilled: 8,
                    parameters: Vec::new(),
                },
            ],
        }
    }

    #[test]
    fn there_and_back() {
        assert_eq!(Cubin::read(&sample().write()), Ok(sample()));
    }

    #[test]
    fn the_sections_that_tools_read() {
        let bytes = sample().write();
        let file = object::File::parse(&*bytes).unwrap();
        let data = |name| file.section_by_name(name).unwrap().data().unwrap().to_vec();
        assert_eq!(
            data(".nv.info")[..12],
            [4, 0x2f, 8, 0, 1, 0, 0, 0, 40, 0, 0, 0]
        );
        let info = data(".nv.info._Z4gemmILi4EEvPf");
        // As NVIDIA's assembler writes an int at offset 8 and a pointer at offset 0.
        let int = [4, 0x17, 12, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0xf0, 0x11, 0];
        let pointer = [4, 0x17, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x21, 0];
        let bound = [4, 5, 12, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
        assert!(info.ends_with(&[int, pointer, bound].concat()));
        let shared = file.section_by_name(".nv.shared._Z4gemmILi4EEvPf").unwrap();
        assert_eq!(shared.size(), 1024);
    }

    #[test]
    fn rubbish_is_no_image() {
        let good = sample().write();
        assert_eq!(Cubin::read(b"rubbish"), Err(Status::InvalidImage));
        assert_eq!(Cubin::read(&[]), Err(Status::InvalidImage));
        for end in 0..good.len() {
            assert!(Cubin::read(&good[..end]).is_err(), "cut at {end}");
        }
    }
}
