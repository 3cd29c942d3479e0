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

/// What tells tensor maps apart.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    address: u64,
    kind: TensorKind,
    numbers: [i64; MOST_NUMBERS],
}

thread_local! {
    static MAPS: RefCell<Vec<Option<(Key, TensorMap)>>> = const { RefCell::new(Vec::new()) };
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
    let mut key = Key {
        address,
        kind,
        numbers: [0; MOST_NUMBERS],
    };
    key.numbers[..N].copy_from_slice(&numbers);
    let mut hash = address >> 4;
    for number in numbers {
        hash = (hash.rotate_left(5) ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    let at = (hash >> 58) as usize;
    MAPS.with_borrow_mut(|maps| match maps.get(at) {
        Some(Some((known, map))) if *known == key => Ok(*map),
        _ => encode(tunable, argument, &key, N, maps, at),
    })
}

#[cold]
fn encode(
    tunable: &'static str,
    argument: &'static str,
    key: &Key,
    count: usize,
    maps: &mut Vec<Option<(Key, TensorMap)>>,
    at: usize,
) -> Result<TensorMap> {
    let map = TensorMap::encode(&key.kind, key.address, &key.numbers[..count]);
    let map = map.map_err(|why| {
        Error::TensorMap(Box::new(TensorMapFailure {
            tunable,
            argument,
            why,
        }))
    })?;
    maps.resize(KEPT, None);
    maps[at] = Some((*key, map));
    Ok(map)
}
