//! Which devices and problems are meant.

use crate::names::list;

/// What narrows down results; nothing stands for all.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Filter {
    /// Only this device: its key in bico.lock, or a part of it
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<String>,
    /// Only this problem, as bico.lock names it, or all with a part of its name: `m=1024, n=1024`, `m=1024`
    #[arg(long, value_name = "PROBLEM")]
    pub(crate) problem: Option<String>,
}

impl Filter {
    /// Whether a device is meant: by its whole key, else by a part of it.
    pub(crate) fn has_device(&self, key: &str, all: &[String]) -> bool {
        let Some(wanted) = &self.device else {
            return true;
        };
        match all.contains(wanted) {
            true => key == wanted,
            false => key.to_lowercase().contains(&wanted.to_lowercase()),
        }
    }

    /// Whether a problem is meant: it has all parts that are asked for, in whatever order they are written.
    pub(crate) fn has_problem(&self, key: &str) -> bool {
        let all = parts(key);
        let wanted = self.problem.as_ref();
        wanted.is_none_or(|wanted| parts(wanted).iter().all(|part| all.contains(part)))
    }

    /// Which problems on which of these devices are meant.
    pub(crate) fn among(&self, devices: Vec<String>) -> impl Fn(&str, &str) -> bool {
        move |device, problem| self.has_device(device, &devices) && self.has_problem(problem)
    }

    /// What is to be said where nothing is left: what there is, else `none`.
    pub(crate) fn help(there: &[String], none: String) -> String {
        match there.is_empty() {
            true => none,
            false => format!("there are:{}", list(there.iter().map(String::as_str))),
        }
    }

    /// What was asked for, for messages: ` on "H200" at (n=8)`.
    pub(crate) fn described(&self) -> String {
        let device = self.device.as_ref();
        let device = device.map_or(String::new(), |device| format!(" on {device:?}"));
        let problem = self.problem.as_ref();
        let problem = problem.map_or(String::new(), |of| format!(" at ({})", of.escape_debug()));
        device + &problem
    }
}

fn parts(problem: &str) -> Vec<String> {
    let parts = problem.split(',');
    parts
        .map(|part| part.chars().filter(|c| !c.is_whitespace()).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_key_counts_more_than_a_part() {
        let all = ["NVIDIA H200 (sm_90)", "NVIDIA H200 NVL (sm_90)"].map(String::from);
        let of = |text: &str| Filter {
            device: Some(text.to_string()),
            problem: Some("n=8,m=4".to_string()),
        };
        let count = |text| {
            all.iter()
                .filter(|key| of(text).has_device(key, &all))
                .count()
        };
        assert_eq!(count("h200"), 2);
        assert_eq!(count("nvl"), 1);
        assert_eq!(count("NVIDIA H200 (sm_90)"), 1);
        assert_eq!(count("A100"), 0);
        assert!(of("").has_problem("m=4, n=8") && !of("").has_problem("m=8, n=4"));
        assert!(of("").has_problem("k=1, m=4, n=8") && !of("").has_problem("m=4"));
        assert!(!of("").has_problem("m=4, n=88"));
        assert_eq!(of("x").described(), " on \"x\" at (n=8,m=4)");
    }
}
