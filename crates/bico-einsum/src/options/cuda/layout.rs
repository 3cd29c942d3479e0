//! How the tensors lie in memory: as the generator sees it, by the letters alone.

use crate::options::Operands;
use crate::{DimType, Float};

/// What the conditions and the score need of the einsum.
pub(super) struct Layout {
    pub(super) half: bool,
    /// Of A and B, whether a tile's lines are along K: the input is not contiguous along its own tiled index.
    pub(super) along_k: [bool; 2],
    /// Sizes that wide loads must divide: of the indices along which the inputs are contiguous, where tiles are cut along
    /// them. An FP32 tile with lines along K is copied element by element.
    dense: Vec<String>,
    /// Whether the output is contiguous along M, so that the product is computed transposed.
    pub(super) swapped: bool,
    pub(super) m: String,
    pub(super) n: String,
    pub(super) k: String,
    /// Steps over the K indices that are not tiled.
    pub(super) outer_k: String,
    pub(super) all_k: String,
    pub(super) batches: String,
}

impl Layout {
    pub(super) fn of(operands: &Operands<'_>) -> Layout {
        let tensors = operands.einsum.tensors();
        // Whether the tensor's last letter is one of the tiled index: the last of that, as its letters stand together.
        let ends = |tensor: usize, kind: DimType| {
            let last = tensors[tensor].last();
            let group = operands.tiled(kind);
            group.is_some_and(|group| last.is_some_and(|last| group.letters.contains(last)))
        };
        let half = operands.input == Float::F16;
        let own = [DimType::M, DimType::N];
        let along_k = [0, 1].map(|input| !ends(input, own[input]));
        let mut dense = Vec::new();
        for input in [0, 1].into_iter().filter(|input| half || !along_k[*input]) {
            let mut kinds = [own[input], DimType::K].into_iter();
            let kind = kinds.find(|kind| ends(input, *kind));
            dense.extend(kind.map(|kind| operands.tiled_size(kind)));
        }
        dense.dedup();
        let outer_k = operands.untiled_size(&[DimType::K]);
        let k = operands.tiled_size(DimType::K);
        Layout {
            half,
            along_k,
            dense,
            swapped: ends(2, DimType::M),
            m: operands.tiled_size(DimType::M),
            n: operands.tiled_size(DimType::N),
            all_k: format!("({k} * {outer_k})"),
            k,
            outer_k,
            batches: operands.untiled_size(&[DimType::C, DimType::M, DimType::N]),
        }
    }

    pub(super) fn blocks(&self) -> String {
        let Layout { batches, m, n, .. } = self;
        format!("{batches} * {m}.div_ceil(M_PRIM) * {n}.div_ceil(N_PRIM)")
    }

    /// That all of these sizes are multiples; empty where there are none.
    fn all_multiples(&self, of: &str) -> String {
        let each = self.dense.iter();
        let each = each.map(|size| format!("{size}.is_multiple_of({of})"));
        each.collect::<Vec<String>>().join(" && ")
    }

    pub(super) fn vector_domain(&self, widest: u64) -> String {
        let mut widths = vec![8, 4, 2, 1];
        match self.dense.is_empty() {
            true => widths.retain(|width| *width == 1),
            false => widths.retain(|width| (self.narrowest()..=widest).contains(width)),
        }
        format!("{widths:?}")
    }

    /// No asynchronous copy has two bytes.
    fn narrowest(&self) -> u64 {
        if self.half { 2 } else { 1 }
    }

    /// The widest is always possible, for the kernel looks at the sizes once more; any other one is worth trying
    /// only where it is the widest that they allow. Empty where there are no wide loads.
    pub(super) fn vector_condition(&self, widest: u64) -> String {
        if self.dense.is_empty() {
            return String::new();
        }
        format!(
            "VECTOR == {widest} || VECTOR >= {narrowest} && VECTOR < {widest} && VECTOR.is_power_of_two()
            && {possible} && !({wider}),",
            narrowest = self.narrowest(),
            possible = self.all_multiples("VECTOR"),
            wider = self.all_multiples("(2 * VECTOR)")
        )
    }

    /// Whether loads are as wide as `VECTOR` says.
    pub(super) fn wide(&self) -> String {
        match self.dense.is_empty() {
            true => "false".to_string(),
            false => self.all_multiples("VECTOR"),
        }
    }
}
