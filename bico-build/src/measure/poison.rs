//! What outputs hold before a run: it shows which of them a kernel left alone.

use super::slot::BufferSlot;
use bico_device::measure::{Bytes, fill, numbers, numbers_mut};
use bico_syntax::Element;
use std::io::BufRead;

/// What outputs hold before a run: odd integers, and as floats signaling NaNs, which any arithmetic
/// turns into others. An element that a kernel wrote may equal one of the two poisons, but not both
/// in two runs.
pub(super) struct Poison {
    word: u32,
    double_word: u64,
    /// For 16-bit floats. The halves of the word are no NaNs of theirs.
    f16: u16,
    bf16: u16,
}

impl Poison {
    pub(super) const FIRST: Poison = Poison {
        word: 0x7fa5_c3a9,
        double_word: 0x7ff4_a9c3_657f_c3a9,
        f16: 0x7da9,
        bf16: 0x7fa9,
    };
    pub(super) const SECOND: Poison = Poison {
        word: 0xff9a_3c56,
        double_word: 0xfff1_563c_9a80_3c56,
        f16: 0xfc56,
        bf16: 0xff96,
    };

    /// Large numbers, which no maximum and no sum leaves unseen.
    pub(super) const LARGE: Poison = Poison {
        word: 0x7b7b_7b7b,
        double_word: 0x7b7b_7b7b_7b7b_7b7b,
        f16: 0x7b7b,
        bf16: 0x7b7b,
    };

    /// What stands for it where nobody knows what type is read.
    pub(super) fn byte(&self) -> u8 {
        self.word.to_ne_bytes()[3]
    }

    /// The other one, for elements that hold the first by chance.
    pub(super) fn other(&self) -> Poison {
        match self.word == Poison::FIRST.word {
            true => Poison::SECOND,
            false => Poison::FIRST,
        }
    }

    /// What memory of such elements holds, again and again.
    pub(super) fn pattern(&self, element: Element) -> [u8; 8] {
        let mut pattern = Bytes::zeroed(8);
        let to = pattern.as_mut_slice();
        match element {
            Element::F16 => numbers_mut(to).fill(self.f16),
            Element::Bf16 => numbers_mut(to).fill(self.bf16),
            _ if element.size() == 8 => numbers_mut(to).fill(self.double_word),
            _ => numbers_mut(to).fill(self.word),
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(to);
        bytes
    }

    /// What each element of this type holds, where all hold the same and it is more than a byte.
    pub(super) fn element(&self, element: Element) -> Option<Vec<u8>> {
        let (pattern, size) = (self.pattern(element), element.size());
        let (one, rest) = pattern.split_at(size);
        let alike = size > 1 && rest.chunks(size).all(|other| other == one);
        alike.then(|| one.to_vec())
    }

    /// A buffer that holds it in all columns.
    pub(super) fn bytes(&self, slot: &BufferSlot) -> Bytes {
        let mut bytes = Bytes::zeroed(slot.bytes().unwrap_or(0));
        let to = bytes.as_mut_slice();
        for column in &slot.columns {
            let mut numbers = column.room(to.len());
            fill(numbers.as_mut_slice(), self.pattern(column.element()));
            column.write(numbers.as_slice(), to);
        }
        bytes
    }

    /// The elements that still hold it, in order.
    pub(super) fn left(&self, element: Element, bytes: &[u8]) -> Vec<usize> {
        fn equal<T: Copy + PartialEq>(elements: &[T], pattern: &[T]) -> Vec<usize> {
            // As many elements as the pattern has; builds are seldom optimised, and a division for each would be felt.
            let (mut found, mut at, mut turn) = (Vec::new(), 0, 0);
            while at < elements.len() {
                if elements[at] == pattern[turn] {
                    found.push(at);
                }
                at += 1;
                turn += 1;
                if turn == pattern.len() {
                    turn = 0;
                }
            }
            found
        }
        if let Some(one) = self.element(element) {
            return alike(bytes, &one);
        }
        // Integers of one or two bytes: parts of the word, in turns.
        let mut aligned = Bytes::zeroed(8);
        aligned
            .as_mut_slice()
            .copy_from_slice(&self.pattern(element));
        match element.size() {
            1 => equal(bytes, aligned.as_slice()),
            _ => equal::<u16>(numbers(bytes), numbers(aligned.as_slice())),
        }
    }
}

/// The elements that are this one. Builds are seldom optimised, and to look at each element would be half of what verifying
/// takes: `skip_until` looks for one of its bytes as fast as the C library does, the lowest, which is rare in floats and small integers.
fn alike(bytes: &[u8], one: &[u8]) -> Vec<usize> {
    let size = one.len();
    let (mut found, mut at) = (Vec::new(), 0);
    let rare = usize::from(cfg!(target_endian = "big")) * (size - 1);
    while let Some(mut rest) = bytes.get(at * size + rare..) {
        // Reading from memory does not fail.
        let read = rest.skip_until(one[rare]).unwrap_or(0);
        if read == 0 {
            break;
        }
        let hit = at * size + rare + read - 1;
        at = hit / size;
        while bytes.get(at * size..(at + 1) * size) == Some(one) {
            found.push(at);
            at += 1;
        }
        // Not twice at the same place: what stands there is another element.
        at = at.max(hit / size + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::half::Half;

    /// Bytes of the poison wherever they may stand, and whole ones now and then.
    #[test]
    fn what_looks_like_poison_is_not_taken_for_it() {
        let mut random = fastrand::Rng::with_seed(1);
        for element in [Element::F16, Element::I32, Element::F32, Element::F64] {
            let (size, pattern) = (element.size(), Poison::FIRST.pattern(element));
            for count in 0..200 {
                let mut bytes = Bytes::zeroed(count * size);
                for part in bytes.as_mut_slice().chunks_mut(size) {
                    match random.bool() {
                        true => part.copy_from_slice(&pattern[..size]),
                        false => part.fill_with(|| pattern[random.usize(..size)]),
                    }
                }
                let parts = bytes.as_slice().chunks(size).enumerate();
                let right = parts.filter(|(_, part)| *part == &pattern[..size]);
                let right: Vec<usize> = right.map(|(at, _)| at).collect();
                assert_eq!(Poison::FIRST.left(element, bytes.as_slice()), right);
            }
        }
    }

    #[test]
    fn poison_is_found_where_it_is_left() {
        for poison in [Poison::FIRST, Poison::SECOND] {
            for element in [
                Element::I8,
                Element::U16,
                Element::F16,
                Element::Bf16,
                Element::F32,
                Element::F64,
            ] {
                let size = element.size();
                let mut bytes = Bytes::zeroed(24 * size);
                let parts = bytes.as_mut_slice().chunks_mut(8);
                parts.for_each(|part| part.copy_from_slice(&poison.pattern(element)));
                assert_eq!(poison.left(element, bytes.as_slice()).len(), 24);
                bytes.as_mut_slice()[..23 * size].fill(0);
                assert_eq!(poison.left(element, bytes.as_slice()), [23], "{element:?}");
            }
            for element in [Element::F16, Element::Bf16] {
                // A NaN, and a signaling one: the first bit of its fraction is not set.
                let half = Half::of(element).unwrap();
                let quiet = half.bits(f64::NAN) & !half.bits(f64::INFINITY);
                let bits = match element {
                    Element::F16 => poison.f16,
                    _ => poison.bf16,
                };
                assert!(half.value(bits).is_nan() && bits & quiet == 0, "{bits:#x}");
            }
            let (float, double) = (
                f32::from_bits(poison.word),
                f64::from_bits(poison.double_word),
            );
            assert!(float.is_nan() && double.is_nan());
            let (float, double) = (
                std::hint::black_box(float) + 1.0,
                std::hint::black_box(double) + 1.0,
            );
            assert!(float.to_bits() != poison.word && double.to_bits() != poison.double_word);
        }
        let differ = |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(a, b)| a != b);
        assert!(differ(
            &Poison::FIRST.word.to_ne_bytes(),
            &Poison::SECOND.word.to_ne_bytes()
        ));
        for element in [Element::F16, Element::Bf16] {
            let [first, second] = [Poison::FIRST, Poison::SECOND].map(|p| p.pattern(element));
            assert!(differ(&first, &second), "{element:?}");
        }
        assert!(differ(
            &Poison::FIRST.double_word.to_ne_bytes(),
            &Poison::SECOND.double_word.to_ne_bytes()
        ));
    }
}
