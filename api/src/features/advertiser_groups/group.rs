//! `GET /advertiserGroups/{domain}`: the domains of one advertiser, and those that may belong to them.

use std::collections::BTreeMap;

use analytics::filter::{Condition, Filters};
use analytics::reports::domains::{self, DomainsQuery, Sort};
use analytics::reports::page::{Direction, MOST_ROWS, Page};
use analytics::reports::share_of_voice;
use attribution::{Evidence, Link, Signal};
use axum::Json;
use axum::extract::State;
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{Scope, WebHost};

use super::found::{self, Found};
use crate::access::Caller;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Days of the figures, today included.
const SHOWN_DAYS: i64 = 30;

/// The domains of one advertiser, and those that may belong to them.
#[derive(Serialize, ToSchema)]
pub(super) struct GroupView {
    data: GroupDataView,
    meta: GroupMetaView,
}

/// The domains of a group with their links, and what was said of them.
#[derive(Serialize, ToSchema)]
struct GroupDataView {
    /// The domain that was asked for, as a registrable domain.
    domain: String,
    /// The domains that belong together, the one asked for first, then those that may belong to them.
    domains: Vec<GroupDomainView>,
    /// The links between them.
    links: Vec<GroupLinkView>,
    /// What persons said of the group's domains, the latest first.
    decisions: Vec<LinkDecisionView>,
}

/// What a group was made of.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GroupMetaView {
    /// The first day (UTC) of the ads that links are made of.
    since: NaiveDate,
    /// The first day of the figures, in the settings' time zone.
    figures_since: NaiveDate,
    /// All views of the figures' days that the reader sees.
    total_views: u64,
    /// Whether the reader may say what belongs together.
    may_decide: bool,
}

/// A domain of a group, with the figures of 30 days.
#[derive(Serialize, ToSchema)]
struct GroupDomainView {
    domain: String,
    /// Whether a person said that it belongs to the group; otherwise it is a suggestion.
    member: bool,
    /// Its hosts that were seen.
    hosts: Vec<String>,
    views: u64,
    /// Distinct ads of all its hosts.
    ads: u64,
    /// Days with views, ascending.
    days: Vec<GroupDayView>,
}

/// Views of one day.
#[derive(Serialize, ToSchema)]
struct GroupDayView {
    date: NaiveDate,
    views: u64,
}

/// A link between two domains.
#[derive(Serialize, ToSchema)]
struct GroupLinkView {
    one: String,
    other: String,
    /// Whether both belong to the group; otherwise one of them is a suggestion.
    accepted: bool,
    /// How sure it is by what the ads show, 0 to 1.
    confidence: f64,
    /// What speaks for it, the weightiest first.
    evidence: Vec<LinkEvidenceView>,
    /// What speaks against it.
    against: Vec<LinkObjectionView>,
}

/// Things of one kind that the ads of both domains show.
#[derive(Serialize, ToSchema)]
struct LinkEvidenceView {
    /// `merchant`, `tracker`, `host`, `text` or `picture`.
    kind: String,
    /// How many such things there are.
    count: usize,
    /// Ads of both that show one, those of each day for themselves.
    ads: u64,
    /// How much it says, 0 to 1.
    weight: f64,
    /// Some of them, those of most ads first.
    values: Vec<EvidenceValueView>,
}

/// One thing that the ads of both domains show.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EvidenceValueView {
    value: String,
    /// A capture that shows it on an ad of the first domain.
    one_capture: String,
    /// A capture that shows it on an ad of the second.
    other_capture: String,
}

/// What speaks against a link.
#[derive(Serialize, ToSchema)]
struct LinkObjectionView {
    /// `countries`, `trackers` or `merchants` that are apart.
    kind: String,
    /// How much it takes away, 0 to 1.
    weight: f64,
}

/// What a person said of two domains.
#[derive(Serialize, ToSchema)]
struct LinkDecisionView {
    one: String,
    other: String,
    /// `same` or `different`.
    verdict: String,
    /// When, ISO 8601.
    at: DateTime<Utc>,
}

/// The domains that persons said belong to one advertiser with this one, and those that may belong to them by what their ads show in the last 90 days:
/// ids of merchants, accounts with click counters, hosts they lead to, texts and pictures, as far as the reader sees the ads.
#[utoipa::path(
    get, path = "/advertiserGroups/{domain}", tag = "Monitoring",
    params(("domain" = String, Path, description = "A host; its registrable domain is looked for")),
    responses(
        (status = 200, body = GroupView),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "No host, or no ad of it was seen in the last 90 days"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_group(
    State(state): State<ApiState>,
    caller: Caller,
    Path(domain): Path<String>,
) -> Result<Json<GroupView>, ApiError> {
    let unseen = || ApiError::NotFound(format!("no ad of {domain} was seen in the last 90 days"));
    let host = WebHost::parse(&domain).ok_or_else(unseen)?.master().to_string();
    let now = state.clock.now();
    let found = found::find(&state, &caller.scope, &host, now)
        .await?
        .ok_or_else(unseen)?;
    let zone = state.settings.time_zone;
    let first = now.with_timezone(&zone).date_naive() - TimeDelta::days(SHOWN_DAYS - 1);
    let (domains, total_views) = figures(&state, &caller.scope, &found, (first, zone)).await?;
    let Found {
        group,
        captures,
        decisions,
        since,
    } = found;
    let view = |link: &Link, accepted| link_view(link, accepted, &captures);
    let accepted = group.accepted.iter().map(|link| view(link, true));
    Ok(Json(GroupView {
        data: GroupDataView {
            domain: host,
            domains,
            links: accepted
                .chain(group.suggested.iter().map(|link| view(link, false)))
                .collect(),
            decisions: decisions
                .into_iter()
                .map(|link| LinkDecisionView {
                    one: link.one,
                    other: link.other,
                    verdict: link.verdict,
                    at: link.decided_at,
                })
                .collect(),
        },
        meta: GroupMetaView {
            since,
            figures_since: first,
            total_views,
            may_decide: !caller.user.known_roles().is_empty(),
        },
    }))
}

/// The domains of a group with their figures since a day of a zone, and all views of that time that the reader sees.
async fn figures(
    state: &ApiState,
    scope: &Scope,
    found: &Found,
    (first, zone): (NaiveDate, Tz),
) -> Result<(Vec<GroupDomainView>, u64), ApiError> {
    let now = state.clock.now();
    let begin = first.and_time(NaiveTime::MIN).and_local_timezone(zone).earliest();
    let period: Filters = [Condition::seen_between(begin.map(|at| at.to_utc()), Some(now))]
        .into_iter()
        .collect();
    let group = &found.group;
    let suggested = group.suggested.iter().flat_map(|link| [&link.one, &link.other]);
    let mut names = group.members.clone();
    for name in suggested {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let mut of_group = period.clone();
    of_group.push(Condition::advertisers(true, names.clone()));
    let list = |filters, size| {
        let query = DomainsQuery {
            filters,
            sort: Sort::NbViews,
            direction: Direction::Desc,
            page: Page::Of { number: 1, size },
        };
        async move { Ok::<_, ApiError>(domains::list(&state.analytics, scope, &query).await?) }
    };
    let (rows, all) = tokio::try_join!(list(of_group.clone(), MOST_ROWS), list(period, 1))?;
    let is_below = |host: &str, name: &str| WebHost::parse(host).is_some_and(|host| host.master().as_str() == name);
    let hosts: Vec<Vec<String>> = names
        .iter()
        .map(|name| {
            let below = rows.rows.iter().filter(|row| is_below(&row.domain, name));
            below.map(|row| row.domain.clone()).collect()
        })
        .collect();
    let wrong = || ApiError::BadRequest("the period of the figures has not begun".to_owned());
    let compared = of_group.comparison(zone, now).ok_or_else(wrong)?;
    let days = share_of_voice::by_day(&state.analytics, scope, &of_group, &hosts, (&compared, zone)).await?;
    let domains = names.into_iter().zip(hosts).zip(1..).map(|((name, hosts), number)| {
        let own = rows.rows.iter().filter(|row| is_below(&row.domain, &name));
        let by_day = days.iter().filter(|day| day.voice == number && day.local_day >= first);
        GroupDomainView {
            member: group.members.contains(&name),
            hosts,
            views: own.clone().map(|row| row.nb_views).sum(),
            ads: own.map(|row| row.nb_ads).sum(),
            days: by_day
                .map(|day| GroupDayView {
                    date: day.local_day,
                    views: day.text_ads + day.shopping_ads,
                })
                .collect(),
            domain: name,
        }
    });
    Ok((domains.collect(), all.total_views))
}

/// A link as answered, with captures that show its evidence.
fn link_view(link: &Link, accepted: bool, captures: &BTreeMap<(String, Signal), String>) -> GroupLinkView {
    let evidence = |found: &Evidence| {
        let capture = |domain: &str, value: &str| {
            let signal = Signal {
                kind: found.kind,
                value: value.to_owned(),
            };
            captures.get(&(domain.to_owned(), signal)).cloned().unwrap_or_default()
        };
        let values = found.values.iter().map(|value| EvidenceValueView {
            one_capture: capture(&link.one, value),
            other_capture: capture(&link.other, value),
            value: value.clone(),
        });
        LinkEvidenceView {
            kind: found.kind.to_string(),
            count: found.count,
            ads: found.ads,
            weight: found.weight,
            values: values.collect(),
        }
    };
    let against = link.against.iter().map(|objection| LinkObjectionView {
        kind: objection.to_string(),
        weight: objection.weight(),
    });
    GroupLinkView {
        one: link.one.clone(),
        other: link.other.clone(),
        accepted,
        confidence: link.confidence,
        evidence: link.evidence.iter().map(evidence).collect(),
        against: against.collect(),
    }
}
