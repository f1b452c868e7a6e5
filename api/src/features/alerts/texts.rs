//! Texts of alerts: `/alerts/texts`. Administrators write them; everybody who has alerts chooses among those for the brand.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use postgres::alerts::texts::{self, AlertTextFacts, StoredAlertText};
use postgres::alerts::{AlertText, DigestOrder};
use postgres::audit::{self, AuditedChange, Event};
use postgres::brands;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{BrandId, Language, TemplateId};

use super::trial::{AlertPreviewView, write_order};
use crate::access::{Administrator, Caller};
use crate::extract::{self, Path, Query};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::refused_template::refused_template;
use crate::state::ApiState;

/// Characters of the name of a text.
const LONGEST_LABEL: usize = 255;
/// What the audit log calls a text.
const MODEL: &str = "EmailTemplate";

/// The operations on texts.
pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_alert_texts, add_alert_text))
        .routes(routes!(change_alert_text, remove_alert_text))
        .routes(routes!(preview_alert_text))
}

/// The brand whose alerts the texts are for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AlertTextsParams {
    /// Id of the brand; without it, those for all brands in sight.
    #[serde(rename = "brandID")]
    #[param(rename = "brandID")]
    brand: Option<i32>,
}

/// Texts of alerts.
#[derive(Serialize, ToSchema)]
struct AlertTextsView {
    data: Vec<AlertTextView>,
}

/// The text as it is stored now.
#[derive(Serialize, ToSchema)]
struct OneAlertTextView {
    data: AlertTextView,
}

/// A text that alerts can have.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AlertTextView {
    id: i32,
    version: i32,
    label: String,
    /// `en` or `fr`: its mails are in this language, whatever that of their recipients.
    language: String,
    /// Null for all brands.
    brand_id: Option<i32>,
    /// The name of its brand; null for all brands.
    brand_label: Option<String>,
    subject: String,
    body: String,
    /// How many alerts have it.
    alerts: i64,
}

impl From<StoredAlertText> for AlertTextView {
    fn from(stored: StoredAlertText) -> Self {
        let AlertTextFacts { label, brand, text } = stored.facts;
        Self {
            id: stored.id.0,
            version: stored.version,
            label,
            language: text.language.to_string(),
            brand_id: brand.map(|brand| brand.0),
            brand_label: stored.brand_label,
            subject: text.subject,
            body: text.body,
            alerts: stored.alerts,
        }
    }
}

/// A text as an administrator writes it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AlertTextBody {
    /// Its name in lists: 255 characters at most.
    label: String,
    /// `en` or `fr`.
    language: String,
    /// Null for all brands.
    #[serde(default)]
    brand_id: Option<i32>,
    /// One line of 200 characters at most. An alert with a subject of its own has that instead.
    subject: String,
    /// Plain text of 20,000 characters at most, with values, conditions and lists of a digest.
    body: String,
}

impl AlertTextBody {
    /// The text; a 422 at the field that is wrong.
    async fn read(self, state: &ApiState, caller: &Caller) -> Result<AlertTextFacts, ApiError> {
        let label = self.label.trim().to_owned();
        if label.is_empty() || label.chars().count() > LONGEST_LABEL {
            return Err(FieldFault::new("label", "fields:length")
                .with("most", LONGEST_LABEL)
                .into());
        }
        let brand = self.brand_id.map(BrandId);
        if let Some(brand) = brand {
            label_of(state, caller, brand).await?;
        }
        let text = read_text(&self.language, &self.subject, &self.body)?;
        Ok(AlertTextFacts { label, brand, text })
    }
}

/// The texts that alerts can have; with `brandID`, alerts of this brand.
#[utoipa::path(
    get, path = "/alerts/texts", tag = "Alerts", params(AlertTextsParams),
    responses((status = 200, body = AlertTextsView), (status = 401, body = FailureBody, description = "No valid session")),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_alert_texts(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<AlertTextsParams>,
) -> Result<Json<AlertTextsView>, ApiError> {
    let found = texts::list(&state.postgres, &caller.scope, params.brand.map(BrandId)).await?;
    Ok(Json(AlertTextsView {
        data: found.into_iter().map(AlertTextView::from).collect(),
    }))
}

/// Adds a text.
#[utoipa::path(
    post, path = "/alerts/texts", tag = "Alerts", request_body = AlertTextBody,
    responses(
        (status = 200, body = OneAlertTextView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "No administrator"),
        (status = 422, body = FailureBody, description = "A value that a text cannot have, by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn add_alert_text(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<AlertTextBody>,
) -> Result<Json<OneAlertTextView>, ApiError> {
    let facts = body.read(&state, &caller).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let id = texts::add(&mut tx, &caller.scope, &facts, (caller.user.id, state.clock.now())).await?;
    record(&mut tx, &caller, (Event::Create, id), Some(&facts)).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    shown(&state, &caller, id).await
}

/// Changes a text: the next version, which its alerts have from now on.
#[utoipa::path(
    put, path = "/alerts/texts/{id}", tag = "Alerts", request_body = AlertTextBody,
    params(("id" = i32, Path, description = "Id of the newest version")),
    responses(
        (status = 200, body = OneAlertTextView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "No administrator"),
        (status = 404, body = FailureBody, description = "No such text, or there is a newer version"),
        (status = 422, body = FailureBody, description = "A value that a text cannot have, by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_alert_text(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<AlertTextBody>,
) -> Result<Json<OneAlertTextView>, ApiError> {
    let facts = body.read(&state, &caller).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let author = (caller.user.id, state.clock.now());
    let (_, next) = texts::replace(&mut tx, &caller.scope, TemplateId(id), Some(&facts), author).await?;
    let next = next.ok_or_else(|| unknown(id))?;
    record(&mut tx, &caller, (Event::Change, next), Some(&facts)).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    shown(&state, &caller, next).await
}

/// Puts a text away: its alerts have that of the product from now on.
#[utoipa::path(
    delete, path = "/alerts/texts/{id}", tag = "Alerts",
    params(("id" = i32, Path, description = "Id of the newest version")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "No administrator"),
        (status = 404, body = FailureBody, description = "No such text, or there is a newer version"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn remove_alert_text(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
) -> Result<StatusCode, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let author = (caller.user.id, state.clock.now());
    let (is_away, _) = texts::replace(&mut tx, &caller.scope, TemplateId(id), None, author).await?;
    if !is_away {
        return Err(unknown(id));
    }
    record(&mut tx, &caller, (Event::Remove, TemplateId(id)), None).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A text to be tried on what happened lately.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AlertTextTrial {
    /// Id of the brand that it is tried on.
    brand_id: i32,
    /// `en` or `fr`.
    language: String,
    subject: String,
    body: String,
    /// Tries it on what happened in cases, as in an alert after an event.
    #[serde(default)]
    of_events: bool,
}

/// What a text would say now of the last seven days. Nothing is stored or sent.
#[utoipa::path(
    post, path = "/alerts/texts/preview", tag = "Alerts", request_body = AlertTextTrial,
    responses(
        (status = 200, body = AlertPreviewView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "No administrator"),
        (status = 422, body = FailureBody, description = "A text that cannot be filled in, by field"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn preview_alert_text(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    headers: HeaderMap,
    extract::Json(body): extract::Json<AlertTextTrial>,
) -> Result<Json<AlertPreviewView>, ApiError> {
    let brand = BrandId(body.brand_id);
    let order = DigestOrder {
        is_hook: body.of_events,
        brand,
        brand_label: label_of(&state, &caller, brand).await?,
        subject: None,
        from_name: None,
        reply_to: None,
        text: Some(read_text(&body.language, &body.subject, &body.body)?),
        with_report: true,
    };
    let hook = body.of_events.then_some("action.new");
    let mail = write_order(&state, &caller, caller.language(&headers), order, hook).await?;
    Ok(Json(AlertPreviewView::new(mail.subject, mail.body)))
}

/// What an administrator writes; a 422 at the field for what cannot be filled in.
fn read_text(language: &str, subject: &str, body: &str) -> Result<AlertText, ApiError> {
    let language: Language = language
        .parse()
        .map_err(|_| FieldFault::new("language", "fields:language"))?;
    for (field, text) in [("subject", subject), ("body", body)] {
        if text.trim().is_empty() {
            return Err(FieldFault::new(field, "fields:empty").into());
        }
    }
    outreach::check_alert_text(subject, body).map_err(refused_template)?;
    Ok(AlertText {
        language,
        subject: subject.trim().to_owned(),
        body: body.replace("\r\n", "\n").trim_end().to_owned(),
    })
}

/// The name of a brand in sight; a 422 of any other.
async fn label_of(state: &ApiState, caller: &Caller, brand: BrandId) -> Result<String, ApiError> {
    let found = brands::by_ids(&state.postgres, &caller.scope, &[brand]).await?.pop();
    let brand = found.ok_or_else(|| FieldFault::new("brandId", "fields:brand"))?;
    Ok(brand.label.or(brand.name).unwrap_or_default())
}

/// The answer with one text.
async fn shown(state: &ApiState, caller: &Caller, id: TemplateId) -> Result<Json<OneAlertTextView>, ApiError> {
    let stored = texts::get(&state.postgres, &caller.scope, id).await?;
    let stored = stored.ok_or_else(|| unknown(id.0))?;
    Ok(Json(OneAlertTextView { data: stored.into() }))
}

/// Writes a change of a text to the audit log.
async fn record(
    connection: &mut postgres::Connection,
    caller: &Caller,
    (event, id): (Event, TemplateId),
    facts: Option<&AlertTextFacts>,
) -> Result<(), ApiError> {
    let after = facts.map(|facts| {
        json!({
            "type": "alert", "language": facts.text.language.to_string(), "label": facts.label, "brandId": facts.brand,
            "subject": facts.text.subject, "body": facts.text.body,
        })
    });
    let change = AuditedChange {
        event,
        model: MODEL,
        target: id.to_string(),
        details: json!({ "after": after }),
    };
    Ok(audit::record(connection, &caller.audit_actor(), &[change]).await?)
}

fn unknown(id: i32) -> ApiError {
    ApiError::NoRow(format!("could not find a model with id {id}"))
}
