//! Brands with Stop and Go: `/stop-go/brand`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::audit::Event;
use postgres::stop_go::brands::{self, BrandOptions, StopGoBrand};
use postgres::stop_go::lanes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stop_go::{Mode, SettingNumber, live};
use utoipa::{IntoParams, ToSchema};
use vocabulary::{BrandId, SystemScope, UserId};

use super::{DONE, StopGoDoneView, decide, domains, no_row};
use crate::access::Administrator;
use crate::extract::{self, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const MODEL: &str = "StopGoBrand";
const SCOPE: SystemScope = SystemScope::new("changing a brand of Stop and Go");

/// The brands with Stop and Go.
#[derive(Serialize, ToSchema)]
pub(super) struct StopGoBrandsView {
    data: Vec<StopGoBrandView>,
}

/// One brand with Stop and Go.
#[derive(Serialize, ToSchema)]
pub(super) struct OneStopGoBrandView {
    data: StopGoBrandView,
}

/// A brand with Stop and Go.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StopGoBrandView {
    #[serde(rename = "ID")]
    id: i32,
    #[serde(rename = "brandID")]
    brand_id: i32,
    brand_label: String,
    /// Its official domains in alphabetical order.
    domains: Vec<String>,
    created_date: DateTime<Utc>,
    /// `enable` or `disable`.
    state: &'static str,
    /// Whether the state is `enable`.
    enabled: bool,
    /// `observe`, `propose` or `automatic`.
    mode: String,
    /// How its lanes decide: what differs from the defaults.
    settings: Value,
    /// The numbers of the settings, defaults among them, with their bounds.
    numbers: Vec<SettingNumberView>,
    /// The person that answers for the budget.
    #[serde(rename = "ownerID")]
    owner_id: Option<i32>,
    /// What a click is worth.
    value_per_click: Option<f64>,
    /// Goes up with each change of mode and settings.
    version: i32,
}

/// A number of the settings.
#[derive(Serialize, ToSchema)]
struct SettingNumberView {
    /// Its name in `settings`.
    field: &'static str,
    value: u16,
    /// The least it may be.
    least: u16,
    /// The most it may be.
    most: u16,
}

impl From<SettingNumber> for SettingNumberView {
    fn from(number: SettingNumber) -> Self {
        let SettingNumber {
            field,
            value,
            least,
            most,
        } = number;
        Self {
            field,
            value,
            least,
            most,
        }
    }
}

impl From<StopGoBrand> for StopGoBrandView {
    fn from(brand: StopGoBrand) -> Self {
        // Those of a newer version are shown as the defaults, and refused when they are used.
        let settings = live::settings_of(&brand.options.settings).unwrap_or_default();
        Self {
            id: brand.id,
            brand_id: brand.brand.0,
            brand_label: brand.label,
            domains: brand.domains,
            created_date: brand.created,
            state: if brand.is_enabled { "enable" } else { "disable" },
            enabled: brand.is_enabled,
            mode: brand.options.mode,
            settings: brand.options.settings,
            numbers: settings.numbers().map(SettingNumberView::from).into(),
            owner_id: brand.options.owner.map(|user| user.0),
            value_per_click: brand.options.value_per_click,
            version: brand.version,
        }
    }
}

/// Which brand with Stop and Go.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StopGoBrandParams {
    /// Id of its row.
    #[serde(rename = "ID")]
    id: i32,
}

/// A brand to be linked.
#[derive(Deserialize, ToSchema)]
pub(super) struct LinkBrandBody {
    #[serde(rename = "brandID")]
    brand_id: i32,
    /// Its official domains, which take the place of those it has; left out, they stay.
    domains: Option<Vec<String>>,
}

/// A change of a brand: its state, its domains, or both.
#[derive(Deserialize, ToSchema)]
pub(super) struct ChangeBrandBody {
    #[serde(rename = "brandID")]
    brand_id: i32,
    /// `enable` or `disable`.
    state: Option<String>,
    /// Its official domains, which take the place of those it has.
    domains: Option<Vec<String>>,
}

/// What the lanes of a brand may do, and how they decide.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StopGoOptionsBody {
    /// Id of the row.
    #[serde(rename = "ID")]
    id: i32,
    /// The version that this change was made of.
    version: i32,
    /// `observe`, `propose` or `automatic`.
    mode: String,
    /// How its lanes decide; what is left out has its default.
    #[serde(default)]
    settings: Value,
    /// The person that answers for the budget.
    #[serde(rename = "ownerID")]
    owner_id: Option<i32>,
    /// What a click is worth.
    value_per_click: Option<f64>,
}

/// The brands with Stop and Go, by label.
#[utoipa::path(
    get, path = "/stop-go/brand", tag = "StopGo",
    responses(
        (status = 200, body = StopGoBrandsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_stop_go_brands(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
) -> Result<Json<StopGoBrandsView>, ApiError> {
    let found = brands::list(&state.postgres, &caller.scope, None).await?;
    Ok(Json(StopGoBrandsView {
        data: found.into_iter().map(StopGoBrandView::from).collect(),
    }))
}

/// One brand with Stop and Go.
#[utoipa::path(
    get, path = "/stop-go/brand/", tag = "StopGo", params(StopGoBrandParams),
    responses(
        (status = 200, body = OneStopGoBrandView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn get_stop_go_brand(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<StopGoBrandParams>,
) -> Result<Json<OneStopGoBrandView>, ApiError> {
    let found = brands::list(&state.postgres, &caller.scope, Some(params.id)).await?;
    let brand = found.into_iter().next().ok_or_else(|| no_row(params.id))?;
    Ok(Json(OneStopGoBrandView { data: brand.into() }))
}

/// Links a brand: its keywords can be linked then. It observes until its mode is changed.
#[utoipa::path(
    post, path = "/stop-go/brand", tag = "StopGo", request_body = LinkBrandBody,
    responses(
        (status = 201, body = OneStopGoBrandView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "No such brand, linked already, or a text that is no domain"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn link_stop_go_brand(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<LinkBrandBody>,
) -> Result<(StatusCode, Json<OneStopGoBrandView>), ApiError> {
    let brand = BrandId(body.brand_id);
    let mut tx = postgres::begin(&state.postgres).await?;
    let linked = brands::link(&mut tx, &caller.scope, brand, state.clock.now()).await?;
    let id = linked.ok_or_else(|| ApiError::of_field("brandID", "is no brand, or linked already"))?;
    if let Some(wanted) = body.domains {
        domains::replace(&state, &mut tx, &caller, brand, &wanted).await?;
    }
    caller
        .record(
            &mut tx,
            (Event::Create, MODEL),
            id.into(),
            json!({ "after": { "brandId": brand } }),
        )
        .await?;
    let found = brands::list(&mut *tx, &caller.scope, Some(id)).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let brand = found.into_iter().next().ok_or_else(|| no_row(id))?;
    Ok((StatusCode::CREATED, Json(OneStopGoBrandView { data: brand.into() })))
}

/// Switches a brand on or off, or replaces its official domains. Off, nothing of its lanes stays in a negative list.
#[utoipa::path(
    put, path = "/stop-go/brand", tag = "StopGo", request_body = ChangeBrandBody,
    responses(
        (status = 200, body = StopGoDoneView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "The brand is not linked"),
        (status = 422, body = FailureBody, description = "Another state, or a text that is no domain"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn change_stop_go_brand(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<ChangeBrandBody>,
) -> Result<Json<StopGoDoneView>, ApiError> {
    let brand = BrandId(body.brand_id);
    let on = match body.state.as_deref() {
        None => None,
        Some("enable") => Some(true),
        Some("disable") => Some(false),
        Some(_) => return Err(ApiError::of_field("state", "is enable or disable")),
    };
    let mut tx = postgres::begin(&state.postgres).await?;
    let all = brands::list(&mut *tx, &caller.scope, None).await?;
    let before = all
        .into_iter()
        .find(|found| found.brand == brand)
        .ok_or_else(|| no_row(brand.0))?;
    if let Some(on) = on {
        brands::switch(&mut tx, &caller.scope, brand, on).await?;
        let details = json!({ "before": { "enabled": before.is_enabled }, "after": { "enabled": on } });
        caller
            .record(&mut tx, (Event::Change, MODEL), before.id.into(), details)
            .await?;
    }
    if let Some(wanted) = body.domains {
        domains::replace(&state, &mut tx, &caller, brand, &wanted).await?;
    }
    let lanes = lanes::of_brand(&mut *tx, &SCOPE, brand).await?;
    decide(&state, &mut tx, &lanes).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DONE))
}

/// Takes a brand and its keywords out of Stop and Go. What is stopped goes first; the rows are removed once that was seen in the list.
#[utoipa::path(
    delete, path = "/stop-go/brand", tag = "StopGo", params(StopGoBrandParams),
    responses(
        (status = 200, body = StopGoDoneView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn remove_stop_go_brand(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<StopGoBrandParams>,
) -> Result<Json<StopGoDoneView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let found = brands::list(&mut *tx, &caller.scope, Some(params.id)).await?;
    let brand = found.into_iter().next().ok_or_else(|| no_row(params.id))?;
    brands::hide(&mut tx, &caller.scope, params.id, state.clock.now()).await?;
    let lanes = lanes::of_brand(&mut *tx, &SCOPE, brand.brand).await?;
    decide(&state, &mut tx, &lanes).await?;
    postgres::stop_go::keywords::purge_removed(&mut tx, &SCOPE).await?;
    let details = json!({ "before": { "brandId": brand.brand } });
    caller
        .record(&mut tx, (Event::Remove, MODEL), params.id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DONE))
}

/// Sets what the lanes of a brand may do by themselves, and how they decide.
#[utoipa::path(
    put, path = "/stop-go/brand/options", tag = "StopGo", request_body = StopGoOptionsBody,
    responses(
        (status = 200, body = OneStopGoBrandView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
        (status = 409, body = FailureBody, description = "Somebody else changed it meanwhile"),
        (status = 422, body = FailureBody, description = "A value out of its bounds"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn set_stop_go_options(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<StopGoOptionsBody>,
) -> Result<Json<OneStopGoBrandView>, ApiError> {
    let mode: Mode = body
        .mode
        .parse()
        .map_err(|_| ApiError::of_field("mode", "is observe, propose or automatic"))?;
    let given = if body.settings.is_null() {
        json!({})
    } else {
        body.settings
    };
    let settings = live::settings_of(&given).map_err(|_| ApiError::of_field("settings", "cannot be read"))?;
    if let Some(SettingNumber { field, least, most, .. }) = settings.broken() {
        return Err(ApiError::of_field(field, format!("is {least} to {most}")));
    }
    if body
        .value_per_click
        .is_some_and(|value| !value.is_finite() || value < 0.0)
    {
        return Err(ApiError::of_field("valuePerClick", "is 0 or more"));
    }
    let mut tx = postgres::begin(&state.postgres).await?;
    let found = brands::list(&mut *tx, &caller.scope, Some(body.id)).await?;
    let before = found.into_iter().next().ok_or_else(|| no_row(body.id))?;
    let options = BrandOptions {
        mode: mode.to_string(),
        settings: given,
        owner: body.owner_id.map(UserId),
        value_per_click: body.value_per_click,
    };
    let changed = brands::set_options(&mut tx, &caller.scope, (body.id, body.version), &options).await;
    match changed {
        Ok(true) => {}
        Ok(false) => return Err(ApiError::Conflict("These settings were changed meanwhile.".to_owned())),
        Err(error) if error.violates_reference() => return Err(ApiError::of_field("ownerID", "is no user")),
        Err(error) => return Err(error.into()),
    }
    let shown = |options: &BrandOptions| json!({ "mode": options.mode, "settings": options.settings, "ownerId": options.owner });
    let details = json!({ "before": shown(&before.options), "after": shown(&options) });
    caller
        .record(&mut tx, (Event::Change, MODEL), body.id.into(), details)
        .await?;
    let lanes = lanes::of_brand(&mut *tx, &SCOPE, before.brand).await?;
    decide(&state, &mut tx, &lanes).await?;
    let found = brands::list(&mut *tx, &caller.scope, Some(body.id)).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let brand = found.into_iter().next().ok_or_else(|| no_row(body.id))?;
    Ok(Json(OneStopGoBrandView { data: brand.into() }))
}
