//! Hosts that only redirect.

use std::collections::HashSet;
use std::sync::LazyLock;

use vocabulary::WebHost;

/// Registrable domains, one per line; `#` starts a comment.
static LIST: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("tables/trackers.txt")
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect()
});

/// Whether a host belongs to a service that counts clicks and redirects them.
pub(super) fn is_tracker(host: &WebHost) -> bool {
    LIST.contains(host.as_str()) || LIST.contains(host.master().as_str())
}
