//! Keywords with Stop and Go: `/stop-go/keyword`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::audit::Event;
use postgres::stop_go::keywords::{self, Averages, KeywordQuery, StopGoKeyword};
use postgres::stop_go::{brands, lanes};
use serde::{Deserialize, Serialize};
use serde_json::json;
use stop_go::live::{self, PersonalAct};
use utoipa::{IntoParams, ToSchema};
use vocabulary::{BrandId, CompanyAccountId, SystemScope, TermId};

use super::{DONE, StopGoDoneView, decide, failure, no_row, switches};
use crate::access::Administrator;
use crate::extract::{self, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const MODEL: &str = "StopGoKeyword";
/// A click rate in percent (decision D114).
const MOST_CTR: f64 = 100.0;
/// A price of a click (decision D114).
const MOST_CPC: f64 = 9_999.0;
/// Characters of a typed number.
const LONGEST_NUMBER: usize = 40;
const SCOPE: SystemScope = SystemScope::new("changing a keyword of Stop and Go");

/// The keywords with Stop and Go.
#[derive(Serialize, ToSchema)]
pub(super) struct StopGoKeywordsView {
    data: Vec<StopGoKeywordView>,
}

/// One keyword with Stop and Go.
#[derive(Serialize, ToSchema)]
pub(super) struct OneStopGoKeywordView {
    data: StopGoKeywordView,
}

/// A keyword with Stop and Go, and its lane.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StopGoKeywordView {
    #[serde(rename = "ID")]
    id: i32,
    brand: StopGoKeywordBrand,
    keyword: LinkedKeyword,
    /// The click rate in percent, as typed.
    #[serde(rename = "averageCTR")]
    average_ctr: Option<String>,
    /// The price of a click, as typed.
    #[serde(rename = "averageCPC")]
    average_cpc: Option<String>,
    created_date: DateTime<Utc>,
    /// Whether the text should be in the negative list: shown as Excluded.
    save_to_google: bool,
    /// `yes`, `no`, `pending`, `not-connected` or `refused`.
    in_google: &'static str,
    /// What Google refused the last change with.
    refusal: Option<String>,
    enable: bool,
    lane: KeywordLaneView,
}

/// The brand of a keyword.
#[derive(Serialize, ToSchema)]
struct StopGoKeywordBrand {
    #[serde(rename = "ID")]
    id: i32,
    label: String,
}

/// The term of a keyword.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkedKeyword {
    #[serde(rename = "ID")]
    id: i32,
    /// What is searched.
    content: String,
    localization: KeywordPlace,
}

/// Where a keyword is searched.
#[derive(Serialize, ToSchema)]
struct KeywordPlace {
    /// Name of the country.
    country: Option<String>,
    /// Its two letters.
    #[serde(rename = "ISO2")]
    iso2: String,
}

/// The lane of a keyword.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct KeywordLaneView {
    #[serde(rename = "ID")]
    id: i32,
    /// Where it is.
    state: String,
    /// When it came into this state.
    since: DateTime<Utc>,
    /// The rule that decided last.
    reason: String,
    /// Other keywords that stop and go with this one.
    siblings: i64,
}

impl From<StopGoKeyword> for StopGoKeywordView {
    fn from(keyword: StopGoKeyword) -> Self {
        let lane = keyword.lane;
        let in_google = match (lane.is_connected, lane.observed) {
            (false, _) => "not-connected",
            _ if lane.refused.is_some() => "refused",
            (true, Some(true)) if lane.desired => "yes",
            (true, Some(false) | None) if !lane.desired && lane.state != "resuming" => "no",
            _ => "pending",
        };
        Self {
            id: keyword.id,
            brand: StopGoKeywordBrand {
                id: keyword.brand.0,
                label: keyword.brand_label,
            },
            keyword: LinkedKeyword {
                id: keyword.term.0,
                content: keyword.words,
                localization: KeywordPlace {
                    country: keyword.country,
                    iso2: keyword.iso2,
                },
            },
            average_ctr: keyword.average_ctr,
            average_cpc: keyword.average_cpc,
            created_date: keyword.created,
            save_to_google: lane.desired,
            in_google,
            refusal: lane.refused,
            enable: keyword.enable,
            lane: KeywordLaneView {
                id: lane.id,
                state: lane.state,
                since: lane.since,
                reason: lane.reason,
                siblings: lane.siblings,
            },
        }
    }
}

/// Terms that can be linked.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkableKeywordsView {
    data: Vec<LinkedKeyword>,
}

/// Which keywords are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StopGoKeywordsParams {
    /// Only those of this brand.
    #[serde(rename = "brandID")]
    brand_id: Option<i32>,
    /// Only those of the brands of this company account.
    #[serde(rename = "companyAccountID")]
    company_account_id: Option<i32>,
}

/// Which keyword with Stop and Go.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StopGoKeywordParams {
    /// Id of its row.
    #[serde(rename = "ID")]
    id: i32,
}

/// The brand of terms to be linked.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LinkableParams {
    #[serde(rename = "brandID")]
    brand_id: i32,
}

/// A term to be linked.
#[derive(Deserialize, ToSchema)]
pub(super) struct LinkKeywordBody {
    #[serde(rename = "brandID")]
    brand_id: i32,
    /// Id of the term.
    #[serde(rename = "keywordID")]
    keyword_id: i32,
    /// The click rate in percent, 0 to 100; a comma is a point.
    #[serde(rename = "averageCTR")]
    average_ctr: Option<String>,
    /// The price of a click, 0 to 9,999.
    #[serde(rename = "averageCPC")]
    average_cpc: Option<String>,
}

/// A change of a keyword.
#[derive(Deserialize, ToSchema)]
pub(super) struct ChangeKeywordBody {
    #[serde(rename = "ID")]
    id: i32,
    /// The click rate in percent, 0 to 100; a comma is a point. Left out or empty, there is none.
    #[serde(rename = "averageCTR")]
    average_ctr: Option<String>,
    /// The price of a click, 0 to 9,999.
    #[serde(rename = "averageCPC")]
    average_cpc: Option<String>,
    /// Left out, it stays.
    enable: Option<bool>,
    /// Left out, it stays.
    exclude: Option<bool>,
}

/// Whether the text of a keyword is to be in the negative list.
#[derive(Deserialize, ToSchema)]
pub(super) struct ExcludeBody {
    #[serde(rename = "ID")]
    id: i32,
    exclude: bool,
}

/// Whether a keyword may decide.
#[derive(Deserialize, ToSchema)]
pub(super) struct EnableBody {
    #[serde(rename = "ID")]
    id: i32,
    enable: bool,
}

/// The keywords with Stop and Go, by brand and words.
#[utoipa::path(
    get, path = "/stop-go/keyword", tag = "StopGo", params(StopGoKeywordsParams),
    responses(
        (status = 200, body = StopGoKeywordsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_stop_go_keywords(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<StopGoKeywordsParams>,
) -> Result<Json<StopGoKeywordsView>, ApiError> {
    let query = KeywordQuery {
        only: None,
        brand: params.brand_id.map(BrandId),
        company: params.company_account_id.map(CompanyAccountId),
    };
    let found = keywords::list(&state.postgres, &caller.scope, query).await?;
    Ok(Json(StopGoKeywordsView {
        data: found.into_iter().map(StopGoKeywordView::from).collect(),
    }))
}

/// One keyword with Stop and Go.
#[utoipa::path(
    get, path = "/stop-go/keyword/", tag = "StopGo", params(StopGoKeywordParams),
    responses(
        (status = 200, body = OneStopGoKeywordView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn get_stop_go_keyword(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<StopGoKeywordParams>,
) -> Result<Json<OneStopGoKeywordView>, ApiError> {
    let query = KeywordQuery {
        only: Some(params.id),
        ..KeywordQuery::default()
    };
    let found = keywords::list(&state.postgres, &caller.scope, query).await?;
    let keyword = found.into_iter().next().ok_or_else(|| no_row(params.id))?;
    Ok(Json(OneStopGoKeywordView { data: keyword.into() }))
}

/// The Google terms of a brand that are not linked yet.
#[utoipa::path(
    get, path = "/stop-go/keyword/linkable", tag = "StopGo", params(LinkableParams),
    responses(
        (status = 200, body = LinkableKeywordsView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_linkable_keywords(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<LinkableParams>,
) -> Result<Json<LinkableKeywordsView>, ApiError> {
    let found = keywords::linkable(&state.postgres, &caller.scope, BrandId(params.brand_id)).await?;
    let data = found.into_iter().map(|term| LinkedKeyword {
        id: term.term.0,
        content: term.words,
        localization: KeywordPlace {
            country: term.country,
            iso2: term.iso2,
        },
    });
    Ok(Json(LinkableKeywordsView { data: data.collect() }))
}

/// Links a term of a linked brand; its lane is observed from its next capture on.
#[utoipa::path(
    post, path = "/stop-go/keyword", tag = "StopGo", request_body = LinkKeywordBody,
    responses(
        (status = 201, body = OneStopGoKeywordView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 422, body = FailureBody, description = "A term that cannot be linked, or a number out of its bounds"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn link_stop_go_keyword(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<LinkKeywordBody>,
) -> Result<(StatusCode, Json<OneStopGoKeywordView>), ApiError> {
    let averages = read_averages(body.average_ctr.as_deref(), body.average_cpc.as_deref())?;
    let (brand, term) = (BrandId(body.brand_id), TermId(body.keyword_id));
    let mut tx = postgres::begin(&state.postgres).await?;
    let linked_brands = brands::list(&mut *tx, &caller.scope, None).await?;
    if linked_brands.iter().all(|linked| linked.brand != brand) {
        return Err(ApiError::of_field("brandID", "is not linked"));
    }
    let linked = keywords::link(&mut tx, &caller.scope, (brand, term), &averages, state.clock.now()).await?;
    let (id, lane) = linked.ok_or_else(|| ApiError::of_field("keywordID", "cannot be linked"))?;
    lanes::expect(&mut tx, &SCOPE, lane).await?;
    decide(&state, &mut tx, &[lane]).await?;
    let details = json!({ "after": { "brandId": brand, "termId": term } });
    caller
        .record(&mut tx, (Event::Create, MODEL), id.into(), details)
        .await?;
    let query = KeywordQuery {
        only: Some(id),
        ..KeywordQuery::default()
    };
    let found = keywords::list(&mut *tx, &caller.scope, query).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let keyword = found.into_iter().next().ok_or_else(|| no_row(id))?;
    Ok((StatusCode::CREATED, Json(OneStopGoKeywordView { data: keyword.into() })))
}

/// Gives a keyword other averages, and switches or excludes it where that is given.
#[utoipa::path(
    put, path = "/stop-go/keyword", tag = "StopGo", request_body = ChangeKeywordBody,
    responses(
        (status = 200, body = StopGoDoneView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
        (status = 422, body = FailureBody, description = "A number out of its bounds"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn change_stop_go_keyword(
    State(state): State<ApiState>,
    admin: Administrator,
    extract::Json(body): extract::Json<ChangeKeywordBody>,
) -> Result<Json<StopGoDoneView>, ApiError> {
    let averages = read_averages(body.average_ctr.as_deref(), body.average_cpc.as_deref())?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let before = find(&mut tx, &admin, body.id).await?;
    keywords::set_averages(&mut tx, &admin.0.scope, body.id, &averages).await?;
    lanes::expect(&mut tx, &SCOPE, before.lane.id).await?;
    let details = json!({
        "before": { "averageCTR": before.average_ctr, "averageCPC": before.average_cpc },
        "after": { "averageCTR": averages.ctr_text, "averageCPC": averages.cpc_text },
    });
    admin
        .0
        .record(&mut tx, (Event::Change, MODEL), body.id.into(), details)
        .await?;
    if let Some(enable) = body.enable.filter(|enable| *enable != before.enable) {
        enable_in(&state, &mut tx, &admin, (body.id, before.lane.id), enable).await?;
    }
    if let Some(exclude) = body.exclude.filter(|exclude| *exclude != before.lane.desired) {
        exclude_in(&state, &mut tx, &admin, (body.id, before.lane.id), exclude).await?;
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DONE))
}

/// Puts the text of a keyword into the negative list of its country, or takes it out. Its lane is manual then, and all of its keywords follow.
#[utoipa::path(
    post, path = "/stop-go/keyword/exclude", tag = "StopGo", request_body = ExcludeBody,
    responses(
        (status = 200, body = OneStopGoKeywordView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn exclude_stop_go_keyword(
    State(state): State<ApiState>,
    admin: Administrator,
    extract::Json(body): extract::Json<ExcludeBody>,
) -> Result<Json<OneStopGoKeywordView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let before = find(&mut tx, &admin, body.id).await?;
    exclude_in(&state, &mut tx, &admin, (body.id, before.lane.id), body.exclude).await?;
    let after = find(&mut tx, &admin, body.id).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(OneStopGoKeywordView { data: after.into() }))
}

/// Switches a keyword on or off. Off, nothing of its lane stays in the negative list.
#[utoipa::path(
    post, path = "/stop-go/keyword/enable", tag = "StopGo", request_body = EnableBody,
    responses(
        (status = 200, body = OneStopGoKeywordView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn enable_stop_go_keyword(
    State(state): State<ApiState>,
    admin: Administrator,
    extract::Json(body): extract::Json<EnableBody>,
) -> Result<Json<OneStopGoKeywordView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let before = find(&mut tx, &admin, body.id).await?;
    enable_in(&state, &mut tx, &admin, (body.id, before.lane.id), body.enable).await?;
    let after = find(&mut tx, &admin, body.id).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(OneStopGoKeywordView { data: after.into() }))
}

/// Takes a keyword out of Stop and Go. If its lane is stopped it goes first; the row is removed once that was seen in the list.
#[utoipa::path(
    delete, path = "/stop-go/keyword", tag = "StopGo", params(StopGoKeywordParams),
    responses(
        (status = 200, body = StopGoDoneView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such row"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn remove_stop_go_keyword(
    State(state): State<ApiState>,
    admin: Administrator,
    Query(params): Query<StopGoKeywordParams>,
) -> Result<Json<StopGoDoneView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let before = find(&mut tx, &admin, params.id).await?;
    keywords::hide(&mut tx, &admin.0.scope, params.id, state.clock.now()).await?;
    decide(&state, &mut tx, &[before.lane.id]).await?;
    keywords::purge_removed(&mut tx, &SCOPE).await?;
    let details = json!({ "before": { "brandId": before.brand, "termId": before.term } });
    admin
        .0
        .record(&mut tx, (Event::Remove, MODEL), params.id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(DONE))
}

async fn find(
    connection: &mut postgres::Connection,
    Administrator(caller): &Administrator,
    id: i32,
) -> Result<StopGoKeyword, ApiError> {
    let query = KeywordQuery {
        only: Some(id),
        ..KeywordQuery::default()
    };
    let found = keywords::list(connection, &caller.scope, query).await?;
    found.into_iter().next().ok_or_else(|| no_row(id))
}

async fn enable_in(
    state: &ApiState,
    connection: &mut postgres::Connection,
    Administrator(caller): &Administrator,
    (id, lane): (i32, i32),
    enable: bool,
) -> Result<(), ApiError> {
    keywords::switch(&mut *connection, &caller.scope, id, enable).await?;
    decide(state, &mut *connection, &[lane]).await?;
    caller
        .record(
            connection,
            (Event::Change, MODEL),
            id.into(),
            json!({ "after": { "enable": enable } }),
        )
        .await
}

async fn exclude_in(
    state: &ApiState,
    connection: &mut postgres::Connection,
    Administrator(caller): &Administrator,
    (id, lane): (i32, i32),
    exclude: bool,
) -> Result<(), ApiError> {
    let act = if exclude {
        PersonalAct::Exclude
    } else {
        PersonalAct::Include
    };
    let by = (caller.user.id, switches(state));
    live::act(&mut *connection, lane, act, by, state.clock.now())
        .await
        .map_err(failure)?;
    caller
        .record(
            connection,
            (Event::Change, MODEL),
            id.into(),
            json!({ "after": { "exclude": exclude } }),
        )
        .await
}

/// Reads typed averages: the text stays as typed, without spaces around it, and the number in it is kept beside it. A 422 at the field for what is no number, or
/// out of its bounds.
fn read_averages(ctr: Option<&str>, cpc: Option<&str>) -> Result<Averages, ApiError> {
    let (ctr_text, ctr) = read_number("averageCTR", ctr, MOST_CTR)?;
    let (cpc_text, cpc) = read_number("averageCPC", cpc, MOST_CPC)?;
    Ok(Averages {
        ctr_text,
        ctr,
        cpc_text,
        cpc,
    })
}

fn read_number(field: &str, text: Option<&str>, most: f64) -> Result<(Option<String>, Option<f64>), ApiError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok((None, None));
    };
    let is_plain = text.len() <= LONGEST_NUMBER
        && text
            .chars()
            .all(|letter| letter.is_ascii_digit() || ".,".contains(letter));
    let number: Option<f64> = text.replace(',', ".").parse().ok().filter(|_| is_plain);
    let number = number.filter(|number| (0.0..=most).contains(number));
    match number {
        Some(number) => Ok((Some(text.to_owned()), Some(number))),
        None => Err(ApiError::of_field(field, format!("is a number from 0 to {most}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_typed_and_keep_their_bounds() {
        let read = |text| read_number("averageCTR", Some(text), MOST_CTR).ok();
        assert_eq!(read("0,055"), Some((Some("0,055".to_owned()), Some(0.055))));
        assert_eq!(read(" 0.50 "), Some((Some("0.50".to_owned()), Some(0.5))));
        assert_eq!(read(""), Some((None, None)));
        for wrong in ["101", "-1", "1e1", "NaN", "1.2.3", "five"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
