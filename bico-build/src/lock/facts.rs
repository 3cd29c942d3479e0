//! Facts of devices in the lock.

use super::Error;
use super::tree::Reader;
use super::write::Json;
use bico::device::{CpuFacts, Facts};
use jsonc_parser::ast::Value;

pub(super) fn read(reader: &Reader<'_>, value: &Value<'_>) -> Result<Facts, Error> {
    let mut fields = reader.fields(value, "a device")?;
    let kind = fields.take("kind")?;
    match reader.text(kind, "kind")?.as_str() {
        "cpu" => {}
        other => {
            let message = format!("`kind` is \"cpu\", not \"{other}\"");
            return Err(reader
                .error(kind, message)
                .help("update bico-build if a newer one wrote this file"));
        }
    }
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
    Ok(Facts::Cpu(CpuFacts {
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
    }))
}

pub(super) fn write(facts: &Facts) -> Result<Json, String> {
    let Facts::Cpu(cpu) = facts;
    let features: Vec<Json> = cpu
        .features
        .iter()
        .map(|feature| Json::text(feature))
        .collect::<Result<_, _>>()?;
    Ok(Json::Block(
        vec![
            ("brand", Json::text(&cpu.brand)?),
            ("cores", Json::Plain(cpu.cores.to_string())),
            ("family", Json::Plain(cpu.family.to_string())),
            ("features", Json::Row(features)),
            ("kind", Json::text("cpu")?),
            ("l1d_bytes", Json::Plain(cpu.l1d_bytes.to_string())),
            ("l2_bytes", Json::Plain(cpu.l2_bytes.to_string())),
            ("l3_bytes", Json::Plain(cpu.l3_bytes.to_string())),
            ("level", Json::text(&cpu.level)?),
            ("model", Json::Plain(cpu.model.to_string())),
            ("vector_bits", Json::Plain(cpu.vector_bits.to_string())),
            ("vendor", Json::text(&cpu.vendor)?),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect(),
    ))
}
