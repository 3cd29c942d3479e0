//! Contexts.

use crate::library::abi::Out;
use crate::library::driver::{self, driver, lock};
use crate::library::handles::Handle;
use crate::library::status::Status;

entry! {
    fn cuDevicePrimaryCtxRetain(context: Out<Handle>, device: i32) {
        let driver = driver()?;
        let device = driver.device(device)?;
        device.sound()?;
        let mut primary = lock(&device.primary);
        if primary.1 == 0 {
            primary.0 = driver.new_context(device.ordinal);
        }
        primary.1 += 1;
        context.set(primary.0)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: i32) {
        let driver = driver()?;
        let device = driver.device(device)?;
        let mut primary = lock(&device.primary);
        match primary.1 {
            0 => return Err(Status::InvalidContext),
            1 => {
                driver.contexts.remove(primary.0)?;
                driver.memory.release(device.ordinal);
            }
            _ => {}
        }
        primary.1 -= 1;
        device.sound()
    }

    fn cuDevicePrimaryCtxReset_v2(device: i32) {
        let driver = driver()?;
        let device = driver.device(device)?;
        driver.memory.release(device.ordinal);
        device.sound()
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: i32, _flags: u32) {
        driver()?.device(device).map(drop)
    }

    fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) {
        let held = lock(&driver()?.device(device)?.primary).1;
        flags.offer(0);
        active.set(i32::from(held > 0))
    }

    fn cuCtxCreate_v2(context: Out<Handle>, _flags: u32, device: i32) {
        create(&context, device)
    }

    fn cuCtxCreate_v3(context: Out<Handle>, _params: usize, _count: i32, _flags: u32, device: i32) {
        create(&context, device)
    }

    fn cuCtxCreate_v4(context: Out<Handle>, _params: usize, _flags: u32, device: i32) {
        create(&context, device)
    }

    fn cuCtxDestroy_v2(context: Handle) {
        driver()?.contexts.remove(context)?;
        if driver::current() == context {
            driver::pop_current();
        }
        Ok(())
    }

    fn cuCtxSetCurrent(context: Handle) {
        if context != 0 {
            driver()?.contexts.get(context).map_err(|_| Status::InvalidContext)?;
        }
        driver::set_current(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: Out<Handle>) {
        driver()?;
        context.set(driver::current())
    }

    fn cuCtxPushCurrent_v2(context: Handle) {
        driver()?.contexts.get(context).map_err(|_| Status::InvalidContext)?;
        driver::push_current(context);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: Out<Handle>) {
        driver()?;
        context.offer(driver::pop_current());
        Ok(())
    }

    fn cuCtxGetDevice(device: Out<i32>) {
        device.set(driver()?.bound()?.device as i32)
    }

    fn cuCtxGetApiVersion(_context: Handle, version: Out<u32>) {
        version.set(3020)
    }

    fn cuCtxGetFlags(flags: Out<u32>) {
        driver()?.bound()?;
        flags.set(0)
    }

    fn cuCtxSetFlags(_flags: u32) {
        driver()?.context().map(drop)
    }

    fn cuCtxSynchronize() {
        let driver = driver()?;
        driver.wait(driver.context()?.device)
    }

    fn cuCtxGetLimit(value: Out<usize>, limit: i32) {
        driver()?.context()?;
        // Stack size, size of printf's buffer, size of the heap.
        value.set(match limit {
            0 => 1 << 10,
            1 => 1 << 20,
            _ => 8 << 20,
        })
    }

    fn cuCtxSetLimit(_limit: i32, _value: usize) {
        driver()?.context().map(drop)
    }

    fn cuCtxGetCacheConfig(config: Out<i32>) {
        driver()?.context()?;
        config.set(0)
    }

    fn cuCtxSetCacheConfig(_config: i32) {
        driver()?.context().map(drop)
    }

    fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        driver()?.context()?;
        least.offer(0);
        greatest.offer(-5);
        Ok(())
    }
}

fn create(context: &Out<Handle>, device: i32) -> crate::library::status::Answer {
    let driver = driver()?;
    let device = driver.device(device)?;
    device.sound()?;
    let made = driver.new_context(device.ordinal);
    driver::push_current(made);
    context.set(made)
}
