//! A launch in an attribute's words.

use super::guess::{Guesser, LARGE};
use super::launch::Launch;
use super::poly::Poly;

impl Guesser<'_> {
    /// The launch in words; what counts along an axis without any guard is given a limit.
    pub(super) fn launched(
        &mut self,
        launch: Launch,
        notes: &mut Vec<String>,
    ) -> (Vec<String>, Vec<String>, Option<String>) {
        let mut grid = Vec::new();
        let count = self.sizes().len();
        for (at, axis) in launch.grid.iter().enumerate() {
            let known = |name: &str| self.is_known(name);
            let limit = axis
                .limit
                .as_ref()
                .and_then(|limit| self.usage.most(limit, self.source, &known));
            let limit = limit.or_else(|| {
                let row = self.stride(axis.counted.as_deref()?)?;
                known(&row).then(|| Poly::name(&row))
            });
            let limit = limit.unwrap_or_else(|| {
                notes.push(format!(
                    "the grid along {} is a guess: nothing bounds it in the source",
                    ["x", "y", "z"][at]
                ));
                // Rows come first among the arguments, and x counts columns.
                let size = self.sizes().into_iter().nth(count.saturating_sub(at + 1));
                size.map_or(Poly::number(LARGE), |size| Poly::name(&size.name))
            });
            if let Some(counted) = &axis.counted {
                self.usage
                    .limits
                    .entry(counted.clone())
                    .or_insert_with(|| vec![limit.clone()]);
            }
            let step = self
                .usage
                .most(&axis.step, self.source, &|name| self.is_known(name));
            let step = step.filter(|step| step.names().iter().all(|name| self.is_known(name)));
            let rename = |name: &str| self.own(name);
            let limit = limit.shown(&rename);
            grid.push(match step.unwrap_or_else(|| Poly::number(1)) {
                step if step == Poly::number(1) || step.is_zero() => limit,
                step => {
                    let step = step.shown(&rename);
                    match limit.chars().all(|c| c.is_alphanumeric() || c == '_') {
                        true => format!("{limit}.div_ceil({step})"),
                        false => format!("({limit}).div_ceil({step})"),
                    }
                }
            });
        }
        let extents: Vec<String> = launch
            .block
            .iter()
            .map(|of| self.known_extent(of))
            .collect();
        for (axis, extent) in ["x", "y", "z"].iter().zip(&extents) {
            let value = extent
                .parse()
                .map_or_else(|_| Poly::name(extent), Poly::number);
            self.usage
                .limits
                .insert(format!("threadIdx.{axis}"), vec![value.clone()]);
            self.usage
                .definitions
                .insert(format!("blockDim.{axis}"), value);
        }
        let shared = format!("4 * {}", extents.join(" * "));
        (grid, extents, launch.shared.then_some(shared))
    }

    /// An extent in names that an attribute knows.
    fn known_extent(&self, extent: &str) -> String {
        match extent.parse::<i64>().is_ok() || self.is_known(extent) {
            true => extent.to_string(),
            false => self
                .source
                .number(extent)
                .map_or("256".to_string(), |number| number.to_string()),
        }
    }

    /// `y[row * n + counted]`: what the other index is multiplied with.
    fn stride(&self, counted: &str) -> Option<String> {
        let indices = self.usage.indices.values().flatten().flatten().cloned();
        indices.into_iter().find_map(|index| {
            let index = match self.usage.definitions.get(counted) {
                Some(_) if index.factor(counted) == Poly::number(1) => index,
                _ => return None,
            };
            let others = index
                .names()
                .into_iter()
                .filter(|name| *name != counted && self.scalar(name).is_none());
            let strides = others.map(|name| index.factor(name));
            let stride = strides
                .into_iter()
                .find(|of| of.is_single() && !of.names().is_empty())?;
            stride.names().first().map(|name| (*name).to_string())
        })
    }
}
