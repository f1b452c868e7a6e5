//! Runs of scheduled jobs: the lock that lets one process run a job, and the record of each run.

use chrono::{DateTime, Utc};
use sqlx::{Connection as _, PgExecutor};
use vocabulary::{Job, JobOutcome};

use crate::stored::{parse, parse_some};
use crate::{Connection, DirectPool, Result};

/// Runs are forgotten after this many days.
const KEPT_DAYS: i32 = 90;

/// The lock of a job, held by a connection of its own: it is released when this value is dropped, and when the process ends.
#[derive(Debug)]
pub struct JobLock(Connection);

/// A run of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRun {
    /// The job that ran.
    pub job: Job,
    /// The time it was scheduled for.
    pub due_at: DateTime<Utc>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it ended; `None` while it is under way.
    pub ended_at: Option<DateTime<Utc>>,
    /// How it ended; `None` while it is under way.
    pub outcome: Option<JobOutcome>,
    /// What it did, or why it failed.
    pub detail: Option<String>,
    /// Failed or interrupted runs of this job, among those kept.
    pub failures: i64,
}

/// Takes the lock of a job, on a connection of its own that leaves the pool. `None`, without waiting, while anyone else has it, in this process or
/// another.
pub async fn lock(direct: &DirectPool, job: Job) -> Result<Option<JobLock>> {
    let mut connection = direct.pool().acquire().await?.detach();
    let is_ours = sqlx::query_scalar!(
        r#"select pg_try_advisory_lock(hashtextextended('vigie job ' || $1::text, 0)) as "is_ours!""#,
        job.to_string()
    )
    .fetch_one(&mut connection)
    .await?;
    if is_ours {
        return Ok(Some(JobLock(connection)));
    }
    connection.close().await?;
    Ok(None)
}

impl JobLock {
    /// Records that the run of `job`, whose lock this is, scheduled for `due_at`, begins now, and returns its number. Runs of the job that never
    /// ended are marked as interrupted, and runs of any job older than `KEPT_DAYS` are deleted.
    pub async fn begin(&mut self, job: Job, due_at: DateTime<Utc>) -> Result<i64> {
        let mut tx = self.0.begin().await?;
        sqlx::query!(
            "update job_run set outcome = 'interrupted', ended_at = now() where job = $1 and outcome is null",
            job.to_string()
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "delete from job_run where started_at < now() - make_interval(days => $1)",
            KEPT_DAYS
        )
        .execute(&mut *tx)
        .await?;
        let run = sqlx::query_scalar!(
            "insert into job_run (job, due_at) values ($1, $2) returning id",
            job.to_string(),
            due_at
        )
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(run)
    }

    /// Records how the run ended, unless it has an outcome already, then releases the lock and closes its connection.
    pub async fn end(mut self, run: i64, outcome: JobOutcome, detail: &str) -> Result<()> {
        sqlx::query!(
            "update job_run set outcome = $2, ended_at = now(), detail = $3 where id = $1 and outcome is null",
            run,
            outcome.to_string(),
            detail
        )
        .execute(&mut self.0)
        .await?;
        self.release().await
    }

    /// Releases the lock without ending a run. It is released before the connection closes, because the server may take a while to notice
    /// that.
    pub async fn release(mut self) -> Result<()> {
        sqlx::query("select pg_advisory_unlock_all()")
            .execute(&mut self.0)
            .await?;
        Ok(self.0.close().await?)
    }
}

/// The newest run of each job that has any, with the number of the job's failed and interrupted runs among those kept.
pub async fn last(executor: impl PgExecutor<'_>) -> Result<Vec<JobRun>> {
    let rows = sqlx::query!(
        r#"select distinct on (job) job, due_at, started_at, ended_at, outcome, detail,
               count(*) filter (where outcome in ('failed', 'interrupted')) over (partition by job) as "failures!"
           from job_run order by job, id desc"#
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(JobRun {
                job: parse("job_run.job", &row.job)?,
                due_at: row.due_at,
                started_at: row.started_at,
                ended_at: row.ended_at,
                outcome: parse_some("job_run.outcome", row.outcome.as_deref())?,
                detail: row.detail,
                failures: row.failures,
            })
        })
        .collect()
}
