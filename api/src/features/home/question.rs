//! What the home page asks about: the filters of a list of ads with a period, whose ads are the brands' own, and what both times show of each host.

use analytics::filter::{Comparison, Condition, Filters};
use analytics::reports::share_of_voice::{self, Voices};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use postgres::brands;
use vocabulary::{BrandId, Scope};

use crate::access::Caller;
use crate::ad_filters;
use crate::failure::ApiError;
use crate::lists::ListQuery;
use crate::state::ApiState;

/// Hosts that are read, as many of the brands' own as of others: one that gains much is among the most viewed.
const MOST_HOSTS: u32 = 500;

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

/// The condition that an ad is of the brands' own or, with `own` off, of somebody else: of hosts that official domains cover of the brands that the
/// filters name, or else of all that the scope sees (decision D98).
pub(super) async fn own_ads(
    state: &ApiState,
    scope: &Scope,
    filters: &Filters,
    own: bool,
) -> Result<Condition, ApiError> {
    let officials = match filters.brands() {
        Some(named) => {
            let named: Vec<BrandId> = named.into_iter().map(|id| BrandId(id.cast_signed())).collect();
            brands::official_domains(&state.postgres, scope, &named).await?
        }
        None => brands::all_official_domains(&state.postgres, scope).await?,
    };
    let domains = officials.into_iter().map(|(_, domain)| domain).collect();
    Ok(Condition::advertisers(own, domains))
}

/// The views of both times that the question compares, by host: up to [`MOST_HOSTS`] of the brands' own, and as many others.
pub(super) async fn voices(state: &ApiState, scope: &Scope, question: &HomeQuestion) -> Result<Voices, ApiError> {
    let own = own_ads(state, scope, &question.filters, true).await?;
    let compared = (&question.compared, MOST_HOSTS);
    Ok(share_of_voice::by_host(&state.analytics, scope, &question.filters, &own, compared).await?)
}
