//! Templates of the mails to advertisers (decisions D150, D181): for a case, and as administrators write them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use outreach::{LetterStores, TemplatePart, fill_in, gather};
use postgres::audit::{self, AuditedChange, Event};
use postgres::brands;
use postgres::case_mails::letters::{self, CaseInLetters};
use postgres::case_mails::templates::{self, Template, TemplateChange, TemplateFacts, TemplateQuery};
use postgres::mails;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use vocabulary::{ActionId, BrandId, CaseMailKind, Language, TemplateId};

use crate::access::{Administrator, Caller, Staff};
use crate::extract::{self, Path, Query};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::refused_template::refused_template;
use crate::state::ApiState;

/// Templates of an answer: more than anybody keeps.
const MOST: i64 = 1_000;
/// Characters of the name of a template.
const LONGEST_LABEL: usize = 255;
/// The highest number that a reminder can have.
const MOST_REMINDERS: u32 = 50;
/// What the audit log calls a template.
const MODEL: &str = "EmailTemplate";

/// Which templates are wanted for a case.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct CaseTemplatesParams {
    /// The case that they are filled in on.
    #[serde(rename = "actionID")]
    #[param(rename = "actionID")]
    action_id: i32,
    /// `notification`, `reminder` or `answer`; without it, all.
    r#type: Option<String>,
    /// `en` or `fr`; without it, that of the case.
    language: Option<String>,
}

/// Templates filled in on a case.
#[derive(Serialize, ToSchema)]
pub(super) struct CaseTemplatesView {
    data: Vec<CaseTemplateView>,
}

/// A template filled in on a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CaseTemplateView {
    id: i32,
    /// `notification`, `reminder` or `answer`.
    r#type: String,
    label: String,
    /// `en` or `fr`.
    language: String,
    /// The number of the reminder that it is for; null for any.
    reminder: Option<u32>,
    version: i32,
    /// Null for all brands.
    brand_id: Option<i32>,
    subject: String,
    /// Plain text, with `{{ name }}` where a value is missing.
    body: String,
    /// The names of the values that are missing.
    holes: Vec<String>,
}

/// The active templates that fit a case, filled in with its facts and the name of the caller; those of its brand first.
#[utoipa::path(
    get, path = "/actions/templates", tag = "Actions", params(CaseTemplatesParams),
    responses(
        (status = 200, body = CaseTemplatesView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case"),
        (status = 422, body = FailureBody, description = "A type or language that there is not"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_case_templates(
    State(state): State<ApiState>,
    caller: Caller,
    Query(params): Query<CaseTemplatesParams>,
) -> Result<Json<CaseTemplatesView>, ApiError> {
    let case = case_of(&state, &caller, params.action_id).await?;
    if caller.user.known_roles().is_empty() {
        return Err(ApiError::Forbidden);
    }
    let language = params.language.as_deref().map(language_of).transpose()?;
    let language = language.unwrap_or_else(|| case.language());
    let query = TemplateQuery {
        kind: params.r#type.as_deref().map(kind_of).transpose()?,
        language: Some(language),
        brand: Some(case.brand),
        ..TemplateQuery::default()
    };
    let found = templates::list(&state.postgres, &caller.scope, query, MOST).await?;
    let facts = gather(
        stores(&state),
        &caller.scope,
        &case,
        (language, sender(&caller)),
        state.clock.now(),
    )
    .await?;
    // One that cannot be filled in is of no use in a case; administrators see why in its preview.
    let views = found.into_iter().filter_map(|template| {
        let letter = fill_in((&template.facts.subject, &template.facts.body), &facts, language).ok()?;
        Some(CaseTemplateView {
            id: template.id.0,
            r#type: template.facts.kind.to_string(),
            label: template.facts.label,
            language: template.facts.language.to_string(),
            reminder: template.facts.reminder,
            version: template.version,
            brand_id: template.facts.brand.map(|brand| brand.0),
            subject: letter.subject,
            body: letter.body,
            holes: letter.holes,
        })
    });
    Ok(Json(CaseTemplatesView { data: views.collect() }))
}

/// Which templates are listed.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct MailTemplatesParams {
    /// The first version of a template, to list all its versions.
    versions_of: Option<i32>,
}

/// Templates as they are written.
#[derive(Serialize, ToSchema)]
pub(super) struct MailTemplatesView {
    data: Vec<MailTemplateView>,
}

/// One template as it is written.
#[derive(Serialize, ToSchema)]
pub(super) struct OneMailTemplateView {
    data: MailTemplateView,
}

/// A version of a template as it is written.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MailTemplateView {
    id: i32,
    /// The id of the first version, which all versions share.
    first_id: i32,
    /// `notification`, `reminder` or `answer`.
    r#type: String,
    label: String,
    /// `en` or `fr`.
    language: String,
    /// The number of the reminder that it is for; null for any.
    reminder: Option<u32>,
    /// Null for all brands.
    brand_id: Option<i32>,
    /// The name of its brand; null for all brands.
    brand_label: Option<String>,
    version: i32,
    /// Whether it is the newest version and not put away.
    active: bool,
    subject: String,
    body: String,
    /// The person who wrote it; null for one that came with the program.
    author: Option<String>,
    created_date: DateTime<Utc>,
    /// Mails that were made from it; a version with some never changes.
    made: i64,
    /// Mails that left.
    sent: i64,
    /// Those that the advertiser answered.
    replied: i64,
    /// Those whose case was accepted within 30 days.
    accepted: i64,
    /// Those whose case reappeared within 90 days.
    reappeared: i64,
}

impl From<Template> for MailTemplateView {
    fn from(template: Template) -> Self {
        let Template { facts, uses, .. } = template;
        Self {
            id: template.id.0,
            first_id: template.first.0,
            r#type: facts.kind.to_string(),
            label: facts.label,
            language: facts.language.to_string(),
            reminder: facts.reminder,
            brand_id: facts.brand.map(|brand| brand.0),
            brand_label: template.brand_label,
            version: template.version,
            active: template.is_active,
            subject: facts.subject,
            body: facts.body,
            author: template.author,
            created_date: template.created,
            made: uses.made,
            sent: uses.sent,
            replied: uses.replied,
            accepted: uses.accepted,
            reappeared: uses.reappeared,
        }
    }
}

/// The active templates with what came of their mails, or all versions of one, the newest first.
#[utoipa::path(
    get, path = "/mailTemplates", tag = "Mail templates", params(MailTemplatesParams),
    responses(
        (status = 200, body = MailTemplatesView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_mail_templates(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    Query(params): Query<MailTemplatesParams>,
) -> Result<Json<MailTemplatesView>, ApiError> {
    let query = TemplateQuery {
        versions_of: params.versions_of.map(TemplateId),
        ..TemplateQuery::default()
    };
    let found = templates::list(&state.postgres, &caller.scope, query, MOST).await?;
    Ok(Json(MailTemplatesView {
        data: found.into_iter().map(MailTemplateView::from).collect(),
    }))
}

/// A template as an administrator writes it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MailTemplateBody {
    /// `notification`, `reminder` or `answer`.
    r#type: String,
    /// Its name in lists: 255 characters at most.
    label: String,
    /// `en` or `fr`.
    language: String,
    /// The number of the reminder that it is for; null for any.
    #[serde(default)]
    reminder: Option<u32>,
    /// Null for all brands.
    #[serde(default)]
    brand_id: Option<i32>,
    /// One line of 200 characters at most.
    subject: String,
    /// Plain text of 20,000 characters at most.
    body: String,
    /// Of a change: `false` puts the template away.
    #[serde(default = "yes")]
    active: bool,
}

const fn yes() -> bool {
    true
}

/// Adds a template.
#[utoipa::path(
    post, path = "/mailTemplates", tag = "Mail templates", request_body = MailTemplateBody,
    responses(
        (status = 200, body = OneMailTemplateView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "No administrator"),
        (status = 422, body = FailureBody, description = "A value that a template cannot have"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn add_mail_template(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    extract::Json(body): extract::Json<MailTemplateBody>,
) -> Result<Json<OneMailTemplateView>, ApiError> {
    let facts = read(&state, &caller, body).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let id = templates::add(&mut tx, &caller.scope, &facts, (caller.user.id, state.clock.now())).await?;
    record(&mut tx, &caller, (Event::Create, id), &facts).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    one(&state, &caller, id).await
}

/// Changes a template. A version that a mail was made from stays as it is, and the answer has the next one.
#[utoipa::path(
    patch, path = "/mailTemplates/{id}", tag = "Mail templates", request_body = MailTemplateBody,
    params(("id" = i32, Path, description = "Id of the newest version")),
    responses(
        (status = 200, body = OneMailTemplateView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "No administrator"),
        (status = 404, body = FailureBody, description = "No such template"),
        (status = 409, body = FailureBody, description = "There is a newer version"),
        (status = 422, body = FailureBody, description = "A value that a template cannot have"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn change_mail_template(
    State(state): State<ApiState>,
    Administrator(caller): Administrator,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<MailTemplateBody>,
) -> Result<Json<OneMailTemplateView>, ApiError> {
    let id = TemplateId(id);
    find(&state, &caller, id).await?;
    let is_active = body.active;
    let facts = read(&state, &caller, body).await?;
    let mut tx = postgres::begin(&state.postgres).await?;
    let author = (caller.user.id, state.clock.now());
    let newest = match templates::change(&mut tx, &caller.scope, id, (&facts, is_active), author).await? {
        TemplateChange::Same => id,
        TemplateChange::Next(next) => next,
        TemplateChange::Outdated => {
            return Err(ApiError::Conflict(
                "There is a newer version of this template.".to_owned(),
            ));
        }
    };
    record(&mut tx, &caller, (Event::Change, newest), &facts).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    one(&state, &caller, newest).await
}

/// A template to be tried on a case.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewBody {
    subject: String,
    body: String,
    /// `en` or `fr`.
    language: String,
    /// `notification`, `reminder` or `answer`. Only an answer has the name of its sender.
    r#type: String,
    /// The case that it is filled in on.
    #[serde(rename = "actionID")]
    #[schema(rename = "actionID")]
    action_id: i32,
}

/// A template tried on a case.
#[derive(Serialize, ToSchema)]
pub(super) struct PreviewView {
    data: PreviewedLetter,
}

/// A letter of a case that is not sent.
#[derive(Serialize, ToSchema)]
struct PreviewedLetter {
    subject: String,
    /// Plain text, with `{{ name }}` where a value is missing.
    body: String,
    /// The names of the values that are missing; with one, nothing is sent.
    holes: Vec<String>,
    /// Whom it would go to.
    to: Vec<String>,
}

/// Fills a template in on a case, without storing or sending anything.
#[utoipa::path(
    post, path = "/mailTemplates/preview", tag = "Mail templates", request_body = PreviewBody,
    responses(
        (status = 200, body = PreviewView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case"),
        (status = 422, body = FailureBody, description = "A template that cannot be filled in"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn preview_mail_template(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    extract::Json(body): extract::Json<PreviewBody>,
) -> Result<Json<PreviewView>, ApiError> {
    Ok(Json(PreviewView {
        data: try_on_case(&state, &caller, &body).await?,
    }))
}

/// Sends a template, filled in on a case, to the caller, whether or not it has holes.
#[utoipa::path(
    post, path = "/mailTemplates/test", tag = "Mail templates", request_body = PreviewBody,
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case"),
        (status = 422, body = FailureBody, description = "A template that cannot be filled in"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn send_mail_template(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    extract::Json(body): extract::Json<PreviewBody>,
) -> Result<StatusCode, ApiError> {
    let letter = try_on_case(&state, &caller, &body).await?;
    let to = (caller.user.id, caller.user.email.as_str());
    let words = (letter.subject.as_str(), letter.body.as_str());
    mails::queue_trial(&state.postgres, to, language_of(&body.language)?, words).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A template filled in on a case; a 422 at the field for one that cannot be.
async fn try_on_case(state: &ApiState, caller: &Caller, body: &PreviewBody) -> Result<PreviewedLetter, ApiError> {
    let (kind, language) = (kind_of(&body.r#type)?, language_of(&body.language)?);
    outreach::check(&body.subject, &body.body).map_err(refused_template)?;
    let case = case_of(state, caller, body.action_id).await?;
    let sender = (kind == CaseMailKind::Answer).then(|| sender(caller)).flatten();
    let facts = gather(
        stores(state),
        &caller.scope,
        &case,
        (language, sender),
        state.clock.now(),
    )
    .await?;
    let fill = |subject, body| fill_in((subject, body), &facts, language);
    // Tried by itself, so that a refusal names its field.
    fill(&body.subject, "").map_err(|error| refused_template((TemplatePart::Subject, error)))?;
    let letter = fill(&body.subject, &body.body).map_err(|error| refused_template((TemplatePart::Body, error)))?;
    Ok(PreviewedLetter {
        subject: letter.subject,
        body: letter.body,
        holes: letter.holes,
        to: case.contacts.into_iter().map(|contact| contact.address).collect(),
    })
}

/// The stores that letters are made from.
fn stores(state: &ApiState) -> LetterStores<'_> {
    LetterStores {
        postgres: &state.postgres,
        analytics: &state.analytics,
    }
}

/// The first name of the caller.
fn sender(caller: &Caller) -> Option<String> {
    caller.user.first_name.clone().filter(|name| !name.trim().is_empty())
}

/// A case that the caller sees; `NoRow` without one.
async fn case_of(state: &ApiState, caller: &Caller, id: i32) -> Result<CaseInLetters, ApiError> {
    let found = letters::cases(&state.postgres, &caller.scope, &[ActionId(id)]).await?;
    let case = found.into_iter().next();
    case.ok_or_else(|| ApiError::NoRow(format!("could not find a model with id {id}")))
}

/// A version of a template; `NoRow` without one.
async fn find(state: &ApiState, caller: &Caller, id: TemplateId) -> Result<Template, ApiError> {
    let query = TemplateQuery {
        id: Some(id),
        ..TemplateQuery::default()
    };
    let found = templates::list(&state.postgres, &caller.scope, query, 1).await?.pop();
    found.ok_or_else(|| ApiError::NoRow(format!("could not find a model with id {id}")))
}

/// The answer with one template.
async fn one(state: &ApiState, caller: &Caller, id: TemplateId) -> Result<Json<OneMailTemplateView>, ApiError> {
    let template = find(state, caller, id).await?;
    Ok(Json(OneMailTemplateView { data: template.into() }))
}

/// The kind of mail of this name; a 422 for another.
fn kind_of(name: &str) -> Result<CaseMailKind, ApiError> {
    name.parse()
        .map_err(|_| FieldFault::new("type", "fields:mailKind").into())
}

/// The language of this name; a 422 for another.
fn language_of(name: &str) -> Result<Language, ApiError> {
    name.parse()
        .map_err(|_| FieldFault::new("language", "fields:language").into())
}

/// Reads what an administrator writes; a 422 at the field for a value that a template cannot have.
async fn read(state: &ApiState, caller: &Caller, body: MailTemplateBody) -> Result<TemplateFacts, ApiError> {
    let (kind, language) = (kind_of(&body.r#type)?, language_of(&body.language)?);
    let label = body.label.trim().to_owned();
    if label.is_empty() || label.chars().count() > LONGEST_LABEL {
        return Err(FieldFault::new("label", "fields:length")
            .with("most", LONGEST_LABEL)
            .into());
    }
    let is_reminder = kind == CaseMailKind::Reminder;
    if body
        .reminder
        .is_some_and(|number| !is_reminder || !(1..=MOST_REMINDERS).contains(&number))
    {
        return Err(FieldFault::new("reminder", "fields:reminder")
            .with("most", MOST_REMINDERS)
            .into());
    }
    for (field, text) in [("subject", &body.subject), ("body", &body.body)] {
        if text.trim().is_empty() {
            return Err(FieldFault::new(field, "fields:empty").into());
        }
    }
    outreach::check(&body.subject, &body.body).map_err(refused_template)?;
    let brand = body.brand_id.map(BrandId);
    if let Some(brand) = brand
        && brands::by_ids(&state.postgres, &caller.scope, &[brand])
            .await?
            .is_empty()
    {
        return Err(FieldFault::new("brandId", "fields:brand").into());
    }
    Ok(TemplateFacts {
        kind,
        language,
        label,
        brand,
        reminder: body.reminder,
        subject: body.subject.trim().to_owned(),
        body: body.body.replace("\r\n", "\n").trim_end().to_owned(),
    })
}

/// Writes a change of a template to the audit log.
async fn record(
    connection: &mut postgres::Connection,
    caller: &Caller,
    (event, id): (Event, TemplateId),
    facts: &TemplateFacts,
) -> Result<(), ApiError> {
    let after = json!({
        "type": facts.kind, "language": facts.language.to_string(), "label": facts.label, "brandId": facts.brand,
        "reminder": facts.reminder, "subject": facts.subject, "body": facts.body,
    });
    let change = AuditedChange {
        event,
        model: MODEL,
        target: id.to_string(),
        details: json!({ "after": after }),
    };
    Ok(audit::record(connection, &caller.audit_actor(), &[change]).await?)
}
