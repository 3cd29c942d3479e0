//! Random contractions for tests: einsums, shapes, chains of steps and data, all from one seeded generator.

use super::{Config, ContractionError, DataType, DimType, ExecType, PrimType};
use bico_syntax::einsum::Einsum;
use fastrand::Rng;

/// An einsum with one or two letters each of M, N and K, up to two of C, and at times a third input.
pub fn einsum(rng: &mut Rng) -> Einsum {
    let mut alphabet: Vec<char> = ('a'..='z').collect();
    rng.shuffle(&mut alphabet);
    let mut take = |count: usize| alphabet.split_off(alphabet.len() - count);
    let m = take(rng.usize(1..=2));
    let n = take(rng.usize(1..=2));
    let k = take(rng.usize(1..=2));
    let c = take(rng.usize(0..=2));
    // Half of them keep neighbours together, so that there is something to fuse.
    let shuffled = rng.bool();
    let mut tensor = |groups: [&[char]; 3]| {
        let mut groups = groups.map(<[char]>::to_vec);
        rng.shuffle(&mut groups);
        let mut letters = groups.concat();
        if shuffled {
            rng.shuffle(&mut letters);
        }
        letters
    };
    let mut inputs = vec![tensor([&c, &m, &k]), tensor([&c, &k, &n])];
    let output = tensor([&c, &m, &n]);
    if rng.u8(0..4) == 0 {
        let mut factor = output.clone();
        if rng.bool() {
            rng.shuffle(&mut factor);
        }
        inputs.push(factor);
    }
    let mut einsum = Einsum {
        text: String::new(),
        inputs,
        output,
    };
    einsum.text = einsum.to_string();
    einsum
}

/// A shape per input; the product of the sizes of all letters is at most `max_elements`.
pub fn shapes(rng: &mut Rng, einsum: &Einsum, max_elements: u64) -> Vec<Vec<u64>> {
    let mut letters: Vec<char> = einsum.letters().iter().map(|(letter, _)| *letter).collect();
    rng.shuffle(&mut letters);
    let mut left = max_elements.max(1);
    let mut sizes = Vec::new();
    for letter in letters {
        let size = match rng.u8(0..8) {
            0 => 1,
            // Sizes with many divisors have more steps.
            1..=3 => *rng.choice(&[2, 4, 6, 8, 12, 16, 24]).unwrap_or(&2),
            _ => rng.u64(1..=13),
        };
        let size = size.min(left);
        left /= size;
        sizes.push((letter, size));
    }
    let size = |letter: &char| {
        let found = sizes.iter().find(|(known, _)| known == letter);
        found.map_or(1, |(_, size)| *size)
    };
    einsum
        .inputs
        .iter()
        .map(|letters| letters.iter().map(size).collect())
        .collect()
}

/// One random step, which may well be refused.
///
/// # Errors
///
/// That of the step.
pub fn step(rng: &mut Rng, config: Config) -> Result<Config, ContractionError> {
    let dims = config.dim_sizes.len();
    let dim = rng.usize(0..dims);
    let size = config.dim_sizes[dim];
    match rng.u8(0..16) {
        0..=4 => {
            let divisors: Vec<u64> = (1..=size).filter(|by| size.is_multiple_of(*by)).collect();
            let inner = *rng.choice(&divisors).unwrap_or(&1);
            config.split_dim(dim, size / inner, inner)
        }
        // Mostly wrong.
        5 => config.split_dim(dim, rng.u64(0..=size), rng.u64(0..=size)),
        6..=9 => config.fuse_dims(dim, rng.usize(0..dims)),
        10..=11 => {
            let mut order: Vec<usize> = (0..dims).collect();
            rng.shuffle(&mut order);
            config.permute_dims(&order)
        }
        12..=13 => config.pad_dim(dim, size + rng.u64(0..=3)),
        14 => {
            let execs = [ExecType::Seq, ExecType::Par, ExecType::Prim];
            config.set_exec(dim, *rng.choice(&execs).unwrap_or(&ExecType::Seq))
        }
        _ => config.make_executable(),
    }
}

/// A chain of up to `steps` accepted steps. The loops run at most `max_elements` times, if those of
/// `config` do.
pub fn chain(rng: &mut Rng, mut config: Config, steps: usize, max_elements: u64) -> Config {
    for _ in 0..steps {
        if let Ok(next) = step(rng, config.clone())
            && next.dim_sizes.iter().product::<u64>() <= max_elements
            && next.dim_sizes.len() <= 12
        {
            config = next;
        }
    }
    config
}

/// A config that [`Config::verify`] accepts, of a random einsum, by a random chain. Its loops
/// run at most `max_elements` times.
pub fn config(rng: &mut Rng, max_elements: u64) -> Config {
    let einsum = einsum(rng);
    // Leaves room for padding.
    let shapes = shapes(rng, &einsum, max_elements / 3);
    executable(rng, &einsum, &shapes, max_elements)
}

/// A config of this einsum that [`Config::verify`] accepts, by a random chain.
///
/// # Panics
///
/// The shapes do not fit, or the einsum lacks M, N or K.
pub fn executable(
    rng: &mut Rng,
    einsum: &Einsum,
    shapes: &[Vec<u64>],
    max_elements: u64,
) -> Config {
    let data_type = if rng.bool() {
        DataType::F16
    } else {
        DataType::F32
    };
    let shapes: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
    let config = Config::of_einsum(einsum, &shapes, data_type).expect("shapes that fit");
    let steps = rng.usize(0..=10);
    let mut config = chain(rng, config, steps, max_elements);
    if rng.bool() {
        return finished(config.make_executable());
    }
    // Anything that is allowed, not only the default.
    if rng.bool() {
        config = config
            .set_prim_main(PrimType::Bgemm)
            .expect("a valid config");
    }
    let execs = execs(rng, &config);
    let mut order: Vec<usize> = (0..execs.len()).collect();
    rng.shuffle(&mut order);
    order.sort_by_key(|dim| match execs[*dim] {
        ExecType::Par => 0,
        ExecType::Seq => 1,
        ExecType::Prim => 2,
    });
    finished(
        config
            .set_execs(&execs)
            .and_then(|config| config.permute_dims(&order)),
    )
}

/// `Prim` for at least one each of M, N and K.
fn execs(rng: &mut Rng, config: &Config) -> Vec<ExecType> {
    let mut prim = Vec::new();
    for kind in [DimType::M, DimType::N, DimType::K] {
        let dims: Vec<usize> = (0..config.dim_types.len())
            .filter(|dim| config.dim_types[*dim] == kind)
            .collect();
        prim.extend(rng.choice(&dims).copied());
    }
    (config.dim_types.iter().enumerate())
        .map(|(dim, kind)| {
            let allowed: &[ExecType] = match kind {
                DimType::K => &[ExecType::Seq, ExecType::Seq, ExecType::Prim],
                DimType::C if config.prim_main == PrimType::Gemm => &[ExecType::Seq, ExecType::Par],
                DimType::C => &[ExecType::Par, ExecType::Prim, ExecType::Prim],
                _ => &[ExecType::Seq, ExecType::Par, ExecType::Prim],
            };
            if prim.contains(&dim) {
                ExecType::Prim
            } else {
                *rng.choice(allowed).unwrap_or(&ExecType::Seq)
            }
        })
        .collect()
}

fn finished(config: Result<Config, ContractionError>) -> Config {
    let config = config.expect("a step that is always accepted");
    config
        .verify()
        .map(|()| config)
        .expect("an executable config")
}

/// Data for the inputs `A`, `B` and perhaps `D`: small whole numbers, which every type holds and
/// sums exactly.
pub fn inputs(rng: &mut Rng, config: &Config) -> Vec<Vec<f64>> {
    [0, 1, 3]
        .into_iter()
        .filter_map(|tensor| config.elements.get(tensor))
        .map(|elements| (0..*elements).map(|_| f64::from(rng.i8(-3..=3))).collect())
        .collect()
}
