//! Spaces for tests.

use bico_core::device::{CudaFacts, Facts};
use bico_search::space::Space;
use bico_syntax::bind::Scope;
use cargo_bico::Features;
use cargo_bico::opened::Package;

/// The space of a batched product with these options.
pub(super) fn space(options: &str) -> (Space, Scope) {
    let item = "pub fn contract(stream: &Arc<CudaStream>, #[len(c * m * n)] o: &mut CudaSlice<f32>, \
        c: u32, m: u32, n: u32, k: u32) -> bico::Result<()>;";
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
    std::fs::create_dir_all(folder.path().join("src")).unwrap();
    write("Cargo.toml", "[package]\nname = \"p\"\n[workspace]\n");
    let text = format!(
        "#[bico::tunable(source = \"k.cu\", launch(grid = 1, block = 32), {options})]\n{item}\n"
    );
    write("src/lib.rs", &text);
    write(
        "k.cu",
        "__global__ void contract(float *o, unsigned c, unsigned m, unsigned n, unsigned k) {}",
    );
    let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
    let features = Features::All;
    let manifest = folder.path().join("Cargo.toml");
    let package = Package::open(&manifest, &features, facts).unwrap();
    let tunables = package.tunables().unwrap();
    let scope = tunables[0].problems().next().unwrap().clone();
    let configs = tunables[0].at(&scope).unwrap();
    (configs.space().clone(), scope)
}
