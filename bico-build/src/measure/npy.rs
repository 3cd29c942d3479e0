//! Arrays in NumPy's own format (NEP 1, "A simple file format for NumPy arrays"): little-endian, in the order of C.

use crate::files::could_not;
use bico_syntax::Element;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What every such file begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes of the longest header that is read: the names of fields, which nobody wants here, could make it longer.
const LONGEST: usize = 1 << 16;

/// An array in a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Array {
    /// Its elements.
    pub(crate) len: u64,
    /// Where the first one is.
    pub(crate) offset: u64,
}

/// Looks at the array in a file, which is to be one of these elements.
///
/// # Errors
///
/// It is none, or another one.
pub(crate) fn open(path: &Path, element: Element) -> Result<Array, String> {
    let mut file = File::open(path).map_err(could_not("open", path))?;
    let bytes = file.metadata().map_err(could_not("open", path))?.len();
    let broken = |what: &str| format!("`{}` {what}", path.display());
    let mut read = |count: usize| -> Result<Vec<u8>, String> {
        let mut part = vec![0; count];
        match file.read_exact(&mut part) {
            Ok(()) => Ok(part),
            Err(_) => Err(broken("is no NumPy array: it ends too early")),
        }
    };
    let start = read(MAGIC.len() + 2)?;
    // A version, and the length of what describes the array.
    let width = match start.strip_prefix(MAGIC) {
        Some([1, _]) => 2,
        Some([2 | 3, _]) => 4,
        Some([other, _]) => {
            return Err(broken(&format!(
                "is a NumPy array of version {other}, which nobody knew"
            )));
        }
        _ => return Err(broken("is no NumPy array")),
    };
    let length = read(width)?
        .iter()
        .rfold(0, |sum: usize, byte| sum << 8 | usize::from(*byte));
    if length > LONGEST {
        return Err(broken("is a NumPy array of records"));
    }
    let header = read(length)?;
    let header = String::from_utf8_lossy(&header);
    let field = |name: &str| Some(header.split_once(&format!("'{name}':"))?.1.trim_start());
    let unclear = || broken("is a NumPy array with a header that says too little");
    let kind = field("descr").and_then(|rest| rest.strip_prefix('\'')?.split('\'').next());
    let kind = kind.ok_or_else(|| broken("is a NumPy array of records"))?;
    let wanted = kind_of(element).ok_or_else(|| format!("NumPy has no `{}`", element.name()))?;
    if kind != wanted && !(element.size() == 1 && kind.get(1..) == wanted.get(1..)) {
        return Err(broken(&format!(
            "holds `{kind}`, and `{}` is `{wanted}`\n  = help: numpy.save(path, x.astype(\"{wanted}\"))",
            element.name()
        )));
    }
    if !field("fortran_order")
        .ok_or_else(unclear)?
        .starts_with("False")
    {
        return Err(broken(
            "has its columns in a row, as Fortran\n  = help: numpy.save(path, numpy.ascontiguousarray(x))",
        ));
    }
    let shape = field("shape").and_then(|rest| rest.strip_prefix('(')?.split(')').next());
    let extents = shape.ok_or_else(unclear)?.split(',').map(str::trim);
    let extents = extents.filter(|extent| !extent.is_empty());
    let len = extents.map(|extent| extent.parse::<u64>().ok());
    let len = len.reduce(|a, b| a?.checked_mul(b?)).unwrap_or(Some(1));
    let len = len.ok_or_else(unclear)?;
    let offset = (start.len() + width + length) as u64;
    if len.checked_mul(element.size() as u64) != bytes.checked_sub(offset) {
        return Err(broken(&format!("is not as long as {len} elements")));
    }
    Ok(Array { len, offset })
}

/// What NumPy calls it.
fn kind_of(element: Element) -> Option<&'static str> {
    Some(match element {
        Element::F16 => "<f2",
        Element::F32 => "<f4",
        Element::F64 => "<f8",
        Element::I8 => "|i1",
        Element::I16 => "<i2",
        Element::I32 => "<i4",
        Element::I64 | Element::Isize => "<i8",
        Element::U8 => "|u1",
        Element::U16 => "<u2",
        Element::U32 => "<u4",
        Element::U64 | Element::Usize => "<u8",
        Element::Bool => "|b1",
        Element::Bf16 | Element::Str => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a file.
    fn opened(version: u8, header: &str, data: usize, element: Element) -> Result<Array, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        let length = (header.len() as u32).to_le_bytes();
        bytes.extend(&length[..if version == 1 { 2 } else { 4 }]);
        bytes.extend(header.as_bytes());
        bytes.extend(vec![0; data]);
        std::fs::write(&path, bytes).unwrap();
        open(&path, element)
    }

    fn described(kind: &str, shape: &str) -> String {
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}   \n")
    }

    #[test]
    fn arrays_of_any_shape() {
        for (shape, len) in [("()", 1), ("(6,)", 6), ("(2, 3)", 6), ("(2, 0, 3)", 0)] {
            for version in [1, 2, 3] {
                let header = described("<f4", shape);
                let before = MAGIC.len() + 2 + if version == 1 { 2 } else { 4 } + header.len();
                let found = opened(version, &header, 4 * len, Element::F32).unwrap();
                let offset = before as u64;
                assert_eq!(
                    found,
                    Array {
                        len: len as u64,
                        offset
                    }
                );
            }
        }
        for (kind, element) in [
            ("|u1", Element::U8),
            ("<i1", Element::I8),
            ("|b1", Element::Bool),
        ] {
            assert!(opened(1, &described(kind, "(3,)"), 3, element).is_ok());
        }
        assert!(opened(1, &described("<i8", "(3,)"), 24, Element::Isize).is_ok());
    }

    #[test]
    fn all_else_is_said() {
        let said = |header: &str, data, element| opened(1, header, data, element).unwrap_err();
        let plain = |kind| described(kind, "(2, 3)");
        for kind in ["<f8", ">f4", "|u1", "<i4"] {
            let text = said(&plain(kind), 24, Element::F32);
            assert!(
                text.contains(&format!("holds `{kind}`, and `f32` is `<f4`")),
                "{text}"
            );
        }
        assert!(said(&plain("<f2"), 12, Element::Bf16).contains("NumPy has no `bf16`"));
        for (data, header) in [(23, plain("<f4")), (28, plain("<f4"))] {
            assert!(said(&header, data, Element::F32).ends_with("is not as long as 6 elements"));
        }
        let columns = plain("<f4").replace("False", "True");
        assert!(said(&columns, 24, Element::F32).contains("ascontiguousarray"));
        let records = plain("<f4").replace("'<f4'", "[('a', '<f4')]");
        assert!(said(&records, 24, Element::F32).ends_with("of records"));
        for broken in [
            "{'descr': '<f4'}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}",
        ] {
            assert!(
                said(broken, 24, Element::F32).ends_with("says too little"),
                "{broken}"
            );
        }
        let huge = described("<f4", "(9223372036854775807, 9223372036854775807)");
        assert!(said(&huge, 24, Element::F32).ends_with("says too little"));
        assert!(
            opened(4, &plain("<f4"), 24, Element::F32)
                .unwrap_err()
                .contains("version 4")
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            open(&path, Element::F32).unwrap_err()
        };
        assert!(error(b"PK\x03\x04 and more").ends_with("is no NumPy array"));
        assert!(error(b"\x93NUM").ends_with("ends too early"));
        assert!(error(b"\x93NUMPY\x01\x00\xff\xff").ends_with("ends too early"));
        assert!(
            open(&folder.path().join("y.npy"), Element::F32)
                .unwrap_err()
                .starts_with("could not open")
        );
    }
}
