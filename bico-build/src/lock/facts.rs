//! Facts of devices in the lock.

use super::Error;
use super::tree::{Fields, Reader};
use super::write::Json;
use bico_core::device::{CpuFacts, CudaFacts, Facts};
use jsonc_parser::ast::Value;

pub(super) fn read(reader: &Reader<'_>, value: &Value<'_>) -> Result<Facts, Error> {
    let mut fields = reader.fields(value, "a device")?;
    let kind = fields.take("kind")?;
    match reader.text(kind, "kind")?.as_str() {
        "cpu" => cpu(reader, fields).map(Facts::Cpu),
        "cuda" => cuda(reader, fields).map(Facts::Cuda),
        other => {
            let message = format!("`kind` is \"cpu\" or \"cuda\", not \"{other}\"");
            Err(reader
                .error(kind, message)
                .help("update bico-build if a newer one wrote this file"))
        }
    }
}

/// The facts in a file of what programs learned: they have the shape of the lock's.
///
/// # Errors
///
/// They are missing or faulty; `path` is for messages.
pub fn learned(path: &std::path::Path, text: &str) -> Result<Facts, Error> {
    let reader = Reader::new(path, text);
    let file = reader.json()?;
    read(&reader, reader.fields(&file, "the file")?.take("facts")?)
}

fn cpu(reader: &Reader<'_>, mut fields: Fields<'_, '_>) -> Result<CpuFacts, Error> {
    let brand = fields.take("brand")?;
    let cores = fields.take("cores")?;
    let family = fields.take("family")?;
    let features = fields.take("features")?;
    let [l1d, l2, l3] = [
        fields.take("l1d_bytes")?,
        fields.take("l2_bytes")?,
        fields.take("l3_bytes")?,
    ];
    let level = fields.take("level")?;
    let model = fields.take("model")?;
    let vector_bits = fields.take("vector_bits")?;
    let vendor = fields.take("vendor")?;
    fields.end()?;

    let number =
        |value: &Value<'_>, what: &str| reader.count(value, what).map(|count| count as i64);
    let small = |value: &Value<'_>, what: &str| {
        let count = reader.count(value, what)?;
        u32::try_from(count)
            .map_err(|_| reader.error(value, format!("`{what}` must be at most {}", u32::MAX)))
    };
    let features = reader.array(features, "features")?;
    let mut features: Vec<String> = features
        .iter()
        .map(|feature| reader.text(feature, "features"))
        .collect::<Result<_, _>>()?;
    // `Facts::has` searches a sorted list, and a merge may have left another one.
    features.sort_unstable();
    features.dedup();
    Ok(CpuFacts {
        vendor: reader.text(vendor, "vendor")?,
        brand: reader.text(brand, "brand")?,
        family: small(family, "family")?,
        model: small(model, "model")?,
        level: reader.text(level, "level")?,
        cores: number(cores, "cores")?,
        l1d_bytes: number(l1d, "l1d_bytes")?,
        l2_bytes: number(l2, "l2_bytes")?,
        l3_bytes: number(l3, "l3_bytes")?,
        vector_bits: number(vector_bits, "vector_bits")?,
        features,
    })
}

fn cuda(reader: &Reader<'_>, mut fields: Fields<'_, '_>) -> Result<CudaFacts, Error> {
    let text = |value: &Value<'_>, what: &str| reader.text(value, what);
    let name = text(fields.take("name")?, "name")?;
    let architecture = text(fields.take("architecture")?, "architecture")?;
    let mut number = |what: &'static str| -> Result<i64, Error> {
        let value = fields.take(what)?;
        reader.count(value, what).map(|count| count as i64)
    };
    let facts = CudaFacts {
        name,
        architecture,
        clock_hz: number("clock_hz")?,
        compute_capability: number("compute_capability")?,
        l2_bytes: number("l2_bytes")?,
        max_threads_per_block: number("max_threads_per_block")?,
        max_threads_per_multiprocessor: number("max_threads_per_multiprocessor")?,
        memory_bytes_per_second: number("memory_bytes_per_second")?,
        multiprocessors: number("multiprocessors")?,
        registers_per_block: number("registers_per_block")?,
        registers_per_multiprocessor: number("registers_per_multiprocessor")?,
        shared_memory_per_block: number("shared_memory_per_block")?,
        shared_memory_per_block_optin: number("shared_memory_per_block_optin")?,
        shared_memory_per_multiprocessor: number("shared_memory_per_multiprocessor")?,
        warp_size: number("warp_size")?,
    };
    fields.end()?;
    Ok(facts)
}

pub(super) fn write(facts: &Facts) -> Result<Json, String> {
    let number = |value: i64| Json::Plain(value.to_string());
    let fields = match facts {
        Facts::Cpu(cpu) => {
            let features: Vec<Json> = cpu
                .features
                .iter()
                .map(|feature| Json::text(feature))
                .collect::<Result<_, _>>()?;
            vec![
                ("brand", Json::text(&cpu.brand)?),
                ("cores", number(cpu.cores)),
                ("family", number(cpu.family.into())),
                ("features", Json::Row(features)),
                ("kind", Json::text("cpu")?),
                ("l1d_bytes", number(cpu.l1d_bytes)),
                ("l2_bytes", number(cpu.l2_bytes)),
                ("l3_bytes", number(cpu.l3_bytes)),
                ("level", Json::text(&cpu.level)?),
                ("model", number(cpu.model.into())),
                ("vector_bits", number(cpu.vector_bits)),
                ("vendor", Json::text(&cpu.vendor)?),
            ]
        }
        Facts::Cuda(gpu) => vec![
            ("architecture", Json::text(&gpu.architecture)?),
            ("clock_hz", number(gpu.clock_hz)),
            ("compute_capability", number(gpu.compute_capability)),
            ("kind", Json::text("cuda")?),
            ("l2_bytes", number(gpu.l2_bytes)),
            ("max_threads_per_block", number(gpu.max_threads_per_block)),
            (
                "max_threads_per_multiprocessor",
                number(gpu.max_threads_per_multiprocessor),
            ),
            (
                "memory_bytes_per_second",
                number(gpu.memory_bytes_per_second),
            ),
            ("multiprocessors", number(gpu.multiprocessors)),
            ("name", Json::text(&gpu.name)?),
            ("registers_per_block", number(gpu.registers_per_block)),
            (
                "registers_per_multiprocessor",
                number(gpu.registers_per_multiprocessor),
            ),
            (
                "shared_memory_per_block",
                number(gpu.shared_memory_per_block),
            ),
            (
                "shared_memory_per_block_optin",
                number(gpu.shared_memory_per_block_optin),
            ),
            (
                "shared_memory_per_multiprocessor",
                number(gpu.shared_memory_per_multiprocessor),
            ),
            ("warp_size", number(gpu.warp_size)),
        ],
    };
    Ok(Json::Block(
        fields
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    ))
}
