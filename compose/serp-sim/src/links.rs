//! The engines' redirects: `aclk` with `adurl`, Bing's base64 `u`, `/url?q=` of organic results.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Serialize;

use crate::engine::Engine;
use crate::generation::Generation;
use crate::results::{Product, TextAd};

/// Encodes all but letters, digits and `-._~`.
pub(crate) const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Also leaves scheme, host and path of an `adurl` readable.
const AD_ADDRESS: &AsciiSet = &COMPONENT.remove(b':').remove(b'/');

/// The links of one ad in its generation's form.
#[derive(Debug, Serialize)]
pub(crate) struct AdLinks {
    /// The link itself: the advertiser's page or the redirect.
    href: String,
    /// The redirect, which newer pages keep in an attribute.
    redirect: String,
    /// The hosts a click goes through, as `data-pcu` lists them.
    hosts: String,
}

/// Makes the redirects of a page.
pub(crate) struct Links<'a> {
    /// Scheme, host and engine (`http://serp.test/google`).
    pub base: &'a str,
    pub generation: Generation,
}

impl Links<'_> {
    /// The links of a text ad: the `href` on the page (of a call ad its telephone number, `tel:` without spaces), the engine's redirect, and the origins
    /// of the landing page and of the redirect's target.
    pub(crate) fn of_ad(&self, ad: &TextAd) -> AdLinks {
        let redirect = self.redirect(&ad.token, &ad.redirect_target);
        let href = match &ad.telephone {
            Some(number) => format!("tel:{}", number.replace(' ', "")),
            None => self.href(&redirect, &ad.landing_url),
        };
        AdLinks {
            href,
            redirect,
            hosts: origins_of(&ad.landing_url, &ad.redirect_target),
        }
    }

    /// The links of a shopping ad: the `href` on the page, the engine's redirect, and the origins of the landing page and of the redirect's target.
    pub(crate) fn of_product(&self, product: &Product) -> AdLinks {
        let redirect = self.redirect(&product.token, &product.redirect_target);
        AdLinks {
            href: self.href(&redirect, &product.landing_url),
            redirect,
            hosts: origins_of(&product.landing_url, &product.redirect_target),
        }
    }

    /// Builds the links of an ad's sitelink with index `at`, which leads to `landing` without the advertiser's tracker.
    pub(crate) fn of_sitelink(&self, ad: &TextAd, at: usize, landing: &str) -> AdLinks {
        let redirect = self.redirect(&format!("{}{at}", ad.token), landing);
        AdLinks {
            href: self.href(&redirect, landing),
            redirect,
            hosts: origins_of(landing, landing),
        }
    }

    /// The engine's redirect of an organic result, as the oldest pages have it.
    pub(crate) fn of_organic(&self, url: &str) -> String {
        format!("{}/url?q={}&sa=U&ei=x", self.base, utf8_percent_encode(url, AD_ADDRESS))
    }

    /// Chooses the link itself: the landing page where the generation links straight, else the redirect.
    fn href(&self, redirect: &str, landing: &str) -> String {
        if self.generation.links_straight() {
            landing.to_owned()
        } else {
            redirect.to_owned()
        }
    }

    /// Builds the engine's click counter that leads to a target, in the form of the generation, unique by its token.
    fn redirect(&self, token: &str, target: &str) -> String {
        let base = self.base;
        match self.generation.engine() {
            Engine::Google => {
                let path = if self.generation == Generation::Google2019 {
                    "pagead/aclk"
                } else {
                    "aclk"
                };
                let target = utf8_percent_encode(target, AD_ADDRESS);
                format!(
                    "{base}/{path}?sa=L&ai=DChcSE{token}&co=1&gclid=EAIaIQ{token}&sig=AOD64_{token}&q&adurl={target}"
                )
            }
            Engine::Bing => {
                let path = if self.generation == Generation::Bing2019 {
                    "aclk"
                } else {
                    "aclick"
                };
                let target = BASE64_URL_SAFE_NO_PAD.encode(lower_case_encoded(target));
                format!("{base}/{path}?ld=e8{token}&u={target}&rlid={token}")
            }
        }
    }
}

/// Returns where a redirect leads, by its decoded parameters: Google's `adurl`, else `q`; Bing's `u` in base64. `None` when that is no http(s)
/// address.
pub(crate) fn target_of(engine: Engine, parameters: &[(String, String)]) -> Option<String> {
    let named = |name: &str| {
        parameters
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    let target = match engine {
        Engine::Google => named("adurl").or_else(|| named("q"))?.to_owned(),
        Engine::Bing => {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(named("u")?.trim_end_matches('=')).ok()?;
            percent_decode_str(std::str::from_utf8(&bytes).ok()?)
                .decode_utf8()
                .ok()?
                .into_owned()
        }
    };
    (target.starts_with("https://") || target.starts_with("http://")).then_some(target)
}

/// Percent-encodes all bytes but ASCII letters, digits and `.-_`, with hex digits in lower case, as Bing writes them.
fn lower_case_encoded(text: &str) -> String {
    text.bytes()
        .fold(String::with_capacity(text.len() * 2), |mut encoded, byte| {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
                encoded.push(char::from(byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(encoded, "%{byte:02x}");
            }
            encoded
        })
}

/// Lists the origins of the landing page and of the redirect's target, separated by a comma; one where both are the same.
fn origins_of(landing: &str, target: &str) -> String {
    let origin = |address: &str| address.split('/').take(3).collect::<Vec<_>>().join("/") + "/";
    if origin(landing) == origin(target) {
        origin(landing)
    } else {
        format!("{},{}", origin(landing), origin(target))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    proptest! {
        #[test]
        fn a_redirect_leads_where_it_was_made_for(path in "[a-zA-Z0-9 é&=+%?/]{0,40}") {
            let target = Url::parse(&format!("https://shop.example/{path}")).unwrap().to_string();
            for generation in [Generation::Google2013, Generation::Google2019, Generation::Bing2019, Generation::Bing2022] {
                let links = Links { base: "http://serp.test/x", generation };
                let redirect = Url::parse(&links.redirect("token", &target)).unwrap();
                let parameters: Vec<(String, String)> = redirect.query_pairs().into_owned().collect();
                prop_assert_eq!(target_of(generation.engine(), &parameters), Some(target.clone()));
            }
        }
    }

    #[test]
    fn leads_nowhere_but_to_web_addresses() {
        let parameters = [("adurl".to_owned(), "javascript:alert(1)".to_owned())];
        assert_eq!(target_of(Engine::Google, &parameters), None);
    }
}
