//! The group of a domain, from the signals that a reader sees and what persons said.

use std::collections::{BTreeMap, BTreeSet};

use analytics::signals::{self, SignalOfDomain};
use attribution::{Group, MOST_DOMAINS, Profile, Signal, Verdict, group_of};
use chrono::{DateTime, Days, NaiveDate, Utc};
use postgres::advertiser_links::{self, AdvertiserLink};
use vocabulary::{Scope, SystemScope};

use crate::failure::ApiError;
use crate::state::ApiState;

/// How many days of ads links are made of.
pub(super) const DAYS: u64 = 90;
/// Domains that are looked at for one group.
const MOST_CANDIDATES: usize = 200;
/// What persons said that is read for one group.
const MOST_DECISIONS: i64 = 1_000;

const SYSTEM: SystemScope = SystemScope::new("reading what persons said of advertisers");

/// A group with what it was found by.
pub(super) struct Found {
    pub(super) group: Group,
    /// A capture for each signal that was read, by domain.
    pub(super) captures: BTreeMap<(String, Signal), String>,
    /// What persons said of two domains that the reader sees, the latest first.
    pub(super) decisions: Vec<AdvertiserLink>,
    /// The first day (UTC) of the ads.
    pub(super) since: NaiveDate,
}

/// The group of a registrable domain, as far as the reader sees the ads of its domains; `None` where the reader sees none of its own.
pub(super) async fn find(
    state: &ApiState,
    scope: &Scope,
    domain: &str,
    now: DateTime<Utc>,
) -> Result<Option<Found>, ApiError> {
    let since = now.date_naive() - Days::new(DAYS);
    let asked = [domain.to_owned()];
    let decisions = advertiser_links::around(&state.postgres, &SYSTEM, &asked, MOST_DECISIONS).await?;
    let verdicts: BTreeMap<(String, String), Verdict> = decisions
        .iter()
        .filter_map(|link| Some(((link.one.clone(), link.other.clone()), link.verdict.parse().ok()?)))
        .collect();
    let same = verdicts.iter().filter(|(_, verdict)| **verdict == Verdict::Same);
    let said: BTreeSet<String> = same
        .flat_map(|((one, other), _)| [one.clone(), other.clone()])
        .filter(|named| named != domain)
        .collect();
    // The domain asked for is never one too many.
    let members: Vec<String> = asked.into_iter().chain(said).take(MOST_DOMAINS).collect();
    let shared = signals::shared(&state.analytics, scope, &members, since).await?;
    let mut sharing = BTreeMap::new();
    let mut candidates = BTreeSet::new();
    for row in shared {
        let users = usize::try_from(row.users).unwrap_or(usize::MAX);
        if let Some(signal) = signal(&row.sort, row.value) {
            if users <= attribution::MOST_SHARING {
                candidates.extend(row.hosts.into_iter().filter(|host| !members.contains(host)));
            }
            sharing.insert(signal, users);
        }
    }
    let domains: Vec<String> = members.into_iter().chain(candidates).take(MOST_CANDIDATES).collect();
    let shown = signals::of_domains(&state.analytics, scope, &domains, since).await?;
    let (profiles, captures) = profiles(shown);
    if !profiles.contains_key(domain) {
        return Ok(None);
    }
    let sees = |link: &AdvertiserLink| profiles.contains_key(&link.one) && profiles.contains_key(&link.other);
    Ok(Some(Found {
        group: group_of(domain, &profiles, &sharing, &verdicts),
        captures,
        decisions: decisions.into_iter().filter(sees).collect(),
        since,
    }))
}

/// What each domain shows, and a capture for each signal.
fn profiles(shown: Vec<SignalOfDomain>) -> (BTreeMap<String, Profile>, BTreeMap<(String, Signal), String>) {
    let (mut profiles, mut captures): (BTreeMap<String, Profile>, _) = Default::default();
    for row in shown {
        let Some(signal) = signal(&row.sort, row.value) else {
            continue;
        };
        let profile = profiles.entry(row.host.clone()).or_insert_with(|| Profile {
            domain: row.host.clone(),
            ..Profile::default()
        });
        profile.countries.extend(row.countries);
        profile.signals.insert(signal.clone(), row.shown);
        BTreeMap::insert(&mut captures, (row.host, signal), row.capture);
    }
    (profiles, captures)
}

/// A stored signal; `None` for a kind that this version does not know.
fn signal(kind: &str, value: String) -> Option<Signal> {
    let kind = kind.parse().ok()?;
    Some(Signal { kind, value })
}

/// Whether the reader sees ads of a registrable domain that links are made of.
pub(super) async fn is_seen(
    state: &ApiState,
    scope: &Scope,
    domain: &str,
    now: DateTime<Utc>,
) -> Result<bool, ApiError> {
    let since = now.date_naive() - Days::new(DAYS);
    let shown = signals::of_domains(&state.analytics, scope, &[domain.to_owned()], since).await?;
    Ok(!shown.is_empty())
}
