//! Finding hosts by the domains that may cover them.

use std::collections::BTreeSet;

/// A regular expression that matches every host that is one of the domains or below one; empty without domains. It is a first test: a domain on a shared
/// platform does not cover the hosts below it.
pub(super) fn hosts_of<'a>(domains: impl Iterator<Item = &'a str>) -> String {
    let hosts: BTreeSet<String> = domains.map(regex::escape).collect();
    if hosts.is_empty() {
        return String::new();
    }
    format!("(?:^|\\.)(?:{})$", hosts.into_iter().collect::<Vec<_>>().join("|"))
}
