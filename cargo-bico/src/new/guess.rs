//! What a kernel's source says of its attribute, and what is guessed where it says nothing.

use super::argument::{Argument, arguments, own_name};
use super::launch::launch;
use super::lexer::Token;
use super::parameters::{Found, Parameter, parameters};
use super::source::{Function, Source};
use super::usage::Usage;
use bico_device::standard_headers;
use bico_syntax::Language;
use std::collections::BTreeSet;

/// An attribute and a wrapper, in pieces.
#[derive(Debug)]
pub(super) struct Guess {
    pub(super) entry: String,
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) template: Vec<String>,
    pub(super) require: Vec<String>,
    pub(super) flags: Vec<String>,
    /// Whether NVRTC cannot compile the file.
    pub(super) nvcc: bool,
    /// Whether it is for one kind of GPU only.
    pub(super) exact: bool,
    /// Whether headers are looked for beside the file.
    pub(super) beside: bool,
    pub(super) launch: Option<(Vec<String>, Vec<String>, Option<String>)>,
    /// Values of the scalars.
    pub(super) problem: Vec<(String, String)>,
    pub(super) reference: Option<String>,
    pub(super) arguments: Vec<Passed>,
    /// What people should know.
    pub(super) notes: Vec<String>,
}

/// An argument of the wrapper.
#[derive(Debug)]
pub(super) struct Passed {
    pub(super) name: String,
    /// `&mut [f32]`
    pub(super) of: String,
    /// `#[len(n)]` and the like.
    pub(super) attributes: Vec<String>,
    /// What is not sure.
    pub(super) doubt: Option<String>,
}

/// What stands for an index that nothing bounds.
pub(super) const LARGE: i64 = 1024;

pub(super) struct Guesser<'s> {
    pub(super) source: &'s Source,
    pub(super) function: &'s Function,
    pub(super) usage: Usage,
    pub(super) found: Found,
    pub(super) arguments: Vec<Argument>,
    language: Language,
    pub(super) cuda: bool,
}

impl<'s> Guesser<'s> {
    pub(super) fn new(
        source: &'s Source,
        function: &'s Function,
        language: Language,
    ) -> Guesser<'s> {
        let found = parameters(source, function);
        let arguments = arguments(function, source, &found.types);
        let mut usage = Usage::of(&function.body);
        for argument in arguments.iter().filter(|of| of.typed.pointers > 0) {
            usage.follow(&argument.name);
        }
        Guesser {
            usage,
            arguments,
            found,
            source,
            function,
            language,
            cuda: language.is_cuda(),
        }
    }

    /// Takes these domains for those that the source suggests.
    pub(super) fn tuned(&mut self, known: Vec<Parameter>) {
        let types = self.found.types.clone();
        self.found
            .parameters
            .retain(|of| types.contains(&of.name) || self.found.template.contains(&of.name));
        for parameter in known {
            self.found.parameters.retain(|of| of.name != parameter.name);
            self.found.parameters.push(parameter);
        }
    }

    pub(super) fn guess(mut self) -> Guess {
        let launch = self
            .cuda
            .then(|| launch(self.function, &self.usage, &self.found.parameters));
        let mut notes = std::mem::take(&mut self.found.notes);
        if let Some(launch) = &launch {
            self.found
                .parameters
                .extend(launch.added.iter().map(|of| Parameter {
                    name: of.name.clone(),
                    domain: of.domain.clone(),
                    why: of.why.clone(),
                }));
        }
        // A template's parameters come first in its order; the others may be named by anybody.
        self.distinct_arguments();
        let launch = launch.map(|launch| self.launched(launch, &mut notes));
        let (passed, sizes, degree) = self.passed(&mut notes);
        let flags = self.without_parameters(&mut notes);
        self.warn(&mut notes);
        let nvcc = self.cuda && self.host(&mut notes);
        let exact = self.cuda && self.exact();
        Guess {
            entry: format!("{}{}", self.function.path, self.function.name),
            name: own_name(&self.function.name, |_| false),
            problem: self.problem(&sizes, degree),
            reference: self.reference(),
            parameters: self.found.parameters,
            template: self.found.template,
            require: Vec::new(),
            flags,
            nvcc,
            exact,
            beside: self.source.angled,
            launch,
            arguments: passed,
            notes,
        }
    }

    /// Whether the file, or a header beside it, has instructions that one kind of GPU has alone: PTX ISA, "Target ISA notes" of
    /// each.
    fn exact(&self) -> bool {
        let functions = self.source.functions.iter().flat_map(|of| &of.body);
        let mut tokens = functions.chain(&self.source.foreign);
        tokens.any(|token| match token {
            Token::Literal(text) => ["wgmma.", "setmaxnreg.", "tcgen05."]
                .iter()
                .any(|instruction| text.contains(instruction)),
            _ => false,
        })
    }

    /// Whether the file holds what NVRTC does not compile: calls of kernels, headers of a host.
    fn host(&self, notes: &mut Vec<String>) -> bool {
        let calls = |of: &Function| of.body.iter().any(|token| token.is("<<<"));
        let of_cuda = [
            "cuda_",
            "cooperative_groups",
            "cub/",
            "cuda/",
            "mma.h",
            "vector_types.h",
            "device_",
            "math_constants.h",
        ];
        let standard: Vec<&str> = standard_headers().map(|(name, _)| name).collect();
        let is_known = |name: &String| {
            standard.contains(&name.as_str())
                || (of_cuda.iter().any(|of| name.starts_with(of))
                    && !name.starts_with("cuda_profiler"))
        };
        let header = self.source.elsewhere.iter().find(|name| !is_known(name));
        let launches = self.source.functions.iter().any(calls);
        if let Some(header) = header {
            notes.push(format!("NVRTC has no `{header}`: it is left to nvcc"));
        } else if launches {
            notes.push("the file launches kernels itself, which NVRTC does not compile: it is left to nvcc".to_string());
        }
        launches || header.is_some()
    }

    /// A space has a parameter: on a CPU how much the compiler optimises, else one that stands in for what shall vary.
    /// Gives the flags that it needs.
    fn without_parameters(&mut self, notes: &mut Vec<String>) -> Vec<String> {
        if !self.found.parameters.is_empty() {
            return Vec::new();
        }
        notes.push(
            "nothing in the source may vary: put a name in place of a number there, and list it in `space(..)`".to_string(),
        );
        let (name, domain, flags) = match self.cuda {
            true => ("VARIANT", "[0, 1]", Vec::new()),
            false => (
                "OPTIMIZE",
                "[\"-O2\", \"-O3\"]",
                vec!["{OPTIMIZE}".to_string()],
            ),
        };
        self.found.parameters.push(Parameter {
            name: name.to_string(),
            domain: domain.to_string(),
            why: "until there is a better one".to_string(),
        });
        flags
    }

    /// No argument is called like a parameter.
    fn distinct_arguments(&mut self) {
        let names: BTreeSet<String> = self
            .found
            .parameters
            .iter()
            .map(|of| of.name.clone())
            .collect();
        for argument in &mut self.arguments {
            argument.own = own_name(&argument.own, |own| names.contains(own));
        }
    }

    fn warn(&self, notes: &mut Vec<String>) {
        let head = |word: &str| self.function.has(word);
        if self.function.has("static") || (!self.cuda && self.function.has("inline")) {
            notes.push(
                "the function is `static`: `flags = [\"-Dstatic=\"]` makes it visible".to_string(),
            );
        }
        if self.language == Language::Cpp && !self.function.extern_c {
            notes.push(
                "declare the function `extern \"C\"`, or call it from one that is".to_string(),
            );
        }
        if !head("void") {
            notes.push(
                "the function gives back a value: let it write that through a pointer".to_string(),
            );
        }
        for argument in &self.arguments {
            let name = &argument.name;
            if let Some(unknown) = &argument.typed.unknown {
                notes.push(match unknown.as_str() {
                    "CUtensorMap" => format!(
                        "`{name}` is a tensor map: take its buffer in its place, and say so by `args(tensor_map({name}, dims = (..), box = (..)), ..)`"
                    ),
                    _ => format!("`{name}` is of the type `{unknown}`, which is not known here"),
                });
            }
            if argument.typed.pointers > 1 && argument.extents.is_empty() {
                notes.push(format!(
                    "`{name}` is a pointer to pointers: bico passes flat buffers"
                ));
            }
            if argument.typed.reference {
                notes.push(format!(
                    "`{name}` is a reference: bico passes values and pointers"
                ));
            }
        }
    }

    /// Whether a name may stand in the attribute: a number of the arguments, or a parameter.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.scalar(name).is_some() || self.found.parameters.iter().any(|of| of.name == name)
    }

    pub(super) fn scalar(&self, name: &str) -> Option<&Argument> {
        let named = self.arguments.iter().find(|of| of.name == name);
        named.filter(|of| of.typed.is_integer())
    }

    pub(super) fn own(&self, name: &str) -> String {
        let argument = self.arguments.iter().find(|of| of.name == name);
        argument.map_or(name.to_string(), |of| of.own.clone())
    }

    pub(super) fn sizes(&self) -> Vec<&Argument> {
        self.arguments
            .iter()
            .filter(|of| of.typed.is_integer())
            .collect()
    }

    /// Sizes of which buffers have about a million elements.
    fn problem(&self, sizes: &BTreeSet<String>, degree: usize) -> Vec<(String, String)> {
        let scalars = self.arguments.iter().filter(|of| of.typed.pointers == 0);
        let value = |of: &Argument| match &*of.typed.element {
            "bool" => "true",
            element if element.starts_with('f') || element.starts_with("half") => "1.0",
            "i8" | "u8" => "1",
            _ if !sizes.contains(&of.name) => "1",
            "i16" | "u16" => "1024",
            _ if degree.max(sizes.len()) == 1 => "1_048_576",
            _ if degree < 3 && sizes.len() < 3 => "1024",
            _ if degree < 3 => "256",
            _ if degree == 3 => "128",
            _ => "32",
        };
        scalars
            .map(|of| (of.own.clone(), value(of).to_string()))
            .collect()
    }

    /// Another function of the file that looks like the same in plain, in C.
    fn reference(&self) -> Option<String> {
        let taken = |of: &Function| -> Vec<(String, usize)> {
            let all = arguments(of, self.source, &[]).into_iter();
            all.map(|of| (of.typed.element, of.typed.pointers))
                .collect()
        };
        let plain = |of: &&Function| {
            let name = of.name.to_lowercase();
            let words = ["ref", "naive", "plain", "serial", "seq", "gold"];
            of.name != self.function.name
                && words.iter().any(|word| name.contains(word))
                && taken(of) == taken(self.function)
                && of.template.is_none()
                && !of.has("static")
        };
        let found = self.source.functions.iter().find(plain)?;
        (!self.cuda).then(|| found.name.clone())
    }
}
