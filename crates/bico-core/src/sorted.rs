//! Sorting, and a map and a set kept sorted, which compile to little.
//!
//! In a debug build each type that is sorted by the standard library costs every user some 2,500 lines of LLVM IR, and
//! each type of map some 5,000, a quarter of what a build script without the feature `tune` consisted of. Here are lists
//! of tens of entries, for which a binary search is as fast as a tree.

use crate::Lists;
use core::borrow::Borrow;
use core::cmp::Ordering;

/// Sorts a list; what is equal keeps its order.
pub fn sort_by<T>(list: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut places = places(list.len(), &|a, b| compare(&list[a], &list[b]));
    for at in 0..list.len() {
        while places[at] != at {
            list.swap(at, places[at]);
            let place = places[at];
            places.swap(at, place);
        }
    }
}

/// Where each of `len` things belongs.
fn places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let order = order(len, compare);
    let mut places = vec![0; len];
    for (place, at) in order.into_iter().enumerate() {
        places[at] = place;
    }
    places
}

/// The numbers below `len` in the order of what they stand for; what is equal keeps its order. Sorted runs are merged, each
/// time twice as long.
pub fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect_vec();
    let mut merged = order.clone();
    let mut run = 1;
    while run < len {
        let mut start = 0;
        while start < len {
            let middle = len.min(start + run);
            let end = len.min(middle + run);
            let (mut left, mut right) = (start, middle);
            for place in &mut merged[start..end] {
                let is_left =
                    left < middle && (right == end || compare(order[left], order[right]).is_le());
                let next = if is_left { &mut left } else { &mut right };
                *place = order[*next];
                *next += 1;
            }
            start = end;
        }
        std::mem::swap(&mut order, &mut merged);
        run *= 2;
    }
    order
}

/// A map kept as a list in the order of its keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Map<K, V>(Vec<(K, V)>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map(Vec::new())
    }
}

impl<K, V> Map<K, V> {
    /// The keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, by key.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// The entries, by key, with values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Keeps the entries of which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> Map<K, V> {
    /// Where a key is, or belongs.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        search(self.0.len(), &|at| self.0[at].0.borrow().cmp(key))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// Whether a key is there.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// As [`Map::get`], to change.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| &mut self.0[at].1)
    }

    /// Sets the value of a key, and gives the old one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(core::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// The value of a key, the default one where there was none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, V::default()));
            at
        });
        &mut self.0[at].1
    }
}

/// A set kept as a list in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set<T>(Vec<T>);

impl<T> Default for Set<T> {
    fn default() -> Set<T> {
        Set(Vec::new())
    }
}

impl<T: Ord> Set<T> {
    /// Adds an item; false if it was there.
    pub fn insert(&mut self, item: T) -> bool {
        let at = search(self.0.len(), &|at| self.0[at].cmp(&item));
        if let Err(at) = at {
            self.0.insert(at, item);
        }
        at.is_err()
    }

    /// Takes an item out; false if it was not there.
    pub fn remove(&mut self, item: &T) -> bool {
        let at = search(self.0.len(), &|at| self.0[at].cmp(item));
        at.map(|at| self.0.remove(at)).is_ok()
    }

    /// Whether an item is there.
    pub fn has<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        search(self.0.len(), &|at| self.0[at].borrow().cmp(item)).is_ok()
    }
}

impl<T> core::ops::Deref for Set<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Set<T> {
        let mut set = Set::default();
        set.extend(items);
        set
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The place among `len` ordered things at which `compare`, which tells how they stand to what is looked for, is equal.
fn search(len: usize, compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

impl<K, V> core::ops::Deref for Map<K, V> {
    type Target = [(K, V)];

    fn deref(&self) -> &[(K, V)] {
        &self.0
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut map = Map::default();
        map.extend(entries);
        map
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = &'a (K, V);
    type IntoIter = core::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> core::ops::Index<&Q> for Map<K, V> {
    type Output = V;

    /// # Panics
    ///
    /// If there is no such key.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library(mut list in prop::collection::vec((0..9_u8, any::<u8>()), 0..40)) {
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by(&mut list, &|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(list, expected);
        }

        #[test]
        fn it_holds_what_a_set_of_the_standard_library_does(items in prop::collection::vec("[a-e]", 0..40)) {
            let (mut set, mut expected) = (Set::default(), BTreeSet::new());
            for item in items {
                prop_assert_eq!(set.insert(item.clone()), expected.insert(item));
                prop_assert_eq!(set.has("b"), expected.contains("b"));
                prop_assert_eq!(set.remove(&"c".to_string()), expected.remove("c"));
            }
            prop_assert!(set.iter().eq(&expected));
        }

        #[test]
        fn it_maps_as_the_standard_library(steps in prop::collection::vec((0..4_u8, "[a-d]", any::<u8>()), 0..60)) {
            let mut expected: BTreeMap<String, u8> = BTreeMap::new();
            let mut map: Map<String, u8> = Map::default();
            for (step, key, value) in steps {
                match step {
                    0 => prop_assert_eq!(map.insert(key.clone(), value), expected.insert(key, value)),
                    1 => prop_assert_eq!(map.get_mut(&key), expected.get_mut(&key)),
                    2 => {
                        *map.or_default(key.clone()) ^= value;
                        *expected.entry(key).or_default() ^= value;
                    }
                    _ => {
                        map.retain(|known, _| *known != key);
                        expected.retain(|known, _| *known != key);
                    }
                }
                prop_assert!(map.keys().eq(expected.keys()) && map.values().eq(expected.values()));
                prop_assert_eq!(map.get("b"), expected.get("b"));
            }
            prop_assert_eq!(map.clone().into_iter().collect::<BTreeMap<_, _>>(), expected);
        }
    }
}
