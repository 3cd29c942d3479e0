//! Which of a candidate's images a GPU can load.

use crate::data::{Image, ImageKind};
use bico_core::Lists;
use bico_core::sorted;
use core::cmp::Reverse;

/// Those that a GPU of this compute capability can load, the best first: machine code for the nearest
/// one of the same first digit, then what the driver compiles, for the newest.
pub(crate) fn loadable(images: &[Image], capability: i64) -> Vec<&Image> {
    let runs = |image: &&Image| {
        let of = i64::from(image.compute_capability);
        match image.kind {
            ImageKind::Exact => of == capability,
            ImageKind::Cubin => of / 10 == capability / 10 && of <= capability,
            ImageKind::Ptx | ImageKind::Host => of <= capability,
        }
    };
    let mut found: Vec<&Image> = images.iter().filter(runs).collect_vec();
    let key = |image: &Image| {
        let ptx = image.kind == ImageKind::Ptx;
        (ptx, Reverse(image.compute_capability))
    };
    sorted::sort_by(&mut found, &|a, b| key(a).cmp(&key(b)));
    found
}

/// Registers of a thread in the best of them, or in code for another GPU; 0 where nothing tells.
pub(crate) fn registers(images: &[Image], capability: i64) -> i64 {
    let mut known = loadable(images, capability).into_iter().chain(images);
    let known = known.find(|image| image.registers > 0);
    known.map_or(0, |image| image.registers.into())
}

/// What there is, for messages: `a cubin for sm_80, PTX for compute_90`.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) fn said(images: &[Image]) -> String {
    let said = |image: &Image| match image.kind {
        ImageKind::Cubin => format!("a cubin for sm_{}", image.compute_capability),
        ImageKind::Exact => format!("a cubin for sm_{}a", image.compute_capability),
        ImageKind::Ptx => format!("PTX for compute_{}", image.compute_capability),
        ImageKind::Host => "a function of the host".to_string(),
    };
    let mut all: Vec<String> = images.iter().map(said).collect_vec();
    all.dedup();
    if all.is_empty() {
        return "no compiled code".to_string();
    }
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ImageKind::{Cubin, Exact, Ptx};

    fn image(kind: ImageKind, compute_capability: u16, registers: u16) -> Image {
        Image {
            kind,
            compute_capability,
            entries: &["k"],
            registers,
            bytes: &[],
        }
    }

    fn best(capability: i64) -> Vec<(ImageKind, u16)> {
        let images = [
            image(Ptx, 75, 0),
            image(Cubin, 80, 40),
            image(Cubin, 86, 48),
            image(Cubin, 90, 64),
            image(Ptx, 90, 0),
        ];
        loadable(&images, capability)
            .into_iter()
            .map(|image| (image.kind, image.compute_capability))
            .collect()
    }

    #[test]
    fn cubins_of_the_family_then_ptx() {
        assert_eq!(best(86), [(Cubin, 86), (Cubin, 80), (Ptx, 75)]);
        assert_eq!(best(89), [(Cubin, 86), (Cubin, 80), (Ptx, 75)]);
        assert_eq!(best(80), [(Cubin, 80), (Ptx, 75)]);
        assert_eq!(best(90), [(Cubin, 90), (Ptx, 90), (Ptx, 75)]);
        // No cubin reaches over to another family, PTX only upwards.
        assert_eq!(best(100), [(Ptx, 90), (Ptx, 75)]);
        assert_eq!(best(120), [(Ptx, 90), (Ptx, 75)]);
        assert_eq!(best(75), [(Ptx, 75)]);
        assert_eq!(best(70), []);
    }

    #[test]
    fn exact_code_reaches_over_to_no_other_gpu() {
        let images = [image(Exact, 100, 168)];
        assert_eq!(loadable(&images, 100).len(), 1);
        assert!([90, 101, 103, 120].map(|of| loadable(&images, of).len()) == [0; 4]);
        assert_eq!(said(&images), "a cubin for sm_100a");
    }

    #[test]
    fn registers_of_what_would_run_else_of_anything() {
        let images = [
            image(Ptx, 75, 0),
            image(Cubin, 80, 40),
            image(Cubin, 90, 64),
        ];
        assert_eq!(registers(&images, 90), 64);
        assert_eq!(registers(&images, 86), 40);
        assert_eq!(registers(&images, 75), 40);
        assert_eq!(registers(&images[..1], 75), 0);
    }

    #[test]
    fn said_once() {
        let images = [image(Cubin, 80, 0), image(Cubin, 80, 0), image(Ptx, 90, 0)];
        assert_eq!(said(&images), "a cubin for sm_80, PTX for compute_90");
        assert_eq!(said(&[]), "no compiled code");
    }
}
