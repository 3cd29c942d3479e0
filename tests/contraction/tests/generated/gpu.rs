//! Compiles a kernel with the NVRTC that is found, launches it, and compares what it wrote.

use crate::case::{Case, ENTRY, REFERENCE};
use bico_contraction::DataType;
use bico_device::nvrtc::{Nvrtc, Program};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, LaunchConfig,
    PushKernelArg, sys,
};
use cudarc::nvrtc::Ptx;
use half::f16;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Elements before and after each tensor that nobody may use: NaNs.
const GUARD: usize = 64;

/// Macros with their values.
type Defines = Vec<(String, String)>;

/// A GPU and the compiler for it.
pub(crate) struct Gpu {
    stream: Arc<CudaStream>,
    nvrtc: Nvrtc,
    architecture: String,
    /// What was compiled, by text and macros.
    modules: BTreeMap<(String, Defines), Arc<CudaModule>>,
}

impl Gpu {
    pub(crate) fn new() -> Gpu {
        let context = CudaContext::new(0).expect("a GPU");
        let (major, minor) = context.compute_capability().expect("its capability");
        Gpu {
            stream: context.default_stream(),
            nvrtc: Nvrtc::find(None).unwrap_or_else(|error| panic!("{error}")),
            architecture: format!("sm_{major}{minor}"),
            modules: BTreeMap::new(),
        }
    }

    /// Launches kernel and reference, with tensors that begin at multiples of 256 bytes, and the kernel again with
    /// tensors that begin one element further.
    pub(crate) fn check(&mut self, case: &Case) {
        self.launch(case, ENTRY, [case.grid, case.block, case.shared], 0);
        self.launch(case, ENTRY, [case.grid, case.block, case.shared], 1);
        self.launch(case, REFERENCE, [case.reference_grid, 256, 0], 0);
    }

    fn launch(
        &mut self,
        case: &Case,
        entry: &'static str,
        [grid, block, shared]: [u64; 3],
        offset: usize,
    ) {
        let function = self.kernel(&case.source, &case.defines, entry);
        let max = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        function
            .set_attribute(max, shared as i32)
            .expect("shared memory");
        let nothing = vec![f64::NAN; case.expected.len()];
        let output = self.upload(&nothing, case.output, offset);
        let inputs: Vec<CudaSlice<u8>> = (case.inputs.iter())
            .map(|input| self.upload(input, case.input, offset))
            .collect();
        let start = |buffer: &CudaSlice<u8>, data_type: DataType| {
            buffer.device_ptr(&self.stream).0 + (bytes(data_type) * (GUARD + offset)) as u64
        };
        let mut pointers = vec![start(&output, case.output)];
        pointers.extend(inputs.iter().map(|input| start(input, case.input)));
        let mut launch = self.stream.launch_builder(&function);
        pointers.iter().for_each(|pointer| {
            launch.arg(pointer);
        });
        case.sizes.iter().for_each(|size| {
            launch.arg(size);
        });
        let config = LaunchConfig {
            grid_dim: (grid as u32, 1, 1),
            block_dim: (block as u32, 1, 1),
            shared_mem_bytes: shared as u32,
        };
        // SAFETY: the arguments are those of the kernel's signature; what it does beyond them is what is tested.
        unsafe { launch.launch(config) }
            .unwrap_or_else(|error| panic!("{error:?}: {}", case.label));
        let wrote = self
            .stream
            .clone_dtoh(&output)
            .unwrap_or_else(|error| panic!("{error:?}: {}\n{}", case.label, case.source));
        compare(case, entry, &wrote, offset);
    }

    /// A tensor between NaNs.
    fn upload(&self, values: &[f64], data_type: DataType, offset: usize) -> CudaSlice<u8> {
        let mut data = vec![0xff; bytes(data_type) * (GUARD + offset)];
        values
            .iter()
            .for_each(|value| data.extend(encode(*value, data_type)));
        data.resize(data.len() + bytes(data_type) * GUARD, 0xff);
        self.stream.clone_htod(&data).expect("memory")
    }

    /// Which tile each block computes, by the function `order` of a text: rows and columns.
    pub(crate) fn order(
        &mut self,
        source: &str,
        defines: &[(String, String)],
        tiles: [u32; 2],
    ) -> Vec<u32> {
        let function = self.kernel(source, defines, "order");
        let mut places = self
            .stream
            .alloc_zeros::<u32>(2 * (tiles[0] * tiles[1]) as usize)
            .expect("memory");
        let mut launch = self.stream.launch_builder(&function);
        launch.arg(&mut places).arg(&tiles[0]).arg(&tiles[1]);
        let config = LaunchConfig {
            grid_dim: (tiles[0] * tiles[1], 1, 1),
            block_dim: (1, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: each block writes its two elements.
        unsafe { launch.launch(config) }.expect("a launch");
        self.stream.clone_dtoh(&places).expect("what it wrote")
    }

    /// A function of a text, which is compiled once.
    fn kernel(&mut self, source: &str, defines: &[(String, String)], entry: &str) -> CudaFunction {
        let key = (source.to_string(), defines.to_vec());
        if let Some(module) = self.modules.get(&key) {
            return module.load_function(entry).expect("a function");
        }
        let options = options(&self.nvrtc, &self.architecture, defines);
        let program = Program {
            source,
            name: "contraction.cu",
            options: &options,
            expressions: &[entry],
        };
        let compiled = (self.nvrtc.compile(&program))
            .unwrap_or_else(|log| panic!("{defines:?}\n{log}\n{source}"));
        let image = compiled.cubin.expect("a cubin");
        let context = self.stream.context();
        let module = context
            .load_module(Ptx::from_binary(image))
            .expect("a module");
        let function = module.load_function(entry).expect("a function");
        self.modules.insert(key, module);
        function
    }
}

/// What bico's compiling process gives NVRTC.
pub(crate) fn options(
    nvrtc: &Nvrtc,
    architecture: &str,
    defines: &[(String, String)],
) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={architecture}"),
        "--ptxas-options=-v".to_string(),
    ];
    options.extend(
        nvrtc
            .headers()
            .iter()
            .map(|folder| format!("-I{}", folder.display())),
    );
    options.extend(
        defines
            .iter()
            .map(|(name, value)| format!("-D{name}={value}")),
    );
    options
}

fn bytes(data_type: DataType) -> usize {
    match data_type {
        DataType::F16 => 2,
        DataType::F32 => 4,
    }
}

fn encode(value: f64, data_type: DataType) -> Vec<u8> {
    match data_type {
        _ if value.is_nan() => vec![0xff; bytes(data_type)],
        DataType::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
        DataType::F32 => (value as f32).to_le_bytes().to_vec(),
    }
}

/// Every element is the result, rounded once (data are small whole numbers), and nothing else was written.
fn compare(case: &Case, entry: &str, wrote: &[u8], offset: usize) {
    let size = bytes(case.output);
    let about = || {
        format!(
            "{entry}, {offset} elements off, {:?} to {:?}: {}\n{}",
            case.input, case.output, case.label, case.source
        )
    };
    let (before, rest) = wrote.split_at(size * (GUARD + offset));
    let (elements, after) = rest.split_at(size * case.expected.len());
    assert!(
        before.iter().chain(after).all(|byte| *byte == 0xff),
        "written outside of C: {}",
        about()
    );
    for (place, (element, expected)) in elements.chunks(size).zip(&case.expected).enumerate() {
        if element != encode(*expected, case.output) {
            let got = match case.output {
                DataType::F16 => f16::from_le_bytes([element[0], element[1]]).to_f64(),
                DataType::F32 => {
                    f32::from_le_bytes([element[0], element[1], element[2], element[3]]).into()
                }
            };
            // Zeros have two signs.
            assert!(
                got == 0.0 && *expected == 0.0,
                "element {place} is {got}, not {expected}: {}",
                about()
            );
        }
    }
}
