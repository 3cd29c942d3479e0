//! What kernels are compared with.

use super::blas::{Blas, Product};
use super::family::Family;
use super::gpu::{Gpu, Memory, text};
use super::lt;
use super::prepared::{Loaded, Prepared};
use super::timing::{self, Contender};
use super::{COPY, LIBRARY};
use bico::Value;
use bico_build::report::assignment;
use bico_core::device::Facts;
use bico_device::measure::Bytes;
use bico_syntax::Element;
use bico_syntax::bind::Scope;
use cargo_bico::Features;
use cargo_bico::opened::Package;
use std::path::Path;

/// Seconds for choosing the fastest elementwise kernel.
const CHOOSING: f64 = 0.3;

/// A copy of as many bytes as the kernel moves at least, half read and half written.
pub(super) fn copy<'a>(gpu: &'a Gpu, prepared: &Prepared) -> Result<Contender<'a>, String> {
    let half = usize::try_from(prepared.bytes() / 2).map_err(|error| error.to_string())?;
    let from = gpu.allocate(half)?;
    let mut to = gpu.allocate(half)?;
    Ok(Contender {
        name: COPY.to_string(),
        detail: format!("{half} bytes from the GPU's memory to itself"),
        run: Box::new(move || {
            let from = from.slice.slice(..half);
            let mut to = to.slice.slice_mut(..half);
            gpu.stream.memcpy_dtod(&from, &mut to).map_err(text)
        }),
    })
}

/// What cuBLAS multiplies, on the buffers of the kernel: C, A, B.
pub(super) fn product(
    gpu: &Gpu,
    prepared: &Prepared,
    family: Family,
    scope: &Scope,
) -> Result<Product, String> {
    let [c, a, b] = prepared.buffers.as_slice() else {
        return Err("a product has the buffers C, A, B".to_string());
    };
    let address = |at: usize| gpu.address(&prepared.memory[at]);
    if a.element() != b.element() {
        return Err("A and B have elements of different types".to_string());
    }
    Ok(Product {
        sizes: family
            .product(scope)
            .ok_or("a product has the sizes m, n, k")?,
        batches: family.batches(scope).ok_or("a batch has the size c")?,
        element: a.element(),
        result: c.element(),
        a: address(1),
        b: address(2),
        c: address(0),
    })
}

pub(super) fn multiplier<'a>(blas: &'a Blas, product: Product) -> Contender<'a> {
    Contender {
        name: LIBRARY.to_string(),
        detail: format!("cuBLAS {}", blas.version()),
        run: Box::new(move || blas.multiply(&product)),
    }
}

/// What cuBLASLt has for one product, each checked like a kernel.
pub(super) fn proposals<'a>(
    gpu: &'a Gpu,
    prepared: &mut Prepared,
    family: Family,
    scope: &Scope,
    expected: &[Bytes],
) -> Result<Vec<Contender<'a>>, String> {
    if family == Family::Glu {
        return Ok(Vec::new());
    }
    let product = product(gpu, prepared, family, scope)?;
    if product.batches != 1 {
        return Ok(Vec::new());
    }
    let mut all = lt::contenders(gpu, product)?;
    for contender in &mut all {
        let got = prepared.run(gpu, |_| (contender.run)())?;
        if let Some(wrong) = prepared.difference(&got, expected) {
            let name = &contender.name;
            return Err(format!("{name}: it differs from the reference: {wrong}"));
        }
    }
    Ok(all)
}

/// Two products and an elementwise kernel, the fastest of its configs.
pub(super) struct Separate<'a> {
    gpu: &'a Gpu,
    blas: &'a Blas,
    products: [Product; 2],
    gate: Loaded,
    detail: String,
    _between: [Memory; 2],
}

impl<'a> Separate<'a> {
    pub(super) fn new(
        gpu: &'a Gpu,
        blas: &'a Blas,
        prepared: &Prepared,
        scope: &Scope,
        folder: &Path,
        facts: &Facts,
    ) -> Result<Separate<'a>, String> {
        let [y, x, _, _] = prepared.buffers.as_slice() else {
            return Err("a gated linear unit has the buffers y, x, W, V".to_string());
        };
        let sizes = Family::Glu
            .product(scope)
            .ok_or("it has the sizes m, n, k")?;
        let bytes = y.bytes().ok_or("y is too long")?;
        let between = [gpu.allocate(bytes)?, gpu.allocate(bytes)?];
        let products = [0, 1].map(|which: usize| Product {
            sizes,
            batches: 1,
            element: x.element(),
            result: y.element(),
            a: gpu.address(&prepared.memory[1]),
            b: gpu.address(&prepared.memory[2 + which]),
            c: gpu.address(&between[which]),
        });
        let manifest = folder.join("Cargo.toml");
        let package = Package::open(&manifest, &Features::All, facts.clone())?;
        let name = match y.element() {
            Element::F16 => "activate_f16",
            _ => "activate_f32",
        };
        let tunables = package.tunables()?;
        let tunable = tunables.iter().find(|tunable| tunable.key() == name);
        let tunable = tunable.ok_or_else(|| format!("the rivals have no `{name}`"))?;
        let act = scope.get("ACT").ok_or("it has no constant ACT")?;
        let mut problems = tunable.problems();
        let problem = problems.find(|problem| problem.get("ACT") == Some(act));
        let len = i64::from(sizes[0]) * i64::from(sizes[1]);
        let problem = problem.ok_or("the rivals do not know this ACT")?.clone();
        let configs = tunable.at(&problem.with_size("len", Value::Int(len)))?;
        let all: Vec<Vec<Value>> = (0..configs.space().len())
            .map(|config| configs.space().config(config))
            .collect();
        configs.announce(&all);
        let [g, h] = &between;
        let mut loaded = Vec::new();
        for config in &all {
            let call = configs.call(config)?;
            loaded.push(Loaded::new(gpu, &call, &[&prepared.memory[0], g, h])?);
        }
        let mut entrants: Vec<Contender<'_>> = loaded
            .iter()
            .zip(&all)
            .map(|(loaded, config)| Contender {
                name: assignment(configs.space().names(), config),
                detail: String::new(),
                run: Box::new(|| gpu.launch(&loaded.kernel)),
            })
            .collect();
        let best = timing::fastest(gpu, &mut entrants, CHOOSING)?;
        drop(entrants);
        let (best, timed) = best.ok_or("the elementwise kernel has no config")?;
        Ok(Separate {
            gpu,
            blas,
            products,
            gate: loaded.swap_remove(best),
            detail: format!(
                "cuBLAS {} twice, then an elementwise kernel ({})",
                blas.version(),
                timed.name
            ),
            _between: between,
        })
    }

    pub(super) fn run(&self) -> Result<(), String> {
        for product in &self.products {
            self.blas.multiply(product)?;
        }
        self.gpu.launch(&self.gate.kernel)
    }

    pub(super) fn contender(self) -> Contender<'a> {
        Contender {
            name: LIBRARY.to_string(),
            detail: self.detail.clone(),
            run: Box::new(move || self.run()),
        }
    }
}
