//! Names of ours as names of C.

/// `NVIDIA H200 (sm_90)` as `NVIDIA_H200_SM_90`.
pub(crate) fn upper(text: &str) -> String {
    let one = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
    let spaced: String = text.chars().map(one).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.join("_").to_ascii_uppercase()
}

/// The names of all of these, each another one: `A`, `A_2`.
pub(crate) fn distinct(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        let name = upper(text);
        let mut numbered = name.clone();
        let mut number = 2;
        while names.contains(&numbered) {
            numbered = format!("{name}_{number}");
            number += 1;
        }
        names.push(numbered);
    }
    names
}

/// A text inside a comment of C.
pub(crate) fn comment(text: &str) -> String {
    let plain = text.replace("*/", "* /").replace("/*", "/ *");
    plain.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_c() {
        assert_eq!(upper("NVIDIA H200 (sm_90)"), "NVIDIA_H200_SM_90");
        assert_eq!(upper("f32::sum"), "F32_SUM");
        let texts = ["a-b", "a.b", "c"].map(String::from);
        assert_eq!(distinct(&texts), ["A_B", "A_B_2", "C"]);
        assert_eq!(comment("a */ b\n"), "a * / b");
    }
}
