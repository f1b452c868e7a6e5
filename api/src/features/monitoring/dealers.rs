//! The dealers of domains: `POST /monitoring/dealers`.

use analytics::filter::{Condition, Filters};
use analytics::reports::domains::{self, DomainsQuery, Sort};
use analytics::reports::page::{Direction, Page};
use axum::Json;
use axum::extract::State;
use postgres::categories;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::views::DataView;
use crate::access::Caller;
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// As many as a page of a list can show.
const MOST_DOMAINS: u32 = 500;

/// The stored record of a domain's registrable domain.
#[derive(Serialize, ToSchema)]
pub(super) struct KnownDealerView {
    id: i32,
    /// As it was asked for.
    domain: String,
}

/// Domains whose dealers are wanted.
#[derive(Deserialize, ToSchema)]
pub(super) struct DomainsParams {
    /// Up to 500.
    domains: Vec<String>,
}

/// The dealer of the registrable domain of each given domain whose ads the reader sees, so that it can be tagged; a dealer that is missing is
/// created. Other domains are left out.
#[utoipa::path(
    post, path = "/monitoring/dealers", tag = "Monitoring", request_body = DomainsParams,
    responses(
        (status = 200, body = DataView<KnownDealerView>),
        (status = 401, body = FailureBody),
        (status = 422, body = FailureBody, description = "Too many domains at once"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn find_dealers(
    State(state): State<ApiState>,
    caller: Caller,
    extract::Json(params): extract::Json<DomainsParams>,
) -> Result<Json<DataView<KnownDealerView>>, ApiError> {
    if u32::try_from(params.domains.len()).map_or(true, |count| count > MOST_DOMAINS) {
        let text = format!("{MOST_DOMAINS} domains at most; ask for the rest with another request");
        return Err(ApiError::of_field("domains", text));
    }
    let filters: Filters = [Condition::domains(true, params.domains)].into_iter().collect();
    let query = DomainsQuery {
        filters,
        sort: Sort::Domain,
        direction: Direction::Asc,
        page: Page::Of {
            number: 1,
            size: MOST_DOMAINS,
        },
    };
    let found = domains::list(&state.analytics, &caller.scope, &query).await?;
    let mut masters: Vec<String> = found.rows.iter().map(|row| categories::master(&row.domain)).collect();
    masters.sort_unstable();
    masters.dedup();
    let dealers = categories::dealers_of_domains(&state.postgres, &masters, state.clock.now()).await?;
    let data = found.rows.into_iter().filter_map(|row| {
        let id = dealers.get(&categories::master(&row.domain))?;
        Some(KnownDealerView {
            id: id.0,
            domain: row.domain,
        })
    });
    Ok(Json(DataView { data: data.collect() }))
}
