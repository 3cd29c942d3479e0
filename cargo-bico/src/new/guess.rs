//! What a kernel's source says of its attribute, and what is guessed where it says nothing.

use super::argument::{Argument, arguments, own_name};
use super::launch::{Launch, launch};
use super::parameters::{Found, Parameter, parameters};
use super::poly::Poly;
use super::source::{Function, Source, split};
use super::usage::{Usage, poly};
use bico_device::nvrtc::standard_headers;
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
const LARGE: i64 = 1024;

pub(super) struct Guesser<'s> {
    source: &'s Source,
    function: &'s Function,
    usage: Usage,
    found: Found,
    arguments: Vec<Argument>,
    language: Language,
    cuda: bool,
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
        let (passed, sizes) = self.passed(&mut notes);
        let flags = self.without_parameters(&mut notes);
        self.warn(&mut notes);
        let nvcc = self.cuda && self.host(&mut notes);
        Guess {
            entry: format!("{}{}", self.function.path, self.function.name),
            name: own_name(&self.function.name, |_| false),
            problem: self.problem(&sizes),
            reference: self.reference(),
            parameters: self.found.parameters,
            template: self.found.template,
            require: Vec::new(),
            flags,
            nvcc,
            beside: self.source.angled,
            launch,
            arguments: passed,
            notes,
        }
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
            "nothing in the source may vary: name what shall, in the source and here".to_string(),
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
                notes.push(format!(
                    "`{name}` is of the type `{unknown}`, which is not known here"
                ));
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
    fn is_known(&self, name: &str) -> bool {
        self.scalar(name).is_some() || self.found.parameters.iter().any(|of| of.name == name)
    }

    fn scalar(&self, name: &str) -> Option<&Argument> {
        let named = self.arguments.iter().find(|of| of.name == name);
        named.filter(|of| of.typed.is_integer())
    }

    fn own(&self, name: &str) -> String {
        let argument = self.arguments.iter().find(|of| of.name == name);
        argument.map_or(name.to_string(), |of| of.own.clone())
    }

    fn sizes(&self) -> Vec<&Argument> {
        self.arguments
            .iter()
            .filter(|of| of.typed.is_integer())
            .collect()
    }

    /// The launch in words; what counts along an axis without any guard is given a limit.
    fn launched(
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
        (grid, extents, launch.shared)
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

    /// The arguments, and the sizes that lengths name.
    fn passed(&self, notes: &mut Vec<String>) -> (Vec<Passed>, BTreeSet<String>) {
        let mut sizes = BTreeSet::new();
        let mut passed = Vec::new();
        let is_output = |of: &Argument| of.typed.pointers > 0 && !of.typed.constant;
        let written = |of: &Argument| self.usage.written.contains(&of.name);
        let any = self.arguments.iter().any(|of| is_output(of) && written(of));
        for argument in &self.arguments {
            let Argument { name, typed, .. } = argument;
            if typed.pointers == 0 {
                passed.push(Passed {
                    name: argument.own.clone(),
                    of: typed.element.clone(),
                    attributes: Vec::new(),
                    doubt: typed
                        .unknown
                        .as_ref()
                        .map(|_| "the type is a guess".to_string()),
                });
                continue;
            }
            let passed_on = self.usage.passed.contains(name);
            let mutable = is_output(argument) && (written(argument) || passed_on || !any);
            let (len, sure) = self.length(argument, mutable);
            let element = match typed.pointers > 1 && argument.extents.is_empty() {
                true => "u64",
                false => &typed.element,
            };
            sizes.extend(
                len.names()
                    .into_iter()
                    .filter(|of| self.scalar(of).is_some())
                    .map(str::to_string),
            );
            let mut attributes = vec![format!("#[len({})]", len.shown(&|name| self.own(name)))];
            attributes.extend(typed.align.map(|align| format!("#[align({align})]")));
            let reads = self.usage.read.contains(name) || passed_on;
            if mutable && reads {
                attributes.push("#[init(uniform(-1, 1))]".to_string());
            }
            let buffer = if self.cuda {
                format!("CudaSlice<{element}>")
            } else {
                format!("[{element}]")
            };
            passed.push(Passed {
                name: argument.own.clone(),
                of: format!("&{}{buffer}", if mutable { "mut " } else { "" }),
                attributes: attributes
                    .into_iter()
                    .map(|of| filled(of, element))
                    .collect(),
                doubt: (!sure).then(|| "the length is a guess".to_string()),
            });
        }
        if !passed.iter().any(|of| of.of.starts_with("&mut")) {
            notes.push("no argument is written: make the output `&mut`".to_string());
        }
        (passed, sizes)
    }

    /// How many elements of a buffer are touched, and whether the source says so.
    fn length(&self, argument: &Argument, mutable: bool) -> (Poly, bool) {
        let is_size = |name: &str| self.scalar(name).is_some();
        // Outputs are as long for all configs.
        let known = |name: &str| is_size(name) || (!mutable && self.is_known(name));
        let most = |value: &Poly| self.usage.most(value, self.source, &known);
        let one = Poly::number(1);
        let indices = self.usage.indices.get(&argument.name);
        let reach = |index: &Option<Poly>| Some(most(index.as_ref()?)?.plus(&one));
        let indexed = indices.and_then(|all| all.iter().map(reach).collect::<Option<Vec<Poly>>>());
        let indexed = indexed.and_then(|all| all.into_iter().max_by_key(|of| of.at(LARGE)));
        let length = match argument.extents.split_first() {
            None => indexed,
            Some((first, rest)) => {
                let first = poly(first).and_then(|first| most(&first)).or(indexed);
                rest.iter().fold(first, |length, extent| {
                    Some(length?.times(&most(&poly(extent)?)?))
                })
            }
        };
        match length.filter(Poly::is_positive) {
            Some(length) => (length, true),
            None => {
                let sizes: Vec<&Argument> = self.sizes().into_iter().take(2).collect();
                let product = sizes
                    .iter()
                    .fold(one, |product, of| product.times(&Poly::name(&of.name)));
                let length = if sizes.is_empty() {
                    Poly::number(LARGE * LARGE)
                } else {
                    product
                };
                (length, false)
            }
        }
    }

    fn problem(&self, sizes: &BTreeSet<String>) -> Vec<(String, String)> {
        let scalars = self.arguments.iter().filter(|of| of.typed.pointers == 0);
        let value = |of: &Argument| match &*of.typed.element {
            "bool" => "true",
            element if element.starts_with('f') || element.starts_with("half") => "1.0",
            "i8" | "u8" => "1",
            _ if !sizes.contains(&of.name) => "1",
            "i16" | "u16" => "1024",
            _ if sizes.len() == 1 => "1_048_576",
            _ if sizes.len() == 2 => "1024",
            _ => "256",
        };
        scalars
            .map(|of| (of.own.clone(), value(of).to_string()))
            .collect()
    }

    /// Another function of the file that looks like the same in plain, in C.
    fn reference(&self) -> Option<String> {
        let count = |of: &Function| split(&of.arguments, ",").len();
        let plain = |of: &&Function| {
            let name = of.name.to_lowercase();
            let words = ["ref", "naive", "plain", "serial", "seq", "gold"];
            of.name != self.function.name
                && words.iter().any(|word| name.contains(word))
                && count(of) == count(self.function)
                && of.template.is_none()
                && !of.has("static")
        };
        let found = self.source.functions.iter().find(plain)?;
        (!self.cuda).then(|| found.name.clone())
    }
}

/// `#[init(..)]` that suits an element.
fn filled(attribute: String, element: &str) -> String {
    match element {
        "bool" => attribute.replace("uniform(-1, 1)", "zeros"),
        of if of.starts_with('u') => attribute.replace("uniform(-1, 1)", "uniform(0, 2)"),
        _ => attribute,
    }
}
