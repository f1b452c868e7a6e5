//! What keeps a mail to an advertiser back for a while: stops, limits, bounces and the hours of its reader (decisions D175, D215).
//!
//! First and reminder mails have limits. An answer to an advertiser has none: only a stop holds it.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CaseMailKind, DeliveryId, SystemScope, next_working_time};

use crate::stored::parse;
use crate::{Connection, Result};

/// First and reminder mails of a brand that an address gets in this time: one, as an advertiser has up to ten cases of one brand.
const ADDRESS_SPAN: TimeDelta = TimeDelta::hours(24);
/// First and reminder mails to one recipient domain in an hour.
const DOMAIN_MOST: i64 = 20;
const DOMAIN_SPAN: TimeDelta = TimeDelta::hours(1);
/// First and reminder mails on the first day of use; every day after it twice as many, up to the setting.
const FIRST_DAY: u32 = 50;
/// Settled deliveries that are looked at for bounces, and how many of them may bounce for good (5 %).
const LOOKED_AT: i64 = 200;
const MOST_BOUNCES: i64 = 10;
/// Bounces older than this hold nothing: addresses were mended since, or the mails of people would show that they were not.
const BOUNCES_COUNT_FOR: TimeDelta = TimeDelta::days(7);
/// When what has no end of its own is looked at again.
const LOOK_AGAIN: TimeDelta = TimeDelta::hours(1);

/// Why a delivery is held.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HoldReason {
    /// Somebody stopped mails.
    Stopped,
    /// The address got a first or reminder mail for the brand within a day.
    AddressLimit,
    /// The domain of the address got its mails of the hour.
    DomainLimit,
    /// The mails of the day have left.
    DailyLimit,
    /// Too many of the last mails bounced; those of people leave nevertheless.
    Bounces,
    /// Its reader is not at work; those of people leave nevertheless.
    WorkingHours,
}

/// A mail that does not leave yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// What holds it.
    pub reason: HoldReason,
    /// When it is looked at again.
    pub until: DateTime<Utc>,
}

/// What the settings say of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendingLimits {
    /// First and reminder deliveries on a day (UTC) at most.
    pub daily_most: u32,
}

/// What limits depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrakedMail {
    /// What it is for.
    pub kind: CaseMailKind,
    /// The brand of its case; `None` once that is deleted.
    pub brand: Option<BrandId>,
    /// The address of its recipient.
    pub address: String,
    /// The country of its recipient, two letters; empty if unknown.
    pub country: String,
    /// Whether no person sends it.
    pub is_automatic: bool,
}

/// What holds a delivery at `now`; `None` if it may leave. Other deliveries are not judged until the transaction ends: the one that claims this delivery
/// calls it before it sets the state.
pub async fn hold(
    connection: &mut Connection,
    system: &SystemScope,
    delivery: DeliveryId,
    limits: SendingLimits,
    now: DateTime<Utc>,
) -> Result<Option<Hold>> {
    sqlx::query!(r#"select pg_advisory_xact_lock(hashtextextended('vigie brakes of mails', 0)) as "lock!: String""#)
        .execute(&mut *connection)
        .await?;
    let row = sqlx::query!(
        r#"select e.kind as "kind!", a.brand_id, d.address, e.author_id is null as "is_automatic!",
               coalesce(case when c.country ~ '^[A-Z]{2}$' then c.country else a.country end, '') as "country!"
           from mail_delivery d join email e on e.id = d.email_id left join action a on a.id = e.action_id left join contact c on c.id = d.contact_id
           where d.id = $1 and e.kind is not null"#,
        delivery.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let mail = BrakedMail {
        kind: parse("email.kind", &row.kind)?,
        brand: row.brand_id.map(BrandId),
        address: row.address,
        country: row.country,
        is_automatic: row.is_automatic,
    };
    hold_of(connection, system, &mail, limits, now).await
}

/// What would hold a mail at `now`, as far as is known before.
pub async fn hold_of(
    connection: &mut Connection,
    system: &SystemScope,
    mail: &BrakedMail,
    limits: SendingLimits,
    now: DateTime<Utc>,
) -> Result<Option<Hold>> {
    let held = |reason, until| Ok(Some(Hold { reason, until }));
    if let Some(until) = stopped(connection, system, mail, now).await? {
        return held(HoldReason::Stopped, until);
    }
    if mail.kind == CaseMailKind::Answer {
        return Ok(None);
    }
    let at_work = |at| {
        if mail.is_automatic {
            next_working_time(&mail.country, at)
        } else {
            at
        }
    };
    if mail.is_automatic && too_many_bounces(&mut *connection, system, now).await? {
        return held(HoldReason::Bounces, at_work(now + LOOK_AGAIN));
    }
    if let Some(until) = address_free_at(connection, mail, now).await? {
        return held(HoldReason::AddressLimit, at_work(until));
    }
    if let Some(until) = domain_free_at(connection, mail, now).await? {
        return held(HoldReason::DomainLimit, at_work(until));
    }
    if let Some(until) = day_free_at(connection, limits, now).await? {
        return held(HoldReason::DailyLimit, at_work(until));
    }
    let begins = at_work(now);
    if begins > now {
        return held(HoldReason::WorkingHours, begins);
    }
    Ok(None)
}

/// When a mail that a stop holds is looked at again; `None` without a stop.
async fn stopped(
    connection: &mut Connection,
    _system: &SystemScope,
    mail: &BrakedMail,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let stop = sqlx::query!(
        "select until from mail_stop
         where lifted_at is null and (until is null or until > $1) and case scope
             when 'brand' then subject = $2
             when 'kind' then subject = $3
             when 'domain' then domain_of_address($4) = subject or domain_of_address($4) like '%.' || subject
             else true
         end
         order by until desc nulls first limit 1",
        now,
        mail.brand.map(|brand| brand.to_string()),
        mail.kind.to_string(),
        mail.address
    )
    .fetch_optional(connection)
    .await?;
    Ok(stop.map(|stop| stop.until.unwrap_or(now + LOOK_AGAIN)))
}

/// Whether more of the last deliveries bounced than the limit allows, so that no machine writes: the addresses are wrong, or our sending is.
pub async fn too_many_bounces(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
) -> Result<bool> {
    let bounced = sqlx::query_scalar!(
        r#"select count(*) filter (where bounced_at is not null) as "bounced!"
           from (
               select bounced_at from mail_delivery
               where state in ('sent', 'unknown', 'failed') and settled_at > $1 and settled_at <= $2
               order by settled_at desc limit $3
           ) last"#,
        now - BOUNCES_COUNT_FOR,
        now,
        LOOKED_AT
    )
    .fetch_one(executor)
    .await?;
    Ok(bounced >= MOST_BOUNCES)
}

/// When the address may get the next first or reminder mail of the brand, if that is later.
async fn address_free_at(
    connection: &mut Connection,
    mail: &BrakedMail,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let last = sqlx::query_scalar!(
        r#"select max(case when d.state = 'sending' then $1 else d.settled_at end) as last
           from mail_delivery d join email e on e.id = d.email_id join action a on a.id = e.action_id
           where lower(d.address) = lower($2) and a.brand_id = $3 and e.kind in ('notification', 'reminder')
               and (d.state = 'sending' or d.state in ('sent', 'unknown') and d.ruling is distinct from 'lost' and d.settled_at > $4)"#,
        now,
        mail.address,
        mail.brand.map(|brand| brand.0),
        now - ADDRESS_SPAN
    )
    .fetch_one(connection)
    .await?;
    Ok(last.map(|last| last + ADDRESS_SPAN))
}

/// When the domain of the address may get the next first or reminder mail, if that is later.
async fn domain_free_at(
    connection: &mut Connection,
    mail: &BrakedMail,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let nth = sqlx::query_scalar!(
        r#"select coalesce(d.settled_at, $1) as "at!"
           from mail_delivery d join email e on e.id = d.email_id
           where domain_of_address(d.address) = domain_of_address($2) and e.kind in ('notification', 'reminder')
               and (d.state = 'sending' or d.state in ('sent', 'unknown') and d.settled_at > $3)
           order by d.settled_at desc nulls first offset $4 limit 1"#,
        now,
        mail.address,
        now - DOMAIN_SPAN,
        DOMAIN_MOST - 1
    )
    .fetch_optional(connection)
    .await?;
    Ok(nth.map(|at| at + DOMAIN_SPAN))
}

/// When the next day (UTC) begins, if all first and reminder mails of this one have left.
async fn day_free_at(
    connection: &mut Connection,
    limits: SendingLimits,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let today = now.date_naive().and_time(NaiveTime::MIN).and_utc();
    // Answers are counted too: as long as all are few enough, no mail has to be looked at.
    let row = sqlx::query!(
        r#"select (select min(settled_at) from mail_delivery where state in ('sent', 'unknown')) as first,
               (select count(*) from mail_delivery where state = 'sending')
                   + (select count(*) from mail_delivery where state in ('sent', 'unknown') and settled_at >= $1) as "count!""#,
        today
    )
    .fetch_one(&mut *connection)
    .await?;
    let days = row
        .first
        .map_or(0, |first| (today.date_naive() - first.date_naive()).num_days());
    let most = i64::from(most_on_day(days, limits));
    let is_full = row.count >= most && left_on_day(connection, today).await? >= most;
    Ok(is_full.then(|| today + TimeDelta::days(1)))
}

/// First and reminder mails that leave, or have left since a time.
async fn left_on_day(connection: &mut Connection, since: DateTime<Utc>) -> Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from mail_delivery d join email e on e.id = d.email_id
           where e.kind in ('notification', 'reminder') and (d.state = 'sending' or d.state in ('sent', 'unknown') and d.settled_at >= $1)"#,
        since
    );
    Ok(count.fetch_one(connection).await?)
}

/// First and reminder mails that may leave on a day of use, the first of which is 0.
fn most_on_day(day: i64, limits: SendingLimits) -> u32 {
    let doublings = u32::try_from(day).unwrap_or(0);
    2_u32
        .checked_pow(doublings)
        .and_then(|times| FIRST_DAY.checked_mul(times))
        .unwrap_or(u32::MAX)
        .min(limits.daily_most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_sender_warms_up() {
        let limits = SendingLimits { daily_most: 300 };
        let days = [0, 1, 2, 3, 4, 40, 100_000].map(|day| most_on_day(day, limits));
        assert_eq!(days, [50, 100, 200, 300, 300, 300, 300]);
    }
}
