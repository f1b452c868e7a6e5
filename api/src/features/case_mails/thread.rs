//! The conversation of a case: `GET /actions/emails`.

use axum::Json;
use axum::extract::State;
use postgres::case_mails::{contacts, drafts, thread};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Language;

use super::OfCase;
use super::views::{ContactView, DraftView, MailView, SiblingView};
use crate::access::MailCaller;
use crate::extract::Query;
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// The mails of a case.
#[derive(Serialize, ToSchema)]
pub(super) struct CaseMailsView {
    data: ConversationView,
}

/// The mails of a case, and for staff what is needed to write one.
#[derive(Serialize, ToSchema)]
struct ConversationView {
    /// The oldest first.
    mails: Vec<MailView>,
    /// The own draft.
    draft: Option<DraftView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<ContactView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    siblings: Option<Vec<SiblingView>>,
    /// The language of letters to the advertiser's country, `en` or `fr`.
    language: String,
}

/// The mails that were exchanged in a case. Staff also gets the own draft, the contacts of the advertiser, and its other cases that wait for a first mail.
#[utoipa::path(
    get, path = "/actions/emails", tag = "Emails", params(OfCase),
    responses(
        (status = 200, body = CaseMailsView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_case_mails(
    State(state): State<ApiState>,
    caller: MailCaller,
    Query(of): Query<OfCase>,
) -> Result<Json<CaseMailsView>, ApiError> {
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let (action, caller, advertiser) = of.find(&mut connection, &caller).await?;
    let is_staff = !caller.user.known_roles().is_empty();
    let mails = thread::thread(&mut connection, &caller.scope, action, None).await?;
    let country = advertiser.country.as_deref().unwrap_or_default();
    let mut conversation = ConversationView {
        mails: mails
            .into_iter()
            .map(|mail| MailView::from_mail(mail, is_staff))
            .collect(),
        draft: None,
        contacts: None,
        siblings: None,
        language: Language::for_country(country, &advertiser.languages).to_string(),
    };
    if is_staff {
        let draft = drafts::own(&mut connection, action, caller.user.id).await?;
        let contacts = contacts::contacts(&mut connection, action).await?;
        let siblings = contacts::siblings(&mut connection, &caller.scope, action).await?;
        conversation.draft = draft.map(|draft| DraftView::from_draft(draft, action));
        conversation.contacts = Some(contacts.into_iter().map(ContactView::from).collect());
        conversation.siblings = Some(siblings.into_iter().map(SiblingView::from).collect());
    }
    Ok(Json(CaseMailsView { data: conversation }))
}
