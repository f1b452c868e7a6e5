//! Named states of lists, of a user or shared with the company account: `/savedViews`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use postgres::saved_views::{self, NewSavedView, SavedView, SavedViewId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Caller;
use crate::extract::{self, Path, Query};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

const LONGEST_NAME: usize = 80;
/// What an address can hold.
const LARGEST_SEARCH: usize = 65_536;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_views, save_view))
        .routes(routes!(remove_view))
}

/// Whose views are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SavedViewsParams {
    /// The path of the list in the client, such as `/domains`.
    path: String,
}

/// A named state of a list, as responses show it.
#[derive(Serialize, ToSchema)]
struct SavedViewView {
    id: i32,
    name: String,
    path: String,
    /// The list's state as the keys of its address.
    #[schema(value_type = HashMap<String, Value>)]
    search: Value,
    /// Columns: hidden ones, order and widths; null leaves them as they are.
    #[schema(value_type = Option<HashMap<String, Value>>)]
    columns: Option<Value>,
    /// Whether the company account sees it.
    shared: bool,
    /// Whether the reader made it.
    own: bool,
    /// The name of the user that made it.
    owner: String,
}

impl From<SavedView> for SavedViewView {
    /// Takes every field as it is.
    fn from(view: SavedView) -> Self {
        Self {
            id: view.id.0,
            name: view.name,
            path: view.path,
            search: view.search,
            columns: view.columns,
            shared: view.shared,
            own: view.own,
            owner: view.owner,
        }
    }
}

/// The views of a list.
#[derive(Serialize, ToSchema)]
struct SavedViewsView {
    data: Vec<SavedViewView>,
}

/// A view to be kept.
#[derive(Deserialize, ToSchema)]
struct SavedViewBody {
    /// 1 to 80 characters, unique among the own views of the list: one of the same name is written over.
    name: String,
    /// The path of the list in the client.
    path: String,
    #[schema(value_type = HashMap<String, Value>)]
    search: Value,
    #[schema(value_type = Option<HashMap<String, Value>>)]
    columns: Option<Value>,
    /// Whether the company account is to see it.
    #[serde(default)]
    shared: bool,
}

/// A kept view.
#[derive(Serialize, ToSchema)]
struct SavedIdView {
    id: i32,
}

/// The views of a list that the reader sees, ordered by name: the own ones and those shared with the own company account.
#[utoipa::path(
    get, path = "/savedViews", tag = "Saved views", params(SavedViewsParams),
    responses((status = 200, body = SavedViewsView), (status = 401, body = FailureBody)),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_views(
    State(state): State<ApiState>,
    caller: Caller,
    Query(SavedViewsParams { path }): Query<SavedViewsParams>,
) -> Result<Json<SavedViewsView>, ApiError> {
    let company = caller.user.company.as_ref().map(|company| company.id);
    let found = saved_views::of_list(&state.postgres, &caller.scope, company, &path).await?;
    Ok(Json(SavedViewsView {
        data: found.into_iter().map(SavedViewView::from).collect(),
    }))
}

/// Keeps a view of the reader; an own one of the same list and name is overwritten. Sharing it needs a company account.
#[utoipa::path(
    post, path = "/savedViews", tag = "Saved views", request_body = SavedViewBody,
    responses(
        (status = 200, body = SavedIdView),
        (status = 401, body = FailureBody),
        (status = 409, body = FailureBody, description = "As many as one user keeps are there"),
        (status = 422, body = FailureBody, description = "A field that breaks its rules; the messages name it"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn save_view(
    State(state): State<ApiState>,
    caller: Caller,
    extract::Json(given): extract::Json<SavedViewBody>,
) -> Result<Json<SavedIdView>, ApiError> {
    let name = given.name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(ApiError::of_field("name", "1 to 80 characters"));
    }
    if !is_path_of_list(&given.path) {
        return Err(ApiError::of_field("path", "the path of a list, such as /domains"));
    }
    if !is_small_object(&given.search) {
        return Err(ApiError::of_field("search", "the state of a list as an object"));
    }
    if given.columns.as_ref().is_some_and(|columns| !is_small_object(columns)) {
        return Err(ApiError::of_field("columns", "the columns of a list as an object"));
    }
    let company = caller.user.company.as_ref().map(|company| company.id);
    if given.shared && company.is_none() {
        return Err(ApiError::of_field(
            "shared",
            "there is no company account to share it with",
        ));
    }
    let new = NewSavedView {
        name,
        path: &given.path,
        search: &given.search,
        columns: given.columns.as_ref(),
        shared_with: company.filter(|_| given.shared),
    };
    let mut transaction = postgres::begin(&state.postgres).await?;
    let id = saved_views::save(&mut transaction, &caller.scope, &new).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    let id = id.ok_or_else(|| {
        let most = saved_views::MOST_OF_USER;
        let text = format!("You have {most} saved views, which is as many as one user keeps. Remove one first.");
        ApiError::Coded(StatusCode::CONFLICT, "TOO_MANY_VIEWS", text)
    })?;
    Ok(Json(SavedIdView { id: id.0 }))
}

/// Removes a view of the reader.
#[utoipa::path(
    delete, path = "/savedViews/{id}", tag = "Saved views",
    params(("id" = i32, Path, description = "The view")),
    responses(
        (status = 204, description = "Removed"),
        (status = 401, body = FailureBody),
        (status = 404, body = FailureBody, description = "No view of this id, or somebody else's"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn remove_view(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    if saved_views::remove(&state.postgres, &caller.scope, SavedViewId(id)).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::NotFound("No view has this id".to_owned()))
    }
}

/// Whether a path is one of the client's lists: a slash and lower-case letters or hyphens, 64 bytes at most.
fn is_path_of_list(path: &str) -> bool {
    const LONGEST: usize = 64;
    let name = path.strip_prefix('/').unwrap_or_default();
    !name.is_empty() && path.len() <= LONGEST && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Whether a value is an object whose JSON has at most [`LARGEST_SEARCH`] bytes.
fn is_small_object(value: &Value) -> bool {
    value.is_object() && value.to_string().len() <= LARGEST_SEARCH
}
