//! The ops give what candle's own give, on the CPU and, with the feature `cuda`, on a GPU.

use bico_candle_tests::{LinearQ4_0, RmsNorm, Softmax};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{D, DType, Device, Result, Tensor};

/// Where the ops run. What they are compared with is computed on the CPU: the host driver has none of candle's kernels.
fn devices() -> Result<Vec<Device>> {
    let mut devices = vec![Device::Cpu];
    if cfg!(feature = "cuda") {
        devices.push(Device::new_cuda(0)?);
    }
    Ok(devices)
}

/// Numbers around 0, the same ones each time.
fn numbers(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let value = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 250.0 - 2.0;
    let values: Vec<f32> = (0..count).map(value).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)
}

/// That both are alike, as far as numbers of the second one's type can be.
fn assert_close(y: &Tensor, expected: &Tensor, tolerance: f64) -> Result<()> {
    assert_eq!((y.shape(), y.dtype()), (expected.shape(), expected.dtype()));
    let wide = |of: &Tensor| of.to_device(&Device::Cpu)?.to_dtype(DType::F64);
    let (y, expected) = (wide(y)?, wide(expected)?);
    let apart = (y - &expected)?.abs()?.max_all()?.to_scalar::<f64>()?;
    let size = expected.abs()?.max_all()?.to_scalar::<f64>()?;
    assert!(apart <= tolerance * size, "{apart} apart, of {size}");
    Ok(())
}

#[test]
fn softmax() -> Result<()> {
    let all = numbers(&[7, 5, 33], DType::F32)?;
    // A part of it: the kernel's pointer lies inside of the storage.
    let x = all.narrow(0, 2, 4)?;
    let expected = {
        let powers = x.broadcast_sub(&x.max_keepdim(D::Minus1)?)?.exp()?;
        powers.broadcast_div(&powers.sum_keepdim(D::Minus1)?)?
    };
    for device in devices()? {
        let x = all.to_device(&device)?.narrow(0, 2, 4)?;
        assert_close(&x.apply_op1_no_bwd(&Softmax)?, &expected, 1e-6)?;
        let turned = x.t()?.apply_op1_no_bwd(&Softmax);
        assert!(turned.unwrap_err().to_string().contains("side by side"));
    }
    Ok(())
}

#[test]
fn rms_norm() -> Result<()> {
    let op = RmsNorm { eps: 1e-5 };
    for (dtype, tolerance) in [
        (DType::F32, 1e-6),
        (DType::F16, 1e-3),
        (DType::BF16, 8e-3),
        (DType::F64, 1e-12),
    ] {
        let (all, weights) = (numbers(&[6, 3, 100], dtype)?, numbers(&[100], dtype)?);
        let expected = {
            let (x, w) = (
                all.narrow(0, 1, 3)?.to_dtype(DType::F64)?,
                weights.to_dtype(DType::F64)?,
            );
            // `eps` has 32 bits.
            let mean = (x.sqr()?.mean_keepdim(D::Minus1)? + f64::from(op.eps))?;
            let y = x.broadcast_div(&mean.sqrt()?)?.broadcast_mul(&w)?;
            y.to_dtype(dtype)?
        };
        for device in devices()? {
            let x = all.to_device(&device)?.narrow(0, 1, 3)?;
            let w = weights.to_device(&device)?;
            let y = x.apply_op2_no_bwd(&w, &op);
            match device.is_cuda() && dtype == DType::F64 {
                true => assert!(y.unwrap_err().to_string().contains("no kernel for F64")),
                false => assert_close(&y?, &expected, tolerance)?,
            }
        }
    }
    Ok(())
}

#[test]
fn linear_q4_0() -> Result<()> {
    let (rows, columns) = (45, 96);
    let weights = QTensor::quantize(&numbers(&[rows, columns], DType::F32)?, GgmlDType::Q4_0)?;
    let x = numbers(&[columns], DType::F32)?;
    let b = numbers(&[rows], DType::F32)?;
    let product = weights.dequantize(&Device::Cpu)?.matmul(&x.unsqueeze(1)?)?;
    let expected = (product.squeeze(1)? + &b)?;
    let blocks = weights.data()?.to_vec();
    let blocks = Tensor::from_vec(blocks, (rows, columns / 32 * 18), &Device::Cpu)?;
    for device in devices()? {
        let on = |of: &Tensor| of.to_device(&device);
        let (w, x, b) = (on(&blocks)?, on(&x)?, on(&b)?);
        assert_close(&w.apply_op3_no_bwd(&x, &b, &LinearQ4_0)?, &expected, 1e-5)?;
        let (rest, of_b) = (w.narrow(0, 1, rows - 1)?, b.narrow(0, 1, rows - 1)?);
        let y = rest.apply_op3_no_bwd(&x, &of_b, &LinearQ4_0)?;
        assert_close(&y, &expected.narrow(0, 1, rows - 1)?, 1e-5)?;
        let short = w.apply_op3_no_bwd(&b, &b, &LinearQ4_0);
        assert!(
            short
                .unwrap_err()
                .to_string()
                .contains("45 rows of 96 columns")
        );
    }
    Ok(())
}
