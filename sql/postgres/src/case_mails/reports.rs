//! What mail servers report of our mails, and what follows for contacts, domains and cases.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use vocabulary::{ActionEvent, ActionId, DeliveryReport, SystemScope};

use super::addresses::address_digest;
use super::folding::add_event;
use crate::actions::events;
use crate::{Connection, Result};

/// So many addresses of one domain that refuse mails within [`REFUSALS_WITHIN`] are a fault of ours, not of the addresses.
const REFUSALS_OF_DOMAIN: i64 = 3;
const REFUSALS_WITHIN: TimeDelta = TimeDelta::hours(1);
/// How long nothing is sent to a domain that refuses our mails.
const STOPPED_FOR: TimeDelta = TimeDelta::hours(6);
/// So many mails in a row that could not be delivered for now make a contact unreachable.
const SOFT_IN_A_ROW: i64 = 5;
const MAX_TEXT: usize = 500;
const MAX_STATUS: usize = 20;

/// What a server says of one mail to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it comes to.
    pub outcome: DeliveryReport,
    /// The status code, as in `5.1.1`; empty where there is none.
    pub status: String,
    /// What the server says.
    pub text: String,
}

/// What a report has changed, for the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// The address is not written to any more.
    pub is_suppressed: bool,
    /// Nothing is sent to the domain for a while.
    pub is_domain_stopped: bool,
    /// The case is blocked: nobody is left to write to.
    pub is_blocked: bool,
}

/// The delivery that a report is about.
struct Reportable {
    id: i64,
    email: i32,
    action: Option<i32>,
    contact: Option<i32>,
    address: String,
}

/// Records what a server reports of a delivery, and draws the consequences: an address that refuses mails for good is not written to any more, unless its
/// whole domain refuses ours, and if all recipients of the last mail of a case do, the case is blocked. The same report twice changes nothing more.
pub async fn report(
    connection: &mut Connection,
    system: &SystemScope,
    delivery: i64,
    report: &Report,
    now: DateTime<Utc>,
) -> Result<Reported> {
    let Some(found) = lock(&mut *connection, delivery).await? else {
        return Ok(Reported::default());
    };
    let text: String = clean(&report.text, MAX_TEXT);
    let status: String = clean(&report.status, MAX_STATUS);
    // What refuses one address after the other refuses us.
    let outcome = match report.outcome {
        DeliveryReport::Hard if is_domain_refusing(&mut *connection, &found.address, now).await? => {
            DeliveryReport::Policy
        }
        outcome => outcome,
    };
    let is_hard = outcome == DeliveryReport::Hard;
    sqlx::query!(
        "update mail_delivery set report = $2, report_at = $3, report_status = $4, report_text = $5,
             bounced_at = case when $6 then coalesce(bounced_at, $3) else bounced_at end
         where id = $1",
        found.id,
        outcome.to_string(),
        now,
        status,
        text,
        is_hard
    )
    .execute(&mut *connection)
    .await?;
    let event = match outcome {
        DeliveryReport::Delivered => "delivered",
        _ => "bounced",
    };
    let details = json!({"event": event, "date": now, "address": found.address, "kind": outcome.to_string(), "status": status, "text": text});
    add_event(&mut *connection, found.email, details).await?;
    let mut reported = Reported::default();
    match outcome {
        DeliveryReport::Delivered => {}
        DeliveryReport::Policy => {
            reported.is_domain_stopped = stop_domain(&mut *connection, &found.address, now).await?;
        }
        DeliveryReport::Soft => mark_unreachable(&mut *connection, &found).await?,
        DeliveryReport::Hard => {
            mark_bounced(&mut *connection, &found.address).await?;
            suppress(&mut *connection, &found.address, "hard_bounce", now).await?;
            reported.is_suppressed = true;
            reported.is_blocked = block_if_nobody_is_left(&mut *connection, system, &found, now).await?;
        }
    }
    touch(connection, &found, now).await?;
    Ok(reported)
}

/// Records that the recipient of a delivery calls our mails unwanted: the address is not written to any more.
pub async fn complain(
    connection: &mut Connection,
    _system: &SystemScope,
    delivery: i64,
    now: DateTime<Utc>,
) -> Result<()> {
    let Some(found) = lock(&mut *connection, delivery).await? else {
        return Ok(());
    };
    sqlx::query!(
        "update mail_delivery set complained_at = coalesce(complained_at, $2) where id = $1",
        found.id,
        now
    )
    .execute(&mut *connection)
    .await?;
    let details = json!({"event": "complained", "date": now, "address": found.address});
    add_event(&mut *connection, found.email, details).await?;
    suppress(&mut *connection, &found.address, "complaint", now).await?;
    touch(connection, &found, now).await
}

/// Locks the case of a delivery, as everything that changes cases does first, and then the delivery.
async fn lock(connection: &mut Connection, delivery: i64) -> Result<Option<Reportable>> {
    sqlx::query!(
        "select a.id from action a
         where a.id = (select e.action_id from mail_delivery d join email e on e.id = d.email_id where d.id = $1) for update",
        delivery
    )
    .fetch_optional(&mut *connection)
    .await?;
    let row = sqlx::query!(
        "select d.id, d.email_id, d.contact_id, d.address, e.action_id from mail_delivery d join email e on e.id = d.email_id
         where d.id = $1 for update of d",
        delivery
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| Reportable {
        id: row.id,
        email: row.email_id,
        action: row.action_id,
        contact: row.contact_id,
        address: row.address,
    }))
}

/// Lets pages that show the case learn of a change of its mails.
async fn touch(connection: &mut Connection, found: &Reportable, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update action set updated_date = $2 where id = $1 and updated_date is distinct from $2",
        found.action,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether this would be one address too many of its domain that refuses mails for good.
async fn is_domain_refusing(connection: &mut Connection, address: &str, now: DateTime<Utc>) -> Result<bool> {
    let refusing = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select distinct lower(address) from mail_delivery
               where bounced_at > $2 and lower(split_part(address, '@', 2)) = $1 and lower(address) <> lower($4) limit $3
           ) refusing"#,
        domain_of(address),
        now - REFUSALS_WITHIN,
        REFUSALS_OF_DOMAIN,
        address
    )
    .fetch_one(connection)
    .await?;
    Ok(refusing + 1 >= REFUSALS_OF_DOMAIN)
}

/// Stops our mails to the domain of an address for a while, unless they are stopped. Staff sees the stop and may lift it.
async fn stop_domain(connection: &mut Connection, address: &str, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query!(
        "insert into mail_stop (scope, subject, reason, at, until)
         select 'domain', $1::text, 'its mail server refuses our mails', $2, $3
         where not exists (select from mail_stop where scope = 'domain' and subject = $1 and lifted_at is null and (until is null or until > $2))",
        domain_of(address),
        now,
        now + STOPPED_FOR
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Marks the active contacts with an address as bounced.
async fn mark_bounced(connection: &mut Connection, address: &str) -> Result<()> {
    sqlx::query!(
        "update contact set state = 'bounced' where lower(email) = lower($1) and coalesce(state, 'active') in ('active', 'unreachable')",
        address
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Marks an active contact as unreachable once its last mails could not be delivered, one after the other.
async fn mark_unreachable(connection: &mut Connection, found: &Reportable) -> Result<()> {
    let Some(contact) = found.contact else { return Ok(()) };
    sqlx::query!(
        "update contact set state = 'unreachable'
         where id = $1 and coalesce(state, 'active') = 'active' and $2 = (
             select count(*) filter (where report = 'soft') from (
                 select report from mail_delivery
                 where contact_id = $1 and state in ('sent', 'unknown') order by settled_at desc, id desc limit $2
             ) last
         )",
        contact,
        SOFT_IN_A_ROW
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Keeps an address from being written to. An earlier reason stays.
async fn suppress(connection: &mut Connection, address: &str, reason: &str, now: DateTime<Utc>) -> Result<()> {
    let address = address.to_lowercase();
    sqlx::query!(
        "insert into suppression (digest, address, reason, at) values ($1, $2, $3, $4) on conflict (digest) do nothing",
        &address_digest(&address)[..],
        address,
        reason,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Blocks the case of a delivery if all deliveries of its mail have bounced, failed or been cancelled, and no later mail of ours has left. Returns
/// whether it blocked the case.
async fn block_if_nobody_is_left(
    connection: &mut Connection,
    system: &SystemScope,
    found: &Reportable,
    now: DateTime<Utc>,
) -> Result<bool> {
    let Some(action) = found.action else { return Ok(false) };
    let is_left = sqlx::query_scalar!(
        r#"select exists (
               select from mail_delivery where email_id = $1 and state <> 'cancelled' and not (bounced_at is not null or state = 'failed')
               union all
               select from email later join email this on this.id = $1
               where later.action_id = this.action_id and later.direction = 'out' and later.left_at > this.left_at
           ) as "is_left!""#,
        found.email
    )
    .fetch_one(&mut *connection)
    .await?;
    if is_left {
        return Ok(false);
    }
    let applied = events::apply(connection, system, ActionEvent::Undelivered, &[ActionId(action)], now).await?;
    Ok(applied == events::Applied::All)
}

/// The domain of an address, in lower case.
fn domain_of(address: &str) -> String {
    address.rsplit('@').next().unwrap_or_default().to_lowercase()
}

/// The first characters of a text of a server, without control characters.
fn clean(text: &str, most: usize) -> String {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(most).collect()
}
