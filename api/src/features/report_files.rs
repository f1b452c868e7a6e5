//! The monthly report as PDF: `/reports`. Workers print it as the caller sees it; it is kept for an hour.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{Datelike, NaiveDate};
use chrono_tz::Tz;
use coordination::{Limit, Throttle};
use postgres::brands;
use postgres::report_files::{self, Progress, ReportFile, ReportFileId, ReportOrder};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::BrandId;

use crate::access::Caller;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// Reports that one user may ask for within [`WINDOW`].
const MOST_REPORTS: u32 = 20;
const WINDOW: Duration = Duration::from_mins(15);
/// Letters of a brand in the name of a file.
const LONGEST_SLUG: usize = 40;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(request_report))
        .routes(routes!(show_report))
        .routes(routes!(download_report))
}

/// A report to be printed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReportBody {
    /// Id of a brand; all brands of the caller without it.
    #[serde(default)]
    brand_id: Option<i32>,
    /// A month that has begun, as in `2026-10`.
    month: String,
    /// What its days are in, as in `Europe/Paris`; the time zone of the schedules without it.
    #[serde(default)]
    time_zone: Option<String>,
}

impl ReportBody {
    /// What is asked for; a 422 of all fields that are wrong.
    async fn check(&self, state: &ApiState, caller: &Caller, headers: &HeaderMap) -> Result<ReportOrder, ApiError> {
        let mut faults = Vec::new();
        let zone = match self.time_zone.as_deref() {
            None => Some(state.settings.time_zone),
            Some(name) => name.parse::<Tz>().ok(),
        };
        if zone.is_none() {
            faults.push(FieldFault::new("timeZone", "fields:timeZone"));
        }
        let zone = zone.unwrap_or(state.settings.time_zone);
        let today = state.clock.now().with_timezone(&zone).date_naive();
        let month = NaiveDate::parse_from_str(&format!("{}-01", self.month), "%Y-%m-%d")
            .ok()
            .filter(|month| *month <= today && month.year() >= 1_970);
        if month.is_none() {
            faults.push(FieldFault::new("month", "fields:month"));
        }
        let brand = self.brand_id.map(BrandId);
        if let Some(brand) = brand
            && brands::by_ids(&state.postgres, &caller.scope, &[brand])
                .await?
                .is_empty()
        {
            faults.push(FieldFault::new("brandId", "fields:brand"));
        }
        match month {
            Some(month) if faults.is_empty() => Ok(ReportOrder {
                user: caller.user.id,
                brand,
                month,
                language: caller.language(headers),
                time_zone: zone,
            }),
            _ => Err(ApiError::Faulty(faults)),
        }
    }
}

/// How far a report is.
#[derive(Serialize, ToSchema)]
struct ReportView {
    id: i64,
    /// `waiting`, `ready` or `failed`.
    state: &'static str,
}

impl ReportView {
    const fn new(id: ReportFileId, progress: Progress) -> Self {
        Self {
            id: id.0,
            state: match progress {
                Progress::Waiting => "waiting",
                Progress::Ready => "ready",
                Progress::Failed => "failed",
            },
        }
    }
}

/// Has the report of a month printed as the caller sees it, in the language of `Accept-Language`. One that waits already is not asked for twice. It is
/// ready within seconds, and kept for an hour.
#[utoipa::path(
    post, path = "/reports", tag = "Home", request_body = ReportBody,
    responses(
        (status = 202, body = ReportView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 422, body = FailureBody, description = "A brand out of sight, a month that has not begun, or no time zone"),
        (status = 429, body = FailureBody, description = "More than 20 reports within 15 minutes"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn request_report(
    State(state): State<ApiState>,
    caller: Caller,
    headers: HeaderMap,
    extract::Json(body): extract::Json<ReportBody>,
) -> Result<(StatusCode, Json<ReportView>), ApiError> {
    let order = body.check(&state, &caller, &headers).await?;
    let limit = Limit {
        key: &format!("reports:{}", caller.user.id),
        most: MOST_REPORTS,
    };
    let _counted = Throttle::new(&state.coordination, WINDOW)
        .reserve(&[limit])
        .await
        .map_err(ApiError::Throttled)?;
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let id = report_files::request(&mut connection, &order, state.clock.now()).await?;
    Ok((StatusCode::ACCEPTED, Json(ReportView::new(id, Progress::Waiting))))
}

/// How far a report is that the caller asked for.
#[utoipa::path(
    get, path = "/reports/{id}", tag = "Home",
    params(("id" = i64, Path, description = "Id of the report")),
    responses(
        (status = 200, body = ReportView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such report of the caller, or one that is not kept any more"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_report(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i64>,
) -> Result<Json<ReportView>, ApiError> {
    let report = found(&state, &caller, ReportFileId(id)).await?;
    Ok(Json(ReportView::new(report.id, report.progress)))
}

/// The PDF of a report that the caller asked for.
#[utoipa::path(
    get, path = "/reports/{id}/file", tag = "Home",
    params(("id" = i64, Path, description = "Id of the report")),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/pdf"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such report of the caller, or one that is not ready"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn download_report(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i64>,
) -> Result<Response, ApiError> {
    let report = found(&state, &caller, ReportFileId(id)).await?;
    let pdf = report_files::pdf(&state.postgres, caller.user.id, report.id)
        .await?
        .ok_or_else(|| unknown(id))?;
    let label = match report.order.brand {
        Some(brand) => brands::by_ids(&state.postgres, &caller.scope, &[brand])
            .await?
            .into_iter()
            .next()
            .and_then(|brand| brand.label.or(brand.name)),
        None => None,
    };
    let name = format!(
        "report-{}{}.pdf",
        slug(label.as_deref()),
        report.order.month.format("%Y-%m")
    );
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")).map_err(ApiError::internal)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, pdf).into_response())
}

/// A report of the caller, whose brand the caller still sees; 404 for any other.
async fn found(state: &ApiState, caller: &Caller, id: ReportFileId) -> Result<ReportFile, ApiError> {
    let report = report_files::find(&state.postgres, caller.user.id, id).await?;
    let seen = report.filter(|report| report.order.brand.is_none_or(|brand| caller.scope.sees_brand(brand)));
    seen.ok_or_else(|| unknown(id.0))
}

fn unknown(id: i64) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}

/// The ASCII letters and digits of a name, with hyphens between its words and one after it; empty for a name without any.
fn slug(name: Option<&str>) -> String {
    let words = name
        .unwrap_or_default()
        .split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let mut slug: String = words.join("-").chars().take(LONGEST_SLUG).collect();
    if !slug.is_empty() {
        slug.push('-');
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_letters_of_its_brand() {
        assert_eq!(slug(Some("Maison Élan & fils")), "maison-lan-fils-");
        assert_eq!(slug(Some("\"; x=\r\n")), "x-");
        assert_eq!(slug(Some("北風")), "");
        assert_eq!(slug(None), "");
    }
}
