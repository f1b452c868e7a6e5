//! The limit of open files. Each connection is an open file, and systems start programs with a low soft limit, for compatibility with old ones.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// More is useless here, and programs that we start may iterate over all they could have open.
const MOST: u64 = 65_536;

/// Raises the soft limit as far as the hard one allows, at most to [`MOST`], for this process and its later children; never lowers it. A refusal is
/// ignored.
pub fn raise() {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return;
    };
    let limit = hard.min(MOST);
    if soft < limit {
        // A refusal changes nothing.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, limit, hard);
    }
}

/// Returns how many files this process may have open; [`MOST`] when the system does not say.
pub(crate) fn soft_limit() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(MOST, |(soft, _)| soft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_raised_as_far_as_the_hard_one_allows() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        setrlimit(Resource::RLIMIT_NOFILE, hard.min(512), hard).unwrap();
        raise();
        assert_eq!(soft_limit(), hard.min(MOST));
    }
}
