//! The list of actions: a page of them, and how many there are in each status.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{PgExecutor, Row};
use vocabulary::{ActionId, ActionStatus, BrandId, DealerId, Scope, TermId, UserId};

use super::list_filter::{ActionKey, Condition, DateField, Prepared, Sql, look_up};
use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::{Pool, Result};

/// The order of a list. Equal actions are ordered by id, the newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A date; actions without it come last either way.
    Date(DateField),
    /// The views of the last days.
    Priority,
    /// The advertiser's host.
    Domain,
    /// What waits for somebody (decision D44): the most views first, among equals the oldest unread mail. Knows no other direction.
    ToDo,
}

/// Conditions, order and page of a list of actions.
#[derive(Clone, Debug)]
pub struct ActionsQuery {
    /// What narrows it.
    pub conditions: Vec<Condition>,
    /// What orders it.
    pub sort: Sort,
    /// Whether the largest come first.
    pub descending: bool,
    /// Rows at most.
    pub limit: i64,
    /// Rows that are passed over.
    pub offset: i64,
}

/// Rows of a list: at most `limit`, after `offset` others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    limit: i64,
    offset: i64,
}

impl ActionsQuery {
    /// The query's page as a slice of the list of `total` actions in reverse order, which is faster for late pages. `None` when the page begins in
    /// the first half, is empty, or the order has no reverse ([`Sort::ToDo`]).
    fn slice_at_end(&self, total: u64) -> Option<Slice> {
        let total = i64::try_from(total).ok()?;
        let limit = self.limit.min(total - self.offset);
        (self.sort != Sort::ToDo && limit > 0 && self.offset > total / 2).then_some(Slice {
            limit,
            offset: total - self.offset - limit,
        })
    }
}

/// An action as the list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRow {
    /// Id of the action.
    pub id: ActionId,
    /// The brand; none where it was removed.
    pub brand: Option<BrandId>,
    /// What the brand is called.
    pub brand_label: Option<String>,
    /// The advertiser's host.
    pub domain: Option<String>,
    /// The dealer of its registrable domain.
    pub advertiser: Option<(DealerId, String)>,
    /// Country of the searches, two letters.
    pub country: Option<String>,
    /// The search engine, as in `google`.
    pub engine: Option<String>,
    /// The present status.
    pub status: ActionStatus,
    /// Views of the last 30 days, as of last night; 50 before the first.
    pub priority: Option<f64>,
    /// When it was seen last.
    pub last_view: Option<DateTime<Utc>>,
    /// When it was seen first.
    pub created: Option<DateTime<Utc>>,
    /// When it was changed last.
    pub updated: Option<DateTime<Utc>>,
    /// When its status changed last.
    pub last_status: Option<DateTime<Utc>>,
    /// When it was requested.
    pub requested: Option<DateTime<Utc>>,
    /// When the advertiser was notified.
    pub inprogress: Option<DateTime<Utc>>,
    /// When the advertiser agreed.
    pub accepted: Option<DateTime<Utc>>,
    /// When the advertiser declined.
    pub refused: Option<DateTime<Utc>>,
    /// When the advertiser was reminded last.
    pub reminded: Option<DateTime<Utc>>,
    /// When the work on it stopped.
    pub blocked: Option<DateTime<Utc>>,
    /// When it was set aside.
    pub ignored: Option<DateTime<Utc>>,
    /// When it appeared again.
    pub reappearance: Option<DateTime<Utc>>,
    /// When it was found to have gone.
    pub disappeared: Option<DateTime<Utc>>,
    /// More about it, as in `originalStatus`.
    pub metas: Option<serde_json::Value>,
    /// Which ads are live, and on how many days any was seen.
    pub presence: Option<serde_json::Value>,
    /// The term it was seen on last.
    pub last_term: Option<TermId>,
    /// Whether the advertiser has to answer our last message.
    pub is_waiting: bool,
    /// How many mails it has, over all cycles (decision D49).
    pub counts: MailCounts,
    /// The member of the staff that works on it, by name.
    pub owner: Option<(UserId, String)>,
    /// No reminder leaves before this day.
    pub paused_until: Option<NaiveDate>,
    /// What was imported with it.
    pub note: Option<String>,
    /// Whether its brand opens actions for shopping ads.
    pub brand_wants_shopping: Option<bool>,
}

/// The mails of an action, over all cycles (decision D49).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailCounts {
    /// Mails of the advertiser.
    pub received: i32,
    /// Mails to the advertiser.
    pub sent: i32,
    /// Reminders among those.
    pub reminders: i32,
    /// Received mails that nobody has read.
    pub unread: i32,
}

const COLUMNS: &str = "select a.id, a.brand_id, coalesce(b.label, b.name) as brand_label, a.domain, a.advertiser_id, d.domain as master, a.country, a.engine, a.status, a.priority,
    a.last_view, a.created_date, a.updated_date, a.last_status_date, a.requested_date, a.inprogress_date, a.accepted_date, a.refused_date,
    a.reminded_date, a.blocked_date, a.ignored_date, a.reappearance_date, a.disappeared_date, a.metas, a.presence, coalesce(a.waiting, false) as waiting,
    coalesce(a.received_count, 0) as received, coalesce(a.sended_count, 0) as sent, coalesce(a.reminded_count, 0) as reminders,
    coalesce(a.unread_count, 0) as unread,
    (select seen.term_id from action_term seen where seen.action_id = a.id
        order by seen.last_seen desc, seen.term_id desc limit 1) as last_term,
    a.owner_id, a.paused_until, a.note, b.create_shopping_notification,
    (select coalesce(nullif(concat_ws(' ', nullif(u.first_name, ''), nullif(u.last_name, '')), ''), u.email) from user_account u
        where u.id = a.owner_id) as owner_name";
pub(super) const FROM: &str =
    " from action a left join dealer d on d.id = a.advertiser_id left join brand b on b.id = a.brand_id where true";

/// The page of a query: actions in scope that meet its conditions, in its order. Where it is known that `total` actions do, a page of the second half is
/// read from the end of the list, so that the last page takes no longer than the first.
pub async fn page(pool: &Pool, scope: &Scope, query: &ActionsQuery, total: Option<u64>) -> Result<Vec<ActionRow>> {
    let from_end = total.and_then(|total| query.slice_at_end(total));
    let conditions = look_up(pool, scope, query.conditions.iter().collect()).await?;
    let mut sql = Sql::new(COLUMNS);
    push_page(&mut sql, scope, (query, &conditions), from_end);
    let rows = sql.build().persistent(false).fetch_all(pool).await?;
    let mut rows: Vec<ActionRow> = rows.iter().map(read_row).collect::<Result<_>>()?;
    if from_end.is_some() {
        rows.reverse();
    }
    Ok(rows)
}

/// The ids of the actions of a query, in its order. `query.limit` alone bounds how many.
pub async fn ids(pool: &Pool, scope: &Scope, query: &ActionsQuery) -> Result<Vec<ActionId>> {
    let conditions = look_up(pool, scope, query.conditions.iter().collect()).await?;
    let mut sql = Sql::new("select a.id");
    push_page(&mut sql, scope, (query, &conditions), None);
    let ids: Vec<i32> = sql.build_query_scalar().persistent(false).fetch_all(pool).await?;
    Ok(ids.into_iter().map(ActionId).collect())
}

/// Appends everything after the columns of a query: tables, scope, conditions, order, limit and offset. Actions without a value to order by come last
/// in both directions, the newest first among equals. With `from_end`, all of it from the other end.
fn push_page(
    sql: &mut Sql,
    scope: &Scope,
    (query, conditions): (&ActionsQuery, &[Prepared<'_>]),
    from_end: Option<Slice>,
) {
    sql.push(FROM);
    push_conditions(sql, scope, conditions);
    let direction = match (query.descending, from_end.is_some()) {
        (true, false) => " desc nulls last",
        (false, false) => " asc nulls last",
        (true, true) => " asc nulls first",
        (false, true) => " desc nulls first",
    };
    sql.push(" order by ");
    match query.sort {
        Sort::Date(field) => sql.push(field.column()).push(direction),
        Sort::Priority => sql.push("a.priority").push(direction),
        Sort::Domain => sql.push("a.domain").push(direction),
        Sort::ToDo => sql.push(
            "a.priority desc nulls last,
             (select min(m.received_date) from email m where m.action_id = a.id and not coalesce(m.open, false)) nulls last",
        ),
    };
    let Slice { limit, offset } = from_end.unwrap_or(Slice {
        limit: query.limit,
        offset: query.offset,
    });
    sql.push(if from_end.is_some() {
        ", a.id limit "
    } else {
        ", a.id desc limit "
    })
    .push_bind(limit)
    .push(" offset ")
    .push_bind(offset);
}

/// The actions with these ids, in the order of `ids`. Unknown ones and those that the scope does not see are left out.
pub async fn by_ids(executor: impl PgExecutor<'_>, scope: &Scope, ids: &[ActionId]) -> Result<Vec<ActionRow>> {
    let wanted: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let mut sql = Sql::new(COLUMNS);
    sql.push(FROM)
        .push(" and a.id = any(")
        .push_bind(wanted.clone())
        .push(")");
    push_conditions(&mut sql, scope, &[]);
    sql.push(" order by array_position(").push_bind(wanted).push(", a.id)");
    let rows = sql.build().fetch_all(executor).await?;
    rows.iter().map(read_row).collect()
}

/// Keys of the actions in scope that meet the conditions. An action without brand, domain, country or engine is left out.
pub async fn keys(pool: &Pool, scope: &Scope, conditions: &[Condition]) -> Result<HashSet<ActionKey>> {
    let conditions = look_up(pool, scope, conditions.iter().collect()).await?;
    let mut sql = Sql::new("select a.brand_id, a.domain, a.country, a.engine");
    sql.push(FROM);
    push_conditions(&mut sql, scope, &conditions);
    sql.push(" and a.brand_id is not null and a.domain is not null and a.country is not null and a.engine is not null");
    let rows = sql.build().persistent(false).fetch_all(pool).await?;
    rows.iter()
        .map(|row| {
            Ok(ActionKey {
                brand: BrandId(row.try_get("brand_id")?),
                domain: row.try_get("domain")?,
                country: row.try_get("country")?,
                engine: row.try_get("engine")?,
            })
        })
        .collect()
}

/// What [`Condition::is_of_counts`] is about, in the columns of an action.
const FROM_COUNTS: &str = " from (select brand_id, country, engine, status, waiting, unread::int as unread_count, keyword_types, cases from case_count) a where true";

/// How many actions in scope are in each status. Conditions on the status are ignored, all others apply; a status without actions is
/// absent.
pub async fn count(pool: &Pool, scope: &Scope, conditions: &[Condition]) -> Result<BTreeMap<ActionStatus, u64>> {
    let counted: Vec<&Condition> = conditions
        .iter()
        .filter(|condition| !condition.is_of_status())
        .collect();
    let is_kept = counted.iter().all(|condition| condition.is_of_counts());
    let conditions = look_up(pool, scope, counted).await?;
    let (number, from) = if is_kept {
        ("sum(a.cases)::bigint", FROM_COUNTS)
    } else {
        ("count(*)", FROM)
    };
    let mut sql = Sql::new("select a.status, ");
    sql.push(number).push(" as actions").push(from);
    push_conditions(&mut sql, scope, &conditions);
    sql.push(" group by a.status having ").push(number).push(" > 0");
    let rows = sql.build().persistent(false).fetch_all(pool).await?;
    rows.iter()
        .map(|row| {
            let actions = row.try_get::<i64, _>("actions")?.unsigned_abs();
            Ok((parse("action.status", row.try_get("status")?)?, actions))
        })
        .collect()
}

/// Appends, each as ` and …`, the restriction to the brands of the scope, if it has one, and the conditions.
pub(super) fn push_conditions(sql: &mut Sql, scope: &Scope, conditions: &[Prepared<'_>]) {
    if let Some(brands) = ScopeLists::from_scope(scope).brands {
        sql.push(" and a.brand_id = any(").push_bind(brands).push(")");
    }
    for condition in conditions {
        condition.push(sql);
    }
}

/// An action from a row of `COLUMNS`; it has an advertiser only with both its id and its master domain. A status that this version does not know is
/// an error.
fn read_row(row: &sqlx::postgres::PgRow) -> Result<ActionRow> {
    let advertiser: Option<i32> = row.try_get("advertiser_id")?;
    let master: Option<String> = row.try_get("master")?;
    Ok(ActionRow {
        id: ActionId(row.try_get("id")?),
        brand: row.try_get::<Option<i32>, _>("brand_id")?.map(BrandId),
        brand_label: row.try_get("brand_label")?,
        domain: row.try_get("domain")?,
        advertiser: advertiser.map(DealerId).zip(master),
        country: row.try_get("country")?,
        engine: row.try_get("engine")?,
        status: parse("action.status", row.try_get("status")?)?,
        priority: row.try_get("priority")?,
        last_view: row.try_get("last_view")?,
        created: row.try_get("created_date")?,
        updated: row.try_get("updated_date")?,
        last_status: row.try_get("last_status_date")?,
        requested: row.try_get("requested_date")?,
        inprogress: row.try_get("inprogress_date")?,
        accepted: row.try_get("accepted_date")?,
        refused: row.try_get("refused_date")?,
        reminded: row.try_get("reminded_date")?,
        blocked: row.try_get("blocked_date")?,
        ignored: row.try_get("ignored_date")?,
        reappearance: row.try_get("reappearance_date")?,
        disappeared: row.try_get("disappeared_date")?,
        metas: row.try_get("metas")?,
        presence: row.try_get("presence")?,
        last_term: row.try_get::<Option<i32>, _>("last_term")?.map(TermId),
        is_waiting: row.try_get("waiting")?,
        counts: MailCounts {
            received: row.try_get("received")?,
            sent: row.try_get("sent")?,
            reminders: row.try_get("reminders")?,
            unread: row.try_get("unread")?,
        },
        owner: row
            .try_get::<Option<i32>, _>("owner_id")?
            .map(UserId)
            .zip(row.try_get("owner_name")?),
        paused_until: row.try_get("paused_until")?,
        note: row.try_get("note")?,
        brand_wants_shopping: row.try_get("create_shopping_notification")?,
    })
}
