//! Graphs of launches, made by capturing a stream.

use std::ffi::c_void;
use std::sync::Arc;

use crate::library::abi::Out;
use crate::library::capture::{self, Capture, Mode};
use crate::library::count::Count;
use crate::library::cuda::launch::perform;
use crate::library::driver::{driver, lock};
use crate::library::handles::Handle;
use crate::library::status::Status;

entry! {
    fn cuStreamBeginCapture_v2(stream: Handle, mode: i32) {
        let driver = driver()?;
        let mode = Mode::of(mode)?;
        // The default stream cannot be captured.
        if stream <= 2 {
            return Err(Status::StreamCaptureUnsupported);
        }
        let stream = driver.stream(stream)?;
        stream.not_captured(Status::InvalidValue)?;
        *lock(&stream.capture) = Some(Arc::new(Capture::new(mode)));
        Ok(())
    }

    fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        let capture = lock(&stream.capture).take().ok_or(Status::InvalidValue)?;
        graph.offer(0);
        capture.valid()?;
        let nodes = std::mem::take(&mut *lock(&capture.nodes));
        graph.set(driver.graphs.insert(Arc::new(nodes)))
    }

    fn cuStreamIsCapturing(stream: Handle, status: Out<i32>) {
        Count::Captures.one_more();
        let capture = driver()?.stream(stream)?.capture();
        status.set(capture.map_or(0, |capture| capture.status()))
    }

    fn cuStreamGetCaptureInfo_v2(stream: Handle, status: Out<i32>) {
        let capture = driver()?.stream(stream)?.capture();
        status.set(capture.map_or(0, |capture| capture.status()))
    }

    fn cuThreadExchangeStreamCaptureMode(mode: Out<i32>) {
        if mode.raw().is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: not null; the interface asks for a mode, in and out.
        let wanted = Mode::of(unsafe { mode.raw().read() })?;
        mode.set(capture::exchange(wanted) as i32)
    }

    fn cuGraphInstantiateWithFlags(executable: Out<Handle>, graph: Handle, _flags: u64) {
        let driver = driver()?;
        executable.set(driver.graphs.insert(driver.graphs.get(graph)?))
    }

    fn cuGraphDestroy(graph: Handle) {
        driver()?.graphs.remove(graph).map(drop)
    }

    fn cuGraphExecDestroy(executable: Handle) {
        driver()?.graphs.remove(executable).map(drop)
    }

    fn cuGraphUpload(executable: Handle, stream: Handle) {
        let driver = driver()?;
        driver.stream(stream)?;
        driver.graphs.get(executable).map(drop)
    }

    fn cuGraphLaunch(executable: Handle, stream: Handle) {
        let driver = driver()?;
        let stream = driver.stream(stream)?;
        stream.not_captured(Status::NotSupported)?;
        for node in driver.graphs.get(executable)?.iter() {
            let arguments: Vec<*const c_void> =
                node.arguments.iter().map(|bytes| bytes.as_ptr().cast()).collect();
            // SAFETY: copies of what the capture was given, as the parameters ask.
            unsafe { perform(driver, &stream, node, arguments.as_ptr()) }?;
        }
        Ok(())
    }
}
