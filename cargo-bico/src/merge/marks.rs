//! The sides of a text with the marks of a merge conflict.

/// The texts of both sides, and of their base where the marks have it everywhere.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sides {
    pub(super) ours: String,
    pub(super) theirs: String,
    pub(super) base: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    Outside,
    Ours,
    Base,
    Theirs,
}

/// Takes the sides apart; `None` where there are no marks.
///
/// # Errors
///
/// The line of a mark that does not belong there.
pub(super) fn sides(text: &str) -> Result<Option<Sides>, usize> {
    let (mut sides, mut base) = (Sides::default(), String::new());
    let (mut at, mut conflicts, mut bases) = (At::Outside, 0, 0);
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let marked = |mark: &str| line.starts_with(mark);
        let middle = line.trim_end() == "=======";
        at = match at {
            At::Outside if marked("<<<<<<<") => {
                conflicts += 1;
                At::Ours
            }
            At::Ours if marked("|||||||") => {
                bases += 1;
                At::Base
            }
            At::Ours | At::Base if middle => At::Theirs,
            At::Theirs if marked(">>>>>>>") => At::Outside,
            _ if middle
                || ["<<<<<<<", "|||||||", ">>>>>>>"]
                    .iter()
                    .any(|mark| marked(mark)) =>
            {
                return Err(number);
            }
            _ => {
                if matches!(at, At::Outside | At::Ours) {
                    sides.ours.push_str(line);
                }
                if matches!(at, At::Outside | At::Base) {
                    base.push_str(line);
                }
                if matches!(at, At::Outside | At::Theirs) {
                    sides.theirs.push_str(line);
                }
                at
            }
        };
    }
    if at != At::Outside {
        return Err(text.lines().count());
    }
    sides.base = (bases == conflicts).then_some(base);
    Ok((conflicts > 0).then_some(sides))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_conflicts() {
        let text = "a\n<<<<<<< HEAD\nb\n=======\nc\nd\n>>>>>>> theirs\ne\n";
        let found = sides(text).unwrap().unwrap();
        assert_eq!(
            (found.ours.as_str(), found.theirs.as_str()),
            ("a\nb\ne\n", "a\nc\nd\ne\n")
        );
        assert_eq!(found.base, None);
        let text = "a\n<<<<<<< HEAD\r\nb\n||||||| base\no\n=======\r\nc\n>>>>>>> x\n";
        let found = sides(text).unwrap().unwrap();
        assert_eq!(found.base.as_deref(), Some("a\no\n"));
        assert_eq!(found.theirs, "a\nc\n");
        // Of some only: then there is none.
        let both = format!("{text}<<<<<<< HEAD\nx\n=======\n>>>>>>> x");
        let found = sides(&both).unwrap().unwrap();
        assert_eq!((found.base, found.ours.as_str()), (None, "a\nb\nx\n"));
        assert_eq!(sides("{\n}\n"), Ok(None));
    }

    #[test]
    fn marks_that_do_not_belong_there() {
        assert_eq!(sides("a\n=======\n"), Err(2));
        assert_eq!(sides(">>>>>>> x\n"), Err(1));
        assert_eq!(sides("<<<<<<< a\n<<<<<<< b\n"), Err(2));
        assert_eq!(sides("<<<<<<< a\n||||||| b\n||||||| c\n"), Err(3));
        assert_eq!(sides("<<<<<<< a\nx\n=======\ny\n"), Err(4));
    }
}
