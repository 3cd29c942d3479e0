//! Events. Their times are of this host's clock: good to be ordered, no measure of any GPU.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::library::abi::Out;
use crate::library::driver::{Event, Moment, driver, for_ever, lock};
use crate::library::handles::Handle;
use crate::library::status::{Answer, Status};

const DISABLE_TIMING: u32 = 2;

entry! {
    fn cuEventCreate(event: Out<Handle>, flags: u32) {
        let driver = driver()?;
        let device = driver.context()?.device;
        event.set(driver.events.insert(Arc::new(Event {
            device,
            timing: flags & DISABLE_TIMING == 0,
            moment: Mutex::new(Moment::Never),
        })))
    }

    fn cuEventDestroy_v2(event: Handle) {
        driver()?.events.remove(event).map(drop)
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        record(event, stream)
    }

    fn cuEventRecordWithFlags(event: Handle, stream: Handle, _flags: u32) {
        record(event, stream)
    }

    fn cuEventQuery(event: Handle) {
        let driver = driver()?;
        let event = driver.events.get(event)?;
        driver.devices[event.device].sound()?;
        match *lock(&event.moment) {
            Moment::Pending => Err(Status::NotReady),
            _ => Ok(()),
        }
    }

    fn cuEventSynchronize(event: Handle) {
        let driver = driver()?;
        let event = driver.events.get(event)?;
        let moment = *lock(&event.moment);
        if let Moment::Pending = moment {
            for_ever();
        }
        driver.devices[event.device].sound()
    }

    fn cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) {
        elapsed(&milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: Handle, end: Handle) {
        elapsed(&milliseconds, start, end)
    }
}

fn record(event: Handle, stream: Handle) -> Answer {
    let driver = driver()?;
    let stream = driver.stream(stream)?;
    let event = driver.events.get(event)?;
    if event.device != stream.device {
        return Err(Status::InvalidHandle);
    }
    *lock(&event.moment) = if stream.is_hung() {
        Moment::Pending
    } else {
        Moment::At(Instant::now())
    };
    Ok(())
}

fn elapsed(milliseconds: &Out<f32>, start: Handle, end: Handle) -> Answer {
    let driver = driver()?;
    let (start, end) = (driver.events.get(start)?, driver.events.get(end)?);
    driver.devices[start.device].sound()?;
    if !start.timing || !end.timing {
        return Err(Status::InvalidHandle);
    }
    let (from, to) = (*lock(&start.moment), *lock(&end.moment));
    match (from, to) {
        (Moment::At(from), Moment::At(to)) => {
            let seconds = match to.checked_duration_since(from) {
                Some(after) => after.as_secs_f64(),
                None => -from.duration_since(to).as_secs_f64(),
            };
            milliseconds.set((seconds * 1e3) as f32)
        }
        (Moment::Pending, _) | (_, Moment::Pending) => Err(Status::NotReady),
        _ => Err(Status::InvalidHandle),
    }
}
