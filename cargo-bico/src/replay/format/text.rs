//! Reading a file as text, gzipped or not.

use super::Error;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a file may unpack to: recorded spaces have tens of megabytes.
const MOST_BYTES: u64 = 2 << 30;

/// The whole file as text. Whether it is gzipped its first bytes say.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(|error| Error::new(path, format!("cannot be read: {error}")))?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut unpacked = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..])
            .take(MOST_BYTES)
            .read_to_end(&mut unpacked)
            .map_err(|error| {
                Error::new(path, format!("is gzipped, but cannot be unpacked: {error}"))
                    .help("the file is damaged or was cut off: fetch it again")
            })?;
        bytes = unpacked;
    }
    if bytes.len() as u64 >= MOST_BYTES {
        return Err(Error::new(
            path,
            "is larger than 2 GiB, which no recorded space is",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        Error::new(path, "is no UTF-8 text")
            .line(line)
            .help("a recorded space is a CSV or a JSON file, plain or gzipped")
    })
}

/// The file's name without `.gz` and without its format's ending.
pub(super) fn plain_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let plain = name
        .strip_suffix(".csv")
        .or_else(|| name.strip_suffix(".json"))
        .unwrap_or(name);
    plain.to_string()
}

/// What the place of a file says of what is in it: a name of the whole, the kernel and the device.
/// `KERNEL__DEVICE.csv`; or `KERNEL/DEVICE.json`, as in the benchmark hub, where `in_folders`.
pub(super) fn names(path: &Path, in_folders: bool) -> [String; 3] {
    let plain = plain_name(path);
    if let Some((kernel, device)) = plain.split_once("__") {
        return [plain.as_str(), kernel, device].map(String::from);
    }
    let folder = path.parent().and_then(|folder| folder.file_name());
    match folder.filter(|_| in_folders) {
        Some(folder) => {
            let kernel = folder.to_string_lossy().into_owned();
            let device = plain.strip_suffix("_T4").unwrap_or(&plain).to_string();
            [format!("{kernel}__{plain}"), kernel, device]
        }
        None => [plain.clone(), plain, String::new()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_file_or_its_folder() {
        let name = |path: &str, in_folders| names(Path::new(path), in_folders);
        assert_eq!(
            name("a/gemm__X_1.csv.gz", false),
            ["gemm__X_1", "gemm", "X_1"]
        );
        assert_eq!(name("a/gemm.csv", false), ["gemm", "gemm", ""]);
        assert_eq!(
            name("hub/gemm/X_T4.json.gz", true),
            ["gemm__X_T4", "gemm", "X"]
        );
        assert_eq!(name("hub/gemm/X.json.gz", true), ["gemm__X", "gemm", "X"]);
        assert_eq!(name("X.json", true), ["X", "X", ""]);
    }
}
