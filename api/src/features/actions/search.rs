//! `GET /actions`. Postgres drives: it narrows, orders and counts the actions; the store of ads adds the figures of the rows of one page.

use std::collections::BTreeMap;

use analytics::filter::{Condition, Filters};
use analytics::reports::advertisers;
use analytics::reports::page::{Direction, MOST_ROWS, Page};
use axum::Json;
use axum::extract::State;
use records::actions::list::{self, ActionRow, ActionsQuery, Sort};
use records::actions::{DateField, Seen};
use records::categories;
use vocabulary::{BrandId, DealerId, Scope};

use super::search_query::spell_out;
use super::views::{ActionsMetaView, ActionsView, AdvertiserView};
use super::{conditions, export};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{Failure, FailureBody};
use crate::lists::{self, LinksView, ListQuery};
use crate::state::ApiState;

const PATH: &str = "/api/actions";

/// The actions that the reader sees, with how many there are in each status.
#[utoipa::path(
    get,
    path = "/actions",
    tag = "Actions",
    params(
        ("page[size]" = Option<u32>, Query, description = "Rows a page, 30 by default; 0 asks for all of up to 10,000"),
        ("page[number]" = Option<u32>, Query, description = "Number of the page, from 1"),
        ("sortBy" = Option<String>, Query, description = "lastView, createdDate, updatedDate, requestedDate, inprogressDate, acceptedDate, \
            refusedDate, reappearanceDate, disappearedDate, priority or domain; a minus before it means downwards. Default: -priority"),
        ("name[]" = Option<String>, Query, description = "One of several values of a filter; a minus before it excludes. Names: brandId, \
            provider, country, language, domain, master, type, status, reappearance (only or exclude), advertiserTag, keywordTag"),
        ("name[start]" = Option<String>, Query, description = "From this instant on, as for lastView and the other dates; name[end] likewise"),
        ("name[regexp]" = Option<String>, Query, description = "A text that is held, as in /shop/i: domain, master, adTitle, adDescription"),
        ("filters[name][operator]" = Option<String>, Query, description = "The same filters as the lists of /Sems spell them"),
    ),
    responses(
        (status = 200, body = ActionsView, description = "A page of actions"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 408, body = FailureBody, description = "Too many results; narrow the filters"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn search_actions(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<ActionsView>, Failure> {
    let asked = ListQuery::read(&spell_out(&pairs)?, &[])?;
    let (query, ads) = read_query(&state, &caller.scope, &asked).await?;
    let counts = list::count(&state.records, &caller.scope, &query.conditions).await?;
    let wanted = |status| query.conditions.iter().all(|condition| condition.allows(status));
    let mut totals = list::Count::default();
    for (status, count) in &counts {
        if wanted(*status) {
            totals.actions += count.actions;
            totals.views += count.views;
            totals.ads += count.ads;
        }
    }
    if asked.page == Page::All && totals.actions > u64::from(MOST_ROWS) {
        return Err(Failure::TooManyResults);
    }
    let rows = list::page(&state.records, &caller.scope, &query).await?;
    let roles = caller.user.known_roles();
    let sub_total = <vocabulary::ActionStatus as strum::VariantArray>::VARIANTS
        .iter()
        .filter(|status| status.is_counted_for(&roles))
        .map(|status| (status.to_string(), counts.get(status).map_or(0, |count| count.actions)));
    Ok(Json(ActionsView {
        data: views(&state, &caller, rows, &ads).await?,
        meta: ActionsMetaView {
            page: lists::place(asked.page, totals.actions),
            total_views: totals.views,
            total_ads: totals.ads,
            sub_total: sub_total.collect(),
        },
        links: LinksView {
            export_csv: Some(export::link(&pairs)),
            ..lists::links(PATH, &pairs, asked.page, totals.actions)
        },
    }))
}

/// Rows with their tags, their links and the figures of their ads under the filters.
pub(super) async fn views(
    state: &ApiState,
    caller: &Caller,
    rows: Vec<ActionRow>,
    ads: &Filters,
) -> Result<Vec<AdvertiserView>, Failure> {
    let dealers: Vec<DealerId> = rows.iter().filter_map(|row| Some(row.advertiser.as_ref()?.0)).collect();
    let tags = categories::tags_of_dealers(&state.records, &caller.scope, &dealers).await?;
    let figures = figures(state, &caller.scope, &rows, ads).await;
    let roles = caller.user.known_roles();
    let views = rows.into_iter().map(|row| {
        let tags = row.advertiser.as_ref().and_then(|(dealer, _)| tags.get(dealer));
        let counted = figures.as_ref().map(|figures| {
            seen(&row)
                .and_then(|seen| figures.get(&seen).copied())
                .unwrap_or_default()
        });
        AdvertiserView::new(row, tags.map_or(&[], Vec::as_slice), counted, &roles)
    });
    Ok(views.collect())
}

/// Views and distinct ads of the rows; `None` while the store of ads is away: the work on actions goes on without it.
async fn figures(
    state: &ApiState,
    scope: &Scope,
    rows: &[ActionRow],
    ads: &Filters,
) -> Option<BTreeMap<Seen, (u64, u64)>> {
    let mut brands: Vec<BrandId> = rows.iter().filter_map(|row| row.brand).collect();
    brands.sort_unstable();
    brands.dedup();
    let mut domains: Vec<String> = rows.iter().filter_map(|row| row.domain.clone()).collect();
    domains.sort_unstable();
    domains.dedup();
    if brands.is_empty() || domains.is_empty() {
        return Some(BTreeMap::new());
    }
    let mut filters = ads.clone();
    filters.push(Condition::of_brands(&brands));
    filters.push(Condition::domains(true, domains));
    let found = advertisers::list(&state.analytics, scope, &filters, u32::MAX - 1).await;
    let found = found
        .inspect_err(|error| tracing::warn!(%error, "actions are listed without figures"))
        .ok()?;
    let figures = found.into_iter().map(|row| {
        let seen = Seen {
            brand: row.brand,
            domain: row.domain,
            country: row.country,
            engine: row.engine,
        };
        (seen, (row.nb_views, row.nb_ads))
    });
    Some(figures.collect())
}

fn seen(row: &ActionRow) -> Option<Seen> {
    Some(Seen {
        brand: row.brand?,
        domain: row.domain.clone()?,
        country: row.country.clone()?,
        engine: row.engine.clone()?,
    })
}

/// What is asked for, and the conditions that its figures are counted under.
pub(super) async fn read_query(
    state: &ApiState,
    scope: &Scope,
    asked: &ListQuery,
) -> Result<(ActionsQuery, Filters), Failure> {
    let narrowed = conditions::read(state, scope, &asked.filters).await?;
    let (sort, descending) = read_sort(asked)?;
    let (limit, offset) = match asked.page {
        Page::All => (i64::from(MOST_ROWS), 0),
        Page::Of { number, size } => (i64::from(size), i64::from(number - 1) * i64::from(size)),
    };
    let query = ActionsQuery {
        conditions: narrowed.conditions,
        sort,
        descending,
        limit,
        offset,
    };
    Ok((query, narrowed.ads))
}

fn read_sort(asked: &ListQuery) -> Result<(Sort, bool), Failure> {
    let Some(name) = asked.sort.as_deref() else {
        return Ok((Sort::Priority, true));
    };
    let sort = match name {
        "priority" => Sort::Priority,
        "domain" => Sort::Domain,
        name => Sort::Date(name.parse::<DateField>().map_err(|_| {
            Failure::BadRequest(
                "sortBy: it is lastView, createdDate, updatedDate, requestedDate, inprogressDate, acceptedDate, refusedDate, \
                 reappearanceDate, disappearedDate, priority or domain"
                    .to_owned(),
            )
        })?),
    };
    Ok((sort, asked.direction == Direction::Desc))
}
