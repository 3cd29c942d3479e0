//! Variables of a module that the host reads and writes by name.

use cudarc::driver::{CudaContext, PushKernelArg};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::child::on;
use crate::kernels::{line, load};
use crate::nvrtc::compile;

const SOURCE: &str = "
__constant__ float weights[4];
static __constant__ int shift;
namespace inner { __constant__ int set[2] = {3, 4}; }
__device__ unsigned calls;
__device__ int table[3] = {5, 6, 7};
extern \"C\" __global__ void sum(float *y)
{
    if (threadIdx.x == 0)
        atomicAdd(&calls, 1u);
    if (threadIdx.x < 4)
        y[threadIdx.x] = weights[threadIdx.x] + shift + inner::set[1] + table[2];
}
";

#[test]
fn each_module_has_its_own_and_the_host_fills_them() {
    on("A100", "", || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let cubin = compile(SOURCE, &[], &["-arch=sm_80"], &[]).good().cubin;
        let modules = [load(&context, cubin.clone()), load(&context, cubin)];
        {
            let mut weights = modules[0].get_global("weights", &stream).unwrap();
            assert_eq!(weights.len(), 16);
            let new = [1.0f32, 2.0, 3.0, 4.0];
            let new: Vec<u8> = new.iter().flat_map(|one| one.to_ne_bytes()).collect();
            stream.memcpy_htod(&new, &mut weights).unwrap();
            let mut shift = modules[0].get_global("shift", &stream).unwrap();
            stream.memcpy_htod(&[100u8], &mut shift).unwrap();
        }
        assert!(modules[0].get_global("no", &stream).is_err());
        let expected = [[112.0f32, 113.0, 114.0, 115.0], [11.0; 4]];
        for (module, expected) in modules.iter().zip(expected) {
            let mut y = stream.alloc_zeros::<f32>(4).unwrap();
            let sum = module.load_function("sum").unwrap();
            let mut launch = stream.launch_builder(&sum);
            launch.arg(&mut y);
            // SAFETY: the kernel writes four elements.
            unsafe { launch.launch(line(1, 32)) }.unwrap();
            assert_eq!(stream.clone_dtoh(&y).unwrap(), expected);
            let calls = module.get_global("calls", &stream).unwrap();
            assert_eq!(stream.clone_dtoh(&calls).unwrap(), 1u32.to_ne_bytes());
        }
    });
}

/// As NVIDIA's compiler writes them.
#[test]
fn cubins_have_their_symbols() {
    on("A100", "", || {
        let cubin = compile(SOURCE, &[], &["-arch=sm_80"], &[]).good().cubin;
        let file = object::File::parse(&*cubin).unwrap();
        for (name, section, size, start) in [
            ("weights", ".nv.constant3", 16, &[0u8; 4][..]),
            ("shift", ".nv.constant3", 4, &[0; 4]),
            (
                "_ZN5inner3setE",
                ".nv.constant3",
                8,
                &[3, 0, 0, 0, 4, 0, 0, 0],
            ),
            ("calls", ".nv.global", 4, &[]),
            ("table", ".nv.global.init", 12, &[5, 0, 0, 0, 6]),
        ] {
            let mut symbols = file.symbols();
            let symbol = symbols
                .find(|symbol| symbol.name() == Ok(name))
                .expect(name);
            let at = file
                .section_by_index(symbol.section_index().unwrap())
                .unwrap();
            assert_eq!(at.name(), Ok(section), "{name}");
            assert_eq!(symbol.size(), size, "{name}");
            let data = at.data().unwrap_or_default();
            let from = symbol.address() as usize;
            assert!(
                data.get(from..).unwrap_or_default().starts_with(start),
                "{name}"
            );
        }
    });
}
