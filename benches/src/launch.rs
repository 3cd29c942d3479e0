//! What a launch costs: a CUDA wrapper against a bare cudarc launch of the same kernel, which does
//! nothing; and a wrapper that makes tensor maps of two buffers, each time of the same ones. On the calling thread: how long the GPU
//! takes is no question here.

#[cfg(not(feature = "cuda"))]
pub(crate) fn run(_json: bool) -> Result<serde_json::Value, String> {
    Err("this bench needs a GPU, and the feature cuda: \
         cargo run --release -p bico-bench --features cuda -- launch"
        .to_string())
}

#[cfg(feature = "cuda")]
pub(crate) use with_gpu::run;

#[cfg(feature = "cuda")]
mod with_gpu {
    use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
    use bico::cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
    use bico::cudarc::nvrtc::Ptx;
    use bico_gpu_tests::{
        NOTHING, nothing, nothing_mapped, nothing_mapped_warm_up, nothing_warm_up,
    };
    use serde_json::{Value, json};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// Launches in a row: fewer than the driver queues before it makes the caller wait.
    const LAUNCHES: u32 = 256;
    /// The contenders take turns, so many times and no longer than this.
    const ROUNDS: usize = 2000;
    const LONGEST: Duration = Duration::from_secs(10);
    const N: u32 = 1024;
    /// Rows of tensors.
    const ROWS: u32 = 4;
    const TILE: u32 = 64;

    pub(crate) fn run(json: bool) -> Result<Value, String> {
        bico_device::cuda::driver()
            .map_err(|why| format!("this bench needs a GPU, and there is none: {why}"))?;
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let context = CudaContext::new(0).map_err(|e| failed(&e))?;
        let stream = context.new_stream().map_err(|e| failed(&e))?;
        let mut gpu = Gpu {
            y: stream
                .alloc_zeros((ROWS * N) as usize)
                .map_err(|e| failed(&e))?,
            x: stream
                .alloc_zeros((ROWS * N) as usize)
                .map_err(|e| failed(&e))?,
            bare: context
                .load_module(Ptx::from_src(NOTHING))
                .and_then(|module| module.load_function("nothing"))
                .map_err(|e| failed(&e))?,
            stream,
        };
        let choice = nothing_warm_up(&gpu.stream, N, 1.0).map_err(|e| failed(&e))?;
        // Where there are no tensor maps there is nothing to be compared.
        let has_maps = nothing_mapped_warm_up(&gpu.stream, N, 1.0).is_ok() && gpu.mapped().is_ok();
        let mut direct = Vec::with_capacity(ROUNDS);
        let mut wrapper = Vec::with_capacity(ROUNDS);
        let mut mapped = Vec::with_capacity(ROUNDS);
        let start = Instant::now();
        while direct.len() < ROUNDS && start.elapsed() < LONGEST {
            direct.push(gpu.batch(Gpu::direct)?);
            wrapper.push(gpu.batch(Gpu::wrapper)?);
            if has_maps {
                mapped.push(gpu.batch(Gpu::mapped)?);
            }
        }
        let rounds = direct.len();
        let (direct, wrapper) = (median(direct), median(wrapper));
        let mapped = has_maps.then(|| median(mapped));
        if !json {
            println!(
                "{}: nanoseconds a launch, medians of {rounds} rounds of {LAUNCHES}\n",
                choice.device
            );
            println!("bare cudarc launch  {direct:8.1}");
            println!(
                "wrapper             {wrapper:8.1}  ({:+.1})",
                wrapper - direct
            );
            if let Some(mapped) = mapped {
                println!(
                    "with tensor maps    {mapped:8.1}  ({:+.1})",
                    mapped - direct
                );
            }
        }
        Ok(json!({
            "device": choice.device,
            "direct_ns": direct,
            "wrapper_ns": wrapper,
            "mapped_ns": mapped,
            "rounds": rounds,
        }))
    }

    struct Gpu {
        stream: Arc<CudaStream>,
        y: CudaSlice<f32>,
        x: CudaSlice<f32>,
        bare: CudaFunction,
    }

    impl Gpu {
        /// Nanoseconds of one launch. The GPU is idle at the start and at the end.
        fn batch(&mut self, launch: fn(&mut Gpu) -> Result<(), String>) -> Result<f64, String> {
            self.stream.synchronize().map_err(|e| e.to_string())?;
            let start = Instant::now();
            for _ in 0..LAUNCHES {
                launch(self)?;
            }
            let took = start.elapsed().as_nanos() as f64 / f64::from(LAUNCHES);
            self.stream.synchronize().map_err(|e| e.to_string())?;
            Ok(took)
        }

        fn direct(&mut self) -> Result<(), String> {
            let (n, delta) = (N, 1.0f32);
            let mut launch = self.stream.launch_builder(&self.bare);
            launch.arg(&mut self.y).arg(&self.x).arg(&n).arg(&delta);
            // SAFETY: these are the kernel's parameters, and it touches nothing.
            let launched = unsafe {
                launch.launch(LaunchConfig {
                    grid_dim: (N.div_ceil(TILE), 1, 1),
                    block_dim: (TILE, 1, 1),
                    shared_mem_bytes: 0,
                })
            };
            launched.map(|_| ()).map_err(|e| e.to_string())
        }

        fn wrapper(&mut self) -> Result<(), String> {
            // SAFETY: the kernel touches nothing.
            unsafe { nothing(&self.stream, &mut self.y, &self.x, N, 1.0) }
                .map_err(|e| e.to_string())
        }

        fn mapped(&mut self) -> Result<(), String> {
            // SAFETY: the kernel touches nothing.
            unsafe { nothing_mapped(&self.stream, &mut self.y, &self.x, N, 1.0) }
                .map_err(|e| e.to_string())
        }
    }

    fn median(mut times: Vec<f64>) -> f64 {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    }
}
