//! A guess as Rust, for people to go on from.

use super::guess::Guess;
use super::parameters::Parameter;
use std::fmt::Write;

/// The wrapper with its attribute; `source` is the kernel's file as an attribute names it.
pub(super) fn wrapper(guess: &Guess, source: &str, cuda: bool) -> String {
    let mut text =
        format!("// A guess that `cargo bico new` made of {source}: read it before you tune.\n");
    for note in &guess.notes {
        let _ = writeln!(text, "// - {}", line(note));
    }
    if cuda {
        text += "use bico::cudarc::driver::{CudaSlice, CudaStream};\nuse std::sync::Arc;\n";
    }
    let _ = writeln!(text, "\n#[bico::tunable(\n    source = \"{source}\",");
    if guess.entry != guess.name {
        let _ = writeln!(text, "    entry = \"{}\",", guess.entry);
    }
    if !guess.template.is_empty() {
        let _ = writeln!(text, "    template = [{}],", guess.template.join(", "));
    }
    text += &rules(&guess.parameters, &guess.require);
    if let Some((folder, _)) = source.rsplit_once('/').filter(|_| guess.beside) {
        let _ = writeln!(text, "    include = [\"{folder}\"],");
    }
    if guess.nvcc {
        text += "    compiler = \"nvcc\",\n";
    }
    if guess.exact {
        text += "    arch = \"exact\",\n";
    }
    if !guess.flags.is_empty() {
        let _ = writeln!(text, "    flags = {:?},", guess.flags);
    }
    if let Some((grid, block, shared)) = &guess.launch {
        let shared = shared
            .as_ref()
            .map_or(String::new(), |bytes| format!(", shared = {bytes}"));
        let _ = writeln!(
            text,
            "    launch(grid = {}, block = {}{shared}),",
            tuple(grid),
            tuple(block)
        );
    }
    let problem: Vec<String> = guess
        .problem
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let _ = writeln!(text, "    problem({}),", problem.join(", "));
    match &guess.reference {
        Some(reference) => {
            let _ = writeln!(text, "    verify(reference = \"{reference}\"),");
        }
        None => {
            text += "    // verify(reference = \"..\"): without one, configs are compared with each other.\n"
        }
    }
    let _ = writeln!(text, ")]\npub fn {}(", guess.name);
    if cuda {
        text += "    stream: &Arc<CudaStream>,\n";
    }
    for argument in &guess.arguments {
        if let Some(doubt) = &argument.doubt {
            let _ = writeln!(text, "    // ? {}", line(doubt));
        }
        let attributes: String = argument
            .attributes
            .iter()
            .map(|of| format!("{of} "))
            .collect();
        let _ = writeln!(text, "    {attributes}{}: {},", argument.name, argument.of);
    }
    text + ") -> bico::Result<()>;\n"
}

/// `space(..)` and `require(..)`.
pub(super) fn rules(parameters: &[Parameter], require: &[String]) -> String {
    let mut text = String::from("    space(\n");
    for Parameter { name, domain, why } in parameters {
        let why = if why.is_empty() {
            String::new()
        } else {
            format!(" // {}", line(why))
        };
        let _ = writeln!(text, "        {name} in {domain},{why}");
    }
    text += "    ),\n";
    if !require.is_empty() {
        text += "    require(\n";
        for condition in require {
            let _ = writeln!(text, "        {condition},");
        }
        text += "    ),\n";
    }
    text
}

fn tuple(extents: &[String]) -> String {
    match extents {
        [only] => only.clone(),
        several => format!("({})", several.join(", ")),
    }
}

/// A text of a source in a comment of one line.
fn line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
