//! What a test asks of the stand-in while its program runs: `hostControl("times gemm<8>=1.5")`.

use crate::library::abi::Text;
use crate::library::count::Count;
use crate::library::driver::{driver, lock};
use crate::library::fault::Fault;
use crate::library::script::Times;

/// Does as told. What was counted, or 0; negative if the request is not understood, which it then prints.
#[unsafe(no_mangle)]
extern "C" fn hostControl(request: Text) -> i64 {
    let text = request.get().unwrap_or_default();
    control(&text).unwrap_or_else(|why| {
        eprintln!("host driver: {text:?}: {why}");
        -1
    })
}

fn control(text: &str) -> Result<i64, String> {
    let (what, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    if what == "count" {
        let count = Count::named(rest).ok_or("nothing of that name is counted")?;
        return Ok(i64::try_from(count.get()).unwrap_or(i64::MAX));
    }
    let driver = driver().map_err(|_| "cuInit comes first")?;
    match what {
        "times" => *lock(&driver.times) = Times::read(rest)?,
        "lag" => driver.set_lag(
            rest.parse()
                .map_err(|_| "a number of launches is missing")?,
        ),
        "faults" => *lock(&driver.faults) = Fault::list(rest)?,
        _ => return Err("times, lag, faults or count".to_string()),
    }
    Ok(0)
}
