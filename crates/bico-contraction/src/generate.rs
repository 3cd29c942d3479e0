//! From a schedule to its kernel.

use super::dim::{is_name, no_name};
use super::{ContractionError, LastTouch, Nest, Param, Result, Schedule, Signature, c, cuda};

impl Schedule {
    /// The schedule's kernel in C, with the tiling that [`c::Tiling::of`] chooses:
    /// `void entry(float *c, const float *a, const float *b, float *packed_a, float *packed_b)`, the factor D,
    /// where there is one, after B. `entry_reference` in the same text computes the same by plain loops and has no
    /// scratch buffers.
    ///
    /// # Errors
    ///
    /// All that [`verify`](Self::verify) finds; an `entry` that is no C identifier; elements other than F32.
    pub fn to_c(&self, entry: &str) -> Result<c::Kernel> {
        let nest = Nest::of_schedule(self)?;
        let signature = signature(&nest, entry, 2)?;
        c::kernel(&nest, &signature, &c::Tiling::of(&nest))
    }

    /// The schedule's kernel in CUDA C++, with the tiling that [`cuda::Tiling::of`] chooses: `entry(c, a, b)`, the
    /// factor D, where there is one, after B; C is FP32 whatever the inputs are. Its launch is part of what is returned. `entry_reference` in the same text
    /// has one thread per element of the output, in blocks of 256.
    ///
    /// # Errors
    ///
    /// All that [`verify`](Self::verify) finds; an `entry` that is no C identifier; more blocks than a GPU launches.
    pub fn to_cuda(&self, entry: &str) -> Result<cuda::Kernel> {
        let nest = Nest::of_schedule(self)?;
        let signature = signature(&nest, entry, 0)?;
        cuda::kernel(&nest, &signature, &cuda::Tiling::of(&nest))
    }
}

fn signature(nest: &Nest, entry: &str, scratch: usize) -> Result<Signature> {
    if !is_name(entry) {
        return Err(ContractionError::new(no_name(entry, "kernel")));
    }
    let factor = (nest.last == LastTouch::ElementwiseMul).then_some(3);
    let tensors = [2, 0, 1].into_iter().chain(factor).map(Param::Tensor);
    Ok(Signature {
        entry: entry.to_owned(),
        parameters: tensors.chain((0..scratch).map(Param::Scratch)).collect(),
        reference: Some(format!("{entry}_reference")),
    })
}

#[cfg(test)]
mod tests {
    use crate::{DataType, Schedule};

    fn schedule(einsum: &str, data_type: DataType) -> Schedule {
        let shapes: [&[u64]; 3] = [&[96, 64], &[64, 80], &[96, 80]];
        let shapes = &shapes[..einsum.matches(',').count() + 1];
        Schedule::from_einsum(einsum, shapes, data_type)
            .and_then(|schedule| schedule.split_dim("m", 2, 48))
            .and_then(Schedule::make_executable)
            .unwrap()
    }

    #[test]
    fn a_schedule_has_a_kernel_in_both_languages() {
        let c = schedule("mk, kn -> mn", DataType::F32)
            .to_c("product")
            .unwrap();
        assert!(
            c.source.contains("void product(float *restrict out_c"),
            "{}",
            c.source
        );
        assert!(c.source.contains("void product_reference("));
        assert!(c.scratch.iter().all(|floats| *floats > 0));
        let cuda = schedule("mk, kn -> mn", DataType::F16)
            .to_cuda("product")
            .unwrap();
        assert!(
            cuda.source
                .contains("product(float *c, const __half *a, const __half *b)"),
            "{}",
            cuda.source
        );
        assert!(cuda.grid > 0 && cuda.block.is_multiple_of(32) && cuda.shared > 0);
    }

    #[test]
    fn a_factor_follows_the_inputs() {
        let c = schedule("mk, kn, mn -> mn", DataType::F32)
            .to_c("product")
            .unwrap();
        let head = c.source.split("void product(").nth(1).unwrap();
        let head: String = head.split(')').next().unwrap().split_whitespace().collect();
        assert_eq!(
            head,
            "float*restrictout_c,constfloat*restrictin_a,constfloat*restrictin_b,constfloat*restrictin_d,float*restrictpacked_a,float*restrictpacked_b"
        );
    }

    #[test]
    fn what_cannot_be_generated_is_said() {
        let ready = schedule("mk, kn -> mn", DataType::F32);
        for entry in ["", "2d", "a b", "x);", "a\n"] {
            let error = ready.to_c(entry).unwrap_err().to_string();
            assert!(error.contains("is no name of a kernel"), "{error}");
            assert!(ready.to_cuda(entry).is_err());
        }
        let half = schedule("mk, kn -> mn", DataType::F16);
        assert!(
            half.to_c("product")
                .unwrap_err()
                .to_string()
                .contains("f32")
        );
        let raw =
            Schedule::from_einsum("mk, kn -> mn", &[&[4, 4], &[4, 4]], DataType::F32).unwrap();
        assert!(raw.to_c("product").is_err());
    }
}
