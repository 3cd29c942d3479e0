//! Streams. Work runs when it is given, so a stream only knows whether it came to a stop.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::library::abi::Out;
use crate::library::driver::{Moment, Stream, driver, for_ever, lock};
use crate::library::handles::Handle;
use crate::library::status::{Answer, Status};

entry! {
    fn cuStreamCreate(stream: Out<Handle>, _flags: u32) {
        create(&stream)
    }

    fn cuStreamCreateWithPriority(stream: Out<Handle>, _flags: u32, _priority: i32) {
        create(&stream)
    }

    fn cuStreamDestroy_v2(stream: Handle) {
        driver()?.streams.remove(stream).map(drop)
    }

    fn cuStreamSynchronize(stream: Handle) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        if stream.is_hung() {
            for_ever();
        }
        driver.devices[stream.device].sound()
    }

    fn cuStreamQuery(stream: Handle) {
        if driver()?.stream(stream)?.is_hung() {
            return Err(Status::NotReady);
        }
        Ok(())
    }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        let event = driver.events.get(event)?;
        if matches!(*lock(&event.moment), Moment::Pending) {
            stream.hung.store(true, Ordering::SeqCst);
        }
        Ok(())
    }

    fn cuStreamGetCtx(stream: Handle, context: Out<Handle>) {
        driver()?.stream(stream)?;
        context.set(crate::library::driver::current())
    }

    fn cuStreamGetFlags(stream: Handle, flags: Out<u32>) {
        driver()?.stream(stream)?;
        flags.set(0)
    }

    fn cuStreamGetPriority(stream: Handle, priority: Out<i32>) {
        driver()?.stream(stream)?;
        priority.set(0)
    }

    fn cuStreamIsCapturing(stream: Handle, status: Out<i32>) {
        driver()?.stream(stream)?;
        status.set(0)
    }

    fn cuStreamGetCaptureInfo_v2(stream: Handle, status: Out<i32>) {
        driver()?.stream(stream)?;
        status.set(0)
    }

    fn cuStreamAttachMemAsync(stream: Handle, _address: u64, _length: usize, _flags: u32) {
        driver()?.stream(stream).map(drop)
    }

    fn cuLaunchHostFunc(
        stream: Handle,
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: *mut c_void,
    ) {
        let stream = driver()?.stream(stream)?;
        let function = function.ok_or(Status::InvalidValue)?;
        if !stream.is_hung() {
            // SAFETY: the caller gives function and data for each other.
            unsafe { function(data) };
        }
        Ok(())
    }
}

fn create(stream: &Out<Handle>) -> Answer {
    let driver = driver()?;
    let device = driver.context()?.device;
    stream.set(driver.streams.insert(Arc::new(Stream {
        device,
        hung: AtomicBool::new(false),
    })))
}
