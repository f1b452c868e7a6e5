//! The grids of enabled terms: which slots there are and which is next. Written by the scheduling pass alone, on the database's clock.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use sqlx::postgres::PgListener;
use vocabulary::{Device, Engine, Frequency, MissedReason, Scope, SlotId, SystemScope, TermId, TermState};

use crate::scoped::ScopeLists;
use crate::stored::{parse, parse_some};
use crate::{Connection, DirectPool, Result};

/// A term whose grids may have to change.
#[derive(Clone, Debug, PartialEq)]
pub struct StaleTerm {
    /// Id of the term.
    pub id: TermId,
    /// Whether it is enabled and has words, an engine and a place.
    pub is_capturable: bool,
    /// The devices it is searched with; none means desktop.
    pub devices: Vec<Device>,
    /// How often it is searched.
    pub every: Frequency,
    /// Searches a month, for the automatic frequency.
    pub monthly_searches: Option<f64>,
    /// The share of searches that convert; `None` means the default.
    pub convert_rate: Option<f64>,
    /// The grids it has now.
    pub grids: Vec<RunningGrid>,
    /// The last slot of each device that was captured, or is being captured.
    pub captured: Vec<(Device, DateTime<Utc>)>,
}

/// A grid as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningGrid {
    /// Device it runs on.
    pub device: Device,
    /// Milliseconds between slots.
    pub every_millis: i64,
}

/// A planned grid. One with the interval of the running grid changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedGrid {
    /// Term it runs for.
    pub term: TermId,
    /// Device it runs on.
    pub device: Device,
    /// Milliseconds between slots.
    pub every_millis: i64,
    /// The first slot of the grid.
    pub first_slot: DateTime<Utc>,
    /// Whether a slot is due now, in addition to the grid.
    pub is_due: bool,
}

/// A slot that was written as queued and waits for its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueSlot {
    /// Id of the slot.
    pub id: SlotId,
    /// Its attempt so far: 0.
    pub attempt: i32,
}

/// What a call of [`claim`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedGrids {
    /// The database's time.
    pub at: DateTime<Utc>,
    /// Slots to be run.
    pub due: Vec<DueSlot>,
    /// Slots that were recorded as missed.
    pub missed: u64,
    /// Grids that moved on.
    pub grids: u64,
}

/// The database's time, and up to `limit` terms that are marked because their grids may have to change, ordered by id; terms that are not capturable
/// are among them. The terms stay locked until the transaction ends; those locked already are passed over. The marks stay; the caller clears them.
pub async fn lock_stale(connection: &mut Connection, limit: i64) -> Result<(DateTime<Utc>, Vec<StaleTerm>)> {
    let now = sqlx::query_scalar!(r#"select now() as "now!""#)
        .fetch_one(&mut *connection)
        .await?;
    let rows = sqlx::query_file!("queries/stale_terms.sql", limit)
        .fetch_all(connection)
        .await?;
    let terms: Result<Vec<StaleTerm>> = rows
        .into_iter()
        .map(|row| {
            let state: Option<TermState> = parse_some("term.state", row.state.as_deref())?;
            let devices: Result<Vec<Device>> = row.devices.iter().map(|text| parse("term.devices", text)).collect();
            let grids = row.grid_devices.iter().zip(&row.grid_millis).map(|(device, millis)| {
                Ok(RunningGrid {
                    device: parse("term_due.device", device)?,
                    every_millis: *millis,
                })
            });
            let captured = row.captured_devices.iter().zip(row.captured_times);
            let captured = captured.map(|(device, at)| Ok((parse("slot.device", device)?, at)));
            Ok(StaleTerm {
                id: TermId(row.id),
                is_capturable: state == Some(TermState::Enabled) && row.is_complete,
                devices: devices?,
                every: row.every.and_then(Frequency::from_millis).unwrap_or(Frequency::AUTO),
                monthly_searches: row.monthly_searches,
                convert_rate: row.search_convert_rate,
                grids: grids.collect::<Result<_>>()?,
                captured: captured.collect::<Result<_>>()?,
            })
        })
        .collect();
    Ok((now, terms?))
}

/// Gives `terms` exactly the grids in `planned` and takes the mark of staleness off them: new grids start, those with another interval start
/// over, and grids not planned are removed, with their queued slots missed as `Disabled`. Writes a queued slot, due now, for each grid with
/// `is_due` and returns these slots; the caller enqueues their jobs in the same transaction.
pub async fn plan(connection: &mut Connection, terms: &[TermId], planned: &[PlannedGrid]) -> Result<Vec<DueSlot>> {
    let terms: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let of: Vec<i32> = planned.iter().map(|grid| grid.term.0).collect();
    let devices: Vec<String> = planned.iter().map(|grid| grid.device.to_string()).collect();
    let every: Vec<i64> = planned.iter().map(|grid| grid.every_millis).collect();
    let first: Vec<DateTime<Utc>> = planned.iter().map(|grid| grid.first_slot).collect();
    let is_due: Vec<bool> = planned.iter().map(|grid| grid.is_due).collect();
    let due = sqlx::query_file_scalar!(
        "queries/plan_grids.sql",
        &terms,
        &of,
        &devices,
        &every,
        &first,
        &is_due,
        MissedReason::Disabled.to_string()
    )
    .fetch_all(connection)
    .await?;
    Ok(due.into_iter().map(due_slot).collect())
}

/// Makes a slot that has just been queued, from its id: it has had no attempt yet, so `attempt` is 0.
const fn due_slot(id: i64) -> DueSlot {
    DueSlot {
        id: SlotId(id),
        attempt: 0,
    }
}

/// Moves on up to `limit` grids whose next slot is due: the newest due slot of each is written as queued, older ones as missed. The caller
/// enqueues jobs for those queued in the same transaction. Grids of terms that [`lock_stale`] returns, or that are locked, are passed over. Several processes may do
/// this at once; each grid is moved by one of them.
pub async fn claim(connection: &mut Connection, limit: i64) -> Result<ClaimedGrids> {
    let row = sqlx::query_file!("queries/claim_due.sql", limit)
        .fetch_one(connection)
        .await?;
    Ok(ClaimedGrids {
        at: row.at,
        due: row.due.into_iter().map(due_slot).collect(),
        missed: row.missed.unsigned_abs(),
        grids: row.grids.unsigned_abs(),
    })
}

/// Hears when terms are marked because their grids may have to change. It holds a connection.
#[derive(Debug)]
pub struct StaleTerms(PgListener);

impl StaleTerms {
    const CHANNEL: &str = "schedule_stale";

    /// Listens from now on.
    pub async fn listen(direct: &DirectPool) -> Result<Self> {
        let mut listener = PgListener::connect_with(direct.pool()).await?;
        listener.listen(Self::CHANNEL).await?;
        Ok(Self(listener))
    }

    /// Waits until a commit has marked terms; several commits since the last call may count as one. An error when the connection is lost and there is no
    /// other.
    pub async fn marked(&mut self) -> Result<()> {
        self.0.recv().await?;
        Ok(())
    }
}

/// A term as its plan is made, whether it is marked or not.
#[derive(Clone, Debug, PartialEq)]
pub struct TermToPlan {
    /// The term as it is; without its present grids and captures, on which the number of its slots does not depend.
    pub term: StaleTerm,
    /// Whether it has words, an engine and a place.
    pub is_complete: bool,
    /// Where it is searched.
    pub engine: Engine,
    /// As in `fr_FR`; `None` for a term without a localization.
    pub locale: Option<String>,
}

impl TermToPlan {
    /// A term without devices, searches or an id of its own: they are for the caller to set, where there are any. It is captured where it `is_complete` and
    /// `is_enabled`.
    pub fn new(engine: Engine, locale: Option<String>, every: Frequency, is_complete: bool, is_enabled: bool) -> Self {
        Self {
            term: StaleTerm {
                id: TermId(0),
                is_capturable: is_complete && is_enabled,
                devices: Vec::new(),
                every,
                monthly_searches: None,
                convert_rate: None,
                grids: Vec::new(),
                captured: Vec::new(),
            },
            is_complete,
            engine,
            locale,
        }
    }
}

/// The visible terms among `terms`, by id. Unknown and invisible ids are left out.
pub async fn to_plan(executor: impl PgExecutor<'_>, scope: &Scope, terms: &[TermId]) -> Result<Vec<TermToPlan>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let rows = sqlx::query_file!(
        "queries/terms_to_plan.sql",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            let state: Option<TermState> = parse_some("term.state", row.state.as_deref())?;
            let devices: Result<Vec<Device>> = row.devices.iter().map(|text| parse("term.devices", text)).collect();
            Ok(TermToPlan {
                term: StaleTerm {
                    id: TermId(row.id),
                    is_capturable: state == Some(TermState::Enabled) && row.is_complete,
                    devices: devices?,
                    every: row.every.and_then(Frequency::from_millis).unwrap_or(Frequency::AUTO),
                    monthly_searches: row.monthly_searches,
                    convert_rate: row.search_convert_rate,
                    grids: Vec::new(),
                    captured: Vec::new(),
                },
                is_complete: row.is_complete,
                engine: parse("term.engine", &row.engine)?,
                locale: row.locale,
            })
        })
        .collect()
}

/// How many captures an hour the running grids of an engine make in one locale.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedLoad {
    /// The engine that is searched.
    pub engine: Engine,
    /// As in `fr_FR`; `None` for terms without a localization.
    pub locale: Option<String>,
    /// Captures an hour, on average.
    pub an_hour: f64,
}

/// The load of all running grids but those of `besides`, by engine and locale.
pub async fn load_besides(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    besides: &[TermId],
) -> Result<Vec<PlannedLoad>> {
    let ids: Vec<i32> = besides.iter().map(|term| term.0).collect();
    let rows = sqlx::query!(
        r#"select lower(coalesce(t.engine, 'GOOGLE')) as "engine!", l.locale as "locale?", sum(3600000.0::double precision / d.every_ms) as "an_hour!"
           from term_due d join term t on t.id = d.term_id left join localization l on l.id = t.localization_id
           where t.id <> all($1)
           group by 1, 2 order by 1, 2"#,
        &ids
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(PlannedLoad {
                engine: parse("term.engine", &row.engine)?,
                locale: row.locale,
                an_hour: row.an_hour,
            })
        })
        .collect()
}
