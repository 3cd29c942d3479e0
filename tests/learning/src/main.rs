//! `scene TUNABLE STEP..`: takes the steps in a process of its own, and says in lines what came of them.
//!
//! ```text
//! call:N:COUNT             COUNT calls of size N; each output is checked
//! threads:T:N:COUNT        the same in each of T threads at once
//! settle:N:COUNT           calls until that is settled, COUNT at most
//! config:N                 what serves calls of size N, and why
//! status                   what the process knows
//! ```
//!
//! What is logged is in lines that begin with `log`.

use bico::{State, Tunable};
use bico_learning_tests as kernels;

type Kernel = fn(&mut [u32], &[u32], u32) -> bico::Result<()>;
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.target().starts_with("bico")
    }

    fn log(&self, record: &log::Record<'_>) {
        println!("log {} {}", record.level(), record.args());
    }

    fn flush(&self) {}
}

static LOGGER: Logger = Logger;

struct Scene {
    tunable: &'static Tunable,
    kernel: Kernel,
}

fn main() -> Outcome<()> {
    log::set_logger(&LOGGER).map_err(|error| error.to_string())?;
    log::set_max_level(log::LevelFilter::Trace);
    let mut words = std::env::args().skip(1);
    let scene = match words.next().as_deref() {
        Some("spin") => Scene {
            tunable: kernels::spin_tunable(),
            kernel: kernels::spin,
        },
        Some("known") => Scene {
            tunable: kernels::known_tunable(),
            kernel: kernels::known,
        },
        Some("roomy") => Scene {
            tunable: kernels::roomy_tunable(),
            kernel: kernels::roomy,
        },
        Some("liar") => Scene {
            tunable: kernels::liar_tunable(),
            kernel: kernels::liar,
        },
        Some("padded") => Scene {
            tunable: kernels::padded_tunable(),
            kernel: kernels::padded,
        },
        Some("guess") => Scene {
            tunable: kernels::guess_tunable(),
            kernel: kernels::guess,
        },
        other => return Err(format!("no tunable {other:?}").into()),
    };
    words.try_for_each(|word| scene.step(&word))
}

impl Scene {
    fn step(&self, word: &str) -> Outcome<()> {
        let mut parts = word.split(':');
        let step = parts.next().unwrap_or_default();
        let numbers: Vec<u32> = parts.map(str::parse).collect::<Result<_, _>>()?;
        match (step, numbers.as_slice()) {
            ("call", &[n, count]) => self.call(n, count),
            ("threads", &[threads, n, count]) => std::thread::scope(|scope| {
                let call = || self.call(n, count).map_err(|error| error.to_string());
                let running: Vec<_> = (0..threads).map(|_| scope.spawn(call)).collect();
                let mut ended = running.into_iter().map(|thread| thread.join());
                ended.try_for_each(|call| Ok(call.map_err(|_| "a thread panicked")??))
            }),
            ("settle", &[n, count]) => {
                let mut calls = 0;
                while calls < count && !self.settled(n) {
                    self.call(n, 8)?;
                    calls += 8;
                }
                Ok(())
            }
            ("config", &[n]) => {
                let choice = self.tunable.config_of(&[n.into()])?;
                println!("config {:?} {}", choice.reason, choice);
                Ok(())
            }
            ("status", []) => {
                for status in bico::status(self.tunable) {
                    let config = status.config.map(|config| config.to_string());
                    println!(
                        "status n={} {:?} {} {} timed, {} arms",
                        status.sizes[0].1,
                        status.state,
                        config.unwrap_or_default(),
                        status.timed,
                        status.arms.len()
                    );
                    println!("{status}");
                }
                Ok(())
            }
            _ => Err(format!("no step {word}").into()),
        }
    }

    fn settled(&self, n: u32) -> bool {
        let found = bico::status(self.tunable);
        let mut at = found.iter().filter(|of| of.sizes[0].1 == i64::from(n));
        at.any(|status| status.state == State::Settled)
    }

    /// Calls; each output is written anew, and right.
    fn call(&self, n: u32, count: u32) -> Outcome<()> {
        let input: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
        let mut out = vec![0; n as usize];
        for _ in 0..count {
            out.fill(7);
            (self.kernel)(&mut out, &input, n)?;
            let wrong = out
                .iter()
                .zip(&input)
                .position(|(y, x)| *y != x.wrapping_mul(3));
            if let Some(at) = wrong {
                return Err(format!("element {at} is {}", out[at]).into());
            }
        }
        Ok(())
    }
}
