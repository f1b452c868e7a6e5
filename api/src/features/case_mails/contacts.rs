//! Whom staff can write to in a case: `GET` and `POST /actions/contacts`, `PATCH /actions/contacts/{id}`.

use axum::extract::State;
use postgres::Connection;
use postgres::case_mails::contacts::{self, ContactChange};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{ActionId, ContactId, is_mail_address};

use super::OfCase;
use super::views::ContactView;
use crate::access::MailCaller;
use crate::extract::{Json, Path, Query};
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// Characters of a name.
const LONGEST_NAME: usize = 255;

/// The contacts of a case.
#[derive(Serialize, ToSchema)]
pub(super) struct ContactsView {
    data: Vec<ContactView>,
}

/// A contact to be added.
#[derive(Deserialize, ToSchema)]
pub(super) struct NewContact {
    email: String,
    name: Option<String>,
}

/// A change of a contact; what is left out stays.
#[derive(Deserialize, ToSchema)]
pub(super) struct ChangedContact {
    state: Option<ContactSwitch>,
    name: Option<String>,
}

/// Whether a contact may be written to.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ContactSwitch {
    Active,
    Inactive,
}

/// The contacts of the advertiser of a case: those of its host and of its registrable domain, active ones first.
#[utoipa::path(
    get, path = "/actions/contacts", tag = "Emails", params(OfCase),
    responses(
        (status = 200, body = ContactsView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_contacts(
    State(state): State<ApiState>,
    caller: MailCaller,
    Query(of): Query<OfCase>,
) -> Result<axum::Json<ContactsView>, ApiError> {
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let (action, ..) = of.of_staff(&mut connection, &caller).await?;
    answer(&mut connection, action).await
}

/// Adds a contact to the advertiser of a case; one that is known already is active again.
#[utoipa::path(
    post, path = "/actions/contacts", tag = "Emails", params(OfCase), request_body = NewContact,
    responses(
        (status = 200, body = ContactsView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight"),
        (status = 422, body = FailureBody, description = "No address that mail can be sent to, or too long a name"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn add_contact(
    State(state): State<ApiState>,
    caller: MailCaller,
    Query(of): Query<OfCase>,
    Json(contact): Json<NewContact>,
) -> Result<axum::Json<ContactsView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let (action, ..) = of.of_staff(&mut tx, &caller).await?;
    let email = contact.email.trim();
    if !is_mail_address(email) {
        return Err(FieldFault::new("email", "fields:mailAddress").into());
    }
    let name = contact.name.as_deref().map(read_name).transpose()?;
    contacts::add_contact(&mut tx, action, email, name.filter(|name| !name.is_empty())).await?;
    let view = answer(&mut tx, action).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(view)
}

/// Changes whether a contact of a case may be written to, or its name.
#[utoipa::path(
    patch, path = "/actions/contacts/{id}", tag = "Emails", params(("id" = i32, Path, description = "The contact"), OfCase), request_body = ChangedContact,
    responses(
        (status = 200, body = ContactsView),
        (status = 401, body = FailureBody, description = "No valid session, nor a ticket for the mails of this case"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such case within sight, or no such contact of it"),
        (status = 422, body = FailureBody, description = "Too long a name"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn change_contact(
    State(state): State<ApiState>,
    caller: MailCaller,
    Path(id): Path<i32>,
    Query(of): Query<OfCase>,
    Json(change): Json<ChangedContact>,
) -> Result<axum::Json<ContactsView>, ApiError> {
    let mut tx = postgres::begin(&state.postgres).await?;
    let (action, ..) = of.of_staff(&mut tx, &caller).await?;
    let change = ContactChange {
        is_active: change.state.map(|state| state == ContactSwitch::Active),
        name: change.name.as_deref().map(read_name).transpose()?,
    };
    if !contacts::change_contact(&mut tx, action, ContactId(id), change).await? {
        return Err(ApiError::NoRow(format!("Unknown \"Contact\" id \"{id}\".")));
    }
    let view = answer(&mut tx, action).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(view)
}

async fn answer(connection: &mut Connection, action: ActionId) -> Result<axum::Json<ContactsView>, ApiError> {
    let found = contacts::contacts(connection, action).await?;
    Ok(axum::Json(ContactsView {
        data: found.into_iter().map(ContactView::from).collect(),
    }))
}

/// A name on one line.
fn read_name(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    if name.chars().count() > LONGEST_NAME || name.contains(char::is_control) {
        return Err(FieldFault::new("name", "fields:oneLine")
            .with("most", LONGEST_NAME)
            .into());
    }
    Ok(name)
}
