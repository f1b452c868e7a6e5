//! What each version of a template achieves.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::Result;
use crate::stored::interval;

/// A version of a template with what its mails achieved. A reply, and an acceptance, counts for the last mail before it, and once a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateResults {
    /// Number of the version's row.
    pub id: i32,
    /// Which version it is, from 1.
    pub version: i32,
    /// Mails that left.
    pub sent: i64,
    /// Of these, the ones that a person answered.
    pub replied: i64,
    /// Of these, the ones after which the advertiser agreed within [`ACCEPTED_WITHIN`].
    pub accepted: i64,
    /// Of the accepted ones, those whose ads were seen again within [`REAPPEARED_WITHIN`] of the acceptance.
    pub reappeared: i64,
}

/// How soon an acceptance counts for a mail.
pub const ACCEPTED_WITHIN: TimeDelta = TimeDelta::days(30);
/// How soon an advertiser that is seen again has not kept its word.
pub const REAPPEARED_WITHIN: TimeDelta = TimeDelta::days(90);

/// The results of all versions of the template that has this number, newest version first, as of `now`; empty for an unknown one.
pub async fn of_template(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    template: i32,
    now: DateTime<Utc>,
) -> Result<Vec<TemplateResults>> {
    let rows = sqlx::query!(
        r#"with version as (
               select v.id, v.version from email_template v join email_template t on t.id = $1
               where v.type = t.type and v.language = t.language and v.label = t.label
                   and v.brand_id is not distinct from t.brand_id and v.reminder_number is not distinct from t.reminder_number
           ), mail as (
               select e.template_id as version, e.action_id, coalesce(e.left_at, e.sended_date) as at
               from email e
               where e.template_id in (select id from version) and e.direction = 'out' and e.status in ('sent', 'unknown')
                   and coalesce(e.left_at, e.sended_date) <= $2
           ), until as (
               -- Up to the next mail of ours.
               select m.version, m.action_id, m.at, least($2, (
                   select min(coalesce(n.left_at, n.sended_date)) from email n
                   where n.action_id = m.action_id and n.direction = 'out' and n.status in ('sent', 'unknown')
                       and coalesce(n.left_at, n.sended_date) > m.at
               )) as next_at
               from mail m
           ), outcome as (
               select u.version,
                   exists (select from email r where r.action_id = u.action_id and r.direction = 'in' and r.automatic = 'no'
                       and r.received_date > u.at and r.received_date <= u.next_at) as is_replied,
                   (select min(h.at) from action_history h where h.action_id = u.action_id and h.status = 'accepted'
                       and h.at > u.at and h.at <= least(u.next_at, u.at + $3::interval)) as accepted_at,
                   u.action_id
               from until u
           )
           select v.id, v.version, count(o.version) as "sent!", count(*) filter (where o.is_replied) as "replied!",
               count(o.accepted_at) as "accepted!",
               count(*) filter (where exists (select from action_history h where h.action_id = o.action_id and h.status = 'reappearance'
                   and h.at > o.accepted_at and h.at <= least($2, o.accepted_at + $4::interval))) as "reappeared!"
           from version v left join outcome o on o.version = v.id
           group by v.id, v.version order by v.version desc, v.id desc"#,
        template,
        now,
        interval(ACCEPTED_WITHIN.to_std().unwrap_or_default()),
        interval(REAPPEARED_WITHIN.to_std().unwrap_or_default())
    )
    .fetch_all(executor)
    .await?;
    let results = rows.into_iter().map(|row| TemplateResults {
        id: row.id,
        version: row.version,
        sent: row.sent,
        replied: row.replied,
        accepted: row.accepted,
        reappeared: row.reappeared,
    });
    Ok(results.collect())
}
