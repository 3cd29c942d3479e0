//! Which images load where.

use cudarc::driver::{CudaContext, PushKernelArg, sys::CUresult};
use cudarc::nvrtc::Ptx;

use crate::child::on;
use crate::kernels::line;
use crate::nvrtc::kernels;

fn loads(ptx: Ptx) -> Result<(), CUresult> {
    let context = CudaContext::new(0).unwrap();
    let module = context.load_module(ptx).map_err(|error| error.0)?;
    let stream = context.default_stream();
    let kernel = module.load_function("scale").unwrap();
    let mut x = stream.clone_htod(&[1f32]).unwrap();
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&mut x).arg(&5f32).arg(&1i32);
    // SAFETY: the kernel checks its index.
    unsafe { launch.launch(line(1, 32)) }.unwrap();
    assert_eq!(stream.clone_dtoh(&x).unwrap(), [5.0]);
    assert_eq!(
        module.load_function("nothing").unwrap_err().0,
        CUresult::CUDA_ERROR_NOT_FOUND
    );
    Ok(())
}

fn cubin() -> Ptx {
    Ptx::from_binary(kernels(&["-arch=sm_80"], &[]).good().cubin)
}

fn ptx() -> Ptx {
    let compiled = kernels(&["-arch=compute_80"], &[]).good();
    assert!(compiled.cubin.is_empty());
    Ptx::from_src(compiled.ptx)
}

#[test]
fn on_its_own_architecture() {
    on("A100", "", || {
        assert_eq!(loads(cubin()), Ok(()));
        assert_eq!(loads(ptx()), Ok(()));
    });
}

#[test]
fn on_a_higher_minor_one() {
    on("RTX 3090", "", || {
        assert_eq!(loads(cubin()), Ok(()));
        assert_eq!(loads(ptx()), Ok(()));
    });
}

#[test]
fn on_a_newer_one_only_ptx() {
    on("H100", "", || {
        assert_eq!(loads(cubin()), Err(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU));
        assert_eq!(loads(ptx()), Ok(()));
    });
}

#[test]
fn on_an_older_one_none() {
    on("RTX 2080 Ti", "", || {
        assert_eq!(loads(cubin()), Err(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU));
        assert_eq!(loads(ptx()), Err(CUresult::CUDA_ERROR_INVALID_PTX));
    });
}

#[test]
fn rubbish() {
    on("A100", "", || {
        let mut broken = kernels(&["-arch=sm_80"], &[]).good().cubin;
        let at = broken.windows(9).position(|it| it == b".host.obj").unwrap();
        broken[at] = b'x';
        for bytes in [b"rubbish".to_vec(), b"\x7fELF".to_vec(), broken] {
            let mut bytes = bytes;
            bytes.resize(bytes.len() + 64, 0);
            assert_eq!(
                loads(Ptx::from_binary(bytes)),
                Err(CUresult::CUDA_ERROR_INVALID_IMAGE)
            );
        }
    });
}
