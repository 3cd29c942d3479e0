//! The host driver through unmodified cudarc: each test runs again as a child process that finds it
//! where a real driver would be.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[test]
fn skipped() {
    eprintln!("skipped: the host driver needs Linux on x86-64");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod attention;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod child;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod compiling;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod devices;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod faults;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod gemm_hopper;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod graphs;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod hopper;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod images;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod instructions;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod kernels;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod nvrtc;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod streams;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tensors;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod timing;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod together;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod variables;
