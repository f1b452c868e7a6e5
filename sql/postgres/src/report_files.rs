//! Monthly reports as PDF: users ask for them, workers print them, and they are kept for a short time.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use sqlx::PgExecutor;
use vocabulary::{BrandId, Language, SystemScope, UserId};

use crate::stored::{interval, parse};
use crate::{Connection, Result};

/// Longer reasons are cut.
const MAX_REASON: usize = 500;
/// A report that no worker could print so often is given up.
const MOST_TRIES: i32 = 3;
/// Time for an API that restarts.
pub const RETRY_AFTER: Duration = Duration::from_secs(20);

/// A report file (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReportFileId(pub i64);

/// A report as it is asked for. It shows what `user` sees when it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOrder {
    /// The user it is for.
    pub user: UserId,
    /// The brand it is about; `None` for all of the user.
    pub brand: Option<BrandId>,
    /// The first day of its month.
    pub month: NaiveDate,
    /// The language of its words.
    pub language: Language,
    /// What its days are in.
    pub time_zone: Tz,
}

impl ReportOrder {
    /// What a row has, of which language and time zone are texts.
    fn read(user: UserId, brand: Option<i32>, month: NaiveDate, (language, time_zone): (&str, &str)) -> Result<Self> {
        Ok(Self {
            user,
            brand: brand.map(BrandId),
            month,
            language: parse("report_file.language", language)?,
            time_zone: parse("report_file.time_zone", time_zone)?,
        })
    }
}

/// How far a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is to be printed.
    Waiting,
    /// Its PDF is there.
    Ready,
    /// It could not be printed.
    Failed,
}

impl Progress {
    const fn read(is_settled: bool, is_ready: bool) -> Self {
        match (is_settled, is_ready) {
            (false, _) => Self::Waiting,
            (true, true) => Self::Ready,
            (true, false) => Self::Failed,
        }
    }
}

/// A report that a user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Id of its row.
    pub id: ReportFileId,
    /// What was asked for.
    pub order: ReportOrder,
    /// How far it is.
    pub progress: Progress,
}

/// A report that this process may print, as long as its lease lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedReport {
    id: i64,
    tries: i32,
    /// What was asked for.
    pub order: ReportOrder,
}

impl ClaimedReport {
    /// Its number, by which logs name it.
    pub const fn id(&self) -> i64 {
        self.id
    }
}

/// Asks for a report at the time `now`, unless the same one waits already, and returns its id.
pub async fn request(connection: &mut Connection, order: &ReportOrder, now: DateTime<Utc>) -> Result<ReportFileId> {
    // The update changes nothing; without one, the row that is there would not be returned.
    let id = sqlx::query_scalar!(
        "insert into report_file (user_id, brand_id, month, language, time_zone, requested_at) values ($1, $2, $3, $4, $5, $6)
         on conflict (user_id, coalesce(brand_id, 0), month, language, time_zone) where settled_at is null
         do update set user_id = excluded.user_id returning id",
        order.user.0,
        order.brand.map(|brand| brand.0),
        order.month,
        order.language.to_string(),
        order.time_zone.name(),
        now
    )
    .fetch_one(connection)
    .await?;
    Ok(ReportFileId(id))
}

/// A report of a user; `None` for an unknown one, for that of another user, and for one that is not kept any more.
pub async fn find(executor: impl PgExecutor<'_>, user: UserId, id: ReportFileId) -> Result<Option<ReportFile>> {
    let row = sqlx::query!(
        r#"select brand_id, month, language, time_zone, settled_at is not null as "is_settled!", pdf is not null as "is_ready!"
           from report_file where id = $1 and user_id = $2"#,
        id.0,
        user.0
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(ReportFile {
            id,
            order: ReportOrder::read(user, row.brand_id, row.month, (&row.language, &row.time_zone))?,
            progress: Progress::read(row.is_settled, row.is_ready),
        })
    })
    .transpose()
}

/// The newest report like `order` that was asked for at `since` or later.
pub async fn find_since(
    executor: impl PgExecutor<'_>,
    order: &ReportOrder,
    since: DateTime<Utc>,
) -> Result<Option<(ReportFileId, Progress)>> {
    let row = sqlx::query!(
        r#"select id, settled_at is not null as "is_settled!", pdf is not null as "is_ready!" from report_file
           where user_id = $1 and brand_id is not distinct from $2 and month = $3 and language = $4 and time_zone = $5 and requested_at >= $6
           order by id desc limit 1"#,
        order.user.0,
        order.brand.map(|brand| brand.0),
        order.month,
        order.language.to_string(),
        order.time_zone.name(),
        since
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| (ReportFileId(row.id), Progress::read(row.is_settled, row.is_ready))))
}

/// The PDF of a user's report; `None` without one.
pub async fn pdf(executor: impl PgExecutor<'_>, user: UserId, id: ReportFileId) -> Result<Option<Vec<u8>>> {
    let pdf = sqlx::query_scalar!(
        "select pdf from report_file where id = $1 and user_id = $2",
        id.0,
        user.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(pdf.flatten())
}

/// Claims the report that waits longest, for the time of `lease` from `now` on: one that nobody prints, or whose worker let its lease run out. One that
/// was tried too often is given up instead.
pub async fn claim(
    connection: &mut Connection,
    _system: &SystemScope,
    now: DateTime<Utc>,
    lease: Duration,
) -> Result<Option<ClaimedReport>> {
    sqlx::query!(
        "update report_file set settled_at = $1, leased_until = null, reason = 'its worker ended each time'
         where settled_at is null and tries >= $2 and leased_until <= $1",
        now,
        MOST_TRIES
    )
    .execute(&mut *connection)
    .await?;
    let row = sqlx::query!(
        "update report_file set tries = tries + 1, leased_until = $1::timestamptz + $2::interval
         where id = (
             select id from report_file where settled_at is null and (leased_until is null or leased_until <= $1)
             order by requested_at, id limit 1 for update skip locked
         )
         returning id, tries, user_id, brand_id, month, language, time_zone",
        now,
        interval(lease)
    )
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        Ok(ClaimedReport {
            id: row.id,
            tries: row.tries,
            order: ReportOrder::read(
                UserId(row.user_id),
                row.brand_id,
                row.month,
                (&row.language, &row.time_zone),
            )?,
        })
    })
    .transpose()
}

/// Keeps the PDF of a claimed report. Changes nothing when another worker has claimed it meanwhile.
pub async fn keep(executor: impl PgExecutor<'_>, report: &ClaimedReport, pdf: &[u8], now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update report_file set pdf = $3, settled_at = $4, leased_until = null where id = $1 and tries = $2 and settled_at is null",
        report.id,
        report.tries,
        pdf,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Gives a claimed report back to be tried again after [`RETRY_AFTER`], or gives it up after `MOST_TRIES`, with the reason. Changes nothing when another
/// worker has claimed it meanwhile.
pub async fn fail(
    executor: impl PgExecutor<'_>,
    report: &ClaimedReport,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let is_given_up = report.tries >= MOST_TRIES;
    sqlx::query!(
        "update report_file set settled_at = case when $3 then $4::timestamptz end, leased_until = case when $3 then null else $4::timestamptz + $6::interval end,
             reason = case when $3 then $5 end
         where id = $1 and tries = $2 and settled_at is null",
        report.id,
        report.tries,
        is_given_up,
        now,
        reason.chars().take(MAX_REASON).collect::<String>(),
        interval(RETRY_AFTER)
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes the reports that were asked for before `at`. Returns how many.
pub async fn forget_before(executor: impl PgExecutor<'_>, _system: &SystemScope, at: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query!("delete from report_file where requested_at < $1", at)
        .execute(executor)
        .await?;
    Ok(done.rows_affected())
}
