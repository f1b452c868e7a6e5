//! What an ad shows about the one that placed it.

use sha2::{Digest as _, Sha256};
use vocabulary::{WebHost, whole_words};

use crate::redirects;

/// Names of parameters by which click counters tell their customers apart.
const ACCOUNTS: [&str; 12] = [
    "account",
    "account_id",
    "accountid",
    "adv",
    "advertiser_id",
    "advertiserid",
    "awinmid",
    "client_id",
    "clientid",
    "ds_account",
    "merchant_id",
    "merchantid",
];
/// Shorter texts are written alike by chance.
const FEWEST_WORDS: usize = 8;
/// The longest value that is kept, in letters.
const LONGEST_VALUE: usize = 200;

/// What a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum SignalKind {
    /// The engine's id of a merchant, which it gives out itself.
    Merchant,
    /// An account with a service that counts clicks.
    Tracker,
    /// The registrable domain that the ad leads to.
    Host,
    /// The words of the ad.
    Text,
    /// A product's picture.
    Picture,
}

/// One thing that an ad shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal {
    /// What it is.
    pub kind: SignalKind,
    /// Equal for equal things; texts and pictures are shortened for display, with a digest of the whole behind them.
    pub value: String,
}

/// What signals are read from.
#[derive(Clone, Copy, Debug, Default)]
pub struct AdFacts<'a> {
    /// The advertiser's host.
    pub domain: &'a str,
    /// The headline, as the page shows it.
    pub title: &'a str,
    /// The text below the headline.
    pub description: &'a str,
    /// Address of the product's picture; empty for none.
    pub image: &'a str,
    /// The engine's id of the merchant; empty for none.
    pub merchant_id: &'a str,
    /// The landing page.
    pub target_url: &'a str,
    /// Addresses that count a click.
    pub aclk_urls: &'a [String],
}

/// The signals of an ad, each once, in order. An address that cannot be read gives none.
pub fn signals_of(ad: &AdFacts<'_>) -> Vec<Signal> {
    let mut found = Vec::new();
    let mut add = |kind, value: String| found.push(Signal { kind, value });
    if !ad.merchant_id.is_empty() {
        add(SignalKind::Merchant, shortened(ad.merchant_id));
    }
    for account in ad.aclk_urls.iter().flat_map(|click| accounts(click, ad.domain)) {
        add(SignalKind::Tracker, shortened(&account));
    }
    if let Some(host) = registrable(ad.target_url) {
        add(SignalKind::Host, host);
    }
    if let Some(text) = text_of(ad) {
        add(SignalKind::Text, text);
    }
    if !ad.image.is_empty() {
        add(SignalKind::Picture, digested(&picture(ad.image)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The accounts of the click counters between the engine and the advertiser's own pages: host, parameter and value.
fn accounts(click: &str, domain: &str) -> Vec<String> {
    let own = WebHost::parse(domain).map(|host| host.master().to_string());
    let mut found = Vec::new();
    for address in redirects::inside(click) {
        let Some(host) = address.host_str().and_then(WebHost::parse) else {
            continue;
        };
        if own.as_deref() == Some(host.master().to_string().as_str()) {
            continue;
        }
        for (name, value) in address.query_pairs() {
            if ACCOUNTS.contains(&name.to_ascii_lowercase().as_str()) && !value.is_empty() {
                found.push(format!("{} {name}={value}", host.master()));
            }
        }
    }
    found
}

/// The registrable domain of an address.
fn registrable(address: &str) -> Option<String> {
    let address = url::Url::parse(address).ok()?;
    Some(WebHost::parse(address.host_str()?)?.master().to_string())
}

/// The words of an ad without those of its own domain, by which every advertiser's differ; `None` for few words.
fn text_of(ad: &AdFacts<'_>) -> Option<String> {
    let text = format!("{} {}", ad.title, ad.description);
    let own = whole_words(ad.domain);
    let words: Vec<String> = whole_words(&text)
        .split_whitespace()
        .filter(|word| !own.contains(&format!(" {word} ")))
        .map(str::to_owned)
        .collect();
    (words.len() >= FEWEST_WORDS).then(|| digested(&words.join(" ")))
}

/// An address of a picture without what differs between copies of it: engines serve one picture from numbered hosts.
fn picture(address: &str) -> String {
    let Ok(url) = url::Url::parse(address) else {
        return address.to_owned();
    };
    match url.host_str() {
        Some(host) => {
            let host = host.trim_start_matches("encrypted-").trim_start_matches("tbn");
            let host = host.trim_start_matches(|letter: char| letter.is_ascii_digit());
            format!(
                "{host}{}{}",
                url.path(),
                url.query().map(|query| format!("?{query}")).unwrap_or_default()
            )
        }
        None => address.to_owned(),
    }
}

/// The beginning of a value, and a digest of the whole where it is longer than is kept.
fn digested(value: &str) -> String {
    let short: String = value.chars().take(LONGEST_VALUE).collect();
    if short.len() == value.len() {
        return short;
    }
    let digest = Sha256::digest(value.as_bytes());
    format!("{short}… {}", hex::encode(&digest[..8]))
}

/// The beginning of a value.
fn shortened(value: &str) -> String {
    value.chars().take(LONGEST_VALUE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(ad: &AdFacts<'_>) -> Vec<(SignalKind, String)> {
        signals_of(ad)
            .into_iter()
            .map(|signal| (signal.kind, signal.value))
            .collect()
    }

    #[test]
    fn an_ad_shows_ids_accounts_hosts_texts_and_pictures() {
        let clicks = ["https://google.example/aclk?adurl=https%3A%2F%2Fad.relay.example%2Fgo%3Fadv%3D51%26h%3Dhttps%253A%252F%252Fwww.nord.example%252Fp".to_owned()];
        let ad = AdFacts {
            domain: "deal.example",
            title: "Deal: leather bags for every day",
            description: "Delivered within two days, free returns.",
            image: "https://encrypted-tbn3.pictures.example/shopping?q=tbn:ABC",
            merchant_id: "5120884",
            target_url: "https://www.nord.example/p",
            aclk_urls: &clicks,
        };
        assert_eq!(
            kinds(&ad),
            [
                (SignalKind::Merchant, "5120884".to_owned()),
                (SignalKind::Tracker, "relay.example adv=51".to_owned()),
                (SignalKind::Host, "nord.example".to_owned()),
                (
                    SignalKind::Text,
                    "leather bags for every day delivered within two days free returns".to_owned()
                ),
                (SignalKind::Picture, ".pictures.example/shopping?q=tbn:ABC".to_owned()),
            ]
        );
    }

    #[test]
    fn few_words_and_broken_addresses_show_nothing() {
        let clicks = [
            "nonsense".to_owned(),
            "https://google.example/aclk?adurl=javascript:alert(1)".to_owned(),
        ];
        let ad = AdFacts {
            domain: "deal.example",
            title: "Leather bags",
            target_url: "javascript:alert(1)",
            aclk_urls: &clicks,
            ..AdFacts::default()
        };
        assert_eq!(kinds(&ad), []);
    }

    #[test]
    fn the_accounts_of_an_advertisers_own_pages_are_no_tracker() {
        let clicks = ["https://google.example/aclk?adurl=https%3A%2F%2Fwww.deal.example%2Fp%3Faccount%3D7".to_owned()];
        let ad = AdFacts {
            domain: "shop.deal.example",
            aclk_urls: &clicks,
            ..AdFacts::default()
        };
        assert_eq!(kinds(&ad), []);
    }
}
