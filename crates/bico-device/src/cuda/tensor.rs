//! Tensor maps, as the driver encodes them.

use bico_core::device::{MOST_DIMS, TensorKind};
use cudarc::driver::sys::{
    CUtensorMap, CUtensorMapDataType as Type, CUtensorMapFloatOOBfill as Fill,
    CUtensorMapInterleave, CUtensorMapL2promotion as Promotion, CUtensorMapSwizzle as Swizzle,
    cuTensorMapEncodeTiled,
};
use std::ffi::c_void;

/// A `CUtensorMap`: what it says is the driver's business. Its alignment is that of CUDA 13, which earlier ones are
/// content with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(128))]
pub struct TensorMap([u64; 16]);

const TYPES: [Type; 10] = [
    Type::CU_TENSOR_MAP_DATA_TYPE_UINT8,
    Type::CU_TENSOR_MAP_DATA_TYPE_UINT16,
    Type::CU_TENSOR_MAP_DATA_TYPE_UINT32,
    Type::CU_TENSOR_MAP_DATA_TYPE_INT32,
    Type::CU_TENSOR_MAP_DATA_TYPE_UINT64,
    Type::CU_TENSOR_MAP_DATA_TYPE_INT64,
    Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    Type::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
];

const SWIZZLES: [Swizzle; 4] = [
    Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
    Swizzle::CU_TENSOR_MAP_SWIZZLE_32B,
    Swizzle::CU_TENSOR_MAP_SWIZZLE_64B,
    Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
];

const PROMOTIONS: [Promotion; 4] = [
    Promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
    Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
];

impl TensorMap {
    /// Of nothing: no kernel copies a box of it.
    pub const NOTHING: TensorMap = TensorMap([0; 16]);

    /// The tensor at an address of the GPU that these numbers describe; see [`TensorKind::tensor`].
    ///
    /// # Errors
    ///
    /// The rule that they break, or what the driver says.
    pub fn encode(kind: &TensorKind, address: u64, numbers: &[i64]) -> Result<TensorMap, String> {
        let mut map = TensorMap::NOTHING;
        let Some(tensor) = kind.tensor(address, numbers)? else {
            return Ok(map);
        };
        // cudarc panics where a driver lacks a function.
        if super::version::served() < 12_000 {
            return Err("this driver is older than CUDA 12.0, which brought tensor maps".into());
        }
        let code = kind.code as usize;
        let data_type = TYPES
            .get(code)
            .ok_or_else(|| format!("there is no type {code}"))?;
        let steps = [1_u32; MOST_DIMS];
        let fill = match kind.nan {
            true => Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
            false => Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        };
        let to: *mut CUtensorMap = (&raw mut map).cast();
        // SAFETY: `map` is as large and as aligned as the driver's type, the lists have as many entries as any rank needs,
        // and nothing is read at the address.
        let said = unsafe {
            cuTensorMapEncodeTiled(
                to,
                *data_type,
                tensor.rank,
                address as *mut c_void,
                tensor.dims.as_ptr(),
                tensor.strides.as_ptr(),
                tensor.tile.as_ptr(),
                steps.as_ptr(),
                CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                SWIZZLES[tensor.swizzle],
                PROMOTIONS[tensor.promotion],
                fill,
            )
        };
        said.result().map_err(super::text)?;
        Ok(map)
    }

    /// Its bytes.
    #[cfg(feature = "measure")]
    pub(crate) fn to_vec(self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_large_as_the_drivers() {
        assert_eq!(size_of::<TensorMap>(), size_of::<CUtensorMap>());
        assert!(align_of::<TensorMap>() >= align_of::<CUtensorMap>());
    }
}
