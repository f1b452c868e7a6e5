//! What each capture says of a lane.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{CaptureId, Device, SystemScope, TermId};

use crate::stored::parse;
use crate::{Connection, Result};

/// What a capture says of a lane. Its verdict is a text of the rule (`stop_go`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReading {
    /// The capture that says so.
    pub capture: CaptureId,
    /// The term that was searched.
    pub term: TermId,
    /// The device that it was searched on.
    pub device: Device,
    /// When its page was received.
    pub at: DateTime<Utc>,
    /// What it says.
    pub verdict: String,
    /// Hosts of others that advertise.
    pub rivals: Vec<String>,
    /// Which partners advertise.
    pub partners: Vec<String>,
    /// Whether the first organic result is official; `None` if none was read.
    pub organic_first: Option<bool>,
    /// Whether the brand's own ad is there.
    pub own_ad: bool,
}

/// Adds what a capture says of a lane. `false` if it was added before; then nothing is changed.
pub async fn add(
    connection: &mut Connection,
    _system: &SystemScope,
    lane: i32,
    reading: &StoredReading,
) -> Result<bool> {
    let added = sqlx::query!(
        "insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, rivals, partners, organic_first, own_ad)
         values ($1, $2, $3, $4::text::device, $5, $6, $7, $8, $9, $10) on conflict do nothing",
        lane,
        reading.capture.0,
        reading.term.0,
        reading.device.to_string(),
        reading.at,
        reading.verdict,
        &reading.rivals,
        &reading.partners,
        reading.organic_first,
        reading.own_ad
    );
    Ok(added.execute(connection).await?.rows_affected() > 0)
}

/// The readings of a lane in a period, in the order of their times, at most `limit` of the last ones.
pub async fn between(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    (from, until): (DateTime<Utc>, DateTime<Utc>),
    limit: i64,
) -> Result<Vec<StoredReading>> {
    let rows = sqlx::query!(
        r#"select capture_id, term_id, device::text as "device!", at, verdict, rivals, partners, organic_first, own_ad
           from stop_go_reading where lane_id = $1 and at >= $2 and at < $3 order by at desc, capture_id limit $4"#,
        lane,
        from,
        until,
        limit
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().rev().map(|row| {
        Ok(StoredReading {
            capture: CaptureId(row.capture_id),
            term: TermId(row.term_id),
            device: parse("stop_go_reading.device", &row.device)?,
            at: row.at,
            verdict: row.verdict,
            rivals: row.rivals,
            partners: row.partners,
            organic_first: row.organic_first,
            own_ad: row.own_ad,
        })
    });
    found.collect()
}

/// What the captures of a lane say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingTotals {
    /// When the first one was received.
    pub first: Option<DateTime<Utc>>,
    /// Readings since the asked time.
    pub all: i64,
    /// Valid ones among them.
    pub valid: i64,
    /// Those with an official first organic result.
    pub organic_first: i64,
}

/// The first reading of a lane, and how many there are since a time.
pub async fn totals(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    since: DateTime<Utc>,
) -> Result<ReadingTotals> {
    let totals = sqlx::query_as!(
        ReadingTotals,
        r#"select (select min(at) from stop_go_reading where lane_id = $1) as first, count(*) as "all!",
               count(*) filter (where verdict <> 'invalid') as "valid!", count(*) filter (where organic_first) as "organic_first!"
           from stop_go_reading where lane_id = $1 and at >= $2"#,
        lane,
        since
    );
    Ok(totals.fetch_one(executor).await?)
}

/// Lanes whose earlier pages have not been read, at most `limit`.
pub async fn lanes_to_read_back(executor: impl PgExecutor<'_>, _system: &SystemScope, limit: i64) -> Result<Vec<i32>> {
    let lanes = sqlx::query_scalar!(
        "select id from stop_go_lane where not read_back order by id limit $1",
        limit
    );
    Ok(lanes.fetch_all(executor).await?)
}

/// Captures of a lane's terms since a time whose page is kept and that have no reading yet, the last ones first, at most `limit`.
pub async fn unread(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    since: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<CaptureId>> {
    let ids = sqlx::query_scalar!(
        "select c.id from capture c
         where c.term_id in (select term_id from stop_go_keyword where lane_id = $1 and removed_at is null) and c.engine = 'google'
             and c.slot_ts >= $2 and c.files_gone_at is null
             and not exists (select from stop_go_reading r where r.lane_id = $1 and r.capture_id = c.id)
         order by c.slot_ts desc limit $3",
        lane,
        since,
        limit
    );
    Ok(ids.fetch_all(executor).await?.into_iter().map(CaptureId).collect())
}

/// Notes that the earlier pages of a lane have been read.
pub async fn note_read_back(executor: impl PgExecutor<'_>, _system: &SystemScope, lane: i32) -> Result<()> {
    sqlx::query!("update stop_go_lane set read_back = true where id = $1", lane)
        .execute(executor)
        .await?;
    Ok(())
}

/// Deletes readings, and decisions, from before a time.
pub async fn forget_before(connection: &mut Connection, _system: &SystemScope, before: DateTime<Utc>) -> Result<u64> {
    let readings = sqlx::query!("delete from stop_go_reading where at < $1", before)
        .execute(&mut *connection)
        .await?;
    let decisions = sqlx::query!("delete from stop_go_decision where at < $1", before)
        .execute(connection)
        .await?;
    Ok(readings.rows_affected() + decisions.rows_affected())
}
