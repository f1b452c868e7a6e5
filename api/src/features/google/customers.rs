//! Customers of Google Ads, and linking them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::TimeDelta;
use postgres::audit::Event;
use postgres::brands;
use postgres::google::{self, NewItem};
use runtime::sealing::Keys;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::{BrandId, WebHost};

use super::grant_tokens::{SCOPE, open};
use super::item;
use super::tree::read_tree;
use super::views::{GoogleConnectView, GoogleCustomerView};
use crate::access::{Administrator, tokens};
use crate::extract;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// How long an invitation can be used.
pub(super) const INVITED_FOR: TimeDelta = TimeDelta::days(30);

/// Customers that can be linked.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleCustomersView {
    data: Vec<GoogleCustomerView>,
}

/// The customers that a manager account reaches and that are not linked yet.
#[utoipa::path(
    get, path = "/google/customer/available", tag = "Google",
    responses(
        (status = 200, body = GoogleCustomersView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_available(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
) -> Result<Json<GoogleCustomersView>, ApiError> {
    let found = google::available(&state.postgres, &caller.scope).await?;
    Ok(Json(GoogleCustomersView {
        data: found.into_iter().map(GoogleCustomerView::from).collect(),
    }))
}

/// Reads again at Google which customers the manager accounts reach.
#[utoipa::path(
    post, path = "/google/customer/refresh", tag = "Google",
    responses(
        (status = 200, body = GoogleCustomersView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 409, body = FailureBody, description = "Google refuses it; the message says why"),
        (status = 429, body = FailureBody, description = "Google asks to wait"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn read_customers(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
) -> Result<Json<GoogleCustomersView>, ApiError> {
    let keys = Keys::read(state.settings.secrets.keys.as_ref()).map_err(ApiError::internal)?;
    for grant in google::of_managers(&state.postgres, &caller.scope).await? {
        let sealed = google::sealed_grant(&state.postgres, &SCOPE, grant.id).await?;
        let Some(sealed) = sealed else { continue };
        let token = open(&keys, &sealed)?;
        read_tree(&state, (grant.id, token)).await?;
    }
    list_available(State(state), Administrator(caller)).await
}

/// A brand to be linked to a customer.
#[derive(Deserialize, ToSchema)]
pub(super) struct LinkCustomerBody {
    /// The customer, in digits or with dashes.
    #[serde(rename = "ID")]
    id: String,
    /// The grant that it is reached with.
    #[serde(rename = "fromID")]
    from_id: String,
    /// The manager above it; by default the one that the grant reaches by itself.
    #[serde(rename = "loginCustomerID", default)]
    login_customer_id: Option<String>,
    #[serde(rename = "brandID")]
    brand_id: i32,
    /// The domain whose searches are read.
    #[serde(default)]
    domain: Option<String>,
}

/// An item that was made.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkedCustomerView {
    data: GoogleConnectView,
}

/// Links a brand to a customer. The item has an invitation, for the brand's own staff to consent to Search Console.
#[utoipa::path(
    post, path = "/google/customer", tag = "Google", request_body = LinkCustomerBody,
    responses(
        (status = 201, body = LinkedCustomerView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 409, body = FailureBody, description = "The brand and the customer are linked already, or the grant does not reach the customer"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn link_customer(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<LinkCustomerBody>,
) -> Result<(StatusCode, Json<LinkedCustomerView>), ApiError> {
    let customer = digits("ID", &body.id)?;
    let login = body
        .login_customer_id
        .as_deref()
        .filter(|id| !id.is_empty())
        .map(|id| digits("loginCustomerID", id))
        .transpose()?;
    let grant = body
        .from_id
        .parse()
        .map_err(|_| ApiError::of_field("fromID", "is the fromID of an available customer"))?;
    let domain = body
        .domain
        .as_deref()
        .map(str::trim)
        .filter(|domain| !domain.is_empty());
    let domain = domain
        .map(|domain| WebHost::parse(domain).ok_or_else(|| ApiError::of_field("domain", "is no domain")))
        .transpose()?;
    let brand = BrandId(body.brand_id);
    if brands::by_ids(&state.postgres, &caller.scope, &[brand])
        .await?
        .is_empty()
    {
        return Err(ApiError::NoRow(format!("could not find a model with id {brand}")));
    }
    let new = NewItem {
        customer: &customer,
        grant,
        login_customer: login.as_deref(),
        brand,
        domain: domain.as_ref().map(WebHost::as_str),
    };
    let now = state.clock.now();
    let token = tokens::digest(&tokens::fresh());
    let mut tx = postgres::begin(&state.postgres).await?;
    let id = google::create_item(&mut *tx, &caller.scope, &new, (&token, now + INVITED_FOR), now).await?;
    let Some(id) = id else {
        return Err(ApiError::Conflict(
            "The brand is linked to this customer already, or the manager account does not reach it.".to_owned(),
        ));
    };
    let details =
        json!({"after": {"customer": customer, "brandId": brand, "domain": domain.as_ref().map(WebHost::as_str)}});
    caller
        .record(&mut tx, (Event::Create, "GoogleConnect"), id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let data = item(&state, &caller, id).await?.into();
    Ok((StatusCode::CREATED, Json(LinkedCustomerView { data })))
}

/// The digits of an id, which people write with dashes.
fn digits(field: &str, text: &str) -> Result<String, ApiError> {
    let digits: String = text.chars().filter(|letter| *letter != '-' && *letter != ' ').collect();
    let is_id = (1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_id
        .then_some(digits)
        .ok_or_else(|| ApiError::of_field(field, "has digits alone"))
}
