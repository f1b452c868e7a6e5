//! A brand's own domains.

use std::collections::BTreeMap;

use psl::Type;

/// Whether the hosts below an official domain are official too. They are not where they belong to others: above a registrable domain
/// (`co.uk`), and on a shared platform, which the private section of the public suffix list names (`shop.myshopify.com`).
pub fn has_subdomains(official: &str) -> bool {
    let is_shared = psl::suffix(official.as_bytes()).is_some_and(|suffix| suffix.typ() == Some(Type::Private));
    !is_shared && psl::domain_str(official).is_some()
}

/// Official domains of one brand, and what they cover: each itself, and the hosts below it where it [has any](has_subdomains).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Officials(BTreeMap<String, bool>);

impl Officials {
    /// Whether a host is one of the official domains, or below one that [has subdomains](has_subdomains). The spelling must be that of
    /// [`crate::WebHost`].
    pub fn cover(&self, host: &str) -> bool {
        let mut above = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
        self.0.contains_key(host) || above.any(|host| self.0.get(host) == Some(&true))
    }

    /// The domains in alphabetical order, each with whether the hosts below it are official too.
    pub fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.iter().map(|(domain, is_wide)| (domain.as_str(), *is_wide))
    }

    /// Whether the brand has no official domain.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Into<String>> FromIterator<T> for Officials {
    /// Collects official domains as they are given, which must be spelled as by [`crate::WebHost`], and determines for each whether the hosts below
    /// it are official too, by [`has_subdomains`].
    fn from_iter<I: IntoIterator<Item = T>>(domains: I) -> Self {
        let domains = domains.into_iter().map(Into::into);
        Self(
            domains
                .map(|domain: String| {
                    let is_wide = has_subdomains(&domain);
                    (domain, is_wide)
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_hosts_below_a_domain_of_its_own_and_nothing_beside_it() {
        for (official, host, is_covered) in [
            ("brand.com", "brand.com", true),
            ("brand.com", "shop.brand.com", true),
            ("brand.com", "a.b.shop.brand.com", true),
            ("brand.com", "notbrand.com", false),
            ("brand.com", "brand.com.evil.net", false),
            ("shop.brand.com", "m.shop.brand.com", true),
            ("shop.brand.com", "brand.com", false),
            ("shop.brand.com", "other.brand.com", false),
            ("brand.co.uk", "www2.brand.co.uk", true),
            ("co.uk", "co.uk", true),
            ("co.uk", "brand.co.uk", false),
            ("brand.myshopify.com", "brand.myshopify.com", true),
            ("brand.myshopify.com", "other.brand.myshopify.com", false),
            ("myshopify.com", "brand.myshopify.com", false),
            ("brand.example", "shop.brand.example", true),
            ("192.0.2.7", "192.0.2.7", true),
        ] {
            assert_eq!(
                Officials::from_iter([official]).cover(host),
                is_covered,
                "{official} and {host}"
            );
        }
    }

    #[test]
    fn none_cover_nothing() {
        assert!(!Officials::default().cover("brand.com"));
    }
}
