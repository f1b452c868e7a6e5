//! How long access tokens live. What they are stands in `records::tokens` (decision D23).

pub use records::tokens::{RESET_SCOPE, digest, fresh};

/// 14 days (seeds, 'Access token').
pub const DEFAULT_TTL_SECONDS: i64 = 1_209_600;
/// A year: no token lives longer.
const MAX_TTL_SECONDS: i64 = 31_556_926;

/// The seconds a token lives that was asked to live so long: zero means the default, less makes one that is refused.
pub fn ttl(asked: i64) -> i64 {
    if asked == 0 {
        DEFAULT_TTL_SECONDS
    } else {
        asked.min(MAX_TTL_SECONDS)
    }
}
