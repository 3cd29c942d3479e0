//! What a GPU finds in buffers where they lie: the same as the host does.

use bico_device::cuda::Cuda;
use bico_device::measure::{Buffer, Device, Exactness, Format, Looks, Place};

/// Numbers of all kinds. As `f16`: 6e-8 has no leading 1, 1e5 is infinite.
const NUMBERS: [f64; 11] = [
    0.0,
    -0.0,
    1.0,
    1.01,
    -1.0,
    6e-8,
    3e-5,
    1e5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn filled(cuda: &mut Cuda, bytes: &[u8], place: Place) -> Buffer {
    let buffer = cuda.allocate(bytes.len(), 1).expect("there is room");
    cuda.place(buffer, place, false).expect("it has that place");
    cuda.write(buffer, bytes).expect("it is as long");
    buffer
}

fn looks(cuda: &Cuda) -> &dyn Looks {
    cuda.looks()
        .expect("the driver takes the kernels that look")
}

/// One byte is enough, wherever it is and wherever the buffers lie.
pub(crate) fn differences() {
    let mut cuda = Cuda::new(0).expect("there is a GPU");
    for len in [1, 9, 100_003, 1 << 20] {
        let bytes: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
        for place in [Place::Apart, Place::End] {
            let a = filled(&mut cuda, &bytes, Place::Apart);
            let b = filled(&mut cuda, &bytes, place);
            assert_eq!(looks(&cuda).differ(a, b), Ok(false), "{len}");
            for at in [0, len / 2, len - 1] {
                let mut other = bytes.clone();
                other[at] ^= 0x80;
                cuda.write(b, &other).unwrap();
                assert_eq!(
                    looks(&cuda).differ(a, b),
                    Ok(true),
                    "{at} of {len}, {place:?}"
                );
            }
            looks(&cuda).copy(a, b).unwrap();
            assert_eq!(looks(&cuda).differ(a, b), Ok(false), "{len}");
            cuda.free(a);
            cuda.free(b);
        }
    }
    let (a, b) = (
        filled(&mut cuda, &[1; 8], Place::Apart),
        filled(&mut cuda, &[1; 9], Place::Apart),
    );
    let said = looks(&cuda).differ(a, b).unwrap_err();
    assert_eq!(said, "one buffer has 8 bytes, the other one 9");
}

/// Elements of each size, at each end.
pub(crate) fn elements() {
    let mut cuda = Cuda::new(0).expect("there is a GPU");
    for size in [2, 4, 8] {
        let count = 30_000;
        let element = &0x7ff4_a9c3_657f_c3a9_u64.to_le_bytes()[..size];
        let buffer = filled(&mut cuda, &vec![0xa9; size * count], Place::Apart);
        assert_eq!(looks(&cuda).holds(buffer, element), Ok(false), "{size}");
        for at in [0, count / 2, count - 1] {
            let mut bytes = vec![0xa9; size * count];
            bytes[size * at..][..size].copy_from_slice(element);
            cuda.write(buffer, &bytes).unwrap();
            assert_eq!(
                looks(&cuda).holds(buffer, element),
                Ok(true),
                "{at}, {size}"
            );
        }
        cuda.free(buffer);
    }
    // A pattern of one word is written there, too.
    for (len, pattern) in [
        (1 << 20, *b"abcdabcd"),
        (1 << 20, *b"abcdefgh"),
        (13, *b"abcdabcd"),
    ] {
        let buffer = filled(&mut cuda, &vec![0; len], Place::Apart);
        cuda.fill(buffer, pattern).unwrap();
        let contents = cuda.contents(buffer).unwrap();
        let mut all = contents.iter().enumerate();
        assert!(all.all(|(at, byte)| *byte == pattern[at % 8]), "{len}");
        assert_eq!(cuda.violation(buffer), Ok(None));
    }
}

/// A number in a format, and what it is there.
fn stored(format: Format, number: f64) -> (Vec<u8>, f64) {
    match format {
        Format::F64 => (number.to_le_bytes().to_vec(), number),
        Format::F32 => {
            let number = number as f32;
            (number.to_le_bytes().to_vec(), f64::from(number))
        }
        // Cut off, which a NaN of ours survives.
        Format::Bf16 => {
            let bits = (number as f32).to_bits() >> 16;
            let value = f64::from(f32::from_bits(bits << 16));
            ((bits as u16).to_le_bytes().to_vec(), value)
        }
        Format::F16 => {
            let (sign, size) = (u16::from(number.is_sign_negative()) << 15, number.abs());
            let (bits, value) = match size {
                _ if size.is_nan() => (0x7e00, f64::NAN),
                65520.0.. => (0x7c00, f64::INFINITY),
                // 2^-14, below which there is no leading 1.
                0.000_061_035_156_25.. => {
                    let exponent = size.log2().floor();
                    let fraction = ((size / exponent.exp2() - 1.0) * 1024.0).floor();
                    let value = (1.0 + fraction / 1024.0) * exponent.exp2();
                    ((exponent as u16 + 15) << 10 | fraction as u16, value)
                }
                _ => {
                    let many = (size / (-24_f64).exp2()).floor();
                    (many as u16, many * (-24_f64).exp2())
                }
            };
            let value = if sign == 0 { value } else { -value };
            ((sign | bits).to_le_bytes().to_vec(), value)
        }
    }
}

/// Each number beside each other one, in each format.
pub(crate) fn exactness() {
    let mut cuda = Cuda::new(0).expect("there is a GPU");
    for format in [Format::F16, Format::Bf16, Format::F32, Format::F64] {
        for (rtol, atol, finite) in [(0.0, 0.0, false), (0.02, 1e-6, false), (1e-2, 0.0, true)] {
            let exactness = Exactness {
                format,
                rtol,
                atol,
                finite,
            };
            for got in NUMBERS {
                for want in NUMBERS {
                    let ((a, x), (b, r)) = (stored(format, got), stored(format, want));
                    let is_right = finite && !r.is_finite()
                        || x == r
                        || x.is_nan() && r.is_nan()
                        || r.is_finite() && (x - r).abs() <= atol + rtol * r.abs();
                    let a = filled(&mut cuda, &a, Place::Apart);
                    let b = filled(&mut cuda, &b, Place::Apart);
                    assert_eq!(
                        looks(&cuda).far(a, b, &exactness),
                        Ok(!is_right),
                        "{x} for {r}, {exactness:?}"
                    );
                    cuda.free(a);
                    cuda.free(b);
                }
            }
        }
    }
    // The last one of many.
    let exactness = Exactness {
        format: Format::F32,
        rtol: 1e-3,
        atol: 0.0,
        finite: false,
    };
    let mut numbers = vec![1.0_f32; 100_000];
    let bytes =
        |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|of| of.to_le_bytes()).collect() };
    let a = filled(&mut cuda, &bytes(&numbers), Place::End);
    numbers[99_999] = 1.01;
    let b = filled(&mut cuda, &bytes(&numbers), Place::Apart);
    assert_eq!(looks(&cuda).far(a, a, &exactness), Ok(false));
    assert_eq!(looks(&cuda).far(a, b, &exactness), Ok(true));
}
