//! Kernels: what they need, and how many fit.

use std::sync::atomic::Ordering;

use crate::library::abi::Out;
use crate::library::driver::{Function, driver};
use crate::library::gpu::{Gpu, SHARED_PER_BLOCK, THREADS_PER_BLOCK, WARP};
use crate::library::handles::Handle;
use crate::library::image::Kernel;
use crate::library::occupancy;
use crate::library::status::{Answer, Status};

impl Function {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.module.cubin.kernels[self.index]
    }

    /// What a test may name it by.
    pub(crate) fn identity(&self) -> String {
        self.module.cubin.identity(self.kernel())
    }

    /// Threads of a block that the registers allow.
    pub(crate) fn threads_by_registers(&self) -> i32 {
        let registers = self.kernel().registers.max(1) as i32;
        (occupancy::warps_by_registers(registers) * WARP).min(THREADS_PER_BLOCK)
    }

    /// Threads of a block that `__launch_bounds__` allows.
    pub(crate) fn threads_by_bounds(&self) -> i32 {
        match self.kernel().threads {
            0 => THREADS_PER_BLOCK,
            threads => (threads as i32).min(THREADS_PER_BLOCK),
        }
    }

    fn threads(&self) -> i32 {
        self.threads_by_registers().min(self.threads_by_bounds())
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    pub(crate) fn dynamic_limit(&self) -> i32 {
        let declared = self.kernel().shared as i32;
        let opted = self.dynamic_shared.load(Ordering::SeqCst);
        opted.max(SHARED_PER_BLOCK - declared)
    }
}

const MAX_DYNAMIC_SHARED: i32 = 8;
const PREFERRED_CARVEOUT: i32 = 9;

entry! {
    fn cuFuncGetAttribute(value: Out<i32>, attribute: i32, function: Handle) {
        let driver = driver()?;
        let function = driver.functions.get(function)?;
        let kernel = function.kernel();
        let architecture = function.module.cubin.architecture as i32;
        value.set(match attribute {
            0 => function.threads(),
            1 => kernel.shared as i32,
            2 | 7 => 0,
            3 => kernel.spilled as i32,
            4 => kernel.registers as i32,
            5 | 6 => architecture,
            MAX_DYNAMIC_SHARED => function.dynamic_limit(),
            PREFERRED_CARVEOUT => -1,
            10..=16 => 0,
            _ => return Err(Status::InvalidValue),
        })
    }

    fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) {
        let driver = driver()?;
        let function = driver.functions.get(function)?;
        let device = &driver.devices[function.device];
        device.sound()?;
        match attribute {
            MAX_DYNAMIC_SHARED => {
                let declared = function.kernel().shared as i32;
                if value < 0 || value > device.gpu.shared_optin - declared {
                    return Err(Status::InvalidValue);
                }
                function.dynamic_shared.store(value, Ordering::SeqCst);
                Ok(())
            }
            PREFERRED_CARVEOUT if (-1..=100).contains(&value) => Ok(()),
            _ => Err(Status::InvalidValue),
        }
    }

    fn cuFuncSetCacheConfig(function: Handle, _config: i32) {
        driver()?.functions.get(function).map(drop)
    }

    fn cuFuncSetSharedMemConfig(function: Handle, _config: i32) {
        driver()?.functions.get(function).map(drop)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>,
        function: Handle,
        threads: i32,
        dynamic: usize,
    ) {
        active(&blocks, function, threads, dynamic)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>,
        function: Handle,
        threads: i32,
        dynamic: usize,
        _flags: u32,
    ) {
        active(&blocks, function, threads, dynamic)
    }

    fn cuOccupancyMaxPotentialBlockSize(
        grid: Out<i32>,
        block: Out<i32>,
        function: Handle,
        dynamic_of: Option<extern "C" fn(i32) -> usize>,
        dynamic: usize,
        limit: i32,
    ) {
        potential(&grid, &block, function, dynamic_of, dynamic, limit)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<i32>,
        block: Out<i32>,
        function: Handle,
        dynamic_of: Option<extern "C" fn(i32) -> usize>,
        dynamic: usize,
        limit: i32,
        _flags: u32,
    ) {
        potential(&grid, &block, function, dynamic_of, dynamic, limit)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>,
        function: Handle,
        blocks: i32,
        _threads: i32,
    ) {
        let driver = driver()?;
        let function = driver.functions.get(function)?;
        let gpu = &driver.devices[function.device].gpu;
        if blocks < 1 {
            return Err(Status::InvalidValue);
        }
        let share = gpu.shared_per_multiprocessor / blocks - gpu.shared_reserved;
        let dynamic = share.min(gpu.shared_optin) - function.kernel().shared as i32;
        bytes.set(dynamic.max(0) as usize)
    }
}

fn fit(gpu: &Gpu, function: &Function, threads: i32, dynamic: usize) -> i32 {
    let kernel = function.kernel();
    let shared = kernel.shared as usize + dynamic;
    if shared > gpu.shared_optin as usize {
        return 0;
    }
    occupancy::blocks(gpu, threads, kernel.registers as i32, shared as i32)
}

fn active(blocks: &Out<i32>, function: Handle, threads: i32, dynamic: usize) -> Answer {
    let driver = driver()?;
    let function = driver.functions.get(function)?;
    if threads < 1 {
        return Err(Status::InvalidValue);
    }
    let gpu = &driver.devices[function.device].gpu;
    blocks.set(fit(gpu, &function, threads, dynamic))
}

fn potential(
    grid: &Out<i32>,
    block: &Out<i32>,
    function: Handle,
    dynamic_of: Option<extern "C" fn(i32) -> usize>,
    dynamic: usize,
    limit: i32,
) -> Answer {
    let driver = driver()?;
    let function = driver.functions.get(function)?;
    let gpu = &driver.devices[function.device].gpu;
    let most = if limit > 0 { limit } else { THREADS_PER_BLOCK };
    let most = most.min(function.threads());
    let sizes = (1..=most / WARP).rev().map(|warps| warps * WARP);
    // The first of equals is the largest block.
    let (mut threads, mut blocks) = (0, 0);
    for size in sizes {
        let dynamic = dynamic_of.map_or(dynamic, |of| of(size));
        let fitting = fit(gpu, &function, size, dynamic);
        if fitting * size > threads * blocks {
            (threads, blocks) = (size, fitting);
        }
    }
    grid.set(blocks * gpu.multiprocessors)?;
    block.set(threads)
}
