//! The advertiser whose ad is looked for on a captured page.

use serde::Deserialize;
use utoipa::IntoParams;
use vocabulary::{AdKind, WebHost};

/// Whose ad is looked for. What is no hostname or no kind of ads counts as `none`.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct HighlightedAd {
    /// The advertiser's hostname, or `none`.
    #[serde(default)]
    domain: String,
    /// `ads`, `shopping` or `none`.
    #[serde(default)]
    adstype: String,
}

/// The longest name the domain name system allows.
const LONGEST_HOST: usize = 253;
const LONGEST_LABEL: usize = 63;

impl HighlightedAd {
    /// The hostname as ads store it, in lower case without `www.`; `None` for anything that is no hostname.
    pub(super) fn domain(&self) -> Option<WebHost> {
        let host = self.domain.trim();
        looks_like_a_host(host).then(|| WebHost::parse(host)).flatten()
    }

    /// The kind of ads asked for; `None` for any other text.
    pub(super) fn kind(&self) -> Option<AdKind> {
        match self.adstype.as_str() {
            "ads" => Some(AdKind::Text),
            "shopping" => Some(AdKind::Shopping),
            _ => None,
        }
    }
}

/// Whether a text has at least two labels, joined by dots, of letters of any script, digits and inner hyphens, within the lengths (in bytes) of the
/// domain name system. An IPv4 address passes too.
fn looks_like_a_host(text: &str) -> bool {
    let label = |label: &str| {
        (1..=LONGEST_LABEL).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || c.is_alphanumeric())
    };
    text.len() <= LONGEST_HOST && text.contains('.') && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(text: &str) -> Option<String> {
        let sought = HighlightedAd {
            domain: text.to_owned(),
            adstype: String::new(),
        };
        sought.domain().map(|host| host.to_string())
    }

    #[test]
    fn a_hostname_is_taken_and_anything_else_is_none() {
        assert_eq!(domain("www.Shop.example").as_deref(), Some("shop.example"));
        assert_eq!(domain("bücher.example").as_deref(), Some("xn--bcher-kva.example"));
        for text in [
            "",
            "none",
            "<script>",
            "shop",
            "shop..example",
            "-a.example",
            "a.example/path",
            "https://a.example",
        ] {
            assert_eq!(domain(text), None, "{text}");
        }
    }
}
