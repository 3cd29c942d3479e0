//! Streams. Work runs when it is given, so a stream only knows whether it came to a stop, and what of it
//! the host may have seen.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::library::abi::Out;
use crate::library::count::Count;
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
        Count::Waits.one_more();
        let stream = driver.stream(stream)?;
        stream.not_captured(Status::StreamCaptureUnsupported)?;
        driver.not_capturing()?;
        if stream.is_hung() {
            for_ever();
        }
        stream.waited(stream.next_number());
        driver.devices[stream.device].sound()
    }

    fn cuStreamQuery(stream: Handle) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        stream.not_captured(Status::StreamCaptureUnsupported)?;
        driver.not_capturing()?;
        if stream.is_hung() {
            return Err(Status::NotReady);
        }
        Ok(())
    }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        let event = driver.events.get(event)?;
        let capture = stream.capture();
        match (lock(&event.moment).clone(), capture) {
            (Moment::Captured(of), Some(into)) if Arc::ptr_eq(&of, &into) => {}
            // A stream that joins a capture, which the stand-in does not do.
            (Moment::Captured(of), _) => return Err(of.mistake(Status::NotSupported)),
            (Moment::At(_), Some(capture)) => {
                return Err(capture.mistake(Status::StreamCaptureIsolation));
            }
            (Moment::At(mark), None) => {
                if mark.hung {
                    stream.hung.store(true, Ordering::SeqCst);
                }
                let mut clock = lock(&stream.clock);
                *clock = clock.max(mark.milliseconds);
            }
            (Moment::Never, _) => {}
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

    fn cuStreamAttachMemAsync(stream: Handle, _address: u64, _length: usize, _flags: u32) {
        driver()?.stream(stream).map(drop)
    }

    fn cuLaunchHostFunc(
        stream: Handle,
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: *mut c_void,
    ) {
        let stream = driver()?.stream(stream)?;
        stream.not_captured(Status::NotSupported)?;
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
    stream.set(driver.streams.insert(Arc::new(Stream::new(device))))
}
