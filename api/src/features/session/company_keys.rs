//! The API keys of a company account, for administrators: `GET` and `POST /keys/company/{company}`, `DELETE /keys/company/{company}/{id}`.
//!
//! They belong to no person, so they work on when whoever made them leaves. They see what the company sees, and end with its account.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use postgres::companies;
use postgres::tokens::TokenId;
use vocabulary::CompanyAccountId;

use super::api_keys::{self, ApiKeyView, MadeApiKeyView, NewApiKeyBody, Owner};
use super::own_sessions::oneself;
use crate::access::Administrator;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

fn no_company(company: CompanyAccountId) -> ApiError {
    ApiError::NotFound(format!("Company account {company} is not there"))
}

/// The API keys of a company account, the newest first.
#[utoipa::path(
    get, path = "/keys/company/{company}", tag = "ApiKeys",
    params(("company" = i32, Path, description = "The company account")),
    responses(
        (status = 200, body = Vec<ApiKeyView>),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such company account"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_company_keys(
    State(state): State<ApiState>,
    _: Administrator,
    Path(company): Path<i32>,
) -> Result<Json<Vec<ApiKeyView>>, ApiError> {
    let company = CompanyAccountId(company);
    match companies::program_of(&state.postgres, company).await? {
        Some(user) => api_keys::keys_of(&state, user).await,
        None if companies::exists(&state.postgres, company).await? => Ok(Json(Vec::new())),
        None => Err(no_company(company)),
    }
}

/// Makes an API key of a company account, with which programs do what its scopes name, for the brands and terms of the company, 120 times a minute at most.
/// It ends with the company account, or when it is ended.
#[utoipa::path(
    post, path = "/keys/company/{company}", tag = "ApiKeys", request_body = NewApiKeyBody,
    params(("company" = i32, Path, description = "The company account")),
    responses(
        (status = 201, body = MadeApiKeyView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "No such company account"),
        (status = 409, body = FailureBody, description = "The company has 20 keys"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn make_company_key(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(company): Path<i32>,
    extract::Json(body): extract::Json<NewApiKeyBody>,
) -> Result<(StatusCode, Json<MadeApiKeyView>), ApiError> {
    let (caller, company) = (oneself(caller)?, CompanyAccountId(company));
    let mut tx = postgres::begin(&state.postgres).await?;
    // Two at a time do not make two accounts.
    if !companies::lock(&mut *tx, company).await? {
        return Err(no_company(company));
    }
    let user = match companies::program_of(&mut *tx, company).await? {
        Some(user) => user,
        None => companies::create_program(&mut *tx, company).await?,
    };
    let owner = Owner {
        user,
        company: Some(company),
    };
    let made = api_keys::make_for(&mut tx, &state, (&caller, owner), &body).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Ends an API key of a company account at once; 404 if the company has no such key.
#[utoipa::path(
    delete, path = "/keys/company/{company}/{id}", tag = "ApiKeys",
    params(
        ("company" = i32, Path, description = "The company account"),
        ("id" = i32, Path, description = "The key"),
    ),
    responses(
        (status = 204, description = "Ended"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Not an administrator"),
        (status = 404, body = FailureBody, description = "The company has no such key"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn end_company_key(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path((company, id)): Path<(i32, i32)>,
) -> Result<StatusCode, ApiError> {
    let (caller, company) = (oneself(caller)?, CompanyAccountId(company));
    let Some(user) = companies::program_of(&state.postgres, company).await? else {
        return Err(ApiError::NotFound(format!("Key {id} is not there")));
    };
    let owner = Owner {
        user,
        company: Some(company),
    };
    api_keys::end_of(&state, (&caller, owner), TokenId(id)).await
}
