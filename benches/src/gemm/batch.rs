//! The row `contraction`: a batch of products that bico wrote itself, against plain loops and a library.

use contraction::{EINSUM, SIZES, race};
use serde_json::{Map, Value};

/// Names of the race and their keys.
const KEYS: [(&str, &str); 4] = [
    ("bico, tuned", "contraction"),
    ("bico, first config", "contraction_untuned"),
    ("matrixmultiply", "contraction_matrixmultiply"),
    ("row-major nest", "contraction_naive"),
];

/// Races the example's contraction; GFLOP/s by key.
///
/// # Errors
///
/// A result differs, or the race lacks a row.
pub(crate) fn run(json: bool) -> Result<Map<String, Value>, String> {
    let rows = race::race()?;
    let flops = 2.0 * SIZES.map(f64::from).iter().product::<f64>();
    let gflops = |name: &str| {
        let row = rows.iter().find(|row| row.name == name);
        row.map(|row| flops / row.seconds * 1e-9)
            .ok_or_else(|| format!("the race of `contraction` has no row `{name}`"))
    };
    let tuned = gflops(KEYS[0].0)?;
    let mut object = Map::new();
    if !json {
        let [c, m, n, k] = SIZES;
        println!("\n{EINSUM}, c = {c}, m = {m}, n = {n}, k = {k}, one thread, fastest run of each");
        println!("{:<28} {:>9}  {:>10}", "", "GFLOP/s", "tuned is");
    }
    for (name, key) in KEYS {
        let own = gflops(name)?;
        if !json {
            println!("{key:<28} {own:>9.2}  {:>9.2}x  {name}", tuned / own);
        }
        object.insert(key.to_string(), super::rounded(own));
    }
    Ok(object)
}
