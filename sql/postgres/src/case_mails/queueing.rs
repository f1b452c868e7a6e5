//! Mails of cases that are to leave: written once, with a delivery for each recipient.

use chrono::{DateTime, Utc};
use rand::Rng;
use vocabulary::{ActionEvent, ActionId, CaseMailKind, ContactId, EmailId, Language, Scope, TemplateId, UserId};

use crate::scoped::ScopeLists;
use crate::{Connection, Error, Result};

/// The digits of base 32 (RFC 4648), in lower case: servers fold the case of addresses.
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Digits of 128 bits.
const TOKEN_DIGITS: usize = 26;

/// A mail of a case that is to leave.
#[derive(Clone, Debug)]
pub struct NewCaseMail<'a> {
    /// The case that it belongs to.
    pub action: ActionId,
    /// What it is for.
    pub kind: CaseMailKind,
    /// The number of a reminder in its cycle, from 1; `None` for any other mail.
    pub reminder: Option<u32>,
    /// The version of the template that it was made from.
    pub template: Option<TemplateId>,
    /// What it is written in.
    pub language: Language,
    /// Its subject, with nothing left to fill in.
    pub subject: &'a str,
    /// Its text, with nothing left to fill in.
    pub body: &'a str,
    /// Whom it goes to. Those that are not active contacts of the advertiser are left out, and of several with one address all but one.
    pub recipients: &'a [ContactId],
    /// The user that wrote it; `None` for Vigie.
    pub author: Option<UserId>,
    /// It does not leave before this.
    pub not_before: DateTime<Utc>,
    /// `Accept` or `Refuse`: happens to the case once the mail has left.
    pub then: Option<ActionEvent>,
}

/// What [`queue`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// It is on its way.
    New(EmailId),
    /// The same mail was queued before: nothing was written.
    Already,
    /// None of the recipients can be written to: nothing was written.
    Nobody,
}

/// A recipient with the address that a mail goes to.
pub(super) struct Recipient {
    pub(super) contact: i32,
    address: String,
}

/// The place of a mail in its case, which no other mail takes.
pub(super) struct MailSlot {
    pub(super) action: i32,
    pub(super) kind: CaseMailKind,
    pub(super) cycle: i32,
    pub(super) reminder: Option<i32>,
}

/// Writes a mail with a delivery for each recipient, and locks its case until the transaction ends. A notification or a reminder is written once in a
/// cycle of its case, unless the one before was cancelled or, where a person writes, has failed. An error for a case that the scope does not see.
///
/// The status of the case changes when the first delivery is sent or unknown.
pub async fn queue(
    connection: &mut Connection,
    scope: &Scope,
    mail: &NewCaseMail<'_>,
    now: DateTime<Utc>,
) -> Result<Queued> {
    let Some(cycle) = lock_cycle(connection, scope, mail.action).await? else {
        return Err(Error::OutOfReach);
    };
    let slot = MailSlot {
        action: mail.action.0,
        kind: mail.kind,
        cycle,
        reminder: mail.reminder.and_then(|number| i32::try_from(number).ok()),
    };
    let recipients = recipients(connection, mail.action, mail.recipients).await?;
    if recipients.is_empty() {
        return Ok(Queued::Nobody);
    }
    if is_taken(connection, &slot, mail.author.is_some()).await? {
        return Ok(Queued::Already);
    }
    let kind = mail.kind.to_string();
    let id = sqlx::query_scalar!(
        "insert into email (action_id, direction, kind, cycle, reminder_number, template_id, template_type, language, subject, body, status, author_id,
             created_date, then_event, open)
         values ($1, 'out', $2, $3, $4, $5, $2, $6, $7, $8, 'queued', $9, $10, $11, true) returning id",
        slot.action,
        kind,
        slot.cycle,
        slot.reminder,
        mail.template.map(|template| template.0),
        mail.language.to_string(),
        mail.subject,
        mail.body,
        mail.author.map(|author| author.0),
        now,
        mail.then.map(|event| event.to_string())
    )
    .fetch_one(&mut *connection)
    .await?;
    let id = EmailId(id);
    deliver(connection, id, &slot, &recipients, mail.not_before, now).await?;
    Ok(Queued::New(id))
}

/// The present cycle of a case, which is locked until the transaction ends; `None` for one that the scope does not see.
pub(super) async fn lock_cycle(connection: &mut Connection, scope: &Scope, action: ActionId) -> Result<Option<i32>> {
    let bounds = ScopeLists::from_scope(scope);
    let cycle = sqlx::query_scalar!(
        "select cycle from action where id = $2 and ($1::int[] is null or brand_id = any($1)) for no key update",
        bounds.brands as Option<Vec<i32>>,
        action.0
    );
    Ok(cycle.fetch_optional(connection).await?)
}

/// Selects those of the contacts that may get mails about a case: active contacts of its advertiser or of the dealer with the case's own domain. Of
/// several with one address, in any case of letters, it takes the lowest id. Suppressed addresses are not left out here.
pub(super) async fn recipients(
    connection: &mut Connection,
    action: ActionId,
    contacts: &[ContactId],
) -> Result<Vec<Recipient>> {
    let contacts: Vec<i32> = contacts.iter().map(|contact| contact.0).collect();
    let rows = sqlx::query!(
        r#"select distinct on (lower(c.email)) c.id, c.email
           from action a
               join dealer_contact l on l.dealer_id in (a.advertiser_id, (select own.id from dealer own where own.domain = a.domain))
               join contact c on c.id = l.contact_id
           where a.id = $1 and c.id = any($2) and coalesce(c.state, 'active') = 'active'
           order by lower(c.email), c.id"#,
        action.0,
        &contacts
    )
    .fetch_all(connection)
    .await?;
    let recipients = rows.into_iter().map(|row| Recipient {
        contact: row.id,
        address: row.email,
    });
    Ok(recipients.collect())
}

/// Whether a mail has this place already. Answers have none of their own; a person may write again what has failed.
pub(super) async fn is_taken(connection: &mut Connection, slot: &MailSlot, by_person: bool) -> Result<bool> {
    if slot.kind == CaseMailKind::Answer {
        return Ok(false);
    }
    let taken = sqlx::query_scalar!(
        r#"select exists (
               select from email e join mail_delivery d on d.email_id = e.id
               where e.action_id = $1 and e.kind = $2 and e.cycle = $3 and e.reminder_number is not distinct from $4
                   and d.state <> 'cancelled' and not ($5 and d.state = 'failed')
           ) as "taken!""#,
        slot.action,
        slot.kind.to_string(),
        slot.cycle,
        slot.reminder,
        by_person
    );
    Ok(taken.fetch_one(connection).await?)
}

/// Writes the deliveries of a mail whose place is free. Deliveries that came to nothing give up their keys.
pub(super) async fn deliver(
    connection: &mut Connection,
    email: EmailId,
    slot: &MailSlot,
    recipients: &[Recipient],
    not_before: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    let contacts: Vec<i32> = recipients.iter().map(|recipient| recipient.contact).collect();
    let addresses: Vec<String> = recipients.iter().map(|recipient| recipient.address.clone()).collect();
    let keys: Vec<String> = contacts.iter().map(|contact| slot.key(email, *contact)).collect();
    let tokens = |_: &i32| token();
    let reply_tokens: Vec<String> = contacts.iter().map(tokens).collect();
    let bounce_tokens: Vec<String> = contacts.iter().map(tokens).collect();
    sqlx::query!(
        "update mail_delivery set business_key = business_key || ':' || id where business_key = any($1)",
        &keys
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into email_recipient (email_id, contact_id) select $1, contact from unnest($2::int[]) contact on conflict do nothing",
        email.0,
        &contacts
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, not_before, created_at)
         select $1, r.*, $7, $8 from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) r",
        email.0,
        &contacts,
        &addresses,
        &keys,
        &reply_tokens,
        &bounce_tokens,
        not_before,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl MailSlot {
    /// What makes a delivery to a contact unique.
    fn key(&self, email: EmailId, contact: i32) -> String {
        match self.kind {
            CaseMailKind::Answer => format!("answer:{email}:{contact}"),
            kind => format!(
                "{kind}:{}:{}:{}:{contact}",
                self.action,
                self.cycle,
                self.reminder.unwrap_or(0)
            ),
        }
    }
}

/// 128 random bits that go into an address.
pub(super) fn token() -> String {
    let mut bytes = [0; size_of::<u128>()];
    rand::rng().fill_bytes(&mut bytes);
    let mut bits = u128::from_be_bytes(bytes);
    let mut token = String::with_capacity(TOKEN_DIGITS);
    for _ in 0..TOKEN_DIGITS {
        token.push(char::from(DIGITS[(bits & 31) as usize]));
        bits >>= 5;
    }
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_length_that_addresses_take_and_is_never_the_same() {
        let tokens: std::collections::BTreeSet<String> = (0..100).map(|_| token()).collect();
        assert_eq!(tokens.len(), 100);
        for token in tokens {
            assert_eq!(token.len(), TOKEN_DIGITS, "{token}");
            assert!(token.bytes().all(|byte| DIGITS.contains(&byte)), "{token}");
        }
    }
}
