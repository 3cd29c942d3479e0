//! How the tensors lie in memory: as the generator sees it, by the letters alone.

use crate::options::Operands;
use crate::{DimType, Float};

/// How an input lies in memory.
pub(super) struct Side {
    /// Whether its tile's lines are along K: the input is not contiguous along its own tiled index.
    pub(super) along_k: bool,
    /// Elements of the index along which it is contiguous, where tiles are cut along that.
    dense: Option<String>,
}

/// What the conditions and the score need of the einsum.
pub(super) struct Layout {
    pub(super) half: bool,
    pub(super) a: Side,
    pub(super) b: Side,
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
        let side = |tensor: usize, own: DimType| Side {
            along_k: !ends(tensor, own),
            dense: [own, DimType::K]
                .into_iter()
                .find(|kind| ends(tensor, *kind))
                .map(|kind| operands.tiled_size(kind)),
        };
        let outer_k = operands.untiled_size(&[DimType::K]);
        let k = operands.tiled_size(DimType::K);
        Layout {
            half: operands.input == Float::F16,
            a: side(0, DimType::M),
            b: side(1, DimType::N),
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

    /// Sizes that wide loads must divide. An FP32 tile with lines along K is copied element by element.
    fn dense(&self) -> Vec<&String> {
        let sides = [&self.a, &self.b].into_iter();
        let copied = sides.filter(|side| self.half || !side.along_k);
        let mut sizes: Vec<&String> = copied.filter_map(|side| side.dense.as_ref()).collect();
        sizes.dedup();
        sizes
    }

    /// That all of these sizes are multiples; empty where there are none.
    fn all_multiples(&self, of: &str) -> String {
        let sizes = self.dense().into_iter();
        let each: Vec<String> = sizes
            .map(|size| format!("{size}.is_multiple_of({of})"))
            .collect();
        each.join(" && ")
    }

    pub(super) fn vector_domain(&self, widest: u64) -> String {
        let mut widths = vec![8, 4, 2, 1];
        match self.dense().is_empty() {
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
        if self.dense().is_empty() {
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
        match self.dense().is_empty() {
            true => "false".to_string(),
            false => self.all_multiples("VECTOR"),
        }
    }
}
