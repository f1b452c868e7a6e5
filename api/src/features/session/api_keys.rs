//! API keys of the caller: `GET /keys`, `POST /keys` and `DELETE /keys/{id}`. `company_keys` uses the same functions for the keys of companies.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use postgres::audit::Event;
use postgres::tokens::{self, ApiKey, KEY_SCOPE, NewToken, TokenId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use vocabulary::{CompanyAccountId, UserId};

use super::own_sessions::oneself;
use crate::access::Caller;
use crate::access::api_keys::{self, KeyScope};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Keys of one user or company.
const MOST_KEYS: usize = 20;
const LONGEST_NAME: usize = 80;
/// The longest life of a key that ends by itself.
const MOST_DAYS: u16 = 366;
const DAY_SECONDS: i64 = 86_400;
/// A hundred years, for a key that does not end by itself.
const UNENDING_SECONDS: i64 = 3_153_600_000;
/// Letters of a key that are shown later.
const HINT_LETTERS: usize = 4;
const MODEL: &str = "ApiKey";

/// An API key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApiKeyView {
    id: i32,
    name: String,
    /// Its last four letters.
    hint: String,
    /// What it opens: `read:lists`, `read:evidence`, `write:tags`.
    scopes: Vec<String>,
    created: DateTime<Utc>,
    /// When a request last came with it, to the minute.
    last_used: Option<DateTime<Utc>>,
    /// When it ends by itself; null if it does not.
    expires: Option<DateTime<Utc>>,
}

impl ApiKeyView {
    fn new(key: ApiKey) -> Self {
        let is_endless = (key.expires_at - key.created).num_seconds() >= UNENDING_SECONDS;
        Self {
            id: key.id.0,
            name: key.name,
            hint: key.hint,
            scopes: key.scopes,
            created: key.created,
            last_used: key.last_used,
            expires: (!is_endless).then_some(key.expires_at),
        }
    }
}

/// Whose a key is.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    /// The account that the key acts for.
    pub user: UserId,
    /// The company, where it is the account of its programs.
    pub company: Option<CompanyAccountId>,
}

/// A key to be made.
#[derive(Deserialize, ToSchema)]
pub(super) struct NewApiKeyBody {
    /// What its owner calls it, 1 to 80 letters.
    name: String,
    /// What it opens: `read:lists`, `read:evidence`, `write:tags`; one at least.
    scopes: Vec<String>,
    /// Days until it ends by itself, 366 at most; without, it does not.
    days: Option<u16>,
}

/// A key that was made.
#[derive(Serialize, ToSchema)]
pub(super) struct MadeApiKeyView {
    /// The key itself. It is never shown again: only its digest is kept.
    key: String,
    data: ApiKeyView,
}

/// The API keys of the caller, the newest first. Refused while working as somebody else.
#[utoipa::path(
    get, path = "/keys", tag = "ApiKeys",
    responses(
        (status = 200, body = Vec<ApiKeyView>),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_keys(
    State(state): State<ApiState>,
    caller: Caller,
) -> Result<Json<Vec<ApiKeyView>>, ApiError> {
    let caller = oneself(caller)?;
    keys_of(&state, caller.user.id).await
}

/// The keys of an account, the newest first.
pub(super) async fn keys_of(state: &ApiState, user: UserId) -> Result<Json<Vec<ApiKeyView>>, ApiError> {
    let keys = tokens::keys(&state.postgres, user, state.clock.now()).await?;
    Ok(Json(keys.into_iter().map(ApiKeyView::new).collect()))
}

/// Makes an API key, with which programs do what its scopes name and the caller may do, 120 times a minute at most. It ends with the account, with a new password,
/// or when it is ended. Refused while working as somebody else.
#[utoipa::path(
    post, path = "/keys", tag = "ApiKeys", request_body = NewApiKeyBody,
    responses(
        (status = 201, body = MadeApiKeyView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 409, body = FailureBody, description = "The caller has 20 keys"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn make_key(
    State(state): State<ApiState>,
    caller: Caller,
    extract::Json(body): extract::Json<NewApiKeyBody>,
) -> Result<(StatusCode, Json<MadeApiKeyView>), ApiError> {
    let caller = oneself(caller)?;
    let owner = Owner {
        user: caller.user.id,
        company: None,
    };
    let mut tx = postgres::begin(&state.postgres).await?;
    let made = make_for(&mut tx, &state, (&caller, owner), &body).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Makes a key of an owner and records that the caller has; 422 for values that cannot be, 409 where the owner has [`MOST_KEYS`].
pub(super) async fn make_for(
    connection: &mut postgres::Connection,
    state: &ApiState,
    (caller, owner): (&Caller, Owner),
    body: &NewApiKeyBody,
) -> Result<MadeApiKeyView, ApiError> {
    let name = body.name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(ApiError::of_field("name", format!("has 1 to {LONGEST_NAME} letters")));
    }
    let scopes = scopes(&body.scopes)?;
    let ttl = match body.days {
        None => UNENDING_SECONDS,
        Some(days) if (1..=MOST_DAYS).contains(&days) => i64::from(days) * DAY_SECONDS,
        Some(_) => return Err(ApiError::of_field("days", format!("is 1 to {MOST_DAYS}"))),
    };
    let now = state.clock.now();
    let key = api_keys::fresh();
    let new = NewToken {
        digest: &tokens::digest(&key),
        user: owner.user,
        ttl,
        scopes: Some(&scopes),
        created: now,
        made_in: None,
        impersonated_by: None,
        user_agent: None,
    };
    let hint: String = key.chars().skip(key.chars().count() - HINT_LETTERS).collect();
    // Two at a time do not make one too many.
    tokens::lock_keys(&mut *connection, owner.user).await?;
    if tokens::keys(&mut *connection, owner.user, now).await?.len() >= MOST_KEYS {
        let text = format!("There are {MOST_KEYS} keys; end one first.");
        return Err(ApiError::Coded(StatusCode::CONFLICT, "TOO_MANY_KEYS", text));
    }
    let id = tokens::create(&mut *connection, &new).await?;
    tokens::name_key(&mut *connection, id, (name, &hint)).await?;
    let details = json!({"after": {"name": name, "scopes": scopes[1..], "days": body.days, "company": owner.company}});
    caller
        .record(connection, (Event::Create, MODEL), id.0.into(), details)
        .await?;
    let made = tokens::keys(&mut *connection, owner.user, now).await?;
    let made = made.into_iter().find(|key| key.id == id);
    let data = made.map(ApiKeyView::new).ok_or(ApiError::Forbidden)?;
    Ok(MadeApiKeyView { key, data })
}

/// The stored scopes of a key that opens these.
fn scopes(names: &[String]) -> Result<Vec<String>, ApiError> {
    let mut scopes = vec![KEY_SCOPE.to_owned()];
    for name in names {
        if name.parse::<KeyScope>().is_err() {
            return Err(ApiError::of_field(
                "scopes",
                format!("has only {}", api_keys::scope_names()),
            ));
        }
        if !scopes.contains(name) {
            scopes.push(name.clone());
        }
    }
    if scopes.len() == 1 {
        return Err(ApiError::of_field("scopes", "has one at least"));
    }
    Ok(scopes)
}

/// Ends an API key of the caller at once; 404 if the caller has no such key. Refused while working as somebody else.
#[utoipa::path(
    delete, path = "/keys/{id}", tag = "ApiKeys",
    params(("id" = i32, Path, description = "The key")),
    responses(
        (status = 204, description = "Ended"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "The caller has no such key"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn end_key(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    let owner = Owner {
        user: caller.user.id,
        company: None,
    };
    end_of(&state, (&caller, owner), TokenId(id)).await
}

/// Ends a key of an owner and records that the caller has; 404 if the owner has no such key.
pub(super) async fn end_of(
    state: &ApiState,
    (caller, owner): (&Caller, Owner),
    TokenId(id): TokenId,
) -> Result<StatusCode, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let Some(name) = tokens::end_key(&mut *tx, owner.user, TokenId(id)).await? else {
        return Err(ApiError::NotFound(format!("Key {id} is not there")));
    };
    let details = json!({"before": {"name": name, "company": owner.company}});
    caller
        .record(&mut tx, (Event::Remove, MODEL), id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}
