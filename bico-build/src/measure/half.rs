//! 16-bit floats, which no stable Rust has: what measuring needs of them, which is not worth a crate
//! in every user's build.

use bico_syntax::Element;

/// One of the two formats.
#[derive(Clone, Copy)]
pub(super) struct Half {
    /// Bits behind the point.
    fraction: u32,
    /// What is added to exponents.
    bias: i32,
}

impl Half {
    /// The format of an element, if it is a 16-bit float.
    pub(super) fn of(element: Element) -> Option<Half> {
        let (fraction, bias) = match element {
            Element::F16 => (10, 15),
            Element::Bf16 => (7, 127),
            _ => return None,
        };
        Some(Half { fraction, bias })
    }

    /// Integers up to this one are all there.
    pub(super) fn last_integer(self) -> u64 {
        2 << self.fraction
    }

    fn infinity(self) -> u16 {
        0x7fff >> self.fraction << self.fraction
    }

    /// The nearest one, of two the even one.
    pub(super) fn bits(self, value: f64) -> u16 {
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        let infinity = self.infinity();
        if value.is_nan() {
            return sign | infinity | 1 << (self.fraction - 1);
        }
        if value.is_infinite() {
            return sign | infinity;
        }
        // The smallest numbers share an exponent.
        let exponent = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        let exponent = exponent.max(1 - self.bias);
        let step = power_of_two(exponent - self.fraction as i32);
        // Dividing by a power of two is exact, so this is the only rounding. Rounded up to the next
        // exponent, the sum below carries over to it.
        let steps = (value.abs() / step).round_ties_even() as i32;
        let magnitude = ((exponent + self.bias - 1) << self.fraction) + steps;
        sign | magnitude.min(infinity.into()) as u16
    }

    /// What it stands for, exactly.
    pub(super) fn value(self, bits: u16) -> f32 {
        let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
        let exponent = i32::from((bits & 0x7fff) >> self.fraction);
        let fraction = bits & ((1 << self.fraction) - 1);
        if bits & self.infinity() == self.infinity() {
            return match fraction {
                0 => sign * f32::INFINITY,
                _ => f32::NAN,
            };
        }
        let leading = if exponent == 0 { 0 } else { 1 << self.fraction };
        let step = power_of_two(exponent.max(1) - self.bias - self.fraction as i32);
        (f64::from(sign) * f64::from(leading + fraction) * step) as f32
    }
}

/// `exponent` is one of a normal number.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ieee() -> Half {
        Half::of(Element::F16).unwrap()
    }

    fn brain() -> Half {
        Half::of(Element::Bf16).unwrap()
    }

    /// From the tables in the formats' descriptions.
    #[test]
    fn known_values() {
        for (value, bits) in [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (1.0 / 3.0, 0x3555),
            (65504.0, 0x7bff),
            // Halfway to what would be the next one.
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (f64::INFINITY, 0x7c00),
            (f64::MAX, 0x7c00),
            (f64::NEG_INFINITY, 0xfc00),
            // The least normal number, the most and the least below it.
            (2f64.powi(-14), 0x0400),
            (2f64.powi(-14) - 2f64.powi(-24), 0x03ff),
            (2f64.powi(-24), 0x0001),
            (2f64.powi(-25), 0x0000),
            (1.5 * 2f64.powi(-25), 0x0001),
            // Ties go to the even neighbour.
            (2049.0, 0x6800),
            (2051.0, 0x6802),
        ] {
            assert_eq!(ieee().bits(value), bits, "{value}");
        }
        for (value, bits) in [
            (1.0, 0x3f80),
            (-3.140625, 0xc049),
            (257.0, 0x4380),
            (259.0, 0x4382),
            (f64::from(f32::MAX), 0x7f80),
            (2f64.powi(-133), 0x0001),
            (1e-300, 0x0000),
        ] {
            assert_eq!(brain().bits(value), bits, "{value}");
        }
        assert_eq!(ieee().value(0x3555), 0.333_251_95);
        assert_eq!(ieee().value(0x0001), 2f32.powi(-24));
        assert!(ieee().value(ieee().bits(f64::NAN)).is_nan());
        assert!(brain().value(brain().bits(f64::NAN)).is_nan());
    }

    #[test]
    fn every_pattern_is_the_number_that_it_stands_for() {
        for bits in 0..=u16::MAX {
            let brained = f32::from_bits(u32::from(bits) << 16);
            let value = brain().value(bits);
            assert!(value.to_bits() == brained.to_bits() || (value.is_nan() && brained.is_nan()));
            for half in [ieee(), brain()] {
                let value = half.value(bits);
                assert!(
                    value.is_nan() || half.bits(value.into()) == bits,
                    "{bits:#x}"
                );
            }
        }
        // Greater patterns are greater numbers.
        for bits in 0..0x7c00 {
            assert!(ieee().value(bits) < ieee().value(bits + 1), "{bits:#x}");
        }
    }

    proptest! {
        #[test]
        fn no_other_is_nearer(value in -70_000.0..70_000.0_f64, down in 0..45_i32) {
            let value = value * 2f64.powi(-down);
            for half in [ieee(), brain()] {
                let bits = half.bits(value);
                let off = |bits: u16| (f64::from(half.value(bits)) - value).abs();
                if half.value(bits).is_finite() {
                    for other in [bits.wrapping_sub(1), bits.wrapping_add(1)] {
                        prop_assert!(off(bits) <= off(other) || off(other).is_nan());
                        prop_assert!(off(bits) < off(other) || bits & 1 == 0 || off(other).is_nan());
                    }
                } else {
                    prop_assert!(value.abs() >= 65_520.0);
                }
            }
        }

        #[test]
        fn integers_are_exact(integer in 0..=2048_u64) {
            for half in [ieee(), brain()] {
                if integer <= half.last_integer() {
                    prop_assert_eq!(half.value(half.bits(integer as f64)), integer as f32);
                }
            }
        }
    }
}
