//! Tensor maps: the rules of the driver's manual, and what host.h reads.

use std::ffi::c_void;

use crate::library::abi::Out;
use crate::library::status::Status;

/// What host.h calls `host_tensor`.
#[repr(C, align(64))]
struct Map {
    magic: u32,
    rank: u8,
    bytes: u8,
    /// How many bits of an address it moves.
    swizzle: u8,
    nan: u8,
    address: u64,
    strides: [u64; 4],
    last: [u32; 5],
    tile: [u32; 5],
    unused: [u32; 10],
}

const MAGIC: u32 = 0x6f63_6962;

/// Bytes of the types, by their numbers, and whether they are floating-point numbers.
const TYPES: [(u64, bool); 10] = [
    (1, false),
    (2, false),
    (4, false),
    (4, false),
    (8, false),
    (8, false),
    (2, true),
    (4, true),
    (8, true),
    (2, true),
];

entry! {
    fn cuTensorMapEncodeTiled(
        to: Out<Map>,
        kind: u32,
        rank: u32,
        address: *const c_void,
        dims: *const u64,
        strides: *const u64,
        tile: *const u32,
        steps: *const u32,
        interleave: u32,
        swizzle: u32,
        promotion: u32,
        fill: u32,
    ) {
        let wrong = Err(Status::InvalidValue);
        let is_aligned = to.raw().addr().is_multiple_of(64) && address.addr().is_multiple_of(16);
        if !(1..=5).contains(&rank) || !is_aligned {
            return wrong;
        }
        let Some((bytes, float)) = TYPES.get(kind as usize).copied() else {
            return Err(Status::NotSupported);
        };
        if interleave != 0 {
            return Err(Status::NotSupported);
        }
        let count = rank as usize;
        // SAFETY: the interface asks for lists of so many.
        let (dims, strides, tile, steps) = unsafe {
            (
                std::slice::from_raw_parts(dims, count),
                std::slice::from_raw_parts(strides, count - 1),
                std::slice::from_raw_parts(tile, count),
                std::slice::from_raw_parts(steps, count),
            )
        };
        let row = u64::from(tile[0]) * bytes;
        if dims.iter().any(|of| !(1..=1 << 32).contains(of))
            || strides.iter().any(|of| of % 16 != 0 || *of >= 1 << 40)
            || tile.iter().any(|of| !(1..=256).contains(of))
            || steps.iter().any(|of| *of != 1)
            || row % 16 != 0
            || swizzle > 3
            || (swizzle > 0 && row > 16 << swizzle)
            || promotion > 3
            || fill > u32::from(float)
        {
            return wrong;
        }
        let mut map = Map {
            magic: MAGIC,
            rank: rank as u8,
            bytes: bytes as u8,
            swizzle: swizzle as u8,
            nan: fill as u8,
            address: address.addr() as u64,
            strides: [0; 4],
            last: [0; 5],
            tile: [1; 5],
            unused: [0; 10],
        };
        map.strides[..count - 1].copy_from_slice(strides);
        map.tile[..count].copy_from_slice(tile);
        for (to, of) in map.last.iter_mut().zip(dims) {
            *to = (of - 1) as u32;
        }
        to.set(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_large_as_the_drivers() {
        assert_eq!((size_of::<Map>(), align_of::<Map>()), (128, 64));
    }
}
