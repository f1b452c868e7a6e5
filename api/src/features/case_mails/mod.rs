//! The mails of cases: the conversation with an advertiser, the draft and its way out, whom it goes to, what comes
//! back; templates, what leaves today, and stops.

mod contacts;
mod drafts;
mod files;
mod inbound;
mod opened;
mod read;
mod send;
mod stops;
mod templates;
mod thread;
mod tickets;
mod today;
mod unmatched;
mod views;

use axum::extract::DefaultBodyLimit;
use postgres::Connection;
use postgres::case_mails::contacts::{CaseAdvertiser, advertiser};
use postgres::case_mails::inbound::MAX_MAIL_BYTES;
use postgres::case_mails::thread::case_of;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{ActionId, EmailId};

use crate::access::{Caller, MailCaller};
use crate::failure::ApiError;
use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    let inbound = OpenApiRouter::new()
        .routes(routes!(inbound::take_mail))
        .layer(DefaultBodyLimit::max(MAX_MAIL_BYTES));
    OpenApiRouter::new()
        .merge(inbound)
        .routes(routes!(opened::load_picture))
        .routes(routes!(read::mark_read))
        .routes(routes!(read::rule_automatic))
        .routes(routes!(unmatched::list_inbound_mails))
        .routes(routes!(unmatched::attach_inbound_mail, unmatched::detach_inbound_mail))
        .routes(routes!(unmatched::read_inbound_mail))
        .routes(routes!(unmatched::discard_inbound_mail))
        .routes(routes!(thread::list_case_mails))
        .routes(routes!(drafts::save_draft, drafts::delete_draft))
        .routes(routes!(send::send_draft))
        .routes(routes!(send::undo_mail))
        .routes(routes!(send::rule_mail))
        .routes(routes!(contacts::list_contacts, contacts::add_contact))
        .routes(routes!(contacts::change_contact))
        .routes(routes!(files::read_file))
        .routes(routes!(tickets::make_ticket))
        .routes(routes!(templates::list_case_templates))
        .routes(routes!(templates::list_mail_templates, templates::add_mail_template))
        .routes(routes!(templates::change_mail_template))
        .routes(routes!(templates::preview_mail_template))
        .routes(routes!(templates::send_mail_template))
        .routes(routes!(today::show_outreach_today, today::strike_outreach_today))
        .routes(routes!(stops::list_mail_stops, stops::add_mail_stop))
        .routes(routes!(stops::lift_mail_stop))
}

/// The case of a call.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OfCase {
    /// The case that the call is about.
    #[serde(rename = "actionID")]
    action_id: i32,
}

impl OfCase {
    /// Finds the case within sight of the caller, with what it says about its advertiser; 404 otherwise.
    async fn find<'c>(
        &self,
        connection: &mut Connection,
        caller: &'c MailCaller,
    ) -> Result<(ActionId, &'c Caller, CaseAdvertiser), ApiError> {
        let action = ActionId(self.action_id);
        let caller = caller.on_case(action)?;
        let found = advertiser(connection, &caller.scope, action).await?;
        Ok((action, caller, found.ok_or_else(|| unknown_case(action))?))
    }

    /// Like [`OfCase::find`], for staff alone: 403 for others that see the case.
    async fn of_staff<'c>(
        &self,
        connection: &mut Connection,
        caller: &'c MailCaller,
    ) -> Result<(ActionId, &'c Caller, CaseAdvertiser), ApiError> {
        let found = self.find(connection, caller).await?;
        check_staff(found.1)?;
        Ok(found)
    }
}

/// The case of a mail within sight of a caller of the staff; 404 for any other mail, 403 for others that see its case.
async fn case_of_mail<'c>(
    connection: &mut Connection,
    caller: &'c MailCaller,
    mail: EmailId,
) -> Result<(ActionId, &'c Caller), ApiError> {
    let found = case_of(connection, &caller.before_case().scope, mail).await?;
    let action = found.ok_or_else(|| unknown_mail(mail))?;
    let caller = caller.on_case(action).map_err(|_| unknown_mail(mail))?;
    check_staff(caller)?;
    Ok((action, caller))
}

/// Refuses callers who are no staff.
fn check_staff(caller: &Caller) -> Result<(), ApiError> {
    if caller.user.known_roles().is_empty() {
        return Err(ApiError::Forbidden);
    }
    Ok(())
}

fn unknown_case(action: ActionId) -> ApiError {
    ApiError::NoRow(format!("Unknown \"Action\" id \"{action}\"."))
}

fn unknown_mail(mail: EmailId) -> ApiError {
    ApiError::NoRow(format!("Unknown \"Email\" id \"{mail}\"."))
}
