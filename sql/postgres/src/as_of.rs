//! What a read saw of the database, and what people did to rows since.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{PgExecutor, Postgres, QueryBuilder};
use vocabulary::UserId;
use vocabulary::resources::Model;

use crate::Result;
use crate::audit::Event;
use crate::stored::parse;

/// No transaction that writes to the audit log takes as long. What is older than this before a snapshot is not compared with it: the numbers of
/// transactions in it may be those of the server that the database was restored from.
const LONGEST_TRANSACTION: TimeDelta = TimeDelta::hours(1);
/// Bytes of a written state; a snapshot names each transaction that was under way.
const MOST_BYTES: usize = 8_000;

/// A state of the database: what it says was committed, and when that was. Written as microseconds since 1970, `-` and a snapshot of Postgres; clients
/// compare the first part only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsOf {
    at: DateTime<Utc>,
    snapshot: String,
}

/// A text that is no [`AsOf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no state of the database as X-As-Of gives it")]
pub struct AsOfError;

impl AsOf {
    /// The present state. What is read after this sees at least as much.
    pub async fn now(executor: impl PgExecutor<'_>) -> Result<Self> {
        let (at, snapshot): (DateTime<Utc>, String) =
            sqlx::query_as("select clock_timestamp(), pg_current_snapshot()::text")
                .fetch_one(executor)
                .await?;
        Ok(Self { at, snapshot })
    }
}

impl fmt::Display for AsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.at.timestamp_micros(), self.snapshot)
    }
}

impl FromStr for AsOf {
    type Err = AsOfError;

    /// Reads a state as it is written; the snapshot is one that Postgres takes.
    fn from_str(text: &str) -> std::result::Result<Self, AsOfError> {
        let read = || {
            let (at, snapshot) = text.split_once('-').filter(|_| text.len() <= MOST_BYTES)?;
            let at = DateTime::from_timestamp_micros(number(at)?.try_into().ok()?)?;
            is_snapshot(snapshot)?.then(|| Self {
                at,
                snapshot: snapshot.to_owned(),
            })
        };
        read().ok_or(AsOfError)
    }
}

/// Whether the numbers of a snapshot, `first:end:under,way`, are in an order that Postgres takes. `None` for any other form.
fn is_snapshot(text: &str) -> Option<bool> {
    let mut parts = text.split(':');
    let (first, end, under_way) = (number(parts.next()?)?, number(parts.next()?)?, parts.next()?);
    let under_way = match under_way {
        "" => Vec::new(),
        list => list.split(',').map(number).collect::<Option<Vec<u64>>>()?,
    };
    let is_within = under_way.iter().all(|id| (first..end).contains(id));
    // The lower half of a number is never 0.
    let are_numbers = [first, end].iter().all(|id| id & u64::from(u32::MAX) != 0);
    Some(parts.next().is_none() && are_numbers && first <= end && is_within && under_way.is_sorted())
}

/// A number of digits alone that Postgres can store.
fn number(text: &str) -> Option<u64> {
    let is_written = text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = text.parse().ok().filter(|_| is_written)?;
    i64::try_from(number).ok().map(|_| number)
}

/// Appends ` and …`: the entry `e` of the audit log is of a change that was not committed yet in the state `seen`, and at most
/// [`LONGEST_TRANSACTION`] older than that state.
pub(crate) fn push_not_seen(sql: &mut QueryBuilder<Postgres>, seen: &AsOf) {
    sql.push(" and e.at > ")
        .push_bind(seen.at - LONGEST_TRANSACTION)
        .push(" and not pg_visible_in_snapshot(e.transaction_id, ")
        .push_bind(seen.snapshot.clone())
        .push("::text::pg_snapshot)");
}

/// Something that a person did to a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoneToRow {
    /// The id of the row, as the audit log writes it.
    pub target: String,
    /// What was done.
    pub event: Event,
    /// The fields that were given or changed, without those that the author has set again since.
    pub fields: Vec<String>,
}

/// What people other than `author` did to rows of a model, by their ids as the audit log writes them, that `seen` did not see. Call it in a transaction
/// that has locked the rows: whoever changed them before has committed, and others wait. It tells nothing of who did it, so the caller need only be sure
/// that the rows are within reach.
pub async fn done_by_others(
    executor: impl PgExecutor<'_>,
    seen: &AsOf,
    author: UserId,
    model: &'static Model,
    targets: &[String],
) -> Result<Vec<DoneToRow>> {
    let mut sql = QueryBuilder::new(
        "select e.target, e.event, array(
             select field from jsonb_object_keys(coalesce(e.details -> 'after', '{}')) field
             where not exists (
                 select from audit_entry own
                 where own.model = e.model and own.target = e.target and own.id > e.id and own.details -> 'after' ? field and own.actor_id = ",
    );
    sql.push_bind(author.0)
        .push(
            "))
         from audit_entry e
         where e.event in ('create', 'change', 'remove', 'return', 'link', 'unlink') and e.model = ",
        )
        .push_bind(model.name)
        .push(" and e.target = any(")
        .push_bind(targets.to_vec())
        .push(") and e.actor_id <> ")
        .push_bind(author.0);
    push_not_seen(&mut sql, seen);
    let rows: Vec<(String, String, Vec<String>)> = sql.build_query_as().fetch_all(executor).await?;
    rows.into_iter()
        .map(|(target, event, fields)| {
            Ok(DoneToRow {
                target,
                event: parse("audit_entry.event", &event)?,
                fields,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_is_written() {
        for text in ["1795452392123456-745:750:746,748", "1795452392123456-745:745:"] {
            assert_eq!(text.parse::<AsOf>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_postgres_would_not_take_is_none() {
        let long = format!("1-1:99999:{}", vec!["7"; 5_000].join(","));
        for text in [
            "",
            "1",
            "1-",
            "-1:1:",
            "1-1:1",
            "1-0:1:",
            "1-1:4294967296:",
            "1-2:1:",
            "1-1:3:3",
            "1-2:5:1",
            "1-1:5:3,2",
            "1-1:5:3,",
            "1-1:5:3:4",
            "1-+1:5:",
            "1-1:18446744073709551615:",
            "99999999999999999999-1:1:",
            "9223372036854775807-1:1:",
            &long,
        ] {
            assert_eq!(text.parse::<AsOf>(), Err(AsOfError), "{text}");
        }
    }
}
