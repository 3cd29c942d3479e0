//! How bico's own tunable walks a contraction: decided by the letters alone, never by sizes.

use crate::{DimType, Einsum, EinsumError};

/// The loops of a contraction, outermost first: groups of type C, then M, N and K; in each type
/// those that are not tiled before the one that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In loop order.
    pub groups: Vec<Group>,
}

/// Letters that are walked as one dimension: neighbours in this order in every tensor that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Outermost first; at least one.
    pub letters: Vec<char>,
    /// The type of each of them.
    pub dim_type: DimType,
    /// Whether tiles are cut from it. One group each of M, N and K is tiled: in a tensor that all of its
    /// type are in (the output; for K the first input) it is the innermost one.
    pub tiled: bool,
}

impl Plan {
    /// The group of this type that is tiled; `None` for C, and where the einsum lacks the type.
    pub fn tiled(&self, dim_type: DimType) -> Option<&Group> {
        let mut groups = self.groups.iter();
        groups.find(|group| group.tiled && group.dim_type == dim_type)
    }

    /// Which of M, N and K no letter has.
    pub fn missing(&self) -> Vec<DimType> {
        [DimType::M, DimType::N, DimType::K]
            .into_iter()
            .filter(|kind| self.tiled(*kind).is_none())
            .collect()
    }
}

impl Group {
    /// Its letters joined: `ab`.
    pub fn name(&self) -> String {
        self.letters.iter().collect()
    }
}

impl Einsum {
    /// How bico's own tunable walks this contraction.
    pub fn plan(&self) -> Plan {
        let mut groups: Vec<Group> = Vec::new();
        for dim_type in [DimType::C, DimType::M, DimType::N, DimType::K] {
            // All letters of one type are in this tensor, which says their order.
            let order: &[char] = match dim_type {
                DimType::K => self.inputs.first().map_or(&[], Vec::as_slice),
                _ => &self.output,
            };
            let first = groups.len();
            for &letter in order {
                if self.dim_type(letter) != Some(dim_type) {
                    continue;
                }
                let last = groups[first..].last_mut();
                let last = last.filter(|group| {
                    neighbours(self, group.letters[group.letters.len() - 1], letter)
                });
                match last {
                    Some(group) => group.letters.push(letter),
                    None => groups.push(Group {
                        letters: vec![letter],
                        dim_type,
                        tiled: false,
                    }),
                }
            }
            if dim_type != DimType::C
                && let Some(last) = groups[first..].last_mut()
            {
                last.tiled = true;
            }
        }
        Plan { groups }
    }
}

/// Whether `inner` directly follows `outer` in every tensor that has one of them.
fn neighbours(einsum: &Einsum, outer: char, inner: char) -> bool {
    einsum.tensors().into_iter().all(|letters| {
        let place = |letter| letters.iter().position(|own| *own == letter);
        match (place(outer), place(inner)) {
            (Some(outer), Some(inner)) => inner == outer + 1,
            (None, None) => true,
            _ => false,
        }
    })
}

/// That no index of `text` is of this type.
pub(crate) fn no_index(dim_type: DimType, text: &str) -> EinsumError {
    let (what, example) = match dim_type {
        DimType::M => ("the first input and the output", "a row, as `m`"),
        DimType::N => ("the second input and the output", "a column, as `n`"),
        _ => ("both inputs and not in the output", "a sum, as `k`"),
    };
    EinsumError::new(
        0..text.len(),
        format!("no index is only in {what} ({dim_type}), and a tile needs one: {example} in `mk, kn -> mn`"),
    )
    .note("bico generates products of matrices; products with a vector and outer products it does not: add an index of size 1, or write the kernel and give its file: `source = \"..\"`")
}
