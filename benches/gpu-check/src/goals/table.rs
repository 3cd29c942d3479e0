//! The goals themselves.

use super::{Against, At, Goal};
use crate::compare::{COPY, FIRST, LIBRARY};

pub(crate) const SQUARE_4096: &str = "k=4096, m=4096, n=4096";
const FOUR_4096: &str = "k=4096, m=16384, n=4096";
pub(super) const SQUARE_8192: &str = "k=8192, m=8192, n=8192";
const LAYER: &str = "k=4096, m=1024, n=12288";
pub(super) const FOUR_PRODUCTS: &str = "c=4, k=4096, m=4096, n=4096";
const GROUPING: &[&str] = &["gemm_regtile", "gemm_f16"];

pub(super) const GOALS: &[Goal] = &[
    Goal {
        what: "at least 80 % of cuBLAS (FP32)",
        kernels: &["gemm_regtile"],
        at: At::Sizes(SQUARE_4096),
        against: Against::Contender(LIBRARY),
        least: 0.8,
    },
    Goal {
        what: "at least 80 % of cuBLAS (FP32)",
        kernels: &["gemm_regtile"],
        at: At::Sizes(SQUARE_8192),
        against: Against::Contender(LIBRARY),
        least: 0.8,
    },
    Goal {
        what: "at least 70 % of cuBLAS (FP16)",
        kernels: &["gemm_f16"],
        at: At::Sizes(SQUARE_4096),
        against: Against::Contender(LIBRARY),
        least: 0.7,
    },
    Goal {
        what: "at least 70 % of cuBLAS (FP16)",
        kernels: &["gemm_f16"],
        at: At::Sizes(SQUARE_8192),
        against: Against::Contender(LIBRARY),
        least: 0.7,
    },
    Goal {
        what: "at least 95 % of cuBLAS, on Hopper (FP16, BF16)",
        kernels: &["gemm_f16", "gemm_bf16"],
        at: At::Sizes(SQUARE_4096),
        against: Against::Contender(LIBRARY),
        least: 0.95,
    },
    Goal {
        what: "at least 95 % of cuBLAS, on Hopper (FP16, BF16)",
        kernels: &["gemm_f16", "gemm_bf16"],
        at: At::Sizes(SQUARE_8192),
        against: Against::Contender(LIBRARY),
        least: 0.95,
    },
    Goal {
        what: "ahead of cuBLAS, on Hopper (FP16, BF16)",
        kernels: &["gemm_f16", "gemm_bf16"],
        at: At::Sizes(LAYER),
        against: Against::Contender(LIBRARY),
        least: 1.0,
    },
    Goal {
        what: "at least 1.2 x over two products and an elementwise kernel, bound by memory",
        kernels: &["glu", "glu_f16"],
        at: At::LeastIntense,
        against: Against::Contender(LIBRARY),
        least: 1.2,
    },
    Goal {
        what: "at least 85 % of the copy bandwidth",
        kernels: &["softmax", "transpose_cuda"],
        at: At::Every,
        against: Against::Contender(COPY),
        least: 0.85,
    },
    Goal {
        what: "blocks in groups no slower than row by row",
        kernels: GROUPING,
        at: At::Sizes(FOUR_4096),
        against: Against::RowMajor,
        least: 1.0,
    },
    Goal {
        what: "blocks in groups faster than row by row, beyond the second-level cache",
        kernels: GROUPING,
        at: At::Sizes(SQUARE_8192),
        against: Against::RowMajor,
        least: 1.0,
    },
    Goal {
        what: "blocks in groups faster than row by row, or a tie within noise",
        kernels: &["contract"],
        at: At::Sizes(FOUR_PRODUCTS),
        against: Against::AnyRowMajor,
        least: 1.0,
    },
    Goal {
        what: "at least 60 % of cuBLAS (FP16, batched)",
        kernels: &["contract"],
        at: At::Sizes(FOUR_PRODUCTS),
        against: Against::Contender(LIBRARY),
        least: 0.6,
    },
    Goal {
        what: "tuned at least 2 x over the first valid config",
        kernels: &[
            "gemm_cuda",
            "gemm_regtile",
            "gemm_f16",
            "gemm_bf16",
            "glu",
            "glu_f16",
            "conv2d_cuda",
        ],
        at: At::Every,
        against: Against::Contender(FIRST),
        least: 2.0,
    },
];
