//! Whether two domains belong to one advertiser, and what speaks for and against it.

use std::collections::{BTreeMap, BTreeSet};

use crate::signals::{Signal, SignalKind};

/// A signal that more domains share says nothing: an affiliate's account, a comparison service's pages, a text that everybody copies. Whoever floods the
/// engine with copies so links nobody.
pub const MOST_SHARING: usize = 6;
/// A signal that no more domains share counts in full.
const FEW_SHARING: usize = 3;
/// From this confidence on a link is suggested.
pub const SUGGESTED_FROM: f64 = 0.5;
/// Texts and pictures are easily copied: alone they say so much at most, which suggests nothing.
const COPIES_AT_MOST: f64 = 0.45;
/// What an advertiser can write into its own ad, without an id that the engine gave out, says so much at most.
const CLAIMS_AT_MOST: f64 = 0.9;
/// Fewer texts or pictures are the same by chance.
const FEWEST_COPIES: usize = 3;
/// What each objection takes away.
const COUNTRY_APART: f64 = 0.05;
const ACCOUNTS_APART: f64 = 0.1;
const MERCHANTS_APART: f64 = 0.15;
/// Values of a kind that are named as evidence.
const MOST_NAMED: usize = 5;

/// What the ads of a domain show together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The advertiser's host.
    pub domain: String,
    /// The countries of its ads, ISO 3166.
    pub countries: BTreeSet<String>,
    /// Each signal with the number of ads that show it.
    pub signals: BTreeMap<Signal, u64>,
}

/// What speaks for a link: signals of one kind that both domains show.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// What they are.
    pub kind: SignalKind,
    /// Some of them, those of most ads first.
    pub values: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// Ads of both domains that show one of them.
    pub ads: u64,
    /// How much it says, 0 to 1.
    pub weight: f64,
}

/// What speaks against a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Objection {
    /// They advertise in no country in common.
    Countries,
    /// Each has accounts with click counters, and none in common.
    Trackers,
    /// Each has ids of merchants, and none in common.
    Merchants,
}

impl Objection {
    /// How much it takes away.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Countries => COUNTRY_APART,
            Self::Trackers => ACCOUNTS_APART,
            Self::Merchants => MERCHANTS_APART,
        }
    }
}

/// Two domains that may belong to one advertiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The first of both in alphabetical order.
    pub one: String,
    /// The second in that order.
    pub other: String,
    /// What speaks for it, the weightiest first; never empty.
    pub evidence: Vec<Evidence>,
    /// What speaks against it.
    pub against: Vec<Objection>,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
}

/// The link of two domains; `None` where they have nothing in common that says anything. `sharing` says how many domains show a signal, both included;
/// one that it lacks is shown by these two alone.
pub fn link(one: &Profile, other: &Profile, sharing: &BTreeMap<Signal, usize>) -> Option<Link> {
    let (one, other) = if one.domain <= other.domain {
        (one, other)
    } else {
        (other, one)
    };
    let mut evidence: Vec<Evidence> = KINDS
        .iter()
        .filter_map(|kind| shared(*kind, one, other, sharing))
        .collect();
    if evidence.is_empty() {
        return None;
    }
    evidence.sort_by(|left, right| right.weight.total_cmp(&left.weight));
    let against = objections(one, other);
    let doubt: f64 = evidence.iter().map(|found| 1.0 - found.weight).product();
    let has = |kinds: &[SignalKind]| evidence.iter().any(|found| kinds.contains(&found.kind));
    let most = if has(&[SignalKind::Merchant]) {
        1.0
    } else if has(&[SignalKind::Tracker, SignalKind::Host]) {
        CLAIMS_AT_MOST
    } else {
        COPIES_AT_MOST
    };
    let objected: f64 = against.iter().map(|objection| objection.weight()).sum();
    Some(Link {
        one: one.domain.clone(),
        other: other.domain.clone(),
        evidence,
        against,
        confidence: ((1.0 - doubt).min(most) - objected).max(0.0),
    })
}

const KINDS: [SignalKind; 5] = [
    SignalKind::Merchant,
    SignalKind::Tracker,
    SignalKind::Host,
    SignalKind::Text,
    SignalKind::Picture,
];

/// What signals of a kind two domains share, without those that too many do; `None` where that says nothing.
fn shared(kind: SignalKind, one: &Profile, other: &Profile, sharing: &BTreeMap<Signal, usize>) -> Option<Evidence> {
    let users = |signal: &Signal| sharing.get(signal).copied().unwrap_or(2);
    let mut common: Vec<(&Signal, u64)> = one
        .signals
        .iter()
        .filter(|(signal, _)| signal.kind == kind && users(signal) <= MOST_SHARING)
        .filter_map(|(signal, ads)| Some((signal, ads + other.signals.get(signal)?)))
        .collect();
    common.sort_by_key(|(_, ads)| std::cmp::Reverse(*ads));
    let fewest = common.iter().map(|(signal, _)| users(signal)).min()?;
    let rarity = if fewest <= FEW_SHARING { 1.0 } else { 0.5 };
    let full = match kind {
        SignalKind::Merchant => 0.6,
        SignalKind::Tracker | SignalKind::Host => 0.5,
        SignalKind::Text | SignalKind::Picture => {
            if common.len() < FEWEST_COPIES {
                return None;
            }
            0.6 * share_of_all(kind, common.len(), one, other)
        }
    };
    Some(Evidence {
        kind,
        values: common
            .iter()
            .take(MOST_NAMED)
            .map(|(signal, _)| signal.value.clone())
            .collect(),
        count: common.len(),
        ads: common.iter().map(|(_, ads)| ads).sum(),
        weight: full * rarity,
    })
}

/// The share of common signals among all of their kind, taken of the domain that shows fewer.
fn share_of_all(kind: SignalKind, common: usize, one: &Profile, other: &Profile) -> f64 {
    let all = |profile: &Profile| profile.signals.keys().filter(|signal| signal.kind == kind).count();
    let fewer = all(one).min(all(other)).max(1);
    #[allow(clippy::cast_precision_loss, reason = "a domain has few signals")]
    let share = common as f64 / fewer as f64;
    share
}

/// What speaks against a link.
fn objections(one: &Profile, other: &Profile) -> Vec<Objection> {
    let of = |profile: &Profile, kind| -> BTreeSet<Signal> {
        let signals = profile.signals.keys().filter(|signal| signal.kind == kind);
        signals.cloned().collect()
    };
    let apart = |kind| {
        let (mine, theirs) = (of(one, kind), of(other, kind));
        !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs)
    };
    let countries =
        !one.countries.is_empty() && !other.countries.is_empty() && one.countries.is_disjoint(&other.countries);
    [
        (countries, Objection::Countries),
        (apart(SignalKind::Tracker), Objection::Trackers),
        (apart(SignalKind::Merchant), Objection::Merchants),
    ]
    .into_iter()
    .filter_map(|(is, objection)| is.then_some(objection))
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn profile(domain: &str, country: &str, signals: &[(SignalKind, &str)]) -> Profile {
        Profile {
            domain: domain.to_owned(),
            countries: [country.to_owned()].into(),
            signals: signals
                .iter()
                .map(|(kind, value)| {
                    let value = (*value).to_owned();
                    (Signal { kind: *kind, value }, 1)
                })
                .collect(),
        }
    }

    fn users(kind: SignalKind, value: &str, count: usize) -> BTreeMap<Signal, usize> {
        let value = value.to_owned();
        [(Signal { kind, value }, count)].into()
    }

    #[test]
    fn an_id_of_the_engine_says_more_than_what_can_be_copied() {
        use SignalKind::{Host, Merchant, Picture, Text, Tracker};
        let confidence = |signals: &[(SignalKind, &str)]| {
            let (one, other) = (profile("a.example", "FR", signals), profile("b.example", "FR", signals));
            link(&one, &other, &BTreeMap::new()).map(|link| (link.confidence * 100.0).round())
        };
        assert_eq!(confidence(&[(Merchant, "1")]), Some(60.0));
        assert_eq!(confidence(&[(Host, "a.example")]), Some(50.0));
        assert_eq!(
            confidence(&[(Merchant, "1"), (Tracker, "t adv=1"), (Host, "a.example")]),
            Some(90.0)
        );
        let copies = [
            (Text, "a"),
            (Text, "b"),
            (Text, "c"),
            (Picture, "x"),
            (Picture, "y"),
            (Picture, "z"),
        ];
        assert_eq!(confidence(&copies), Some(45.0));
        assert_eq!(confidence(&copies[..2]), None);
        assert_eq!(confidence(&[]), None);
    }

    #[test]
    fn what_many_share_links_nobody() {
        let signals = [(SignalKind::Tracker, "t adv=1")];
        let (one, other) = (
            profile("a.example", "FR", &signals),
            profile("b.example", "FR", &signals),
        );
        let confidence = |count| {
            let sharing = users(SignalKind::Tracker, "t adv=1", count);
            link(&one, &other, &sharing).map(|link| link.confidence)
        };
        assert_eq!(confidence(FEW_SHARING), Some(0.5));
        assert_eq!(confidence(MOST_SHARING), Some(0.25));
        assert_eq!(confidence(MOST_SHARING + 1), None);
    }

    #[test]
    fn what_speaks_against_a_link_is_said_and_taken_off() {
        let one = profile(
            "a.example",
            "FR",
            &[(SignalKind::Host, "a.example"), (SignalKind::Merchant, "1")],
        );
        let other = profile(
            "b.example",
            "GB",
            &[(SignalKind::Host, "a.example"), (SignalKind::Merchant, "2")],
        );
        let found = link(&one, &other, &BTreeMap::new()).unwrap();
        assert_eq!(found.against, [Objection::Countries, Objection::Merchants]);
        assert!((found.confidence - 0.3).abs() < 1e-9);
    }

    fn any_profile(domain: &'static str) -> impl Strategy<Value = Profile> {
        let signal = (0_usize..5, 0_u8..6).prop_map(|(kind, value)| Signal {
            kind: KINDS[kind],
            value: value.to_string(),
        });
        (
            prop::collection::btree_map(signal, 1_u64..9, 0..12),
            prop::collection::btree_set("[A-C]", 0..3),
        )
            .prop_map(move |(signals, countries)| Profile {
                domain: domain.to_owned(),
                countries,
                signals,
            })
    }

    proptest! {
        #[test]
        fn a_link_is_the_same_from_both_sides_and_never_sure(
            one in any_profile("a.example"), other in any_profile("b.example"), count in 2_usize..9,
        ) {
            let sharing: BTreeMap<Signal, usize> = one.signals.keys().map(|signal| (signal.clone(), count)).collect();
            let found = link(&one, &other, &sharing);
            prop_assert_eq!(&found, &link(&other, &one, &sharing));
            if let Some(found) = found {
                prop_assert!((0.0..1.0).contains(&found.confidence));
                prop_assert!(!found.evidence.is_empty() && count <= MOST_SHARING);
                let copies = found.evidence.iter().all(|one| matches!(one.kind, SignalKind::Text | SignalKind::Picture));
                prop_assert!(!copies || found.confidence <= COPIES_AT_MOST);
            }
        }
    }
}
