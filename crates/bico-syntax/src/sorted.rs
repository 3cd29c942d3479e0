//! Sorting a few things, which compiles to little: the standard library's way is some 2,500 lines of LLVM IR for each type.

/// The list in the order of a key; what is equal keeps its order.
pub(crate) fn sorted_by_key<T, K: Ord>(list: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut sorted: Vec<T> = Vec::with_capacity(list.len());
    for item in list {
        let place = sorted.partition_point(|known| key(known) <= key(&item));
        sorted.insert(place, item);
    }
    sorted
}
