//! Events. Their times are of this host's clock, or what a test says (`BICO_HOST_TIMES`): good to be
//! ordered, no measure of any GPU.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::library::abi::Out;
use crate::library::count::Count;
use crate::library::driver::{Event, Mark, Moment, driver, for_ever, lock};
use crate::library::handles::Handle;
use crate::library::status::{Answer, Status};

const DISABLE_TIMING: u32 = 2;

entry! {
    fn cuEventCreate(event: Out<Handle>, flags: u32) {
        let driver = driver()?;
        let device = driver.context()?.device;
        Count::Events.one_more();
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
        Count::Queries.one_more();
        let event = driver.events.get(event)?;
        driver.devices[event.device].sound()?;
        let moment = lock(&event.moment).clone();
        if let Moment::Captured(capture) = moment {
            return Err(capture.mistake(Status::CapturedEvent));
        }
        driver.not_capturing()?;
        match moment {
            Moment::At(mark) if !driver.is_complete(&mark) => Err(Status::NotReady),
            _ => Ok(()),
        }
    }

    fn cuEventSynchronize(event: Handle) {
        let driver = driver()?;
        Count::Waits.one_more();
        let event = driver.events.get(event)?;
        driver.not_capturing()?;
        match lock(&event.moment).clone() {
            Moment::Captured(capture) => return Err(capture.mistake(Status::CapturedEvent)),
            Moment::At(mark) if mark.hung => for_ever(),
            Moment::At(mark) => mark.stream.waited(mark.number),
            Moment::Never => {}
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
    if event.timing {
        Count::Records.one_more();
    }
    *lock(&event.moment) = match stream.capture() {
        Some(capture) => {
            capture.valid()?;
            // Nobody ever learns a time of it.
            if event.timing {
                Count::Mistakes.one_more();
            }
            Moment::Captured(capture)
        }
        None => Moment::At(Mark {
            stream: stream.clone(),
            number: stream.next_number(),
            hung: stream.is_hung(),
            instant: Instant::now(),
            milliseconds: *lock(&stream.clock),
            due: driver.due(stream.device),
        }),
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
    let (from, to) = (lock(&start.moment).clone(), lock(&end.moment).clone());
    let (Moment::At(from), Moment::At(to)) = (from, to) else {
        return Err(Status::InvalidHandle);
    };
    if !driver.is_complete(&from) || !driver.is_complete(&to) {
        return Err(Status::NotReady);
    }
    if lock(&driver.times).are_given() {
        return milliseconds.set((to.milliseconds - from.milliseconds) as f32);
    }
    let seconds = match to.instant.checked_duration_since(from.instant) {
        Some(after) => after.as_secs_f64(),
        None => -from.instant.duration_since(to.instant).as_secs_f64(),
    };
    milliseconds.set((seconds * 1e3) as f32)
}
