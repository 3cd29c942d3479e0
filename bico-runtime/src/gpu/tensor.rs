//! Tensor maps that calls pass: encoded once for each address and size, and kept by the thread that calls.

use crate::error::TensorMapFailure;
use crate::{Error, Result};
use bico_core::device::TensorKind;
use bico_device::cuda::TensorMap;
use std::cell::RefCell;

/// The most numbers that a tensor map is made of: of five dimensions.
const MOST_NUMBERS: usize = 16;

/// How many a thread keeps. A call of other sizes takes the place of one that met its slot.
const KEPT: usize = 64;

/// One of them, and what tells it apart.
#[derive(Clone, Copy)]
struct Kept {
    address: u64,
    kind: TensorKind,
    count: usize,
    numbers: [i64; MOST_NUMBERS],
    map: TensorMap,
}

/// Odd, and without a pattern: digits of the square roots of primes.
const FACTORS: [u64; 4] = [
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
];

thread_local! {
    static MAPS: RefCell<Vec<Option<Kept>>> = const { RefCell::new(Vec::new()) };
}

/// The tensor map of a buffer, of these numbers (see [`TensorKind::tensor`]).
///
/// # Errors
///
/// The rule of tensor maps that they break.
#[inline]
pub fn tensor_map<const N: usize>(
    tunable: &'static str,
    argument: &'static str,
    kind: TensorKind,
    address: u64,
    numbers: [i64; N],
) -> Result<TensorMap> {
    // That of a variant which does not run now.
    if numbers[0] == 0 {
        return Ok(TensorMap::NOTHING);
    }
    // Products that do not wait for each other.
    let mut hash = (address >> 4).wrapping_mul(FACTORS[3]);
    for (at, number) in numbers.iter().enumerate() {
        let number = (*number as u64).rotate_left(5 * (at as u32 / 4));
        hash = hash.wrapping_add(number.wrapping_mul(FACTORS[at % 4]));
    }
    let at = (hash >> 58) as usize;
    MAPS.with_borrow_mut(|maps| {
        if let Some(Some(kept)) = maps.get(at)
            && kept.address == address
            && kept.kind == kind
            && kept.count == N
            && kept.numbers[..N] == numbers
        {
            return Ok(kept.map);
        }
        let map = TensorMap::encode(&kind, address, &numbers);
        let map = map.map_err(|why| failure(tunable, argument, why))?;
        let mut kept = Kept {
            address,
            kind,
            count: N,
            numbers: [0; MOST_NUMBERS],
            map,
        };
        kept.numbers[..N].copy_from_slice(&numbers);
        maps.resize(KEPT, None);
        maps[at] = Some(kept);
        Ok(map)
    })
}

#[cold]
fn failure(tunable: &'static str, argument: &'static str, why: String) -> Error {
    Error::TensorMap(Box::new(TensorMapFailure {
        tunable,
        argument,
        why,
    }))
}
