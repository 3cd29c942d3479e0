//! Launches: the checks that hardware makes, then the kernel, on the calling thread.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use crate::library::capture::Node;
use crate::library::driver::{Driver, Function, Stream, driver, lock};
use crate::library::execute::{self, Launch, MOST};
use crate::library::fault::Fault;
use crate::library::gpu::{BLOCK, GRID};
use crate::library::handles::Handle;
use crate::library::status::{Answer, Status};

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attributes: *const Attribute,
    count: u32,
}

/// `CUlaunchAttribute`: its value is 64 bytes.
#[repr(C, align(8))]
struct Attribute {
    kind: u32,
    unused: u32,
    value: [u32; 16],
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER: u32 = 4;
/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
const DEPENDENT: u32 = 6;

entry! {
    fn cuLaunchKernel(
        function: Handle,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: Handle,
        arguments: *const *const c_void,
        extra: *const *const c_void,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        launch(function, [grid, block, [1; 3]], false, shared, stream, arguments, extra)
    }

    fn cuLaunchKernelEx(
        config: *const Config,
        function: Handle,
        arguments: *const *const c_void,
        extra: *const *const c_void,
    ) {
        if config.is_null() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: not null; the interface asks for such a structure.
        let of = unsafe { &*config };
        if of.count > 0 && of.attributes.is_null() {
            return Err(Status::InvalidValue);
        }
        let (mut cluster, mut dependent) = ([1; 3], false);
        for at in 0..of.count as usize {
            // SAFETY: there are so many.
            let attribute = unsafe { &*of.attributes.add(at) };
            if attribute.kind == CLUSTER {
                cluster.copy_from_slice(&attribute.value[..3]);
            }
            dependent |= attribute.kind == DEPENDENT && attribute.value[0] == 1;
        }
        launch(function, [of.grid, of.block, cluster], dependent, of.shared, of.stream, arguments, extra)
    }
}

fn launch(
    function: Handle,
    [grid, block, cluster]: [[u32; 3]; 3],
    dependent: bool,
    shared: u32,
    stream: Handle,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> Answer {
    let driver = driver()?;
    let stream = driver.stream(stream)?;
    let function = driver.functions.get(function)?;
    if function.device != stream.device {
        return Err(Status::InvalidHandle);
    }
    check(&function, grid, block, shared)?;
    whole(
        grid,
        cluster,
        driver.devices[function.device].gpu.architecture(),
    )?;
    if dependent && driver.devices[function.device].gpu.architecture() < 90 {
        return Err(Status::NotSupported);
    }
    let parameters = &function.kernel().parameters;
    if !parameters.is_empty() && (arguments.is_null() || !extra.is_null()) {
        return Err(Status::InvalidValue);
    }
    // SAFETY: the caller gives an argument of its size for each parameter.
    let copied = parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| unsafe {
            let bytes: *const u8 = (*arguments.add(index)).cast();
            std::slice::from_raw_parts(bytes, parameter.size as usize).to_vec()
        });
    let capture = stream.capture();
    let node = Node {
        arguments: capture.iter().flat_map(|_| copied.clone()).collect(),
        function: function.clone(),
        grid,
        block,
        cluster,
        dependent,
        shared,
    };
    let Some(capture) = capture else {
        // SAFETY: the caller gives arguments as the kernel's parameters ask.
        return unsafe { perform(driver, &stream, &node, arguments) };
    };
    capture.valid()?;
    for fault in driver.faults_of(&function.identity()) {
        if let Fault::Refuse(status, ..) = fault {
            return Err(status);
        }
    }
    lock(&capture.nodes).push(node);
    Ok(())
}

/// Runs what is to be launched in a stream.
///
/// # Safety
///
/// The arguments are of the types of the kernel's parameters.
pub(super) unsafe fn perform(
    driver: &Driver,
    stream: &Stream,
    node: &Node,
    arguments: *const *const c_void,
) -> Answer {
    let function = &node.function;
    let device = &driver.devices[function.device];
    let identity = function.identity();
    let mut wrong = false;
    for fault in driver.faults_of(&identity) {
        match fault {
            Fault::Refuse(status, ..) => return Err(status),
            Fault::Hang(_) => stream.hung.store(true, Ordering::SeqCst),
            // As on a GPU, the launch succeeds and what comes after it fails.
            Fault::Sticky(status, ..) => {
                device.poison(status);
                return Ok(());
            }
            Fault::Wrong(_) => wrong = true,
            _ => {}
        }
    }
    if stream.is_hung() {
        return Ok(());
    }
    let launch = Launch {
        run: function.module.run(function.index),
        arguments,
        grid: node.grid,
        block: node.block,
        cluster: node.cluster,
        dependent: node.dependent,
        shared: node.shared as usize,
        statics: function.module.statics,
        number: function.launches.fetch_add(1, Ordering::Relaxed),
    };
    // SAFETY: the module was made by our compiler, and the caller gives arguments as its parameters
    // ask.
    if let Err(status) = unsafe { execute::run(&launch) } {
        device.poison(status);
    } else if wrong {
        spoil(driver, function, arguments);
    }
    driver.launched(stream, &identity);
    Ok(())
}

fn check(function: &Function, grid: [u32; 3], block: [u32; 3], shared: u32) -> Answer {
    let within = |extents: [u32; 3], most: [u32; 3]| {
        extents
            .iter()
            .zip(most)
            .all(|(extent, most)| (1..=most).contains(extent))
    };
    if !within(grid, GRID) || !within(block, BLOCK) {
        return Err(Status::InvalidValue);
    }
    let threads: u32 = block.iter().product();
    if threads > function.threads_by_bounds() as u32 {
        return Err(Status::InvalidValue);
    }
    if i64::from(shared) > i64::from(function.dynamic_limit()) {
        return Err(Status::InvalidValue);
    }
    if threads > function.threads_by_registers() as u32 {
        return Err(Status::LaunchOutOfResources);
    }
    Ok(())
}

/// Whether a grid consists of clusters, and the GPU can have them.
fn whole(grid: [u32; 3], cluster: [u32; 3], architecture: u32) -> Answer {
    if cluster == [1; 3] {
        return Ok(());
    }
    let blocks = cluster
        .iter()
        .fold(1u32, |all, one| all.saturating_mul(*one));
    let is_whole = grid
        .iter()
        .zip(cluster)
        .all(|(grid, of)| of > 0 && grid % of == 0);
    match architecture >= 90 && blocks <= MOST && is_whole {
        true => Ok(()),
        false => Err(Status::InvalidClusterSize),
    }
}

/// Turns the first bytes of the first buffer into others: what a wrong kernel does.
fn spoil(driver: &Driver, function: &Function, arguments: *const *const c_void) {
    for (index, parameter) in function.kernel().parameters.iter().enumerate() {
        if parameter.size != 8 {
            continue;
        }
        // SAFETY: the caller gave an argument of 8 bytes; its value is followed only if it is memory
        // of a device.
        unsafe {
            let address = (*arguments.add(index)).cast::<u64>().read_unaligned();
            if driver.memory.owner(address, 4).is_ok() {
                let bytes = address as *mut [u8; 4];
                for byte in &mut *bytes {
                    *byte ^= 0x41;
                }
                return;
            }
        }
    }
}
