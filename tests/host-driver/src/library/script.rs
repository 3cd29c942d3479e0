//! What a test says of time: how long kernels take, and how late their ends are seen.

use crate::library::fault::names;

/// How long kernels take, in place of what this host needs for them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Times(Vec<Line>);

#[derive(Debug, PartialEq)]
struct Line {
    of: String,
    /// One launch after another takes these, from the first again after the last.
    milliseconds: Vec<f64>,
    launches: usize,
}

impl Times {
    /// Reads `TEXT=MS;TEXT=MS,MS,MS`; of several texts that name a kernel the first counts.
    ///
    /// # Errors
    ///
    /// Names the part that is no time.
    pub(crate) fn read(text: &str) -> Result<Times, String> {
        let parts = text
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        parts.map(Line::read).collect::<Result<_, _>>().map(Times)
    }

    /// Whether there is any: then nothing else takes time, and times are exact.
    pub(crate) fn are_given(&self) -> bool {
        !self.0.is_empty()
    }

    /// What this launch takes; nothing for a kernel that no line names.
    pub(crate) fn next(&mut self, identity: &str) -> f64 {
        let Some(line) = self.0.iter_mut().find(|line| names(&line.of, identity)) else {
            return 0.0;
        };
        let at = line.launches % line.milliseconds.len();
        line.launches += 1;
        line.milliseconds[at]
    }
}

impl Line {
    fn read(part: &str) -> Result<Line, String> {
        let wrong = || format!("'{part}' is no TEXT=MILLISECONDS");
        // The text may have such a sign too.
        let (of, values) = part.rsplit_once('=').ok_or_else(wrong)?;
        let number = |value: &str| value.trim().parse().ok().filter(|ms: &f64| *ms >= 0.0);
        let milliseconds: Option<Vec<f64>> = values.split(',').map(number).collect();
        Ok(Line {
            of: of.trim().to_string(),
            milliseconds: milliseconds.ok_or_else(wrong)?,
            launches: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_another() {
        let mut times = Times::read("TILE=64=1.5; gemm<8, 4> = 1, 2,30 ;").unwrap();
        assert!(times.are_given());
        assert_eq!(times.next("k -DTILE=64"), 1.5);
        assert_eq!(times.next("k -DTILE=640"), 0.0);
        let taken: Vec<f64> = (0..4).map(|_| times.next("gemm<8,4>")).collect();
        assert_eq!(taken, [1.0, 2.0, 30.0, 1.0]);
        assert!(!Times::read("").unwrap().are_given());
    }

    #[test]
    fn what_is_no_time_is_named() {
        for text in ["gemm", "gemm=", "gemm=fast", "gemm=1,,2", "gemm=-1"] {
            assert!(Times::read(text).unwrap_err().contains(text), "{text}");
        }
    }
}
