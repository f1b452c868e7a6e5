//! The terms that a request is about, by id or by a condition.

use std::collections::HashSet;

use postgres::resources::{self as rows, ReachedFrom};
use serde::Deserialize;
use serde_json::Value as Json;
use vocabulary::TermId;
use vocabulary::resources::models::TERM;
use vocabulary::resources::{Condition, Fields, Filter, MAX_ROWS, Usage};

use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// The ids of the terms that a request names by id or else by a condition like that of `POST /Terms/update`: at most [`MAX_ROWS`], the first ones that
/// the caller sees. 422 when it names none, or too many ids.
pub(crate) async fn find_ids(
    state: &ApiState,
    caller: &Caller,
    ids: Option<Vec<i32>>,
    condition: Option<Json>,
) -> Result<Vec<TermId>, ApiError> {
    if let Some(ids) = ids {
        let distinct: HashSet<i32> = ids.into_iter().collect();
        if u64::try_from(distinct.len()).is_ok_and(|given| given > MAX_ROWS) {
            return Err(ApiError::of_field("ids", format!("{MAX_ROWS} terms at most")));
        }
        return Ok(distinct.into_iter().map(TermId).collect());
    }
    let Some(condition) = condition else {
        return Err(ApiError::of_field("ids", "name the terms by ids or where"));
    };
    let condition = Condition::parse(&TERM, &condition, Usage::Change)?;
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let filter = Filter {
        limit: MAX_ROWS,
        fields: Fields::Only(["id"].into()),
        ..Filter::from_condition(rows::settle(&mut connection, &caller.scope, &TERM, condition).await?)
    };
    let found = rows::find(&mut *connection, &caller.scope, &TERM, ReachedFrom::Anywhere, &filter).await?;
    let ids = found.iter().map(|found| {
        let row: Row = serde_json::from_str(&found.row)?;
        Ok(TermId(row.id))
    });
    ids.collect::<Result<_, serde_json::Error>>()
        .map_err(ApiError::internal)
}

/// The id of a found row.
#[derive(Deserialize)]
struct Row {
    id: i32,
}
