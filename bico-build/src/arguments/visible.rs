//! Whether a function can be called from other files: said in the user's words, and not by a linker.

use super::Role;
use crate::compile::{Service, Unit};
use bico_syntax::Language;

/// Refuses a function that only its own file sees.
pub(super) fn visible(
    service: &Service,
    unit: &Unit,
    entry: &str,
    role: &Role,
) -> Result<(), String> {
    let Ok(object) = service.object(unit) else {
        return Ok(());
    };
    if std::fs::read(object).map_or(true, |object| crate::emit::may_define(&object, entry)) {
        return Ok(());
    }
    let why = match unit.language {
        Language::Cpp => {
            "has a name of C++'s or is `static`\n  = help: declare it `extern \"C\"`, and not `static`; where the source is not yours, call it from a function of yours that is: `source = [\"theirs.cpp\", \"mine.cpp\"]`"
        }
        _ => {
            "is `static` or `inline`\n  = help: remove `static` or `inline`; where the source is not yours, `flags = [\"-Dstatic=\"]` does"
        }
    };
    Err(format!(
        "the {} `{entry}` in `{}` cannot be called from outside: it {why}",
        role.name,
        unit.source.display()
    ))
}
