//! The bench's options.

pub(super) const TOOLS: [&str; 4] = [
    "bico",
    "kernel_tuner:adaptive_tabu_greywolf",
    "kernel_tuner:random_sample",
    "pyatf",
];

/// What is run.
pub(super) struct Options {
    pub(super) seeds: u64,
    pub(super) seconds: f64,
    pub(super) tools: Vec<String>,
    kernels: Vec<String>,
}

impl Options {
    /// Reads `--seeds N --seconds S --kernel K,.. --tool T,..`, each of them optional.
    pub(super) fn read(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            seeds: 10,
            seconds: 45.0,
            tools: TOOLS.map(String::from).to_vec(),
            kernels: Vec::new(),
        };
        let mut arguments = arguments.filter(|argument| argument != "--json");
        while let Some(option) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("`{option}` needs a value"))?;
            let wrong = |_| format!("`{option} {value}` is no number");
            let parts = || value.split(',').map(String::from).collect();
            match option.as_str() {
                "--seeds" => options.seeds = value.parse().map_err(|_| wrong(()))?,
                "--seconds" => options.seconds = value.parse().map_err(|_| wrong(()))?,
                "--tool" => options.tools = parts(),
                "--kernel" => options.kernels = parts(),
                _ => return Err(format!("unknown option `{option}`")),
            }
        }
        let known = |tool: &&String| !TOOLS.contains(&tool.as_str());
        match options.tools.iter().find(known) {
            Some(tool) => Err(format!("no tool `{tool}`; there are: {}", TOOLS.join(", "))),
            None => Ok(options),
        }
    }

    pub(super) fn has(&self, kernel: &str) -> bool {
        self.kernels.is_empty() || self.kernels.iter().any(|of| of == kernel)
    }
}
