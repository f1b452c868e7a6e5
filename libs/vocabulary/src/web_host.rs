//! An advertiser's web host.

use serde::Serialize;

/// The host of an advertiser's site: lower case, without `www.`, punycode as the URL standard makes it (decision D53).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct WebHost(String);

impl WebHost {
    /// The host of an address, or of a display address with or without a scheme (`www.shop.example › sale`), in lower case, without port and `www.`.
    /// `None` when there is no valid host with a dot in it.
    pub fn parse(address: &str) -> Option<Self> {
        let address = address.trim();
        let host = match url::Url::parse(address) {
            Ok(url) if address.contains("://") => url.host_str()?.to_owned(),
            // Displayed addresses have a scheme or none, and a path that is no path (`https://shop.example › sale`).
            _ => {
                let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
                let end = rest.find(|c: char| matches!(c, '/' | '?' | '#' | '›' | '>' | ':') || c.is_whitespace());
                let bare = &rest[..end.unwrap_or(rest.len())];
                url::Host::parse(bare).ok()?.to_string()
            }
        };
        let host = host.to_ascii_lowercase();
        let host = host.strip_prefix("www.").unwrap_or(&host).trim_end_matches('.');
        let looks_right = host.contains('.') && !host.starts_with('.') && !host.contains("..");
        looks_right.then(|| Self(host.to_owned()))
    }

    /// The text of the host.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The registrable domain by the public suffix list (`shop.co.uk` of `www2.shop.co.uk`). A host that has none, such as `co.uk`, is
    /// returned itself.
    #[must_use]
    pub fn master(&self) -> Self {
        Self(psl::domain_str(&self.0).unwrap_or(&self.0).to_owned())
    }
}

impl std::fmt::Display for WebHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_host_of_addresses_and_display_addresses() {
        for (address, host) in [
            ("https://WWW.Shop.Example/a?b", "shop.example"),
            ("www.shop.example › sale", "shop.example"),
            ("shop.example/path", "shop.example"),
            ("https://www.shop.example › sale", "shop.example"),
            ("bücher.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(WebHost::parse(address).unwrap().as_str(), host, "{address}");
        }
    }

    #[test]
    fn is_none_without_a_host() {
        for address in ["", "shop", "about:blank", "a b", "https://"] {
            assert_eq!(WebHost::parse(address), None, "{address}");
        }
    }

    #[test]
    fn master_is_the_registrable_domain() {
        assert_eq!(WebHost::parse("m.shop.co.uk").unwrap().master().as_str(), "shop.co.uk");
    }
}
