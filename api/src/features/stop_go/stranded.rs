//! Words that people alone can remove in Google, because nobody gives access any more: `GET /stop-go/stranded`.

use axum::Json;
use axum::extract::State;
use postgres::google::{self, Stranded};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::SystemScope;

use crate::access::Administrator;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const SCOPE: SystemScope = SystemScope::new("showing an administrator what is left in Google");

/// What is left in the negative lists of accounts without access, by account and country.
#[derive(Serialize, ToSchema)]
pub(super) struct StrandedView {
    data: Vec<StrandedListView>,
}

/// A list with words that stop ads.
#[derive(Serialize, ToSchema)]
struct StrandedListView {
    /// The Google Ads customer, in digits.
    customer: String,
    /// The country of the list, two letters.
    country: String,
    /// The words, in their order.
    texts: Vec<String>,
}

impl From<Stranded> for StrandedListView {
    fn from(stranded: Stranded) -> Self {
        Self {
            customer: stranded.customer,
            country: stranded.country,
            texts: stranded.texts,
        }
    }
}

/// What people have to remove in Google by hand, because Vigie has lost its access while ads were stopped. Empty as long as all is well.
#[utoipa::path(
    get, path = "/stop-go/stranded", tag = "StopGo",
    responses(
        (status = 200, body = StrandedView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_stranded(
    State(state): State<ApiState>,
    _admin: Administrator,
) -> Result<Json<StrandedView>, ApiError> {
    let found = google::stranded(&state.postgres, &SCOPE, None).await?;
    Ok(Json(StrandedView {
        data: found.into_iter().map(Into::into).collect(),
    }))
}
