//! The own webhooks: `/webhooks`, their secrets, tests and log. Workers send the messages.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use coordination::{Limit, Throttle};
use postgres::audit::Event;
use postgres::webhooks::{
    self, DeliveryId, LoggedDelivery, SEALED_AS, Webhook, WebhookEvent, WebhookId, WebhookTarget,
};
use public_hosts::PublicHosts;
use rand::Rng;
use runtime::sealing::Keys;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::BrandId;

use crate::access::Caller;
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// Webhooks of one user.
const MOST_WEBHOOKS: usize = 10;
const LONGEST_ADDRESS: usize = 2_000;
/// Bytes of a secret, and what it begins with.
const SECRET_BYTES: usize = 32;
const SECRET_PREFIX: &str = "whsec_";
/// Messages of a log.
const MOST_LOGGED: i64 = 100;
/// Messages that one user may send by hand within [`WINDOW`].
const MOST_BY_HAND: u32 = 60;
const WINDOW: Duration = Duration::from_mins(15);
const MODEL: &str = "Webhook";

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_webhooks, make_webhook))
        .routes(routes!(change_webhook, remove_webhook))
        .routes(routes!(change_secret))
        .routes(routes!(test_webhook))
        .routes(routes!(show_log))
        .routes(routes!(send_again))
}

/// A webhook of the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WebhookView {
    id: i32,
    /// The address that is posted to.
    url: String,
    /// The brand of its cases; null for all that the caller sees.
    brand_id: Option<i32>,
    /// What it sends: `advertiser.new`, `advertiser.relapsed`, `case.changed`.
    events: Vec<String>,
    created: DateTime<Utc>,
    /// Since when nothing is sent; null while it is on.
    stopped: Option<DateTime<Utc>>,
    /// Why Vigie stopped it: `failing`, `gone` or `behind`; null when the caller did.
    stop_reason: Option<String>,
    /// Until when the earlier secret signs as well.
    earlier_until: Option<DateTime<Utc>>,
    /// Messages that wait.
    waiting: i64,
    /// When a message was taken last.
    taken: Option<DateTime<Utc>>,
}

impl WebhookView {
    fn new(webhook: Webhook) -> Self {
        Self {
            id: webhook.id.0,
            url: webhook.target.url,
            brand_id: webhook.target.brand.map(|brand| brand.0),
            events: webhook.target.events.iter().map(ToString::to_string).collect(),
            created: webhook.created,
            stopped: webhook.stopped,
            stop_reason: webhook.stop_reason.map(|reason| reason.to_string()),
            earlier_until: webhook.earlier_until,
            waiting: webhook.waiting,
            taken: webhook.taken,
        }
    }
}

/// A webhook as it is to be.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WebhookBody {
    /// An address of the public internet, by TLS.
    url: String,
    /// `advertiser.new`, `advertiser.relapsed`, `case.changed`; one at least.
    events: Vec<String>,
    /// Id of a brand that the caller sees; all of them without it.
    #[serde(default)]
    brand_id: Option<i32>,
    /// Nothing is sent while it is false. What waits is sent afterwards.
    #[serde(default = "on")]
    enabled: bool,
}

const fn on() -> bool {
    true
}

impl WebhookBody {
    /// What is sent where; a 422 of all fields that are wrong.
    fn check(&self, state: &ApiState, caller: &Caller) -> Result<WebhookTarget, ApiError> {
        let mut faults = Vec::new();
        let hosts = PublicHosts {
            allow_private: state.settings.webhooks.allow_private,
        };
        let url = Url::parse(self.url.trim())
            .ok()
            .filter(|url| hosts.allows(url) && url.as_str().len() <= LONGEST_ADDRESS);
        if url.is_none() {
            faults.push(FieldFault::new("url", "fields:publicAddress"));
        }
        let events: Vec<WebhookEvent> = self.events.iter().filter_map(|event| event.parse().ok()).collect();
        if events.len() != self.events.len() || events.is_empty() || events.contains(&WebhookEvent::Test) {
            faults.push(FieldFault::new("events", "fields:event"));
        }
        let brand = self.brand_id.map(BrandId);
        if brand.is_some_and(|brand| !caller.scope.sees_brand(brand)) {
            faults.push(FieldFault::new("brandId", "fields:brand"));
        }
        match url {
            Some(url) if faults.is_empty() => Ok(WebhookTarget {
                url: url.into(),
                brand,
                events,
            }),
            _ => Err(ApiError::Faulty(faults)),
        }
    }
}

/// The secret of a webhook, with the webhook.
#[derive(Serialize, ToSchema)]
struct WebhookSecretView {
    /// What messages are signed with. It is never shown again.
    secret: String,
    data: WebhookView,
}

/// A message in the log of a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WebhookMessageView {
    id: i64,
    /// The header `webhook-id`, by which the receiver knows it, also when it comes again.
    message: String,
    /// `advertiser.new`, `advertiser.relapsed`, `case.changed` or `webhook.test`.
    event: String,
    /// The case it is about.
    action_id: Option<i32>,
    /// When it happened.
    at: DateTime<Utc>,
    /// `waiting`, `taken` or `failed`.
    state: &'static str,
    /// Attempts so far.
    tries: i32,
    /// When it is tried next.
    next_try: Option<DateTime<Utc>>,
    /// Status of the last answer.
    answer: Option<i32>,
    /// Why there was none, or the beginning of its text.
    reason: Option<String>,
    /// Milliseconds of the last attempt.
    took: Option<i32>,
    /// What was sent.
    body: Option<String>,
}

impl WebhookMessageView {
    fn new(delivery: LoggedDelivery) -> Self {
        let is_taken = delivery.answer.is_some_and(|status| (200..300).contains(&status));
        Self {
            id: delivery.id.0,
            message: format!("msg_{}", delivery.message.simple()),
            event: delivery.event.to_string(),
            action_id: delivery.action.map(|action| action.0),
            at: delivery.at,
            state: match (delivery.settled, is_taken) {
                (None, _) => "waiting",
                (Some(_), true) => "taken",
                (Some(_), false) => "failed",
            },
            tries: delivery.tries,
            next_try: delivery.due,
            answer: delivery.answer,
            reason: delivery.reason,
            took: delivery.took_ms,
            body: delivery.body,
        }
    }
}

/// Passes the caller on, or refuses with `Forbidden` while an administrator works as this user: what is sent to a user's programs is that person's own affair.
fn oneself(caller: Caller) -> Result<Caller, ApiError> {
    if caller.is_impersonated() {
        return Err(ApiError::Forbidden);
    }
    Ok(caller)
}

fn unknown(id: impl std::fmt::Display) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}

/// A secret, as it is shown, and sealed as it is stored.
fn fresh_secret(state: &ApiState) -> Result<(String, String), ApiError> {
    let mut bytes = [0_u8; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    let secret = format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes));
    let sealed = Keys::read(state.settings.secrets.keys.as_ref())?.seal(SEALED_AS, &secret)?;
    Ok((secret, sealed))
}

/// Counts a message that the caller sends by hand, and refuses one too many.
async fn count_by_hand(state: &ApiState, caller: &Caller) -> Result<(), ApiError> {
    let limit = Limit {
        key: &format!("webhooks:{}", caller.user.id),
        most: MOST_BY_HAND,
    };
    let _counted = Throttle::new(&state.coordination, WINDOW)
        .reserve(&[limit])
        .await
        .map_err(ApiError::Throttled)?;
    Ok(())
}

/// A webhook of the caller; 404 for any other.
async fn found(
    connection: &mut postgres::Connection,
    state: &ApiState,
    caller: &Caller,
    id: WebhookId,
) -> Result<Webhook, ApiError> {
    let all = webhooks::of_user(connection, caller.user.id, state.clock.now()).await?;
    all.into_iter()
        .find(|webhook| webhook.id == id)
        .ok_or_else(|| unknown(id.0))
}

/// What the audit log keeps of a webhook: the host alone, as the rest of its address may be a secret.
fn audited(target: &WebhookTarget, is_on: bool) -> serde_json::Value {
    let host = Url::parse(&target.url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    let events: Vec<String> = target.events.iter().map(ToString::to_string).collect();
    json!({"host": host, "brandId": target.brand, "events": events, "enabled": is_on})
}

/// The webhooks of the caller, the newest first. Refused while working as somebody else.
#[utoipa::path(
    get, path = "/webhooks", tag = "Webhooks",
    responses(
        (status = 200, body = Vec<WebhookView>),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_webhooks(State(state): State<ApiState>, caller: Caller) -> Result<Json<Vec<WebhookView>>, ApiError> {
    let caller = oneself(caller)?;
    let all = webhooks::of_user(&state.postgres, caller.user.id, state.clock.now()).await?;
    Ok(Json(all.into_iter().map(WebhookView::new).collect()))
}

/// Makes a webhook, which gets what happens to cases from now on. Messages are signed as in the specification Standard Webhooks, sent again for a day
/// while they are not taken, and may come twice. It ends with the account, and gets nothing of a brand that the caller does not see any more.
#[utoipa::path(
    post, path = "/webhooks", tag = "Webhooks", request_body = WebhookBody,
    responses(
        (status = 201, body = WebhookSecretView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 409, body = FailureBody, description = "The caller has 10 webhooks"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn make_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    extract::Json(body): extract::Json<WebhookBody>,
) -> Result<(StatusCode, Json<WebhookSecretView>), ApiError> {
    let caller = oneself(caller)?;
    let target = body.check(&state, &caller)?;
    let (secret, sealed) = fresh_secret(&state)?;
    let now = state.clock.now();
    let mut tx = postgres::begin(&state.postgres).await?;
    // Two at a time do not make one too many.
    webhooks::lock(&mut *tx, caller.user.id).await?;
    if webhooks::of_user(&mut *tx, caller.user.id, now).await?.len() >= MOST_WEBHOOKS {
        let text = format!("You have {MOST_WEBHOOKS} webhooks; delete one first.");
        return Err(ApiError::Coded(StatusCode::CONFLICT, "TOO_MANY_WEBHOOKS", text));
    }
    let id = webhooks::create(&mut *tx, caller.user.id, &target, &sealed, now).await?;
    if !body.enabled {
        webhooks::change(&mut *tx, caller.user.id, id, &target, Some(now)).await?;
    }
    let details = json!({"after": audited(&target, body.enabled)});
    caller
        .record(&mut tx, (Event::Create, MODEL), id.0.into(), details)
        .await?;
    let made = found(&mut tx, &state, &caller, id).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let data = WebhookView::new(made);
    Ok((StatusCode::CREATED, Json(WebhookSecretView { secret, data })))
}

/// Changes a webhook of the caller, all of it; one that Vigie stopped goes on when it is enabled. Refused while working as somebody else.
#[utoipa::path(
    put, path = "/webhooks/{id}", tag = "Webhooks", request_body = WebhookBody,
    params(("id" = i32, Path, description = "The webhook")),
    responses(
        (status = 200, body = WebhookView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "The caller has no such webhook"),
        (status = 422, body = FailureBody, description = "A value that cannot be; by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<WebhookBody>,
) -> Result<Json<WebhookView>, ApiError> {
    let caller = oneself(caller)?;
    let target = body.check(&state, &caller)?;
    let mut tx = postgres::begin(&state.postgres).await?;
    webhooks::lock(&mut *tx, caller.user.id).await?;
    let before = found(&mut tx, &state, &caller, WebhookId(id)).await?;
    let stopped = (!body.enabled).then(|| state.clock.now());
    webhooks::change(&mut *tx, caller.user.id, before.id, &target, stopped).await?;
    let details = json!({
        "before": audited(&before.target, before.stopped.is_none()),
        "after": audited(&target, body.enabled),
    });
    caller
        .record(&mut tx, (Event::Change, MODEL), id.into(), details)
        .await?;
    let changed = found(&mut tx, &state, &caller, before.id).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(WebhookView::new(changed)))
}

/// Deletes a webhook of the caller with its log. Refused while working as somebody else.
#[utoipa::path(
    delete, path = "/webhooks/{id}", tag = "Webhooks",
    params(("id" = i32, Path, description = "The webhook")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "The caller has no such webhook"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn remove_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let before = found(&mut tx, &state, &caller, WebhookId(id)).await?;
    if !webhooks::remove(&mut *tx, caller.user.id, before.id).await? {
        return Err(unknown(id));
    }
    let details = json!({"before": audited(&before.target, before.stopped.is_none())});
    caller
        .record(&mut tx, (Event::Remove, MODEL), id.into(), details)
        .await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a webhook of the caller another secret. The earlier one signs as well for 24 hours, so that the receiver can change over. Refused while working as
/// somebody else.
#[utoipa::path(
    post, path = "/webhooks/{id}/secret", tag = "Webhooks",
    params(("id" = i32, Path, description = "The webhook")),
    responses(
        (status = 200, body = WebhookSecretView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "The caller has no such webhook"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_secret(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<WebhookSecretView>, ApiError> {
    let caller = oneself(caller)?;
    let (secret, sealed) = fresh_secret(&state)?;
    let mut tx = postgres::begin(&state.postgres).await?;
    if !webhooks::change_secret(&mut *tx, caller.user.id, WebhookId(id), &sealed, state.clock.now()).await? {
        return Err(unknown(id));
    }
    let details = json!({"secret": "changed"});
    caller
        .record(&mut tx, (Event::Change, MODEL), id.into(), details)
        .await?;
    let changed = found(&mut tx, &state, &caller, WebhookId(id)).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    let data = WebhookView::new(changed);
    Ok(Json(WebhookSecretView { secret, data }))
}

/// Sends a test message to a webhook of the caller, once. Refused while working as somebody else.
#[utoipa::path(
    post, path = "/webhooks/{id}/test", tag = "Webhooks",
    params(("id" = i32, Path, description = "The webhook")),
    responses(
        (status = 202, description = "It is sent within seconds; the log says how it went"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "The caller has no such webhook, or it is stopped"),
        (status = 429, body = FailureBody, description = "More than 60 messages by hand within 15 minutes"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn test_webhook(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    count_by_hand(&state, &caller).await?;
    if !webhooks::test(&state.postgres, caller.user.id, WebhookId(id), state.clock.now()).await? {
        return Err(unknown(id));
    }
    Ok(StatusCode::ACCEPTED)
}

/// The latest hundred messages to a webhook of the caller, the newest first; they are kept for 30 days. Refused while working as somebody else.
#[utoipa::path(
    get, path = "/webhooks/{id}/deliveries", tag = "Webhooks",
    params(("id" = i32, Path, description = "The webhook")),
    responses(
        (status = 200, body = Vec<WebhookMessageView>),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "The caller has no such webhook"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn show_log(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<Vec<WebhookMessageView>>, ApiError> {
    let caller = oneself(caller)?;
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let log = webhooks::log(&mut connection, caller.user.id, WebhookId(id), MOST_LOGGED).await?;
    let log = log.ok_or_else(|| unknown(id))?;
    Ok(Json(log.into_iter().map(WebhookMessageView::new).collect()))
}

/// Sends a message to a webhook of the caller again: the same bytes under the same id, with a new time and signature. Refused while working as somebody else.
#[utoipa::path(
    post, path = "/webhooks/{id}/deliveries/{delivery}", tag = "Webhooks",
    params(("id" = i32, Path, description = "The webhook"), ("delivery" = i64, Path, description = "The message")),
    responses(
        (status = 202, description = "It is sent within seconds; the log says how it went"),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "While working as somebody else, or with a key"),
        (status = 404, body = FailureBody, description = "No such message, one that waits, or a webhook that is stopped"),
        (status = 429, body = FailureBody, description = "More than 60 messages by hand within 15 minutes"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn send_again(
    State(state): State<ApiState>,
    caller: Caller,
    Path((id, delivery)): Path<(i32, i64)>,
) -> Result<StatusCode, ApiError> {
    let caller = oneself(caller)?;
    count_by_hand(&state, &caller).await?;
    let ids = (WebhookId(id), DeliveryId(delivery));
    if !webhooks::replay(&state.postgres, caller.user.id, ids.0, ids.1, state.clock.now()).await? {
        return Err(unknown(delivery));
    }
    Ok(StatusCode::ACCEPTED)
}
