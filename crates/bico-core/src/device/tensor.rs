//! What a GPU's copy engine is told of a tensor, and which tensors it can copy boxes of.
//!
//! The rules are those of `cuTensorMapEncodeTiled` in the CUDA driver's reference manual (12.9), without interleaving and
//! with element strides of 1.

use crate::json_struct;

/// The most dimensions of a tensor.
pub const MOST_DIMS: usize = 5;

/// The most elements of a box along a dimension.
pub const MOST_OF_BOX: i64 = 256;

/// Bytes that addresses, strides and rows of a box are multiples of.
pub const TENSOR_ALIGN: i64 = 16;

/// What `swizzle` may be, in bytes.
pub const SWIZZLES: [i64; 4] = [0, 32, 64, 128];

/// What `l2_promotion` may be, in bytes.
pub const PROMOTIONS: [i64; 4] = [0, 64, 128, 256];

json_struct! {
    /// What a tensor map knows before a call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TensorKind {
        /// The driver's number of the element type (`CUtensorMapDataType`).
        pub code: u32,
        /// Bytes of an element.
        pub bytes: u32,
        /// What lies outside is NaN, not zero.
        pub nan: bool,
    }
}

/// A tensor and its boxes, as the driver takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// How many dimensions it has.
    pub rank: u32,
    /// Elements along each, the one without gaps first.
    pub dims: [u64; MOST_DIMS],
    /// Bytes from one to the next, of each dimension but the first.
    pub strides: [u64; MOST_DIMS - 1],
    /// Elements of a box along each.
    pub tile: [u32; MOST_DIMS],
    /// Which of [`SWIZZLES`].
    pub swizzle: usize,
    /// Which of [`PROMOTIONS`].
    pub promotion: usize,
}

impl TensorKind {
    /// The tensor that these numbers describe: dims, strides in elements without the first, the box, the swizzle, the
    /// promotion. `None` if it has no elements.
    ///
    /// # Errors
    ///
    /// The rule that they break.
    ///
    /// ```
    /// use bico_core::device::TensorKind;
    /// let f16 = TensorKind { code: 6, bytes: 2, nan: false };
    /// let tensor = f16.tensor(0, &[4096, 1024, 4096, 64, 128, 128, 0]).unwrap().unwrap();
    /// assert_eq!((tensor.rank, tensor.strides[0]), (2, 8192));
    /// let error = f16.tensor(0, &[100, 1024, 100, 64, 128, 128, 0]).unwrap_err();
    /// assert_eq!(error, "its rows are 200 bytes apart, not a multiple of 16");
    /// ```
    pub fn tensor(&self, address: u64, numbers: &[i64]) -> Result<Option<Tensor>, String> {
        let rank = numbers.len().saturating_sub(1) / 3;
        if !(1..=MOST_DIMS).contains(&rank) || numbers.len() != 3 * rank + 1 {
            return Err(format!("it has {rank} dimensions"));
        }
        let (dims, rest) = numbers.split_at(rank);
        let (strides, rest) = rest.split_at(rank - 1);
        let (tile, rest) = rest.split_at(rank);
        if dims.contains(&0) {
            return Ok(None);
        }
        if !address.is_multiple_of(TENSOR_ALIGN as u64) {
            return Err(format!(
                "it begins at the address {address:#x}, not at a multiple of {TENSOR_ALIGN} bytes"
            ));
        }
        let mut tensor = Tensor {
            rank: rank as u32,
            dims: [1; MOST_DIMS],
            strides: [0; MOST_DIMS - 1],
            tile: [1; MOST_DIMS],
            swizzle: known(rest[0], &SWIZZLES, "swizzle")?,
            promotion: known(rest[1], &PROMOTIONS, "l2_promotion")?,
        };
        for (to, extent) in tensor.dims.iter_mut().zip(dims) {
            *to = u64::try_from(*extent).unwrap_or(u64::MAX);
            if *to > 1 << 32 {
                return Err(format!(
                    "{extent} elements are no extent of it: 0 to 2^32 are"
                ));
            }
        }
        let bytes = i64::from(self.bytes);
        for (to, stride) in tensor.strides.iter_mut().zip(strides) {
            let stride = stride.saturating_mul(bytes);
            if stride % TENSOR_ALIGN != 0 {
                return Err(format!(
                    "its rows are {stride} bytes apart, not a multiple of {TENSOR_ALIGN}"
                ));
            }
            *to = u64::try_from(stride).unwrap_or(u64::MAX);
            if *to >= 1 << 40 {
                return Err(format!(
                    "{stride} bytes are no stride of it: less than 2^40 are"
                ));
            }
        }
        for (to, extent) in tensor.tile.iter_mut().zip(tile) {
            if !(1..=MOST_OF_BOX).contains(extent) {
                return Err(format!(
                    "a box of {extent} elements: 1 to {MOST_OF_BOX} can be copied"
                ));
            }
            *to = *extent as u32;
        }
        let row = tile[0] * bytes;
        if row % TENSOR_ALIGN != 0 {
            return Err(format!(
                "the rows of its box have {row} bytes, not a multiple of {TENSOR_ALIGN}"
            ));
        }
        let most = rest[0];
        if most > 0 && row > most {
            return Err(format!(
                "the rows of its box have {row} bytes: a swizzle of {most} takes {most} at most"
            ));
        }
        Ok(Some(tensor))
    }
}

/// Which of these it is.
fn known(value: i64, list: &[i64; 4], name: &str) -> Result<usize, String> {
    let at = list.iter().position(|known| *known == value);
    at.ok_or_else(|| format!("`{name}` is {value}, not one of {list:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: TensorKind = TensorKind {
        code: 7,
        bytes: 4,
        nan: true,
    };

    #[test]
    fn each_rule_is_said() {
        let error = |address, numbers: &[i64]| F32.tensor(address, numbers).unwrap_err();
        let rules: [(u64, &[i64], &str); 10] = [
            (0, &[], "0 dimensions"),
            (0, &[1; 19], "6 dimensions"),
            (8, &[64, 32, 0, 0], "the address 0x8"),
            (
                0,
                &[64, 32, 16, 0],
                "`swizzle` is 16, not one of [0, 32, 64, 128]",
            ),
            (0, &[64, 32, 0, 32], "`l2_promotion` is 32"),
            (0, &[-1, 32, 0, 0], "-1 elements are no extent"),
            (0, &[64, 0, 0, 0], "a box of 0 elements"),
            (0, &[64, 257, 0, 0], "a box of 257 elements"),
            (0, &[64, 3, 0, 0], "have 12 bytes, not a multiple of 16"),
            (
                0,
                &[64, 64, 128, 0],
                "256 bytes: a swizzle of 128 takes 128",
            ),
        ];
        for (address, numbers, rule) in rules {
            let said = error(address, numbers);
            assert!(said.contains(rule), "{said}");
        }
        let far = [64, 2, 1 << 38, 32, 1, 0, 0];
        assert!(error(0, &far).contains("2^40"));
        assert!(error(0, &[64, 2, 65, 32, 1, 0, 0]).contains("260 bytes apart"));
    }

    #[test]
    fn what_keeps_them_is_taken() {
        let tensor = F32.tensor(16, &[64, 24, 0, 256]).unwrap().unwrap();
        assert_eq!((tensor.rank, tensor.tile[0], tensor.promotion), (1, 24, 3));
    }

    #[test]
    fn what_has_no_elements_is_none() {
        assert_eq!(F32.tensor(4, &[0, 5, 3, 0, 0, 9, 9]), Ok(None));
    }
}
