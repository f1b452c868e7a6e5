//! Authorised partners and resellers of a brand (decision D213).

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::folding::whole_words;
use crate::has_subdomains;

/// What a brand allows an advertiser to be.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum PartnerKind {
    /// Advertises together with the brand.
    Partner,
    /// Sells the brand's goods.
    Reseller,
}

/// On what conditions an advertiser is a partner of a brand, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartnerTerms {
    /// What the brand allows it to be.
    pub kind: PartnerKind,
    /// Its text ads may contain none of these words.
    pub forbidden_words: Vec<String>,
    /// Its text ads may not be above the first ad of the brand's own on a page.
    pub below_own: bool,
    /// The last day (UTC); `None` for no end.
    pub ends_on: Option<NaiveDate>,
}

/// An ad as the conditions of a partner look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartnerAd<'a> {
    /// Its texts, one after the other.
    pub words: &'a str,
    /// Its rank over the page.
    pub rank: u16,
    /// The rank of the first text ad of the brand's own on that page, if there is one.
    pub own_rank: Option<u16>,
}

impl PartnerTerms {
    /// Whether the partner is authorised on a day (UTC).
    pub fn last_on(&self, day: NaiveDate) -> bool {
        self.ends_on.is_none_or(|end| day <= end)
    }

    /// Whether a text ad breaks a condition: it has a forbidden word, as whole words whatever their case and accents, or is above the first ad of
    /// the brand's own.
    pub fn are_broken_by(&self, ad: PartnerAd<'_>) -> bool {
        let is_above = self.below_own && ad.own_rank.is_some_and(|own| ad.rank < own);
        is_above || {
            let words = whole_words(ad.words);
            let forbidden = self.forbidden_words.iter().map(|word| whole_words(word));
            forbidden
                .filter(|forbidden| !forbidden.trim().is_empty())
                .any(|forbidden| words.contains(&forbidden))
        }
    }
}

/// The partners of one brand by their domains. Each covers its domain, and the hosts below it where it [has any](has_subdomains).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partners(BTreeMap<String, (bool, PartnerTerms)>);

impl Partners {
    /// The terms of the partner that covers a host: the host's own, else those of the nearest domain above it that covers it.
    pub fn of_host(&self, host: &str) -> Option<&PartnerTerms> {
        let own = self.0.get(host).map(|(_, terms)| terms);
        let mut above = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
        own.or_else(|| {
            above.find_map(|host| match self.0.get(host) {
                Some((true, terms)) => Some(terms),
                _ => None,
            })
        })
    }

    /// The domains of those that are authorised on a day (UTC), in alphabetical order.
    pub fn lasting_on(&self, day: NaiveDate) -> impl Iterator<Item = &str> {
        let lasting = self.0.iter().filter(move |(_, (_, terms))| terms.last_on(day));
        lasting.map(|(domain, _)| domain.as_str())
    }
}

impl FromIterator<(String, PartnerTerms)> for Partners {
    /// Collects partners by their domains, which must be spelled as by [`crate::WebHost`].
    fn from_iter<I: IntoIterator<Item = (String, PartnerTerms)>>(partners: I) -> Self {
        let partners = partners.into_iter().map(|(domain, terms)| {
            let is_wide = has_subdomains(&domain);
            (domain, (is_wide, terms))
        });
        Self(partners.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(kind: PartnerKind) -> PartnerTerms {
        PartnerTerms {
            kind,
            forbidden_words: Vec::new(),
            below_own: false,
            ends_on: None,
        }
    }

    fn ad(words: &str) -> PartnerAd<'_> {
        PartnerAd {
            words,
            rank: 2,
            own_rank: Some(2),
        }
    }

    #[test]
    fn forbidden_words_are_found_whole_whatever_their_case_and_accents() {
        let conditions = PartnerTerms {
            forbidden_words: vec!["Été Chic".to_owned(), "outlet".to_owned(), " - ".to_owned()],
            ..terms(PartnerKind::Reseller)
        };
        for (words, is_broken) in [
            ("ETE-CHIC: sale", true),
            ("L'été chic !", true),
            ("Big Outlet.", true),
            ("outlets of summer", false),
            ("chic été", false),
            ("", false),
        ] {
            assert_eq!(conditions.are_broken_by(ad(words)), is_broken, "{words}");
        }
    }

    #[test]
    fn an_ad_above_the_brands_own_breaks_only_that_condition() {
        let below = PartnerTerms {
            below_own: true,
            ..terms(PartnerKind::Partner)
        };
        let at = |rank, own_rank| PartnerAd {
            words: "",
            rank,
            own_rank,
        };
        assert!(below.are_broken_by(at(1, Some(2))));
        assert!(!below.are_broken_by(at(3, Some(2))));
        assert!(!below.are_broken_by(at(1, None)));
        assert!(!terms(PartnerKind::Partner).are_broken_by(at(1, Some(2))));
    }

    #[test]
    fn they_last_until_the_end_of_their_last_day() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
        let ending = PartnerTerms {
            ends_on: Some(day(7)),
            ..terms(PartnerKind::Partner)
        };
        assert!(ending.last_on(day(7)) && !ending.last_on(day(8)));
        assert!(terms(PartnerKind::Partner).last_on(day(8)));
    }

    #[test]
    fn the_nearest_domain_that_covers_a_host_says_what_it_may_do() {
        let partners = Partners::from_iter([
            ("shop.com".to_owned(), terms(PartnerKind::Partner)),
            ("outlet.shop.com".to_owned(), terms(PartnerKind::Reseller)),
            ("a.myshopify.com".to_owned(), terms(PartnerKind::Reseller)),
        ]);
        for (host, kind) in [
            ("shop.com", Some(PartnerKind::Partner)),
            ("m.shop.com", Some(PartnerKind::Partner)),
            ("m.outlet.shop.com", Some(PartnerKind::Reseller)),
            ("notshop.com", None),
            ("a.myshopify.com", Some(PartnerKind::Reseller)),
            ("b.a.myshopify.com", None),
        ] {
            assert_eq!(partners.of_host(host).map(|terms| terms.kind), kind, "{host}");
        }
    }
}
