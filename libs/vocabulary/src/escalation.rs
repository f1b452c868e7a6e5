//! Whether an engine takes a complaint about the ads of a case: policies restrict a trademark in the text of ads, not in the words that were searched
//! or in the domain shown, and let resellers use it.

use crate::folding::whole_words;

/// A registered mark as a complaint needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisteredMark<'a> {
    /// Its words as they are in the register.
    pub mark: &'a str,
    /// Countries it holds in, two letters; empty if nobody said.
    pub countries: &'a [String],
    /// Whether there is proof that the sender acts for its owner.
    pub has_authorisation: bool,
}

/// What speaks against a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum EscalationObstacle {
    /// No mark of the brand is on record.
    NoTrademark,
    /// The advertiser is an authorised partner or reseller of the brand.
    Partner,
    /// No mark on record holds in the country of the case.
    NotInCountry,
    /// No ad of the case is kept.
    NoAd,
    /// No kept ad has the mark in its text.
    NotInText,
    /// Nothing proves that the sender acts for the owner.
    NoAuthorisation,
}

/// Whether a text has a mark as whole words, whatever their case and accents.
pub fn names_mark(text: &str, mark: &str) -> bool {
    let mark = whole_words(mark);
    !mark.trim().is_empty() && whole_words(text).contains(&mark)
}

impl RegisteredMark<'_> {
    /// Whether it holds in a country; one of which nobody said where it holds does in all.
    pub fn holds_in(&self, country: &str) -> bool {
        self.countries.is_empty() || self.countries.iter().any(|one| one.eq_ignore_ascii_case(country))
    }
}

/// What speaks against a complaint that is founded on one of these marks about ads with these texts in a country; `None` if nothing does. The first
/// obstacle that cannot be dealt with is named.
pub fn escalation_obstacle(
    marks: &[RegisteredMark<'_>],
    country: &str,
    is_partner: bool,
    texts: &[String],
) -> Option<EscalationObstacle> {
    if marks.is_empty() {
        return Some(EscalationObstacle::NoTrademark);
    }
    if is_partner {
        return Some(EscalationObstacle::Partner);
    }
    let mut valid = marks.iter().filter(|mark| mark.holds_in(country)).peekable();
    if valid.peek().is_none() {
        return Some(EscalationObstacle::NotInCountry);
    }
    if texts.is_empty() {
        return Some(EscalationObstacle::NoAd);
    }
    let mut named = valid
        .filter(|mark| texts.iter().any(|text| names_mark(text, mark.mark)))
        .peekable();
    if named.peek().is_none() {
        return Some(EscalationObstacle::NotInText);
    }
    let is_authorised = named.any(|mark| mark.has_authorisation);
    (!is_authorised).then_some(EscalationObstacle::NoAuthorisation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark<'a>(mark: &'a str, countries: &'a [String]) -> RegisteredMark<'a> {
        RegisteredMark {
            mark,
            countries,
            has_authorisation: true,
        }
    }

    #[test]
    fn a_mark_is_found_whole_in_the_text_of_an_ad_alone() {
        for (text, is_named) in [
            ("ACME shoes, half price", true),
            ("The Acmé outlet", true),
            ("Acmetal tools", false),
            ("Shoes, half price", false),
        ] {
            assert_eq!(names_mark(text, "Acme"), is_named, "{text}");
        }
        assert!(!names_mark("anything", " - "));
    }

    #[test]
    fn the_first_thing_in_the_way_is_named() {
        let (everywhere, france) = (vec![], vec!["FR".to_owned()]);
        let (fit, plain) = (vec!["Acme shoes".to_owned()], vec!["Shoes".to_owned()]);
        let obstacle = |marks: &[RegisteredMark<'_>], country, is_partner, texts: &[String]| {
            escalation_obstacle(marks, country, is_partner, texts).map(|obstacle| obstacle.to_string())
        };
        let acme = mark("Acme", &everywhere);
        let unproven = RegisteredMark {
            has_authorisation: false,
            ..acme
        };
        assert_eq!(obstacle(&[acme], "FR", false, &fit), None);
        assert_eq!(obstacle(&[mark("Acme", &france)], "fr", false, &fit), None);
        for (marks, country, is_partner, texts, expected) in [
            (vec![], "FR", false, &fit, "no-trademark"),
            (vec![acme], "FR", true, &fit, "partner"),
            (vec![mark("Acme", &france)], "DE", false, &fit, "not-in-country"),
            (vec![acme], "FR", false, &Vec::new(), "no-ad"),
            (vec![acme], "FR", false, &plain, "not-in-text"),
            (vec![unproven], "FR", false, &fit, "no-authorisation"),
            // What is authorised is another mark than the one in the text.
            (
                vec![unproven, mark("Bolt", &everywhere)],
                "FR",
                false,
                &fit,
                "no-authorisation",
            ),
        ] {
            assert_eq!(obstacle(&marks, country, is_partner, texts).as_deref(), Some(expected));
        }
    }
}
