//! The space of an einsum on a GPU: what its conditions let through is what the kernel takes.

use crate::case::{ENTRY, REFERENCE};
use crate::host::EINSUMS;
use bico::Value;
use bico_contraction::DataType::{F16, F32};
use bico_contraction::cuda::Tiling;
use bico_contraction::{DataType, Nest, Target, tunable};
use bico_core::device::{CudaFacts, Facts};
use bico_einsum::Einsum;
use bico_search::rank::rank;
use bico_search::space::{Draw, Space};
use bico_syntax::bind::{Bound, Expression, Scope};
use bico_syntax::{Arithmetic, TunableSpec};
use fastrand::Rng;

/// An einsum as a user writes it, on one GPU at one problem.
pub(crate) struct Written {
    pub(crate) spec: TunableSpec,
    pub(crate) nest: Nest,
    pub(crate) input: DataType,
    facts: Facts,
    scope: Scope,
    pub(crate) space: Space,
}

impl Written {
    /// `size` says how large each letter is.
    pub(crate) fn new(
        einsum: &str,
        [input, output]: [DataType; 2],
        capability: i64,
        size: impl Fn(char) -> i64,
    ) -> Written {
        let parsed = Einsum::parse(einsum).expect("an einsum");
        let letters: Vec<char> = parsed.letters().iter().map(|(letter, _)| *letter).collect();
        let problem: Vec<String> = letters
            .iter()
            .map(|letter| format!("{letter} = {}", size(*letter)))
            .collect();
        let element = |data_type| if data_type == F16 { "f16" } else { "f32" };
        let inputs: String = (0..parsed.inputs.len())
            .map(|number| format!("in{number}: &CudaSlice<{}>, ", element(input)))
            .collect();
        let sizes: String = letters
            .iter()
            .map(|letter| format!("{letter}: u32, "))
            .collect();
        let attribute = format!("einsum = \"{einsum}\", problem({})", problem.join(", "));
        let item = format!(
            "pub fn contraction(stream: &Arc<CudaStream>, out: &mut CudaSlice<{}>, {inputs}{sizes}) -> bico::Result<()>;",
            element(output)
        );
        let spec = match bico_syntax::parse(attribute.parse().unwrap(), item.parse().unwrap()) {
            Ok(wrapper) => wrapper.spec,
            Err(errors) => panic!("{errors}"),
        };
        let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", capability));
        let scope = Scope::new(&spec, &spec.problems[0], &facts, &Default::default()).unwrap();
        let bound = Bound::new(&spec, &facts, &scope).unwrap_or_else(|error| panic!("{error}"));
        let space = Space::new(&bound).unwrap_or_else(|error| panic!("{error}"));
        Written {
            nest: Nest::of_plan(&parsed, input, output, Target::Cuda),
            spec,
            input,
            facts,
            scope,
            space,
        }
    }

    /// The kernel's text.
    pub(crate) fn source(&self) -> String {
        let text = tunable::source(&self.spec).expect("an einsum");
        text.unwrap_or_else(|error| panic!("{error}"))
            .replace("contraction_kernel", ENTRY)
            .replace("contraction_reference", REFERENCE)
    }

    /// The macros of a config.
    pub(crate) fn defines(&self, config: u64) -> Vec<(String, String)> {
        let values = self
            .space
            .config(config)
            .into_iter()
            .map(|value| match value {
                Value::Int(number) => number.to_string(),
                Value::Str(word) => word.to_string(),
                other => panic!("{other:?}"),
            });
        self.space.names().iter().cloned().zip(values).collect()
    }

    pub(crate) fn tiling(&self, config: u64) -> Tiling {
        let defines = self.defines(config);
        let value = |name: &str| {
            let found = defines.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.parse().ok()).expect(name)
        };
        let part = if self.input == F16 {
            ["WARP_M", "WARP_N"]
        } else {
            ["MR", "NR"]
        };
        Tiling {
            tile: ["M_PRIM", "N_PRIM", "K_PRIM"].map(value),
            part: part.map(value),
            stages: value("STAGES"),
        }
    }

    /// All configs, the most promising first, with what was predicted.
    pub(crate) fn ranked(&self) -> Vec<u64> {
        let bound = Bound::new(&self.spec, &self.facts, &self.scope).unwrap();
        rank(&self.space, &bound).unwrap().order
    }

    /// Blocks, threads and bytes of shared memory, as the launch has them.
    fn launch(&self, config: u64) -> [u64; 3] {
        let launch = &self.spec.launches()[0];
        let values = self.space.config(config);
        let value = |expr: &bico_syntax::Expr| {
            Expression::compile(
                expr,
                Arithmetic::Integer,
                self.space.names(),
                &self.scope,
                &self.facts,
            )
            .and_then(|expression| expression.count(&values))
            .unwrap_or_else(|error| panic!("{error}"))
        };
        let shared = launch.shared.as_ref().map_or(0, value);
        [value(&launch.grid[0]), value(&launch.block[0]), shared]
    }
}

pub(crate) fn conditions() {
    let mut rng = Rng::with_seed(3);
    for einsum in EINSUMS {
        for types in [[F16, F16], [F16, F32], [F32, F32]] {
            for capability in [75, 80, 90] {
                let sizes: Vec<i64> = (0..26)
                    .map(|_| *rng.choice(&[1, 7, 12, 64, 130, 512]).unwrap())
                    .collect();
                let written = Written::new(einsum, types, capability, |letter| {
                    sizes[letter as usize - 'a' as usize]
                });
                assert!(
                    written.space.len() > 500,
                    "{einsum} {types:?}: {}",
                    written.space.len()
                );
                for config in Draw::new(written.space.len(), rng.fork()).take(60) {
                    let tiling = written.tiling(config);
                    let about = format!(
                        "{einsum} {types:?} sm_{capability} {:?}",
                        written.defines(config)
                    );
                    (tiling.check(&written.nest))
                        .unwrap_or_else(|error| panic!("{about}: {error}"));
                    let [_, block, shared] = written.launch(config);
                    assert_eq!(block, tiling.threads(written.input), "{about}");
                    assert_eq!(shared, tiling.shared_bytes(&written.nest), "{about}");
                }
            }
        }
    }
}

/// The exercise's case: the most promising configs have loads as wide as they go and blocks in groups.
pub(crate) fn ranking() {
    for (types, widest) in [([F16, F16], "8"), ([F32, F32], "4")] {
        for capability in [80, 90] {
            let size = |letter| if letter == 'c' { 4 } else { 4096 };
            let written = Written::new("cmk, ckn -> cmn", types, capability, size);
            println!(
                "{types:?} on sm_{capability}: {} configs",
                written.space.len()
            );
            for config in written.ranked().iter().take(5) {
                let values = written.defines(*config);
                let value = |name: &str| {
                    let found = values.iter().find(|(known, _)| known == name);
                    found.map(|(_, value)| value.as_str()).expect(name)
                };
                let text: Vec<String> = (values.iter())
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                println!("  {}", text.join(" "));
                assert_eq!(value("VECTOR"), widest);
                assert_ne!((value("M_L2"), value("N_L2")), ("1", "1"));
            }
        }
    }
}
