//! What a complaint about a case would be founded on.

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::ads::{self, Ad, AdsQuery};
use chrono::TimeDelta;
use postgres::actions::list::{self, ActionRow};
use postgres::partners;
use postgres::trademarks::{self, Trademark};
use vocabulary::{ActionId, EscalationObstacle, RegisteredMark, escalation_obstacle, names_mark};

use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// Marks of a brand.
pub(super) const MOST_TRADEMARKS: usize = 200;
/// Ads of a case that are looked at, the most viewed.
const MOST_ADS: u32 = 500;
/// Engines act on what they can see; pages are not kept for longer either.
const LOOKED_BACK: TimeDelta = TimeDelta::days(180);

/// A case with the ads and marks that a complaint would name.
pub(super) struct Founded {
    pub(super) row: ActionRow,
    /// The marks that hold in its country and are in the text of an ad.
    pub(super) marks: Vec<Trademark>,
    /// The ads with such a mark in their text, the last seen first.
    pub(super) ads: Vec<Ad>,
    /// What speaks against a complaint.
    pub(super) obstacle: Option<EscalationObstacle>,
}

/// Finds what a complaint about a case would be founded on. `NoRow` for a case that the caller does not see, then `Forbidden` for callers who are no
/// staff.
pub(super) async fn found(state: &ApiState, caller: &Caller, id: i32) -> Result<Founded, ApiError> {
    let row = visible(state, caller, id).await?;
    let (mut marks, mut is_partner) = (Vec::new(), false);
    if let Some(brand) = row.brand {
        let most = i64::try_from(MOST_TRADEMARKS).unwrap_or(i64::MAX);
        marks = trademarks::of_brand(&state.postgres, &caller.scope, brand, most).await?;
        let domain = row.domain.as_deref().unwrap_or_default();
        let today = state.clock.now().date_naive();
        let partners = partners::of_all_brands(&state.postgres, &caller.scope).await?;
        let terms = partners.get(&brand).and_then(|partners| partners.of_host(domain));
        is_partner = terms.is_some_and(|terms| terms.last_on(today));
    }
    let mut ads = if marks.is_empty() || is_partner {
        Vec::new()
    } else {
        ads_of(state, caller, &row).await?
    };
    let country = row.country.clone().unwrap_or_default();
    let texts: Vec<String> = ads.iter().map(text_of).collect();
    let registered: Vec<RegisteredMark<'_>> = marks.iter().map(registered_mark).collect();
    let obstacle = escalation_obstacle(&registered, &country, is_partner, &texts);
    marks.retain(|mark| {
        registered_mark(mark).holds_in(&country) && texts.iter().any(|text| names_mark(text, &mark.facts.mark))
    });
    ads.retain(|ad| marks.iter().any(|mark| names_mark(&text_of(ad), &mark.facts.mark)));
    Ok(Founded {
        row,
        marks,
        ads,
        obstacle,
    })
}

/// The case with this id. `NoRow` for one that the caller does not see, then `Forbidden` for callers who are no staff.
pub(super) async fn visible(state: &ApiState, caller: &Caller, id: i32) -> Result<ActionRow, ApiError> {
    let mut rows = list::by_ids(&state.postgres, &caller.scope, &[ActionId(id)]).await?;
    let row = rows
        .pop()
        .ok_or_else(|| ApiError::NoRow(format!("Unknown \"Action\" id \"{id}\".")))?;
    if caller.user.known_roles().is_empty() {
        return Err(ApiError::Forbidden);
    }
    Ok(row)
}

/// The ads of a case in the last [`LOOKED_BACK`], the last seen first; at most [`MOST_ADS`].
async fn ads_of(state: &ApiState, caller: &Caller, row: &ActionRow) -> Result<Vec<Ad>, ApiError> {
    let now = state.clock.now();
    let mut filters = Filters::none();
    filters.push(Condition::seen_between(Some(now - LOOKED_BACK), Some(now)));
    let facts = [
        (Field::Brand, row.brand.map(|brand| brand.to_string())),
        (Field::Domain, row.domain.clone()),
        (Field::Country, row.country.clone()),
        (Field::Engine, row.engine.clone()),
    ];
    for (field, value) in facts {
        let Some(value) = value else { return Ok(Vec::new()) };
        filters.push(Condition::read(field, Operator::Inq, &[value]).map_err(ApiError::internal)?);
    }
    let query = AdsQuery { filters, hour: None };
    let mut ads = ads::most_viewed(&state.analytics, &caller.scope, &query, MOST_ADS).await?;
    // A registrable domain means the hosts below it, too, which have cases of their own.
    ads.retain(|ad| Some(&ad.domain) == row.domain.as_ref());
    ads.sort_by_key(|ad| std::cmp::Reverse(ad.last_seen));
    Ok(ads)
}

/// The text of an ad in which a mark is not allowed: headline and text, not the address shown.
fn text_of(ad: &Ad) -> String {
    format!("{} {}", ad.title, ad.description)
}

/// A stored mark as a complaint needs it.
fn registered_mark(mark: &Trademark) -> RegisteredMark<'_> {
    RegisteredMark {
        mark: &mark.facts.mark,
        countries: &mark.facts.countries,
        has_authorisation: mark.facts.authorisation.is_some(),
    }
}
