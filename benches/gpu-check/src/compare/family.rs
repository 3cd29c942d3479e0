//! What kernels are compared with: a kernel more is a line more.

use bico::Value;
use bico_syntax::bind::Scope;

/// What a kernel is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// C = A * B; arguments C, A, B; sizes m, n, k.
    Gemm,
    /// The same for each c; the size c, too. Its blocks may be in groups.
    Batched,
    /// y = (x W) * act(x V); arguments y, x, W, V; sizes m, n, k; the constant ACT.
    Glu,
    /// O = softmax(Q K^T) V; sizes heads, m, n; the constants HEAD and CAUSAL. Compared with its own configs only.
    Attention,
    /// Bound by memory: compared with a copy of as many bytes.
    Memory,
    /// Compared with its own configs only.
    Other,
    /// The same kernel as another one in a part of its space: its winner is compared among that one's.
    Contender,
}

const FAMILIES: [(&str, Family); 15] = [
    ("gemm_cuda", Family::Gemm),
    ("gemm_regtile", Family::Gemm),
    ("gemm_f16", Family::Gemm),
    ("gemm_bf16", Family::Gemm),
    ("gemm_f16_f32", Family::Gemm),
    ("attention_f16", Family::Attention),
    ("attention_bf16", Family::Attention),
    ("glu", Family::Glu),
    ("glu_f16", Family::Glu),
    ("softmax", Family::Memory),
    ("reduce", Family::Memory),
    ("transpose_cuda", Family::Memory),
    ("conv2d_cuda", Family::Other),
    ("contract", Family::Batched),
    (TUNED_ROW_BY_ROW, Family::Contender),
];

/// `contract` without groups of blocks.
pub(super) const TUNED_ROW_BY_ROW: &str = "contract_by_rows";

/// Sizes at which products are compared beyond those of the attribute: where the matrices fit the second-level cache
/// or nearly so, four such products with one B, where they do not fit, and a layer of a language model.
const PRODUCTS: [[i64; 3]; 4] = [
    [4096, 4096, 4096],
    [16384, 4096, 4096],
    [8192, 8192, 8192],
    [1024, 12288, 4096],
];
/// The same for the self-test.
const SMALL_PRODUCTS: [[i64; 3]; 2] = [[33, 17, 19], [64, 32, 32]];
/// The same of a batch, which in the attribute's size is one tile: several, and no whole ones.
const SMALL_BATCH: [i64; 3] = [130, 70, 24];

impl Family {
    pub(crate) fn of(key: &str) -> Family {
        let known = FAMILIES.iter().find(|(name, _)| *name == key);
        known.map_or(Family::Other, |(_, family)| *family)
    }

    /// Sizes m, n, k, where the kernel has them.
    pub(crate) fn product(self, scope: &Scope) -> Option<[u32; 3]> {
        let size = |name: &str| size(scope, name)?.try_into().ok();
        match self {
            Family::Gemm | Family::Batched | Family::Glu => {
                Some([size("m")?, size("n")?, size("k")?])
            }
            Family::Attention | Family::Memory | Family::Other | Family::Contender => None,
        }
    }

    /// How many such products there are.
    pub(crate) fn batches(self, scope: &Scope) -> Option<u32> {
        match (self, scope.get("c")) {
            (Family::Batched, Some(Value::Int(size))) => u32::try_from(size).ok(),
            (Family::Batched, _) => None,
            (Family::Glu, _) => Some(2),
            _ => Some(1),
        }
    }

    /// Whether cuBLAS does the same, or a part of it.
    pub(crate) fn has_products(self) -> bool {
        matches!(self, Family::Gemm | Family::Batched | Family::Glu)
    }

    /// Operations of one run.
    pub(crate) fn flops(self, scope: &Scope) -> Option<f64> {
        if self == Family::Attention {
            let size = |name: &str| size(scope, name).map(|size| size as f64);
            let (m, n) = (size("m")?, size("n")?);
            // A causal row sees half of the others on average.
            let seen = match scope.get("CAUSAL")? {
                Value::Bool(true) => (n - m / 2.0).max(1.0),
                _ => n,
            };
            return Some(4.0 * size("heads")? * size("HEAD")? * m * seen);
        }
        let [m, n, k] = self.product(scope)?.map(f64::from);
        let products = f64::from(self.batches(scope)?);
        Some(products * 2.0 * m * n * k)
    }

    /// Shares of the time for comparisons that a kernel with so many problems gets.
    pub(crate) fn shares(self, problems: usize) -> usize {
        match self {
            Family::Gemm => problems + PRODUCTS.len(),
            // Four products in one.
            Family::Batched => 4 * problems,
            _ => problems,
        }
    }

    /// Further sizes to compare at.
    pub(crate) fn more(self, some: &Scope, self_test: bool) -> Vec<Scope> {
        let sizes: &[[i64; 3]] = match (self, self_test) {
            (Family::Gemm, false) => &PRODUCTS,
            (Family::Gemm, true) => &SMALL_PRODUCTS,
            (Family::Batched, true) => &[SMALL_BATCH],
            _ => &[],
        };
        let sized = sizes.iter().map(|[m, n, k]| {
            let scope = some.clone().with_size("m", Value::Int(*m));
            let scope = scope.with_size("n", Value::Int(*n));
            scope.with_size("k", Value::Int(*k))
        });
        sized.collect()
    }
}

/// A size, or a constant that is a whole number.
fn size(scope: &Scope, name: &str) -> Option<i64> {
    match scope.get(name)? {
        Value::Int(size) => Some(size),
        _ => None,
    }
}
