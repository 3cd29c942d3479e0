//! Kernels that take textures: nobody could fill those.

use super::text::{is_part, lines};
use std::path::Path;

/// The handles of textures and surfaces.
const HANDLES: [&str; 4] = [
    "cudaTextureObject_t",
    "cudaSurfaceObject_t",
    "CUtexObject",
    "CUsurfObject",
];

/// The first of these kernels in a file that takes a texture: its name, the handle's type, and in which line that stands.
pub(crate) fn textured(file: &Path, entries: &[&str]) -> Option<(String, &'static str, usize)> {
    let text = std::fs::read(file).ok()?;
    first(&String::from_utf8_lossy(&text), entries)
}

fn first(source: &str, entries: &[&str]) -> Option<(String, &'static str, usize)> {
    let (mut text, mut begins) = (String::new(), Vec::new());
    for (number, line) in lines(source) {
        begins.push((text.len(), number));
        text.extend([&line, "\n"]);
    }
    let named = |at: usize| {
        let mut closed = 0;
        let open = text[..at].rfind(|c| {
            closed += i32::from(c == ')') - i32::from(c == '(');
            closed < 0
        })?;
        let head = text[..open].trim_end();
        let name = &head[head.trim_end_matches(is_part).len()..];
        let start = head.rfind([';', '}']).unwrap_or(0);
        (head[start..].contains("__global__") && entries.contains(&name)).then(|| name.to_string())
    };
    HANDLES.iter().find_map(|handle| {
        let mut places = text.match_indices(handle);
        places.find_map(|(at, _)| {
            let line = begins.iter().rfind(|(begin, _)| *begin <= at)?.1;
            Some((named(at)?, *handle, line))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parameters_of_these_kernels_count() {
        let source = "// cudaTextureObject_t\n__device__ float at(cudaTextureObject_t t) { return 0; }\n\
            __global__ void __launch_bounds__(256)\nblur(float (*y)[4],\n  const cudaTextureObject_t t, int n) {}\n\
            __global__ void sum(float *y) { cudaTextureObject_t none = f(1); }\n";
        let found = Some(("blur".to_string(), "cudaTextureObject_t", 5));
        assert_eq!(first(source, &["sum", "blur"]), found);
        assert_eq!(first(source, &["sum", "at"]), None);
    }
}
