//! On how many advertisers or terms tags are: `GET /advertiserTag/uses`.

use axum::Json;
use axum::extract::State;
use postgres::categories;
use vocabulary::CategoryId;

use super::views::{DataView, TagUsesView};
use crate::access::Caller;
use crate::extract::Pairs;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Tags of one question: a list asks for a page in several.
const MOST_TAGS: usize = 100;

/// On how many advertisers or terms tags are, as far as the reader sees. Tags that the reader does not see are left out.
#[utoipa::path(
    get, path = "/advertiserTag/uses", tag = "Monitoring",
    params(("ids[]" = Vec<i32>, Query, description = "Ids of tags, 100 at most")),
    responses(
        (status = 200, body = DataView<TagUsesView>),
        (status = 400, body = FailureBody, description = "No id, too many of them, or one that is no number"),
        (status = 401, body = FailureBody),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn count_tag_uses(
    State(state): State<ApiState>,
    caller: Caller,
    Pairs(pairs): Pairs,
) -> Result<Json<DataView<TagUsesView>>, ApiError> {
    let uses = categories::count_uses(&state.postgres, &caller.scope, &read_ids(&pairs)?).await?;
    let data = uses.into_iter().map(|(tag, uses)| TagUsesView { id: tag.0, uses });
    Ok(Json(DataView { data: data.collect() }))
}

/// The tags that `ids[]` names. A `BadRequest` without one, for more than [`MOST_TAGS`], and for ids that are no numbers.
fn read_ids(pairs: &[(String, String)]) -> Result<Vec<CategoryId>, ApiError> {
    let ids = pairs.iter().filter(|(name, _)| name == "ids[]" || name == "ids");
    let ids: Result<Vec<CategoryId>, _> = ids.map(|(_, id)| id.parse()).collect();
    ids.ok()
        .filter(|ids| (1..=MOST_TAGS).contains(&ids.len()))
        .ok_or_else(|| ApiError::BadRequest(format!("ids[]: 1 to {MOST_TAGS} ids of tags")))
}
