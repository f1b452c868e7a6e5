//! What the home page asks about: the filters of a list of ads with a period, and whose ads are the brands' own.

use analytics::filter::{Comparison, Condition, Filters};
use analytics::reports::domains::{self, DomainsQuery, Sort};
use analytics::reports::page::{Direction, Page};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use postgres::brands;
use vocabulary::{BrandId, Scope};

use crate::access::Caller;
use crate::ad_filters;
use crate::failure::ApiError;
use crate::lists::ListQuery;
use crate::state::ApiState;

/// The most own hosts that a question names, the most viewed first: as many as fit into a link to their list.
const MOST_OWN: u32 = 100;

/// A question of the home page, read and checked.
pub(super) struct HomeQuestion {
    /// The filters, with the period.
    pub(super) filters: Filters,
    /// Both ends of the period, included.
    pub(super) ends: (DateTime<Utc>, DateTime<Utc>),
    /// What the period is compared with.
    pub(super) compared: Comparison,
    /// Where days begin.
    pub(super) zone: Tz,
}

impl HomeQuestion {
    /// Reads filters, period and time zone; a `BadRequest` for what cannot be read, without both ends of a period, and for a period that has not begun.
    pub(super) async fn read(state: &ApiState, caller: &Caller, pairs: &[(String, String)]) -> Result<Self, ApiError> {
        let zone = ad_filters::time_zone(state, pairs)?;
        let list_query = ListQuery::read(pairs, &["timeZone"])?;
        let filters = ad_filters::read(state, &caller.scope, &list_query.filters).await?;
        let wrong = || ApiError::BadRequest("date: both ends of a period that has begun".to_owned());
        let (Some(from), Some(until)) = filters.instants() else {
            return Err(wrong());
        };
        let compared = filters.comparison(zone, state.clock.now()).ok_or_else(wrong)?;
        Ok(Self {
            filters,
            ends: (from, until),
            compared,
            zone,
        })
    }
}

/// The hosts of the brands' own that were seen under the filters, most viewed first, [`MOST_OWN`] at most: those that official domains cover of the
/// brands that the filters name, or else of all that the scope sees (decision D98).
pub(super) async fn own_hosts(
    state: &ApiState,
    scope: &Scope,
    filters: &Filters,
) -> Result<Vec<domains::DomainRow>, ApiError> {
    let officials = match filters.brands() {
        Some(named) => {
            let named: Vec<BrandId> = named.into_iter().map(|id| BrandId(id.cast_signed())).collect();
            brands::official_domains(&state.postgres, scope, &named).await?
        }
        None => brands::all_official_domains(&state.postgres, scope).await?,
    };
    if officials.is_empty() {
        return Ok(Vec::new());
    }
    let mut own = filters.clone();
    own.push(Condition::advertisers(
        true,
        officials.into_iter().map(|(_, domain)| domain).collect(),
    ));
    Ok(most_viewed(state, scope, own, MOST_OWN).await?.rows)
}

/// The domains with most views under the filters, `most` of them, with the totals of all.
pub(super) async fn most_viewed(
    state: &ApiState,
    scope: &Scope,
    filters: Filters,
    most: u32,
) -> Result<domains::DomainsPage, ApiError> {
    let query = DomainsQuery {
        filters,
        sort: Sort::NbViews,
        direction: Direction::Desc,
        page: Page::Of { number: 1, size: most },
    };
    Ok(domains::list(&state.analytics, scope, &query).await?)
}
