//! A kernel with data and what it should compute.

use bico_contraction::cuda::{self, Tiling};
use bico_contraction::{DataType, DimType, LastTouch, Nest, Param, Schedule, Signature, Target};
use bico_contraction_tests::{evaluate, random};
use bico_einsum::Einsum;
use fastrand::Rng;

/// A kernel to launch.
pub(crate) struct Case {
    pub(crate) label: String,
    pub(crate) source: String,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) grid: u64,
    pub(crate) block: u64,
    pub(crate) shared: u64,
    /// Blocks of 256 threads of the reference.
    pub(crate) reference_grid: u64,
    pub(crate) input: DataType,
    pub(crate) output: DataType,
    /// A, B and perhaps D.
    pub(crate) inputs: Vec<Vec<f64>>,
    /// The sizes of the indices, which follow the tensors.
    pub(crate) sizes: Vec<u32>,
    pub(crate) expected: Vec<f64>,
}

pub(crate) const ENTRY: &str = "contraction";
pub(crate) const REFERENCE: &str = "contraction_reference";

/// Output first, then inputs, then sizes.
pub(crate) fn signature(inputs: usize, letters: &[char]) -> Signature {
    let tensors = [2, 0, 1, 3].into_iter().take(inputs + 1).map(Param::Tensor);
    let sizes = letters.iter().map(|letter| Param::Size {
        letter: *letter,
        c_type: "unsigned int",
    });
    Signature {
        entry: ENTRY.into(),
        parameters: tensors.chain(sizes).collect(),
        reference: Some(REFERENCE.into()),
    }
}

/// The kernel of one schedule with random data.
pub(crate) fn of_schedule(
    label: String,
    schedule: &Schedule,
    tiling: Option<Tiling>,
    rng: &mut Rng,
) -> Case {
    let mut nest = Nest::of_schedule(schedule).expect("a verified schedule");
    nest.output = output(nest.input, rng);
    let inputs = random::inputs(rng, schedule);
    let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let expected = evaluate(schedule, &slices).expect("inputs that fit");
    let signature = signature(inputs.len(), &[]);
    let tiling = tiling.unwrap_or_else(|| Tiling::of(&nest));
    let kernel = cuda::kernel(&nest, &signature, &tiling).expect("a tiling that fits");
    Case {
        label: format!("{label}\n{schedule}\n{tiling:?}"),
        source: kernel.source,
        defines: Vec::new(),
        grid: kernel.grid,
        block: kernel.block,
        shared: kernel.shared,
        reference_grid: kernel.reference_grid,
        input: nest.input,
        output: nest.output,
        inputs,
        sizes: Vec::new(),
        expected,
    }
}

/// FP32 inputs have FP32 outputs, FP16 ones either.
fn output(input: DataType, rng: &mut Rng) -> DataType {
    if input == DataType::F16 && rng.bool() {
        DataType::F16
    } else {
        DataType::F32
    }
}

/// A kernel of all sizes, as a tunable has it.
pub(crate) struct Tunable {
    pub(crate) einsum: Einsum,
    pub(crate) nest: Nest,
    pub(crate) source: String,
}

impl Tunable {
    pub(crate) fn new(einsum: &str, input: DataType, output: DataType) -> Tunable {
        let einsum = Einsum::parse(einsum).expect("an einsum");
        let nest = Nest::of_plan(&einsum, input, output, Target::Cuda);
        let letters: Vec<char> = einsum.letters().iter().map(|(letter, _)| *letter).collect();
        let source =
            cuda::source(&nest, &signature(einsum.inputs.len(), &letters)).expect("a kernel");
        Tunable {
            einsum,
            nest,
            source,
        }
    }

    /// The macros of a tiling, an order of groups and a width of loads.
    pub(crate) fn defines(
        &self,
        tiling: &Tiling,
        [m_l2, n_l2]: [u64; 2],
        order: &str,
        vector: u64,
    ) -> Vec<(String, String)> {
        let parts = match self.nest.input {
            DataType::F16 => ["WARP_M", "WARP_N"],
            DataType::F32 => ["MR", "NR"],
        };
        let numbers = [
            ("M_PRIM", tiling.tile[0]),
            ("N_PRIM", tiling.tile[1]),
            ("K_PRIM", tiling.tile[2]),
            (parts[0], tiling.part[0]),
            (parts[1], tiling.part[1]),
            ("STAGES", tiling.stages),
            ("M_L2", m_l2),
            ("N_L2", n_l2),
            ("VECTOR", vector),
        ];
        let numbers = numbers.map(|(name, value)| (name.to_string(), value.to_string()));
        numbers
            .into_iter()
            .chain([("ORDER".to_string(), order.to_string())])
            .collect()
    }

    /// The kernel with these sizes of its letters, in order of appearance.
    pub(crate) fn case(
        &self,
        tiling: &Tiling,
        defines: Vec<(String, String)>,
        sizes: &[u32],
        rng: &mut Rng,
    ) -> Case {
        let letters = self.einsum.letters();
        let size = |letter: char| {
            let at = letters.iter().position(|(own, _)| *own == letter);
            u64::from(sizes[at.expect("a letter of the einsum")])
        };
        let shapes: Vec<Vec<u64>> = (self.einsum.inputs.iter())
            .map(|letters| letters.iter().map(|letter| size(*letter)).collect())
            .collect();
        let inputs: Vec<Vec<f64>> = shapes
            .iter()
            .map(|shape| {
                (0..shape.iter().product::<u64>())
                    .map(|_| f64::from(rng.i8(-3..=3)))
                    .collect()
            })
            .collect();
        let expected = product(&self.einsum, &size, &inputs);
        let mut grid = 1;
        for group in self.einsum.plan().groups {
            let length: u64 = group.letters.iter().map(|letter| size(*letter)).product();
            grid *= match (group.dim_type, group.tiled) {
                (DimType::K, _) => 1,
                (DimType::M, true) => length.div_ceil(tiling.tile[0]),
                (DimType::N, true) => length.div_ceil(tiling.tile[1]),
                _ => length,
            };
        }
        debug_assert_eq!(
            self.nest.last == LastTouch::ElementwiseMul,
            inputs.len() == 3
        );
        Case {
            label: format!("{} {sizes:?} {defines:?}", self.einsum),
            source: self.source.clone(),
            defines,
            grid,
            block: tiling.threads(self.nest.input),
            shared: tiling.shared_bytes(&self.nest),
            reference_grid: (expected.len() as u64).div_ceil(256),
            input: self.nest.input,
            output: self.nest.output,
            inputs,
            sizes: sizes.to_vec(),
            expected,
        }
    }
}

/// The einsum in f64, by loops over all letters.
fn product(einsum: &Einsum, size: &dyn Fn(char) -> u64, inputs: &[Vec<f64>]) -> Vec<f64> {
    let letters: Vec<char> = einsum.letters().iter().map(|(letter, _)| *letter).collect();
    let sizes: Vec<usize> = letters
        .iter()
        .map(|letter| size(*letter) as usize)
        .collect();
    // Row-major: per tensor (A, B, C, D) and letter.
    let strides: Vec<Vec<usize>> = (einsum.tensors().iter())
        .map(|tensor| {
            let mut strides = vec![0; letters.len()];
            let mut stride = 1;
            for letter in tensor.iter().rev() {
                let at = letters
                    .iter()
                    .position(|own| own == letter)
                    .expect("a letter");
                strides[at] = stride;
                stride *= sizes[at];
            }
            strides
        })
        .collect();
    let elements: u64 = einsum.output.iter().map(|letter| size(*letter)).product();
    let mut output = vec![0.0; elements as usize];
    let mut index = vec![0usize; letters.len()];
    if sizes.contains(&0) {
        return output;
    }
    loop {
        let at = |tensor: usize| -> usize {
            index
                .iter()
                .zip(&strides[tensor])
                .map(|(i, stride)| i * stride)
                .sum()
        };
        let factor = if inputs.len() > 2 {
            inputs[2][at(3)]
        } else {
            1.0
        };
        output[at(2)] += inputs[0][at(0)] * inputs[1][at(1)] * factor;
        let Some(next) = (0..index.len()).rfind(|dim| index[*dim] + 1 < sizes[*dim]) else {
            return output;
        };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
}
