//! Why lanes are as they are: append only (decision D198).

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::{SystemScope, UserId};

use crate::{Connection, Result};

/// What was decided on a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDecision {
    /// Its number; 0 before it is added.
    pub id: i64,
    /// The time of the decision.
    pub at: DateTime<Utc>,
    /// Where the lane was.
    pub from_state: String,
    /// Where it is from then on.
    pub to_state: String,
    /// What was done.
    pub action: String,
    /// The rule behind it.
    pub rule: String,
    /// The captures that it was made by.
    pub readings: Value,
    /// Which state of the settings.
    pub settings_version: i32,
    /// What the lane might do by itself.
    pub mode: String,
    /// The person; `None` for the rule.
    pub user: Option<UserId>,
    /// What the list says of a change.
    pub detail: Option<String>,
    /// Whether the text was in the list.
    pub observed: Option<bool>,
}

/// Adds a decision.
pub async fn add(
    connection: &mut Connection,
    _system: &SystemScope,
    lane: i32,
    decision: &StoredDecision,
) -> Result<()> {
    sqlx::query!(
        "insert into stop_go_decision (lane_id, at, from_state, to_state, action, rule, readings, settings_version, mode, user_id,
             detail, observed) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        lane,
        decision.at,
        decision.from_state,
        decision.to_state,
        decision.action,
        decision.rule,
        decision.readings,
        decision.settings_version,
        decision.mode,
        decision.user.map(|user| user.0),
        decision.detail,
        decision.observed
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The decisions on a lane, last first: those before `before`, at most `limit`.
pub async fn of_lane(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<(StoredDecision, Option<String>)>> {
    let rows = sqlx::query!(
        r#"select d.id, at, from_state, to_state, action, rule, readings, settings_version, mode, user_id, detail, observed,
               nullif(btrim(concat_ws(' ', u.first_name, u.last_name)), '') as person
           from stop_go_decision d left join user_account u on u.id = d.user_id
           where lane_id = $1 and ($2::bigint is null or d.id < $2) order by d.id desc limit $3"#,
        lane,
        before,
        limit
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| {
        let decision = StoredDecision {
            id: row.id,
            at: row.at,
            from_state: row.from_state,
            to_state: row.to_state,
            action: row.action,
            rule: row.rule,
            readings: row.readings,
            settings_version: row.settings_version,
            mode: row.mode,
            user: row.user_id.map(UserId),
            detail: row.detail,
            observed: row.observed,
        };
        (decision, row.person)
    });
    Ok(found.collect())
}

/// The states that a lane entered in a period, in their order, with the one it was in at its beginning first.
pub async fn states(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    (from, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<(DateTime<Utc>, String)>> {
    let rows = sqlx::query!(
        r#"(select at, to_state from stop_go_decision where lane_id = $1 and at < $2 order by id desc limit 1)
           union all
           (select at, to_state from stop_go_decision where lane_id = $1 and at >= $2 and at < $3 and from_state <> to_state order by id)"#,
        lane,
        from,
        until
    )
    .fetch_all(executor)
    .await?;
    let states = rows.into_iter().filter_map(|row| Some((row.at?, row.to_state?)));
    Ok(states.collect())
}
