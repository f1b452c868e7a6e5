//! Mails to those who answer for the budget of a brand, and to administrators, about Stop and Go and Google.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgExecutor;
use vocabulary::{MailKind, SystemScope};

use crate::Result;

/// A notice: its subject and its details, which the texts of its kind surround.
#[derive(Clone, Copy, Debug)]
pub struct Notice<'a> {
    /// What it is about.
    pub kind: MailKind,
    /// What makes it unique, beside its kind and its recipient.
    pub key: &'a str,
    /// What its subject names.
    pub subject: &'a str,
    /// Lines of details.
    pub details: &'a str,
}

/// Queues a notice to every administrator and to those who answer for the budget of brands with lanes in an account, once for each. Returns how many were
/// queued.
pub async fn queue(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    notice: &Notice<'_>,
    account: Option<&str>,
    now: DateTime<Utc>,
) -> Result<u64> {
    let done = sqlx::query!(
        "insert into mail_outbox (business_key, kind, user_id, recipients, message_id, context, not_before)
         select concat_ws(':', $1::text, $2::text, u.id), $1, u.id, jsonb_build_array(u.email), gen_random_uuid()::text,
             jsonb_build_object('subject', $3::text, 'body', $4::text), $6
         from user_account u
         where u.email is not null
             and (exists (select from role_mapping m join role r on r.id = m.role_id
                          where coalesce(m.principal_type, 'USER') = 'USER' and m.principal_id = u.id::text and r.name = 'admin')
                 or exists (select from stop_go_brand s join stop_go_keyword k on k.brand_id = s.brand_id join stop_go_lane n on n.id = k.lane_id
                            where s.owner_user_id = u.id and n.account = $5))
         on conflict (business_key) do nothing",
        notice.kind.to_string(),
        notice.key,
        notice.subject,
        notice.details,
        account,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// The first stop of a brand on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstStop {
    /// The account of its lanes.
    pub account: String,
    /// Id of the brand.
    pub brand: i32,
    /// Its name on screens.
    pub label: String,
    /// The text that was stopped first.
    pub text: String,
    /// When that was.
    pub at: DateTime<Utc>,
}

/// The first stop by the rule since a time, of each brand that has one.
pub async fn first_stops(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    since: DateTime<Utc>,
) -> Result<Vec<FirstStop>> {
    Ok(sqlx::query_as!(
        FirstStop,
        r#"select distinct on (b.id) n.account, b.id as brand, coalesce(nullif(b.label, ''), b.name, '') as "label!", n.text_folded as text, d.at
           from stop_go_decision d join stop_go_lane n on n.id = d.lane_id join stop_go_keyword k on k.lane_id = n.id and k.removed_at is null
               join brand b on b.id = k.brand_id
           where d.at >= $1 and d.action = 'stop' order by b.id, d.at, d.id"#,
        since
    )
    .fetch_all(executor)
    .await?)
}

/// Queues a mail about the first stop of a brand on a day to the owner of its budget. It is queued once, however often this is called.
pub async fn queue_first_stop(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    stop: &FirstStop,
    (day, details): (NaiveDate, &str),
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into mail_outbox (business_key, kind, user_id, recipients, message_id, context, not_before)
         select concat_ws(':', $1::text, s.brand_id, $2::date, u.id), $1, u.id, jsonb_build_array(u.email), gen_random_uuid()::text,
             jsonb_build_object('subject', $3::text, 'body', $4::text), $6
         from stop_go_brand s join user_account u on u.id = s.owner_user_id
         where s.brand_id = $5 and u.email is not null
         on conflict (business_key) do nothing",
        MailKind::Stopped.to_string(),
        day,
        stop.label,
        details,
        stop.brand,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}
