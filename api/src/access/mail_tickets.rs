//! Tickets of frames that show the mails of one case (decision D177): for five minutes, and for the mails of this case alone.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use vocabulary::ActionId;

use super::Caller;
use super::caller::find_session;
use crate::failure::ApiError;
use crate::state::ApiState;

/// How long a ticket lives.
pub const TTL_SECONDS: i64 = 300;
/// How the scope of a ticket begins.
const SCOPE: &str = "case-mails:";

/// The caller of an operation on the mails of cases: with a session, or with the ticket of one case.
#[derive(Clone, Debug)]
pub struct MailCaller {
    /// The user acted for.
    caller: Caller,
    /// The one case that a ticket opens; `None` with a session.
    only: Option<ActionId>,
}

impl FromRequestParts<ApiState> for MailCaller {
    type Rejection = ApiError;

    /// Extracts the caller; `NotSignedIn` for a token with any other purpose, and the failures of [`Caller`].
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let session = find_session(parts, state).await?.ok_or(ApiError::NotSignedIn)?;
        let only = if session.token.is_session() {
            None
        } else {
            Some(ticket_case(session.token.scopes.as_deref()).ok_or(ApiError::NotSignedIn)?)
        };
        let (caller, _) = Caller::from_session(session, parts, state).await?;
        Ok(Self { caller, only })
    }
}

impl MailCaller {
    /// The user acted for, in this case; `NoRow` when a ticket is for another one.
    pub fn on_case(&self, action: ActionId) -> Result<&Caller, ApiError> {
        if self.only.is_some_and(|only| only != action) {
            return Err(ApiError::NoRow(format!("Unknown \"Action\" id \"{action}\".")));
        }
        Ok(&self.caller)
    }

    /// The user acted for, where it is not known yet in which case: check that with [`MailCaller::on_case`] before anything is answered or changed.
    pub const fn before_case(&self) -> &Caller {
        &self.caller
    }
}

/// The scope of a ticket for the mails of a case.
pub fn scope_of(action: ActionId) -> String {
    format!("{SCOPE}{action}")
}

/// The case of a ticket with these scopes; `None` for any other token.
fn ticket_case(scopes: Option<&[String]>) -> Option<ActionId> {
    match scopes {
        Some([scope]) => scope.strip_prefix(SCOPE)?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_names_one_case() {
        let scope = scope_of(ActionId(7));
        assert_eq!(ticket_case(Some(std::slice::from_ref(&scope))), Some(ActionId(7)));
        assert_eq!(ticket_case(Some(&[scope.clone(), scope])), None);
        assert_eq!(ticket_case(Some(&["reset-password".to_owned()])), None);
        assert_eq!(ticket_case(None), None);
    }
}
