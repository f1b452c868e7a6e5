//! The addresses that a click goes through, as far as the address of the click names them.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use url::Url;

/// Redirects that are followed inside each other.
const MOST_REDIRECTS: usize = 6;

/// The web addresses that are named inside an address, one in the parameters of the other, without the outermost: each in a parameter of its own,
/// percent-encoded or in base64. Empty where the address is none.
pub(crate) fn inside(address: &str) -> Vec<Url> {
    let mut found = Vec::new();
    let mut next = Url::parse(address).ok();
    while let Some(outer) = next.take() {
        next = outer.query_pairs().find_map(|(_, value)| web_address(&value));
        if let Some(inner) = &next {
            if found.len() == MOST_REDIRECTS {
                break;
            }
            found.push(inner.clone());
        }
    }
    found
}

/// The web address that a parameter holds, as it is or in base64.
fn web_address(value: &str) -> Option<Url> {
    let plain = |text: &str| {
        let is_web = text.starts_with("https://") || text.starts_with("http://");
        is_web.then(|| Url::parse(text).ok()).flatten()
    };
    plain(value).or_else(|| {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(value.trim_end_matches('=')).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        // Bing encodes the address before it encodes it once more.
        let decoded = url::form_urlencoded::parse(text.as_bytes())
            .next()
            .map(|(name, _)| name.into_owned());
        plain(text).or_else(|| plain(&decoded?))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_addresses_that_a_click_goes_through() {
        let landing = "https://shop.example/p?mid=7";
        let encoded: String = url::form_urlencoded::byte_serialize(landing.as_bytes()).collect();
        let tracker = format!("https://t.example/c?adv=5&url={encoded}");
        let tracker_encoded: String = url::form_urlencoded::byte_serialize(tracker.as_bytes()).collect();
        let google = format!("https://www.google.example/aclk?sa=L&adurl={tracker_encoded}");
        let bing = format!(
            "https://bing.example/aclick?ld=e8&u={}",
            BASE64_URL_SAFE_NO_PAD.encode(&tracker_encoded)
        );
        for click in [google, bing] {
            let hosts: Vec<_> = inside(&click)
                .iter()
                .map(|url| url.host_str().unwrap().to_owned())
                .collect();
            assert_eq!(hosts, ["t.example", "shop.example"], "{click}");
        }
        assert!(inside("no address").is_empty());
    }

    proptest! {
        #[test]
        fn ends_on_any_address(text in "https://a\\.example/\\?([a-z]=(https?://[a-z%?=&]{0,20}|[A-Za-z0-9_-]{0,40})&?){0,12}") {
            prop_assert!(inside(&text).len() <= MOST_REDIRECTS);
        }
    }
}
