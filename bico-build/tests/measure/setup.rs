//! A tunable of one integer parameter, MODE, which is also the config's number.

use bico_build::compile::{Options, Service, Unit};
use bico_build::measure::{CallPlan, Candidates, KernelMeasure, PassPlan, Program, Settings};
use bico_core::Value;
use bico_syntax::{ArgumentKind, Expr, ExprKind, Init, ReferenceKind, TunableSpec};
use std::path::Path;

type Lengths = fn(&[u64]) -> Vec<u64>;

pub(crate) struct Tunable {
    spec: TunableSpec,
    problem: Vec<Value>,
    buffers: Lengths,
    pub(crate) scratch: Lengths,
    /// In place of the spec's.
    pub(crate) reference: Option<&'static str>,
    /// Appended to the source.
    pub(crate) extra: &'static str,
    /// In place of the source.
    pub(crate) source: Option<String>,
}

impl Tunable {
    /// `buffers` gives the lengths of the buffers from the scalars, floats as 0.
    pub(crate) fn new(
        attribute: &str,
        item: &str,
        problem: Vec<Value>,
        buffers: Lengths,
    ) -> Tunable {
        let parsed = bico_syntax::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors:?}")).spec;
        Tunable {
            spec,
            problem,
            buffers,
            scratch: |_| vec![],
            reference: None,
            extra: "",
            source: None,
        }
    }

    /// The numbers of `#[init(uniform(..))]`, which are written out.
    fn fillings(&self) -> Vec<Option<(f64, f64)>> {
        let number = |expr: &Expr| match expr.kind {
            ExprKind::Int(number) => number as f64,
            _ => panic!("{expr}"),
        };
        let arguments = self.spec.arguments.iter();
        let numbers = arguments.filter_map(|argument| match &argument.kind {
            ArgumentKind::Buffer { init, .. } => Some(init.as_ref()),
            _ => None,
        });
        let numbers = numbers.map(|init| match init? {
            Init::Uniform(low, high) => Some((number(low), number(high))),
            _ => None,
        });
        numbers.collect()
    }

    fn unit(&self, config: u64) -> Unit {
        Unit {
            source: self.spec.kernels[0].source.path.text.clone().into(),
            language: self.spec.language(),
            defines: vec![("MODE".into(), config.to_string())],
            flags: vec![],
            gpu: None,
        }
    }
}

impl Candidates for Tunable {
    fn unit(&self, config: u64) -> Result<Unit, String> {
        Ok(self.unit(config))
    }

    fn entries(&self, _: u64) -> Result<Vec<String>, String> {
        match &self.spec.kernels[0].passes[0].entry.kind {
            ExprKind::Str(entry) => Ok(vec![entry.clone()]),
            other => Err(format!("{other:?}")),
        }
    }

    fn tiles(&self, _: u64) -> Vec<i64> {
        vec![8]
    }

    fn call(&self, _: u64, scalars: &[Value]) -> Result<Option<CallPlan>, String> {
        let sizes: Vec<u64> = scalars
            .iter()
            .map(|value| match value {
                Value::Int(value) => *value as u64,
                _ => 0,
            })
            .collect();
        Ok(Some(CallPlan {
            kernel: 0,
            buffers: (self.buffers)(&sizes),
            fillings: self.fillings(),
            stored: Vec::new(),
            scratch: (self.scratch)(&sizes),
            passes: vec![PassPlan {
                passed: Vec::new(),
                dims: None,
            }],
            reference_dims: None,
        }))
    }

    fn reference(&self, _: u64) -> Result<Option<(Unit, String)>, String> {
        let named = self
            .spec
            .verify
            .reference
            .as_ref()
            .map(|reference| match &reference.kind {
                ReferenceKind::Entry(entry) | ReferenceKind::File { entry, .. } => entry.clone(),
            });
        Ok(self
            .reference
            .map(str::to_string)
            .or(named)
            .map(|entry| (self.unit(0), entry)))
    }
}

pub(crate) struct Setup {
    pub(crate) tunable: Tunable,
    folder: tempfile::TempDir,
    service: Service,
}

impl Setup {
    pub(crate) fn new(tunable: Tunable) -> Setup {
        let folder = tempfile::tempdir().unwrap();
        let target = "x86_64-unknown-linux-gnu".to_string();
        let service = Service::new(Options {
            cache: folder.path().join("objects"),
            root: folder.path().to_path_buf(),
            threads: 2,
            host: target.clone(),
            target,
            timeout: Options::TIMEOUT,
            nvrtc: None,
            program: None,
        });
        Setup {
            tunable,
            folder,
            service,
        }
        .written()
    }

    /// Writes the source again, after a change.
    pub(crate) fn written(self) -> Setup {
        let text = match &self.tunable.source {
            Some(text) => text.clone(),
            None => include_str!("kernels.c").to_string() + self.tunable.extra,
        };
        std::fs::write(
            self.folder
                .path()
                .join(&self.tunable.spec.kernels[0].source.path.text),
            text,
        )
        .unwrap();
        self
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn measure(&self) -> KernelMeasure<'_> {
        self.measure_with(|_| {})
    }

    pub(crate) fn measure_with(&self, change: impl FnOnce(&mut Settings)) -> KernelMeasure<'_> {
        let program = Program::this(vec![]).unwrap();
        let mut settings = Settings::new(program, "cpu", self.folder.path().join("measure"));
        // Tests wait for nobody, and nobody for them.
        settings.lock = self.folder.path().join("lock");
        // How exact times are does not matter here.
        settings.trial_seconds = 0.05;
        settings.finals_seconds = 0.5;
        change(&mut settings);
        let Tunable { spec, problem, .. } = &self.tunable;
        KernelMeasure::new(
            spec,
            problem.clone(),
            &self.service,
            &self.tunable,
            settings,
        )
    }
}
