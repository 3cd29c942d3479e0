//! What the shared library is made of: the driver's functions (`cuda`), the compiler's (`nvrtc`) and the
//! management's (`nvml`), on top of the state they share (`driver`), the code they hand each other
//! (`image`) and what runs it (`execute`).

#[macro_use]
mod abi;
mod capture;
mod control;
mod count;
mod cuda;
mod driver;
mod execute;
mod fault;
mod gpu;
mod handles;
mod image;
mod memory;
mod nvml;
mod nvrtc;
mod occupancy;
mod script;
mod settings;
mod status;
