//! Owners and workload of cases, and pauses of their reminders (decisions D214, D215).

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, Scope, UserId};

use super::events::{self, Applied};
use crate::{Connection, Result};

/// A field of an action before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before<T> {
    /// The action that was changed.
    pub action: ActionId,
    /// The value that was replaced.
    pub value: Option<T>,
}

/// Gives the actions of a group an owner, or none, at `now`, and returns their owners before. Nothing is changed unless the scope sees all of them; none is
/// returned then. The owner is not checked: see [`is_staff`].
pub async fn assign(
    connection: &mut Connection,
    scope: &Scope,
    owner: Option<UserId>,
    group: &[ActionId],
    now: DateTime<Utc>,
) -> Result<(Applied, Vec<Before<UserId>>)> {
    let locked = match events::lock(connection, scope, group).await? {
        Ok(locked) => locked,
        Err(unknown) => return Ok((Applied::Unknown(unknown), Vec::new())),
    };
    let ids: Vec<i32> = locked.iter().map(|case| case.id.0).collect();
    let rows = sqlx::query!(
        r#"update action a set owner_id = $2, updated_date = $3
           from (select id, owner_id from action where id = any($1)) was
           where a.id = was.id
           returning a.id, was.owner_id as "owner_before?""#,
        &ids,
        owner.map(|owner| owner.0),
        now
    )
    .fetch_all(connection)
    .await?;
    let before = rows.into_iter().map(|row| Before {
        action: ActionId(row.id),
        value: row.owner_before.map(UserId),
    });
    Ok((Applied::All, before.collect()))
}

/// Lets no reminder of these actions leave before a day, or gives that up, at `now`, and returns the days of their pauses before. Nothing is changed unless
/// the scope sees all of them and mails are exchanged in all of them; none is returned then.
pub async fn pause(
    connection: &mut Connection,
    scope: &Scope,
    until: Option<NaiveDate>,
    group: &[ActionId],
    now: DateTime<Utc>,
) -> Result<(Applied, Vec<Before<NaiveDate>>)> {
    let locked = match events::lock(connection, scope, group).await? {
        Ok(locked) => locked,
        Err(unknown) => return Ok((Applied::Unknown(unknown), Vec::new())),
    };
    let resting = locked.iter().filter(|case| !case.status.is_in_outreach());
    let mut unfit: Vec<ActionId> = resting.map(|case| case.id).collect();
    if !unfit.is_empty() {
        unfit.sort_unstable();
        return Ok((Applied::Unfit(unfit), Vec::new()));
    }
    let ids: Vec<i32> = locked.iter().map(|case| case.id.0).collect();
    let rows = sqlx::query!(
        r#"update action a set paused_until = $2, updated_date = $3
           from (select id, paused_until from action where id = any($1)) was
           where a.id = was.id
           returning a.id, was.paused_until as "paused_before?""#,
        &ids,
        until,
        now
    )
    .fetch_all(connection)
    .await?;
    let before = rows.into_iter().map(|row| Before {
        action: ActionId(row.id),
        value: row.paused_before,
    });
    Ok((Applied::All, before.collect()))
}

/// Whether a user exists and has a role of the staff.
pub async fn is_staff(executor: impl PgExecutor<'_>, user: UserId) -> Result<bool> {
    let found = sqlx::query_scalar!(
        r#"select exists (select from user_account u where u.id = $1 and is_staff(u.id)) as "found!""#,
        user.0
    );
    Ok(found.fetch_one(executor).await?)
}

/// The cases of one of the staff, or those without an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The owner, by name; `None` for the cases of nobody.
    pub owner: Option<(UserId, String)>,
    /// Cases to be notified.
    pub requested: i64,
    /// Cases in which the advertiser is to answer.
    pub waiting: i64,
    /// Cases with mails in which we are to answer.
    pub ours: i64,
    /// Cases in which nothing more can be done by itself.
    pub blocked: i64,
    /// Cases with unread mails.
    pub unread: i64,
}

/// The open cases that the scope sees by owner: all of the staff by name, those without cases among them, and the cases of nobody last.
pub async fn workload(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<Workload>> {
    let bounds = crate::scoped::ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"with counted as (
               select owner_id, count(*) filter (where status = 'requested') as requested,
                   count(*) filter (where status in ('inprogress', 'reminded') and waiting) as waiting,
                   count(*) filter (where status in ('inprogress', 'reminded') and not coalesce(waiting, false)) as ours,
                   count(*) filter (where status = 'blocked') as blocked,
                   count(*) filter (where unread_count > 0 and status <> 'ignored') as unread
               from action
               where (status in ('requested', 'inprogress', 'reminded', 'blocked') or unread_count > 0)
                   and ($1::int[] is null or brand_id = any($1))
               group by owner_id
           ), staff as (
               select u.id, coalesce(nullif(concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')), ''), u.email) as name
               from user_account u where is_staff(u.id) or u.id in (select owner_id from counted)
               union all select null, null
           )
           select s.id, s.name, coalesce(c.requested, 0) as "requested!", coalesce(c.waiting, 0) as "waiting!", coalesce(c.ours, 0) as "ours!",
               coalesce(c.blocked, 0) as "blocked!", coalesce(c.unread, 0) as "unread!"
           from staff s left join counted c on c.owner_id is not distinct from s.id
           order by s.name nulls last, s.id"#,
        bounds.brands as Option<Vec<i32>>
    )
    .fetch_all(executor)
    .await?;
    let workloads = rows.into_iter().map(|row| Workload {
        owner: row.id.map(UserId).zip(row.name),
        requested: row.requested,
        waiting: row.waiting,
        ours: row.ours,
        blocked: row.blocked,
        unread: row.unread,
    });
    Ok(workloads.collect())
}
