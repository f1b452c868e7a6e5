//! `POST /Terms/import`: terms from a file. Without a token it says, line by line, what the import would do; with the token of that answer it does just
//! that, all of it or nothing.

mod apply;
mod columns;
mod line;
mod names;
mod plan;
mod planned;
mod sheet;
mod shown;
mod view;

use axum::Json;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use postgres::capture_quotas::TouchedPlans;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::columns::Column;
use self::plan::{Outcome, Plan};
use self::sheet::{MOST_FILE_BYTES, Sheet};
use self::view::ImportView;
use crate::access::Administrator;
use crate::extract::{FORM_BYTES, FormFile, Query, UploadForm};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;
use crate::{plan_cost, quotas};

/// What separates the two halves of a token.
const HALVES: char = '.';

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(import_terms))
        .layer(DefaultBodyLimit::max(MOST_FILE_BYTES + FORM_BYTES))
}

/// What is done with the file.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportParams {
    /// The token of a dry run of the same file, to do what it said. Without one nothing is changed.
    token: Option<String>,
}

/// Imports terms from a CSV file or an XLSX workbook with the columns of their export, in any order, titled in English or French. Lines are known by id
/// or, without one, by words, engine, localization and region. A column that the file lacks leaves what there is; refused lines are left out. Without a
/// token it answers what would be done.
#[utoipa::path(
    post, path = "/Terms/import", tag = "Term", params(ImportParams),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, body = ImportView, description = "What would be done or, with a token, was done"),
        (status = 400, body = FailureBody, description = "No form with a file"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 409, body = FailureBody, description = "The file, or what it would change, is no longer that of the dry run"),
        (status = 413, body = FailureBody, description = "Over 8 MiB"),
        (status = 422, body = FailureBody, description = "No file that can be read, or one of more than 10,000 lines"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn import_terms(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Query(params): Query<ImportParams>,
    FormFile { content, .. }: FormFile,
) -> Result<Json<ImportView>, ApiError> {
    if content.len() > MOST_FILE_BYTES {
        return Err(ApiError::TooLarge);
    }
    let read = tokio::task::spawn_blocking(move || {
        let digest = hex::encode(Sha256::digest(&content));
        Sheet::read(&content, |title| Column::titled(title).is_some()).map(|sheet| (digest, sheet))
    });
    let (file, sheet) = read.await.map_err(ApiError::internal)??;
    let Some(token) = params.token else {
        let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
        let plan = plan::plan(&mut connection, &caller.scope, sheet, false).await?;
        let token = format!("{file}{HALVES}{}", digest(&plan));
        let terms = planned::costed(&mut connection, &caller.scope, &plan).await?;
        let cost = plan_cost::cost(&state, &mut connection, &terms).await?;
        return Ok(Json(ImportView::of_plan(token, &plan, cost)));
    };
    let (dry_file, dry_plan) = token.split_once(HALVES).unwrap_or_default();
    if dry_file != file {
        return Err(changed("IMPORT_FILE_CHANGED", "The file is not that of the dry run."));
    }
    let mut transaction = postgres::begin(&state.postgres).await?;
    let plan = plan::plan(&mut transaction, &caller.scope, sheet, true).await?;
    if digest(&plan) != dry_plan {
        return Err(rows_changed());
    }
    apply::apply(&mut transaction, &caller, &plan, state.clock.now())
        .await
        .map_err(meanwhile)?;
    quotas::keep(&state, &mut transaction, TouchedPlans::Any).await?;
    transaction
        .commit()
        .await
        .map_err(|error| meanwhile(postgres::Error::from(error)))?;
    Ok(Json(ImportView::of_done(token, &plan)))
}

/// A digest of all that a plan does and of the rows that it does it to, as they are now.
fn digest(plan: &Plan) -> String {
    let mut digest = Sha256::new();
    for line in &plan.lines {
        match &line.outcome {
            Outcome::Create(term) => digest.update(format!("{} create {term:?}\n", line.number)),
            Outcome::Change { stored, becomes } => {
                digest.update(format!("{} change {stored:?} {becomes:?}\n", line.number));
            }
            Outcome::Unchanged(id) => digest.update(format!("{} unchanged {id}\n", line.number)),
            Outcome::Refused(problems) => {
                let codes: Vec<_> = problems.iter().map(|problem| (problem.column, problem.code)).collect();
                digest.update(format!("{} refused {codes:?}\n", line.number));
            }
        }
    }
    hex::encode(digest.finalize())
}

/// The conflict of a key that somebody took, or of a row that somebody deleted, after the plan was made; any other failure as it is.
fn meanwhile(error: postgres::Error) -> ApiError {
    if error.violated_key().is_some() || error.violates_reference() {
        rows_changed()
    } else {
        error.into()
    }
}

fn rows_changed() -> ApiError {
    let text = "What the file would change is no longer as in the dry run. Nothing was changed.";
    changed("IMPORT_ROWS_CHANGED", text)
}

fn changed(code: &'static str, text: &str) -> ApiError {
    ApiError::Coded(StatusCode::CONFLICT, code, text.to_owned())
}
