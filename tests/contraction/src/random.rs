//! Random contractions for tests: einsums, shapes, chains of steps and data, all from one seeded generator.

use bico_contraction::{ContractionError, DataType, DimType, ExecType, PrimType, Schedule};
use bico_einsum::Einsum;
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
pub fn step(rng: &mut Rng, schedule: Schedule) -> Result<Schedule, ContractionError> {
    let dims = schedule.dim_sizes.len();
    let dim = rng.usize(0..dims);
    let size = schedule.dim_sizes[dim];
    match rng.u8(0..16) {
        0..=4 => {
            let divisors: Vec<u64> = (1..=size).filter(|by| size.is_multiple_of(*by)).collect();
            let inner = *rng.choice(&divisors).unwrap_or(&1);
            schedule.split_dim(dim, size / inner, inner)
        }
        // Mostly wrong.
        5 => schedule.split_dim(dim, rng.u64(0..=size), rng.u64(0..=size)),
        6..=9 => schedule.fuse_dims(dim, rng.usize(0..dims)),
        10..=11 => {
            let mut order: Vec<usize> = (0..dims).collect();
            rng.shuffle(&mut order);
            schedule.permute_dims(&order)
        }
        12..=13 => schedule.pad_dim(dim, size + rng.u64(0..=3)),
        14 => {
            let execs = [ExecType::Seq, ExecType::Par, ExecType::Prim];
            schedule.set_exec(dim, *rng.choice(&execs).unwrap_or(&ExecType::Seq))
        }
        _ => schedule.make_executable(),
    }
}

/// A chain of up to `steps` accepted steps. The loops run at most `max_elements` times, if those of
/// `schedule` do.
pub fn chain(rng: &mut Rng, mut schedule: Schedule, steps: usize, max_elements: u64) -> Schedule {
    for _ in 0..steps {
        if let Ok(next) = step(rng, schedule.clone())
            && next.dim_sizes.iter().product::<u64>() <= max_elements
            && next.dim_sizes.len() <= 12
        {
            schedule = next;
        }
    }
    schedule
}

/// A schedule that [`Schedule::verify`] accepts, of a random einsum, by a random chain. Its loops
/// run at most `max_elements` times.
pub fn schedule(rng: &mut Rng, max_elements: u64) -> Schedule {
    let einsum = einsum(rng);
    // Leaves room for padding.
    let shapes = shapes(rng, &einsum, max_elements / 3);
    executable(rng, &einsum, &shapes, max_elements)
}

/// A schedule of this einsum that [`Schedule::verify`] accepts, by a random chain.
///
/// # Panics
///
/// The shapes do not fit, or the einsum lacks M, N or K.
pub fn executable(
    rng: &mut Rng,
    einsum: &Einsum,
    shapes: &[Vec<u64>],
    max_elements: u64,
) -> Schedule {
    let data_type = if rng.bool() {
        DataType::F16
    } else {
        DataType::F32
    };
    let shapes: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
    let schedule =
        Schedule::from_einsum(&einsum.to_string(), &shapes, data_type).expect("shapes that fit");
    let steps = rng.usize(0..=10);
    let mut schedule = chain(rng, schedule, steps, max_elements);
    if rng.bool() {
        return finished(schedule.make_executable());
    }
    // Anything that is allowed, not only the default.
    if rng.bool() {
        schedule = schedule
            .set_prim_main(PrimType::Bgemm)
            .expect("a valid schedule");
    }
    let execs = execs(rng, &schedule);
    let mut order: Vec<usize> = (0..execs.len()).collect();
    rng.shuffle(&mut order);
    order.sort_by_key(|dim| match execs[*dim] {
        ExecType::Par => 0,
        ExecType::Seq => 1,
        ExecType::Prim => 2,
    });
    finished(
        schedule
            .set_execs(&execs)
            .and_then(|schedule| schedule.permute_dims(&order)),
    )
}

/// `Prim` for at least one each of M, N and K.
fn execs(rng: &mut Rng, schedule: &Schedule) -> Vec<ExecType> {
    let mut prim = Vec::new();
    for kind in [DimType::M, DimType::N, DimType::K] {
        let dims: Vec<usize> = (0..schedule.dim_types.len())
            .filter(|dim| schedule.dim_types[*dim] == kind)
            .collect();
        prim.extend(rng.choice(&dims).copied());
    }
    (schedule.dim_types.iter().enumerate())
        .map(|(dim, kind)| {
            let allowed: &[ExecType] = match kind {
                DimType::K => &[ExecType::Seq, ExecType::Seq, ExecType::Prim],
                DimType::C if schedule.prim_main == PrimType::Gemm => {
                    &[ExecType::Seq, ExecType::Par]
                }
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

fn finished(schedule: Result<Schedule, ContractionError>) -> Schedule {
    let schedule = schedule.expect("a step that is always accepted");
    schedule
        .verify()
        .map(|()| schedule)
        .expect("an executable schedule")
}

/// Data for the inputs `A`, `B` and perhaps `D`: small whole numbers, which every type holds and
/// sums exactly.
pub fn inputs(rng: &mut Rng, schedule: &Schedule) -> Vec<Vec<f64>> {
    [0, 1, 3]
        .into_iter()
        .filter_map(|tensor| schedule.elements.get(tensor))
        .map(|elements| (0..*elements).map(|_| f64::from(rng.i8(-3..=3))).collect())
        .collect()
}
