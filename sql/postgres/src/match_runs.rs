//! Matches of terms with a brand that run in the background (decision D95). They belong to administrators, whose scope is everything; each is shown to
//! the administrator who started it, and deleted once its end was shown.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use sqlx::PgExecutor;
use vocabulary::{BrandId, Scope, UserId};

use crate::{Connection, Error, Result};

/// Runs in one list.
const MOST_LISTED: i64 = 50;

/// A stored run (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatchRunId(pub i64);

/// A run of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRun {
    /// Id of the run.
    pub id: MatchRunId,
    /// The brand that terms are matched with.
    pub brand: BrandId,
    /// The brand's label, else its name.
    pub brand_label: Option<String>,
    /// Whether terms of other brands are matched too.
    pub all_terms: bool,
    /// When it began.
    pub begun_at: DateTime<Utc>,
    /// When its process last reported.
    pub reported_at: DateTime<Utc>,
    /// What part of the work is done, from 0 to 1.
    pub share: f32,
    /// When it ended; `None` while it runs, and forever if its process died.
    pub ended_at: Option<DateTime<Utc>>,
    /// How many terms changed in which way; `None` unless it succeeded.
    pub counts: Option<Json>,
    /// The code of the reason why it failed; `None` unless it did.
    pub problem: Option<String>,
}

/// Why a run does not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginRefusal {
    /// There is no such brand in sight.
    NoBrand,
    /// Another run of the same brand is under way.
    UnderWay,
    /// `most` runs are under way.
    TooMany,
}

/// A run to begin.
#[derive(Clone, Copy, Debug)]
pub struct NewMatchRun {
    /// The brand that terms are matched with.
    pub brand: BrandId,
    /// The administrator whose run it is.
    pub user: UserId,
    /// Whether terms of other brands are matched too.
    pub all_terms: bool,
}

/// Begins a run, unless `most` are under way or one of the same brand. Runs that last reported before `silent_since` are ended as `interrupted` first.
pub async fn begin(
    connection: &mut Connection,
    scope: &Scope,
    run: &NewMatchRun,
    most: i64,
    silent_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<std::result::Result<MatchRunId, BeginRefusal>> {
    administrator(scope)?;
    sqlx::query!(
        "update match_run set ended_at = $2, problem = 'interrupted' where ended_at is null and reported_at < $1",
        silent_since,
        now
    )
    .execute(&mut *connection)
    .await?;
    let counts = sqlx::query!(
        r#"select exists (select from brand where id = $1) as "exists!",
               count(*) filter (where brand_id = $1) as "own!", count(*) as "all!"
           from match_run where ended_at is null"#,
        run.brand.0
    )
    .fetch_one(&mut *connection)
    .await?;
    if !counts.exists {
        return Ok(Err(BeginRefusal::NoBrand));
    }
    if counts.own > 0 {
        return Ok(Err(BeginRefusal::UnderWay));
    }
    if counts.all >= most {
        return Ok(Err(BeginRefusal::TooMany));
    }
    // Another request may have begun one since.
    let id = sqlx::query_scalar!(
        "insert into match_run (brand_id, user_id, all_terms, begun_at, reported_at) values ($1, $2, $3, $4, $4)
         on conflict (brand_id) where ended_at is null do nothing returning id",
        run.brand.0,
        run.user.0,
        run.all_terms,
        now
    )
    .fetch_optional(connection)
    .await?;
    Ok(id.map(MatchRunId).ok_or(BeginRefusal::UnderWay))
}

/// Stores what part of a run is done, and that its process lives. Returns `false`, and changes nothing, when the run ended or its brand is gone.
pub async fn report(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    run: MatchRunId,
    share: f32,
    now: DateTime<Utc>,
) -> Result<bool> {
    administrator(scope)?;
    let done = sqlx::query!(
        "update match_run set share = $2, reported_at = $3 where id = $1 and ended_at is null",
        run.0,
        share,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a run with its counts, or the code of the reason why it failed. Returns `false`, and changes nothing, when it had ended already. Call it in the
/// transaction of the changes, so that a run that is done has changed its terms.
pub async fn end(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    run: MatchRunId,
    outcome: std::result::Result<Json, &str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    administrator(scope)?;
    let (counts, problem) = match outcome {
        Ok(counts) => (Some(counts), None),
        Err(problem) => (None, Some(problem)),
    };
    let done = sqlx::query!(
        "update match_run set ended_at = $4, counts = $2, problem = $3, share = case when $3::text is null then 1 else share end
         where id = $1 and ended_at is null",
        run.0,
        counts,
        problem,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The runs of a user, oldest first, at most 50.
pub async fn of_user(executor: impl PgExecutor<'_>, scope: &Scope, user: UserId) -> Result<Vec<MatchRun>> {
    administrator(scope)?;
    let rows = sqlx::query!(
        r#"select r.id, r.brand_id, coalesce(b.label, b.name) as brand_label, r.all_terms, r.begun_at, r.reported_at, r.share, r.ended_at, r.counts, r.problem
           from match_run r join brand b on b.id = r.brand_id
           where r.user_id = $1 order by r.id limit $2"#,
        user.0,
        MOST_LISTED
    )
    .fetch_all(executor)
    .await?;
    let runs = rows.into_iter().map(|row| MatchRun {
        id: MatchRunId(row.id),
        brand: BrandId(row.brand_id),
        brand_label: row.brand_label,
        all_terms: row.all_terms,
        begun_at: row.begun_at,
        reported_at: row.reported_at,
        share: row.share,
        ended_at: row.ended_at,
        counts: row.counts,
        problem: row.problem,
    });
    Ok(runs.collect())
}

/// Deletes one of a user's own runs that ended, or last reported before `silent_since`. Returns `false` when there is no such run, or it is under way.
pub async fn delete_ended(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    user: UserId,
    run: MatchRunId,
    silent_since: DateTime<Utc>,
) -> Result<bool> {
    administrator(scope)?;
    let done = sqlx::query!(
        "delete from match_run where id = $1 and user_id = $2 and (ended_at is not null or reported_at < $3)",
        run.0,
        user.0,
        silent_since
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// [`Error::OutOfReach`] unless the scope administers.
fn administrator(scope: &Scope) -> Result<()> {
    if scope.administers() {
        Ok(())
    } else {
        Err(Error::OutOfReach)
    }
}
