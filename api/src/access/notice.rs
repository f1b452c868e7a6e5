//! Mails to the holder of an account about the account.

use postgres::mails::NewMail;
use postgres::{Connection, mails, users};
use uuid::Uuid;
use vocabulary::{Language, MailKind, UserId};

use crate::failure::ApiError;

/// Queues a mail to the holder of an account, in `language` or, without one, the language last used. Does nothing when there is no such account. Call
/// it in the transaction of the change, so that both are committed or neither.
pub async fn notify(
    connection: &mut Connection,
    user: UserId,
    kind: MailKind,
    language: Option<Language>,
) -> Result<(), ApiError> {
    let Some(holder) = users::address(&mut *connection, user).await? else {
        return Ok(());
    };
    let mail = NewMail {
        business_key: &format!("{kind} {}", Uuid::new_v4()),
        kind,
        user: Some(user),
        recipient: &holder.email,
        language,
    };
    mails::queue(connection, &mail).await?;
    Ok(())
}
