//! The list of items, and one of them.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use futures::stream;
use postgres::audit::Event;
use postgres::google::{self, GoogleItem, ItemFilter, ItemSort};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::CompanyAccountId;

use super::views::{GoogleConnectView, GoogleMetaView};
use super::{item, no_item};
use crate::access::{Administrator, AdministratorDownloader};
use crate::extract::{self, Pairs, Path};
use crate::failure::{ApiError, FailureBody};
use crate::list_file::{self, Cell, FileParams};
use crate::lists::{self, LinksView, ListQuery};
use crate::state::ApiState;
use analytics::filter::Operator;
use analytics::reports::page::{Direction, Page};

/// Keys of the titles of the file.
const TITLES: [&str; 9] = [
    "google:column.createdDate",
    "google:column.brand",
    "google:column.customer",
    "google:column.loginCustomer",
    "google:column.domain",
    "google:column.scope",
    "google:column.activated",
    "google:column.available",
    "google:column.health",
];

/// A page of items.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleConnectsView {
    data: Vec<GoogleConnectView>,
    meta: GoogleMetaView,
    links: LinksView,
}

/// Of one item alone.
#[derive(Serialize, ToSchema)]
pub(super) struct OneGoogleConnectView {
    data: GoogleConnectView,
}

/// The linked accounts. Takes `page[size]` (30; 0: all), `page[number]`, `sort[by]` (`createdDate`, `customerID`, `brandLabel`, `keywords`),
/// `sort[direction]`, and the filter `companyAccountID`, also with `[nin]`.
#[utoipa::path(
    get, path = "/google", tag = "Google",
    responses(
        (status = 200, body = GoogleConnectsView),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_items(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Pairs(pairs): Pairs,
) -> Result<Json<GoogleConnectsView>, ApiError> {
    let asked = read(&pairs)?;
    let window = match asked.page {
        Page::All => (0, None),
        Page::Of { number, size } => (i64::from(number - 1) * i64::from(size), Some(i64::from(size))),
    };
    let (items, total) = google::list_items(&state.postgres, &caller.scope, &asked.filter, asked.order, window).await?;
    Ok(Json(GoogleConnectsView {
        data: items.into_iter().map(GoogleConnectView::from).collect(),
        meta: GoogleMetaView {
            page: lists::place(asked.page, total).with_totals(None),
        },
        links: lists::links("/api/google", &pairs, asked.page, total),
    }))
}

/// The same list as a file.
#[utoipa::path(
    get, path = "/google/export", tag = "Google", params(FileParams),
    responses(
        (status = 200, body = String, content_type = "text/csv", description = "`google-connect-YYYY-MM-DD.csv`, or `.xlsx`"),
        (status = 400, body = FailureBody, description = "A value that cannot be read; the message names it"),
        (status = 401, body = FailureBody, description = "No valid session, or a ticket that was used, is too old or is for another link"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn export_items(
    State(state): State<ApiState>,
    AdministratorDownloader(caller): AdministratorDownloader,
    Pairs(pairs): Pairs,
) -> Result<Response, ApiError> {
    let asked = read(&pairs)?;
    let (items, _) = google::list_items(&state.postgres, &caller.scope, &asked.filter, asked.order, (0, None)).await?;
    let rows = stream::iter(items.into_iter().map(|item| Ok(cells(item))));
    let titles = list_file::titles(&pairs, &TITLES);
    list_file::download(&state, &pairs, "google-connect", titles, rows, stream::empty()).await
}

/// One linked account.
#[utoipa::path(
    get, path = "/google/{id}", tag = "Google",
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 200, body = OneGoogleConnectView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn show_item(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
) -> Result<Json<OneGoogleConnectView>, ApiError> {
    let data = item(&state, &caller, id).await?.into();
    Ok(Json(OneGoogleConnectView { data }))
}

/// What may be used of an item.
#[derive(Deserialize, ToSchema)]
pub(super) struct GoogleScopeBody {
    /// Addresses that the item has already.
    scope: Vec<String>,
}

/// Narrows what is used of an item. An address that nobody consented to is refused: only Google gives more.
#[utoipa::path(
    patch, path = "/google/{id}", tag = "Google", request_body = GoogleScopeBody,
    params(("id" = i32, Path, description = "Id of the item")),
    responses(
        (status = 200, body = OneGoogleConnectView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such item"),
        (status = 422, body = FailureBody, description = "An address that the item does not have"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn change_item(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<GoogleScopeBody>,
) -> Result<Json<OneGoogleConnectView>, ApiError> {
    let before = item(&state, &caller, id).await?;
    if body.scope.iter().any(|address| !before.scope.contains(address)) {
        return Err(ApiError::of_field("scope", "has an address that nobody consented to"));
    }
    let mut tx = postgres::begin(&state.postgres).await?;
    if !google::set_scope(&mut *tx, &caller.scope, id, &body.scope).await? {
        return Err(no_item(id));
    }
    let details = json!({"before": {"scope": before.scope}, "after": {"scope": body.scope}});
    caller
        .record(&mut tx, (Event::Change, "GoogleConnect"), id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let data = item(&state, &caller, id).await?.into();
    Ok(Json(OneGoogleConnectView { data }))
}

/// A list that was asked for.
struct ItemsQuestion {
    page: Page,
    filter: ItemFilter,
    order: (ItemSort, bool),
}

fn read(pairs: &[(String, String)]) -> Result<ItemsQuestion, ApiError> {
    let query = ListQuery::read(pairs, &[])?;
    let mut filter = ItemFilter::default();
    for asked in query.filters {
        if asked.name != "companyAccountID" {
            return Err(ApiError::BadRequest(format!(
                "{}: there is no such filter; it is companyAccountID",
                asked.name
            )));
        }
        filter.excludes = match asked.operator {
            Operator::Inq => false,
            Operator::Nin => true,
            _ => return Err(ApiError::BadRequest("companyAccountID: it takes ids".to_owned())),
        };
        for value in &asked.values {
            let id = value
                .parse()
                .map_err(|_| ApiError::BadRequest("companyAccountID: it takes ids".to_owned()))?;
            filter.companies.push(CompanyAccountId(id));
        }
    }
    let sort = match query.sort.as_deref() {
        None => ItemSort::default(),
        Some(name) => name.parse().map_err(|_| {
            ApiError::BadRequest("sort[by]: it is createdDate, customerID, brandLabel or keywords".to_owned())
        })?,
    };
    Ok(ItemsQuestion {
        page: query.page,
        filter,
        order: (sort, query.direction == Direction::Desc),
    })
}

fn cells(item: GoogleItem) -> Vec<Cell> {
    vec![
        Cell::Time(item.created.to_rfc3339()),
        Cell::Text(item.brand_label.unwrap_or_default()),
        Cell::Text(item.customer),
        Cell::Text(item.login_customer.unwrap_or_default()),
        Cell::Text(item.domain.unwrap_or_default()),
        Cell::Text(item.scope.join(" ")),
        Cell::number(&item.activated),
        Cell::number(&item.available),
        Cell::Text(item.health),
    ]
}
