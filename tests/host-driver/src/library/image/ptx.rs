//! PTX: the text has the directives that tools look at; the cubin lies in its comments.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Cubin;
use crate::library::status::{Answer, Status};

const MARK: &str = "//host ";
/// Bytes in a line.
const LINE: usize = 90;

pub(crate) fn to_ptx(cubin: &Cubin) -> String {
    let mut text = format!(
        "//\n// Written by bico's host driver, a test double: no GPU can run this.\n//\n\n\
         .version 8.8\n.target sm_{}\n.address_size 64\n\n",
        cubin.architecture
    );
    for kernel in &cubin.kernels {
        let parameters: Vec<_> = kernel
            .parameters
            .iter()
            .enumerate()
            .map(|(index, it)| match it.size {
                1 | 2 | 4 | 8 => {
                    format!("\t.param .u{} {}_param_{index}", it.size * 8, kernel.name)
                }
                size => format!(
                    "\t.param .align 8 .b8 {}_param_{index}[{size}]",
                    kernel.name
                ),
            })
            .collect();
        let _ = writeln!(
            text,
            ".visible .entry {}(\n{}\n)\n{{\n\tret;\n}}\n",
            kernel.name,
            parameters.join(",\n")
        );
    }
    for line in cubin.write().chunks(LINE) {
        let _ = writeln!(text, "{MARK}{}", STANDARD.encode(line));
    }
    text
}

/// # Errors
///
/// `InvalidPtx` for a text that is PTX but not of ours, `InvalidImage` for what is no PTX at all.
pub(crate) fn from_ptx(text: &str) -> Answer<Cubin> {
    if !text.contains(".version") || !text.contains(".target") {
        return Err(Status::InvalidImage);
    }
    let mut bytes = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(MARK)) {
        bytes.extend(STANDARD.decode(line).map_err(|_| Status::InvalidPtx)?);
    }
    Cubin::read(&bytes).map_err(|_| Status::InvalidPtx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let cubin = Cubin {
            architecture: 75,
            exact: false,
            object: (0..=255).cycle().take(1000).collect(),
            options: String::new(),
            kernels: Vec::new(),
        };
        let text = to_ptx(&cubin);
        assert!(text.contains("\n.target sm_75\n"));
        assert_eq!(from_ptx(&text), Ok(cubin));
        assert_eq!(from_ptx("int main"), Err(Status::InvalidImage));
        assert_eq!(
            from_ptx(".version 8.8\n.target sm_80\n"),
            Err(Status::InvalidPtx)
        );
    }
}
