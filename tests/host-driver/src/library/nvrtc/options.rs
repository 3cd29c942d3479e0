//! Options of NVRTC, as far as they mean something here.

/// The architectures that are known, as NVRTC 12.9.
pub(crate) const ARCHITECTURES: [i32; 19] = [
    50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121,
];

/// What the options ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) architecture: u32,
    /// `sm_90a`: for this architecture and no other.
    pub(crate) exact: bool,
    /// `compute_NN`: no cubin.
    pub(crate) ptx_only: bool,
    /// `--ptxas-options=-v`.
    pub(crate) verbose: bool,
    pub(crate) registers: Option<u32>,
    /// What the host's compiler gets of them.
    pub(crate) host: Vec<String>,
}

/// Options that say how to generate code for a GPU: nothing to do here. Those with a value end in `=`.
const ACCEPTED: [&str; 35] = [
    "--device-debug",
    "-G",
    "--generate-line-info",
    "-lineinfo",
    "--dopt=",
    "-dopt=",
    "--use_fast_math",
    "-use_fast_math",
    "--ftz=",
    "-ftz=",
    "--prec-sqrt=",
    "-prec-sqrt=",
    "--prec-div=",
    "-prec-div=",
    "--fmad=",
    "-fmad=",
    "--extra-device-vectorization",
    "-extra-device-vectorization",
    "--restrict",
    "-restrict",
    "--device-as-default-execution-space",
    "-default-device",
    "--disable-warnings",
    "-w",
    "--display-error-number",
    "-err-no",
    "--no-display-error-number",
    "--diag-suppress=",
    "-diag-suppress=",
    "--split-compile=",
    "-split-compile=",
    "--minimal",
    "-minimal",
    "--relocatable-device-code=",
    "-rdc=",
];

impl Options {
    /// # Errors
    ///
    /// The text that NVRTC puts into its log.
    pub(crate) fn read(options: &[String]) -> Result<Options, String> {
        let mut read = Options {
            architecture: 52,
            exact: false,
            ptx_only: true,
            verbose: false,
            registers: None,
            host: Vec::new(),
        };
        let mut standard = 17;
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            let mut value = |names: &[&str]| {
                names
                    .iter()
                    .find_map(|name| match option.strip_prefix(name) {
                        Some("") => rest.clone().next().cloned().inspect(|_| {
                            rest.next();
                        }),
                        Some(value) => Some(value.trim_start_matches('=').to_string()),
                        None => None,
                    })
            };
            if let Some(text) = value(&["--gpu-architecture", "-arch"]) {
                (read.ptx_only, read.architecture, read.exact) = architecture(&text)?;
            } else if let Some(text) = value(&["--define-macro", "-D"]) {
                read.host.push(format!("-D{text}"));
            } else if let Some(text) = value(&["--undefine-macro", "-U"]) {
                read.host.push(format!("-U{text}"));
            } else if let Some(text) = value(&["--include-path", "-I"]) {
                read.host.push(format!("-I{text}"));
            } else if let Some(text) = value(&["--pre-include", "-include"]) {
                read.host.extend(["-include".to_string(), text]);
            } else if let Some(text) = value(&["--ptxas-options", "-Xptxas"]) {
                read.verbose |= text == "-v" || text == "--verbose";
            } else if let Some(text) = value(&["--maxrregcount", "-maxrregcount"]) {
                let count = text.parse().map_err(|_| invalid("--maxrregcount"))?;
                read.registers = Some(count);
            } else if let Some(text) = value(&["--std", "-std"]) {
                standard = match text.as_str() {
                    // Our header needs 17.
                    "c++03" | "c++11" | "c++14" | "c++17" => 17,
                    "c++20" => 20,
                    _ => return Err(invalid("--std (-std)")),
                };
            } else if let Some(error) = no_switch(option) {
                return Err(error);
            } else if !ACCEPTED.iter().any(|known| match known.strip_suffix('=') {
                Some(_) => option.starts_with(known),
                None => option == known,
            }) {
                return Err(format!(
                    "nvrtc: error: unrecognized option {option} found\n"
                ));
            }
        }
        read.host.push(format!("-std=c++{standard}"));
        let macros = [
            format!("-D__CUDA_ARCH__={}", read.architecture * 10),
            "-D__CUDACC__=1".to_string(),
            "-D__CUDACC_RTC__=1".to_string(),
            "-D__NVCC__=1".to_string(),
            "-D__CUDACC_VER_MAJOR__=12".to_string(),
            "-D__CUDACC_VER_MINOR__=9".to_string(),
        ];
        read.host.extend(macros);
        if read.exact {
            let feature = format!("-D__CUDA_ARCH_FEAT_SM{}_ALL=1", read.architecture);
            read.host.push(feature);
        }
        Ok(read)
    }
}

/// What NVRTC says of a value that is neither `true` nor `false`.
fn no_switch(option: &str) -> Option<String> {
    let (name, value) = option.trim_start_matches('-').split_once('=')?;
    let is_wrong = ["ftz", "prec-sqrt", "prec-div", "fmad"].contains(&name)
        && !["true", "false"].contains(&value);
    is_wrong.then(|| format!("nvrtc: error: --{name} (-{name}) expects true or false\n"))
}

fn architecture(text: &str) -> Result<(bool, u32, bool), String> {
    let error = || invalid("--gpu-architecture (-arch)");
    let (kind, number) = text.split_once('_').ok_or_else(error)?;
    let number: u32 = number
        .trim_end_matches(['a', 'f'])
        .parse()
        .map_err(|_| error())?;
    let exact = text.ends_with('a');
    let known = ARCHITECTURES.contains(&(number as i32)) && (!exact || number >= 90);
    match kind {
        "compute" if known => Ok((true, number, exact)),
        "sm" if known => Ok((false, number, exact)),
        _ => Err(error()),
    }
}

fn invalid(option: &str) -> String {
    format!("nvrtc: error: invalid value for {option}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &[&str]) -> Result<Options, String> {
        let options: Vec<_> = options.iter().map(|it| it.to_string()).collect();
        Options::read(&options)
    }

    #[test]
    fn both_ways_of_writing() {
        let one = read(&["-arch=sm_89", "-DA=1", "-I/x", "--ptxas-options=-v"]).unwrap();
        let other = read(&[
            "-arch",
            "sm_89",
            "-D",
            "A=1",
            "--include-path=/x",
            "-Xptxas",
            "-v",
        ]);
        assert_eq!(other.as_ref(), Ok(&one));
        assert_eq!(
            (one.architecture, one.ptx_only, one.verbose),
            (89, false, true)
        );
        assert_eq!(one.host[..2], ["-DA=1", "-I/x"]);
        assert!(read(&["--gpu-architecture=compute_75"]).unwrap().ptx_only);
    }

    #[test]
    fn what_nvrtc_does_not_know() {
        assert_eq!(
            read(&["-O3"]),
            Err("nvrtc: error: unrecognized option -O3 found\n".to_string())
        );
        assert_eq!(
            read(&["--ftz=1"]),
            Err("nvrtc: error: --ftz (-ftz) expects true or false\n".to_string())
        );
        assert_eq!(
            read(&["-arch=sm_33"]),
            Err("nvrtc: error: invalid value for --gpu-architecture (-arch)\n".to_string())
        );
        assert!(read(&["-arch=sm_90a"]).unwrap().exact);
        assert!(read(&["-arch=sm_89a"]).is_err());
    }
}
