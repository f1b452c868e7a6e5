//! `GET /actions/detail/{id}`: one case with its story and mails.

use axum::Json;
use axum::extract::State;
use postgres::actions::story::MailSummary;
use postgres::actions::{list, notes, story as stories};
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;
use vocabulary::ActionId;

use super::links;
use super::search::surroundings;
use super::story::date;
use super::views::CaseFields;
use crate::access::Caller;
use crate::extract::Path;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Mails of a case that are listed with it, the newest.
const MOST_MAILS: i64 = 500;

/// The answer about one case.
#[derive(Serialize, ToSchema)]
pub(super) struct CaseAnswer {
    data: CaseDetailView,
}

/// A case as its page shows it.
#[derive(Serialize, ToSchema)]
pub(super) struct CaseDetailView {
    #[serde(flatten)]
    case: CaseFields,
    brand: Option<CaseBrandView>,
    /// What was imported with it.
    note: Option<String>,
    /// Its mails without their texts, the oldest first; for staff.
    emails: Vec<CaseMailSummaryView>,
    /// The page of its mails on the dashboard of the setting `frames.legacy_dashboard_url`, for staff; null where they are a page of Vigie's own.
    #[serde(rename = "mailsPage")]
    mails_page: Option<String>,
}

/// The brand of a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CaseBrandView {
    id: i32,
    label: Option<String>,
    create_shopping_notification: Option<bool>,
}

/// A mail of a case, without its text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CaseMailSummaryView {
    id: i32,
    subject: Option<String>,
    status: Option<String>,
    template_type: Option<String>,
    created_date: Option<String>,
    received_date: Option<String>,
    sended_date: Option<String>,
    /// Whether it was read.
    open: bool,
}

impl From<MailSummary> for CaseMailSummaryView {
    fn from(mail: MailSummary) -> Self {
        Self {
            id: mail.id,
            subject: mail.subject,
            status: mail.status,
            template_type: mail.template,
            created_date: date(mail.created),
            received_date: date(mail.received),
            sended_date: date(mail.sent),
            open: mail.is_open,
        }
    }
}

/// A case: what it is, what has happened in it, what Vigie does next, and the calls that the reader may make.
#[utoipa::path(
    get, path = "/actions/detail/{id}", tag = "Actions",
    params(("id" = i32, Path, description = "Id of the action")),
    responses(
        (status = 200, body = CaseAnswer),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such action, or one out of the reader's scope"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn show_action(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<CaseAnswer>, ApiError> {
    let (id, pool, scope) = (ActionId(id), &state.postgres, &caller.scope);
    let unknown = || ApiError::NoRow(format!("Unknown \"Action\" id \"{id}\"."));
    let ids = [id];
    let (mut rows, subjects) = tokio::try_join!(list::by_ids(pool, scope, &ids), notes::subjects(pool, scope, id))?;
    let (row, subjects) = rows.pop().zip(subjects).ok_or_else(unknown)?;
    let emails = if scope.is_everything() {
        stories::mails(pool, scope, id, MOST_MAILS).await?
    } else {
        Vec::new()
    };
    let legacy = state.settings.frames.legacy_dashboard_url.as_ref();
    let mails_page = legacy
        .filter(|_| scope.is_everything())
        .map(|dashboard| mails_page(dashboard, id));
    let of_story = links::of_story(&row, subjects);
    let mut around = surroundings(&state, &caller, std::slice::from_ref(&row)).await?;
    let brand = row.brand.map(|brand| CaseBrandView {
        id: brand.0,
        label: row.brand_label.clone(),
        create_shopping_notification: row.brand_wants_shopping,
    });
    let note = row.note.clone();
    let mut case = around.show(row);
    case.links.extend(of_story);
    Ok(Json(CaseAnswer {
        data: CaseDetailView {
            case,
            brand,
            note,
            emails: emails.into_iter().map(CaseMailSummaryView::from).collect(),
            mails_page,
        },
    }))
}

/// The page of the mails of a case on a dashboard (decision D6).
fn mails_page(dashboard: &Url, id: ActionId) -> String {
    let mut page = dashboard.clone();
    if let Ok(mut path) = page.path_segments_mut() {
        path.pop_if_empty()
            .extend(["action", "operator", "list", &id.to_string(), "embedded", "true"]);
    }
    page.into()
}
