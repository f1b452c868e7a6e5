//! Where a click leads: through the engine's click counter and trackers to the advertiser.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;
use percent_encoding::percent_decode_str;
use url::Url;
use vocabulary::{Engine, WebHost};

use super::trackers::is_tracker;

/// Redirects followed within one address.
const MAX_HOPS: usize = 6;
/// How many times the query of an address may be encoded into its path.
const MAX_FOLDS: usize = 3;
/// Parameters that hold the landing page on any redirector.
const TARGET_PARAMETERS: [&str; 10] = [
    "adurl",
    "ds_dest_url",
    "dest_url",
    "lpurl",
    "ckurl",
    "murl",
    "deeplink",
    "mpre",
    "ued",
    "landingurl",
];
/// Parameters that hold the landing page where a host that is no known tracker forwards a click to another company's site. A site's own
/// addresses in them (to return to after signing in, say) lead nowhere else.
const FORWARDING_PARAMETERS: [&str; 19] = [
    "url",
    "u",
    "h",
    "to",
    "goto",
    "link",
    "redirect",
    "redirect_url",
    "redirecturl",
    "redirect_to",
    "redir",
    "dest",
    "destination",
    "destination_url",
    "target",
    "target_url",
    "targeturl",
    "clickurl",
    "click",
];
/// File names of scripts that only redirect; one on another company's site than the ad names is no landing page.
const REDIRECTS: [&str; 14] = [
    "r",
    "rd",
    "redir",
    "redirect",
    "redirector",
    "click",
    "clk",
    "track",
    "tracking",
    "trk",
    "out",
    "jump",
    "goto",
    "away",
];
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What the links of one ad reveal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Destination {
    /// The landing page, as far as it is known without opening anything.
    pub target: Option<String>,
    /// Host of the landing page, unless that is a tracker.
    pub host: Option<WebHost>,
    /// Hosts of trackers before the landing page.
    pub trackers: Vec<WebHost>,
    /// Addresses that count a click.
    pub clicks: Vec<String>,
}

impl Destination {
    /// Follows the addresses of one ad (a text may list several), the most informative first, through click counters, redirects and trackers, without
    /// opening any. The first that reveals the host of the landing page decides; without one, `target` is the last known step of the first redirect.
    /// `clicks` collects all click counters. What is no web address, or another page of the engine, is skipped.
    pub fn resolve(addresses: &[String], engine: Engine) -> Self {
        let mut found = Self::default();
        for address in addresses.iter().flat_map(|list| split_addresses(list)) {
            let Some(url) = absolute(address, engine) else { continue };
            let landing = if is_click(&url) {
                let inner = click_target(&url);
                push_new(&mut found.clicks, url.to_string());
                inner
            } else if is_engine(&url) {
                engine_redirect(&url)
            } else {
                Some(url)
            };
            if found.host.is_none()
                && let Some(landing) = landing
            {
                found.follow(landing);
            }
        }
        found
    }

    /// Returns the landing page. Where it is unknown behind a click, or still a redirect on another site than the ad displays, returns the displayed
    /// site's home page (`https://{host}/`); `None` when neither is known.
    pub fn target_behind(&self, displayed: Option<&WebHost>) -> Option<String> {
        let is_sent_on = |target: &String| {
            Url::parse(target).is_ok_and(|url| {
                let host = WebHost::parse(url.as_str());
                let is_foreign = host.as_ref().map(WebHost::master) != displayed.map(WebHost::master);
                is_foreign && (host.is_some_and(|host| is_tracker(&host)) || is_redirect(&url))
            })
        };
        match (&self.target, displayed) {
            (Some(target), Some(host)) if is_sent_on(target) => Some(format!("https://{host}/")),
            (None, Some(host)) if !self.clicks.is_empty() => Some(format!("https://{host}/")),
            (target, _) => target.clone(),
        }
    }

    /// Follows redirects within an address, at most [`MAX_HOPS`]: notes each redirecting host as a tracker, then the landing page and its host. Where
    /// no host is found, the last step becomes the `target` unless there is one already; a step that is no web host ends it without either.
    fn follow(&mut self, landing: Url) {
        let mut url = landing;
        for _ in 0..MAX_HOPS {
            let Some(host) = WebHost::parse(url.as_str()) else {
                return;
            };
            let tracker = is_tracker(&host);
            let next = parameter_target(&url).or_else(|| {
                if tracker {
                    embedded_address(&url)
                } else {
                    forwarding_target(&url, &host)
                }
            });
            if tracker || next.is_some() {
                push_new(&mut self.trackers, host);
            } else {
                self.host = Some(host);
            }
            let Some(next) = next else { break };
            url = next;
        }
        if self.target.is_none() || self.host.is_some() {
            self.target = Some(unfold_query(url).to_string());
        }
    }
}

/// Splits an attribute that lists several addresses with commas; an address with a query is never split.
fn split_addresses(list: &str) -> Vec<&str> {
    let several = list.contains(",http") && !list.contains('?');
    if several { list.split(',').collect() } else { vec![list] }
}

/// Appends an item unless the list has it.
fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Resolves a link of the engine's page to an absolute address; `None` unless it is http or https with a host.
pub(super) fn absolute(address: &str, engine: Engine) -> Option<Url> {
    let origin = match engine {
        Engine::Google => "https://www.google.com/",
        Engine::Bing => "https://www.bing.com/",
    };
    let url = Url::parse(origin).ok()?.join(address.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.host_str().is_some()).then_some(url)
}

/// Returns whether an address is a click counter of an engine: opening it would count as a click.
pub(super) fn is_click(url: &Url) -> bool {
    let path = url.path();
    path.ends_with("/aclk")
        || path.ends_with("/aclick")
        || url.host_str().is_some_and(|host| host.ends_with(".r.msn.com"))
}

/// Returns whether an address belongs to Google or Bing, in any country, or to their services for ads and user content.
pub(super) fn is_engine(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let labels: Vec<_> = host.split('.').collect();
    let named = |name: &str| labels.len() >= 2 && labels.iter().rev().skip(1).take(2).any(|label| *label == name);
    named("google")
        || named("bing")
        || host.ends_with("googleadservices.com")
        || host.ends_with("googleusercontent.com")
}

/// Returns whether an address is a page of an engine's search: more results, pictures, maps, settings.
pub(super) fn is_search(url: &Url) -> bool {
    const PAGES: [&str; 10] = [
        "/search",
        "/imgres",
        "/images",
        "/videos",
        "/news",
        "/shop",
        "/maps",
        "/preferences",
        "/advanced_search",
        "/webhp",
    ];
    let own = url
        .host_str()
        .is_some_and(|host| host.starts_with("www.") || host.starts_with("maps."));
    own && is_engine(url)
        && (url.path() == "/" && url.query().is_some() || PAGES.iter().any(|page| url.path().starts_with(page)))
}

/// Returns the address behind an engine's own redirect of an organic result: Google's `q`, else `url`; Bing's `u`. `None` when it is no such
/// redirect, or hides its target.
pub(super) fn engine_redirect(url: &Url) -> Option<Url> {
    if !is_engine(url) {
        return None;
    }
    let names: &[&str] = match url.path() {
        "/url" | "/goto" => &["q", "url"],
        "/ck/a" => &["u"],
        _ => return None,
    };
    let value = names.iter().find_map(|name| parameter(url, name))?;
    web_address(&value)
        .or_else(|| spelled_within(&value))
        .or_else(|| own_address(url, &value))
}

/// Returns whether an address is an engine's redirect of a kind that may not reveal its target; [`engine_redirect`] shows whether this one does.
pub(super) fn hides_its_target(url: &Url) -> bool {
    is_engine(url) && matches!(url.path(), "/ck/a" | "/goto")
}

/// Returns whether the last segment of an address, without its extension and in any case, is the name of a script that only redirects.
fn is_redirect(url: &Url) -> bool {
    let last = url
        .path_segments()
        .and_then(|mut segments| segments.next_back())
        .unwrap_or_default();
    let name = last.split('.').next().unwrap_or_default().to_ascii_lowercase();
    REDIRECTS.contains(&name.as_str())
}

/// Decodes an address whose query was encoded into its path (`page.html%3Fid%3D1`), up to [`MAX_FOLDS`] times; returns others unchanged.
fn unfold_query(url: Url) -> Url {
    let mut url = url;
    for _ in 0..MAX_FOLDS {
        let path = url.path();
        let is_folded = url.query().is_none() && path.to_ascii_lowercase().contains("%3f");
        let is_coded_again = url.query().is_none() && path.to_ascii_lowercase().contains("%253f");
        if !is_folded && !is_coded_again {
            break;
        }
        let Ok(text) = percent_decode_str(url.as_str()).decode_utf8() else {
            break;
        };
        let Ok(meant) = Url::parse(&text) else { break };
        url = meant;
    }
    url
}

/// Returns the web address that a click counter's `adurl`, `u` or `url` parameter holds; `None` when none does.
pub(super) fn click_target(url: &Url) -> Option<Url> {
    ["adurl", "u", "url"]
        .iter()
        .find_map(|name| parameter(url, name))
        .and_then(|value| web_address(&value))
}

/// Returns the decoded value of the first non-empty query parameter of this name, in any case.
fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs()
        .find(|(key, value)| key.eq_ignore_ascii_case(name) && !value.is_empty())
        .map(|(_, value)| value.into_owned())
}

/// Returns the web address that one of [`TARGET_PARAMETERS`] holds.
fn parameter_target(url: &Url) -> Option<Url> {
    TARGET_PARAMETERS
        .iter()
        .find_map(|name| web_address(&parameter(url, name)?))
}

/// Returns where an unknown host forwards a click: the first of [`FORWARDING_PARAMETERS`] that holds an address of another company, and none of an
/// engine's.
fn forwarding_target(url: &Url, host: &WebHost) -> Option<Url> {
    FORWARDING_PARAMETERS
        .iter()
        .filter_map(|name| web_address(&parameter(url, name)?))
        .find(|next| !is_engine(next) && WebHost::parse(next.as_str()).is_some_and(|to| to.master() != host.master()))
}

/// Decodes a path on the engine itself, as Bing encodes them, to its absolute address; `None` when the value is no encoded path.
fn own_address(url: &Url, value: &str) -> Option<Url> {
    let path = decode_base64_text(value)?;
    path.starts_with('/').then(|| url.join(&path).ok()).flatten()
}

/// Returns the first `http://` address, else the first `https://` address, in plain text anywhere in a message in base64.
fn spelled_within(value: &str) -> Option<Url> {
    let bytes = coded_bytes(value)?;
    let start = memmem::find(&bytes, b"http://").or_else(|| memmem::find(&bytes, b"https://"))?;
    let text = &bytes[start..];
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_graphic())
        .unwrap_or(text.len());
    parse_web_address(std::str::from_utf8(&text[..end]).ok()?)
}

/// Decodes an address that is in plain text, percent-encoded (also twice) or, as Bing does, in base64, without `$` around it; `None` for anything
/// else.
fn web_address(value: &str) -> Option<Url> {
    let value = value.trim_matches('$');
    if let Some(url) = parse_web_address(value) {
        return Some(url);
    }
    parse_web_address(&decode_base64_text(value)?)
}

/// Decodes base64 text, after Bing's prefix `a1` where it has one; `None` when the text is not base64, or what it encodes is not UTF-8.
fn decode_base64_text(value: &str) -> Option<String> {
    // Bing puts two characters of its own before an address, which begins with `http` or `/`.
    let coded = value
        .strip_prefix("a1")
        .filter(|rest| rest.starts_with("aHR0c") || rest.starts_with('L'))
        .unwrap_or(value);
    String::from_utf8(coded_bytes(coded)?).ok()
}

/// Decodes base64 in its plain or its URL-safe alphabet, with or without padding.
fn coded_bytes(coded: &str) -> Option<Vec<u8>> {
    URL_SAFE.decode(coded.replace('+', "-").replace('/', "_")).ok()
}

/// Parses a web address with a host, percent-decoded up to twice until it begins with `http://` or `https://` (in lower case); `None` for any other
/// text.
fn parse_web_address(value: &str) -> Option<Url> {
    let mut text = value.to_owned();
    for _ in 0..3 {
        if text.starts_with("http://") || text.starts_with("https://") {
            return Url::parse(&text).ok().filter(|url| url.host_str().is_some());
        }
        text = percent_decode_str(&text).decode_utf8().ok()?.into_owned();
    }
    None
}

/// Returns the first web address within a tracker's address, after its host: one in plain text extends to `$$` or the end, an encoded one to the next
/// `&`.
fn embedded_address(url: &Url) -> Option<Url> {
    let text = url.as_str();
    let rest = &text[text.find("://")? + 3..];
    let lower = rest.to_ascii_lowercase();
    let start = ["http://", "https://", "http%3a", "https%3a", "http%253a", "https%253a"]
        .iter()
        .filter_map(|mark| lower.find(mark))
        .min()?;
    let found = &rest[start..];
    let plain = found.contains("://") && found.find("://") < found.find('%').or(Some(usize::MAX));
    let end = if plain { found.find("$$") } else { found.find('&') };
    web_address(&found[..end.unwrap_or(found.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(address: &str) -> Destination {
        Destination::resolve(&[address.to_owned()], Engine::Google)
    }

    #[test]
    fn finds_the_target_behind_the_counter() {
        let found = destination("/aclk?sa=l&ai=x&adurl=https%3A%2F%2Fwww.shop.example%2Fa%3Fb%3D1");
        assert_eq!(found.target.as_deref(), Some("https://www.shop.example/a?b=1"));
        assert_eq!(found.host.unwrap().as_str(), "shop.example");
        assert_eq!(found.clicks.len(), 1);
    }

    #[test]
    fn decodes_the_base64_of_bing() {
        // https%3a%2f%2fshop.example%2fa
        let found = destination("https://www.bing.com/aclick?ld=e8&u=aHR0cHMlM2ElMmYlMmZzaG9wLmV4YW1wbGUlMmZh&rlid=1");
        assert_eq!(found.target.as_deref(), Some("https://shop.example/a"));
    }

    #[test]
    fn keeps_trackers_apart_from_the_advertiser() {
        let found = destination(
            "https://ad.doubleclick.net/clk;1;2?https://clickserve.dartsearch.net/l?ds_dest_url=https%3A%2F%2Fshop.example%2F",
        );
        assert_eq!(found.host.unwrap().as_str(), "shop.example");
        let hosts: Vec<_> = found.trackers.iter().map(WebHost::as_str).collect();
        assert_eq!(hosts, ["ad.doubleclick.net", "clickserve.dartsearch.net"]);
    }

    #[test]
    fn follows_trackers_that_no_table_knows() {
        let found = destination(
            "https://ad.relay.example/s/go?adv=1&h=https%3A%2F%2Fpixel.other.example%2Fcq%3Fid%3D1%26url%3Dhttps%253A%252F%252Fwww.shop.example%252Fa",
        );
        assert_eq!(found.host.unwrap().as_str(), "shop.example");
        assert_eq!(found.target.as_deref(), Some("https://www.shop.example/a"));
        let hosts: Vec<_> = found.trackers.iter().map(WebHost::as_str).collect();
        assert_eq!(hosts, ["ad.relay.example", "pixel.other.example"]);
    }

    #[test]
    fn an_address_of_its_own_in_a_page_s_parameter_leads_nowhere_else() {
        for address in [
            "https://www.shop.example/sign-in?url=https%3A%2F%2Fmy.shop.example%2Fbasket",
            "https://www.shop.example/a?url=https%3A%2F%2Fwww.google.com%2Fsearch%3Fq%3Da",
            "https://www.shop.example/a?ref=https%3A%2F%2Fother.example%2F",
        ] {
            let found = destination(address);
            assert_eq!(found.host.unwrap().as_str(), "shop.example", "{address}");
            assert_eq!(found.target.as_deref(), Some(address));
        }
    }

    #[test]
    fn a_tracker_that_hides_its_target_is_no_domain() {
        let found = destination("https://clickserve.dartsearch.net/link/click?lid=1");
        assert_eq!(found.host, None);
        assert_eq!(found.trackers.len(), 1);
    }

    #[test]
    fn an_engine_address_is_no_target() {
        assert_eq!(
            destination("https://www.google.co.uk/search?q=a"),
            Destination::default()
        );
        assert_eq!(destination("javascript:void(0)"), Destination::default());
    }
}
