//! The domains of one advertiser, as far as a person has said so, and what may belong to them.

use std::collections::{BTreeMap, BTreeSet};

use crate::link::{Link, Profile, SUGGESTED_FROM, link};
use crate::signals::Signal;

/// Domains of a group that are shown, with those that are suggested.
pub const MOST_DOMAINS: usize = 40;

/// What a person said about two domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    /// They belong to one advertiser.
    Same,
    /// They do not.
    Different,
}

/// A domain's group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The domains that belong together, the one asked about first, then in the order in which they were found.
    pub members: Vec<String>,
    /// Links between members, by what their ads show.
    pub accepted: Vec<Link>,
    /// Links from a member to a domain that may belong to them, the surest first: one for each such domain.
    pub suggested: Vec<Link>,
}

/// The group of `domain`: what persons said is the same, from one domain to the next, and what its members are [linked](link()) to from
/// [`SUGGESTED_FROM`] on. Domains without a profile are left out; what a person said is different is not suggested. [`MOST_DOMAINS`] at most.
pub fn group_of(
    domain: &str,
    profiles: &BTreeMap<String, Profile>,
    sharing: &BTreeMap<Signal, usize>,
    verdicts: &BTreeMap<(String, String), Verdict>,
) -> Group {
    let verdict = |one: &str, other: &str| {
        let pair = if one <= other { (one, other) } else { (other, one) };
        verdicts.get(&(pair.0.to_owned(), pair.1.to_owned())).copied()
    };
    let mut members = vec![domain.to_owned()];
    let mut at = 0;
    while at < members.len() {
        let next: Vec<String> = profiles
            .keys()
            .filter(|other| !members.contains(other) && verdict(&members[at], other) == Some(Verdict::Same))
            .cloned()
            .collect();
        members.extend(next);
        at += 1;
    }
    members.truncate(MOST_DOMAINS);
    let own: BTreeSet<&String> = members.iter().collect();
    let of = |one: &String, other: &String| link(profiles.get(one)?, profiles.get(other)?, sharing);
    let mut accepted = Vec::new();
    let mut surest: BTreeMap<&String, Link> = BTreeMap::new();
    for (place, member) in members.iter().enumerate() {
        accepted.extend(members[place + 1..].iter().filter_map(|other| of(member, other)));
        for other in profiles.keys().filter(|other| !own.contains(other)) {
            let found = of(member, other).filter(|found| found.confidence >= SUGGESTED_FROM);
            let Some(found) = found.filter(|_| verdict(member, other).is_none()) else {
                continue;
            };
            let is_surer = surest
                .get(other)
                .is_none_or(|known| known.confidence < found.confidence);
            if is_surer {
                surest.insert(other, found);
            }
        }
    }
    let mut suggested: Vec<Link> = surest.into_values().collect();
    suggested.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    suggested.truncate(MOST_DOMAINS.saturating_sub(members.len()));
    Group {
        members,
        accepted,
        suggested,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::SignalKind;

    fn profiles(shown: &[(&str, &str)]) -> BTreeMap<String, Profile> {
        let mut profiles: BTreeMap<String, Profile> = BTreeMap::new();
        for (domain, merchant) in shown {
            let profile = profiles.entry((*domain).to_owned()).or_default();
            (*domain).clone_into(&mut profile.domain);
            let signal = Signal {
                kind: SignalKind::Merchant,
                value: (*merchant).to_owned(),
            };
            profile.signals.insert(signal, 1);
        }
        profiles
    }

    #[test]
    fn a_person_makes_a_suggestion_a_member_or_ends_it() {
        let profiles = profiles(&[
            ("a.example", "1"),
            ("b.example", "1"),
            ("b.example", "2"),
            ("c.example", "2"),
            ("d.example", "3"),
        ]);
        let group = |verdicts: &[(&str, &str, Verdict)]| {
            let verdicts = verdicts
                .iter()
                .map(|(one, other, verdict)| (((*one).to_owned(), (*other).to_owned()), *verdict))
                .collect();
            let group = group_of("a.example", &profiles, &BTreeMap::new(), &verdicts);
            let suggested: Vec<_> = group
                .suggested
                .iter()
                .map(|link| format!("{} {}", link.one, link.other))
                .collect();
            (group.members.join(" "), suggested.join(", "))
        };
        let expected = |members: &str, suggested: &str| (members.to_owned(), suggested.to_owned());
        assert_eq!(group(&[]), expected("a.example", "a.example b.example"));
        let same = ("a.example", "b.example", Verdict::Same);
        assert_eq!(group(&[same]), expected("a.example b.example", "b.example c.example"));
        let different = ("b.example", "c.example", Verdict::Different);
        assert_eq!(group(&[same, different]), expected("a.example b.example", ""));
        // A person may know what no ad shows.
        let known = ("a.example", "d.example", Verdict::Same);
        assert_eq!(group(&[known]), expected("a.example d.example", "a.example b.example"));
    }
}
