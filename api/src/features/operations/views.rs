//! The response bodies of this slice. Spans are in whole seconds unless their field says otherwise.

use analytics::reports::captures::CaptureAd;
use chrono::{DateTime, Utc};
use postgres::operations::journal::JournalEntry;
use postgres::operations::outcomes::Outcome;
use postgres::operations::pauses::Pause;
use postgres::operations::queue::Backlog;
use postgres::operations::reviews::{Handled, Reviewed};
use postgres::operations::schedules::{LastRun, Schedule};
use schedules::calendar::Scheduled;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::CaptureId;

/// A list without paging.
#[derive(Serialize, ToSchema)]
pub(super) struct ListView<T> {
    pub(super) data: Vec<T>,
}

/// How the work goes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OverviewView {
    /// When this was so.
    pub(super) as_of: DateTime<Utc>,
    /// All engines together.
    pub(super) queue: QueueView,
    pub(super) engines: Vec<EngineView>,
    pub(super) open: OpenView,
}

/// Runs that have not ended.
#[derive(Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueueView {
    /// Those that could run now.
    waiting: u64,
    /// Those to be tried again later.
    later: u64,
    /// Those a worker holds.
    under_way: u64,
    /// How long the longest waiting one could have run.
    oldest_wait_seconds: u64,
    /// How long ago the oldest one was due.
    oldest_age_seconds: u64,
}

impl QueueView {
    /// Two queues together: counts are summed, of waits the longer counts.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            waiting: self.waiting + other.waiting,
            later: self.later + other.later,
            under_way: self.under_way + other.under_way,
            oldest_wait_seconds: self.oldest_wait_seconds.max(other.oldest_wait_seconds),
            oldest_age_seconds: self.oldest_age_seconds.max(other.oldest_age_seconds),
        }
    }
}

impl From<&Backlog> for QueueView {
    /// The counts as they are; waits and ages in whole seconds, rounded down.
    fn from(backlog: &Backlog) -> Self {
        Self {
            waiting: backlog.waiting,
            later: backlog.later,
            under_way: backlog.under_way,
            oldest_wait_seconds: backlog.oldest_wait.as_secs(),
            oldest_age_seconds: backlog.oldest_age.as_secs(),
        }
    }
}

/// The state of one engine.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EngineView {
    /// `google` or `bing`.
    pub(super) engine: String,
    /// Set while an administrator has stopped it.
    pub(super) paused: Option<PauseView>,
    /// Seconds it is still left alone because it refused.
    pub(super) resting_seconds: Option<u64>,
    pub(super) queue: QueueView,
    pub(super) last_hour: HourView,
}

/// An engine stopped by an administrator.
#[derive(Serialize, ToSchema)]
pub(super) struct PauseView {
    since: DateTime<Utc>,
    by: String,
    reason: Option<String>,
}

impl From<Pause> for PauseView {
    fn from(pause: Pause) -> Self {
        Self {
            since: pause.since,
            by: pause.by,
            reason: pause.reason,
        }
    }
}

/// How runs ended within an hour.
#[derive(Default, Serialize, ToSchema)]
pub(super) struct HourView {
    /// With a result page in order.
    pub(super) results: u64,
    /// With a result page that may hold more than was read.
    pub(super) doubtful: u64,
    pub(super) failed: u64,
    pub(super) missed: u64,
}

/// Runs that need a look, each counted to 1,000.
#[derive(Serialize, ToSchema)]
pub(super) struct OpenView {
    pub(super) doubtful: usize,
    pub(super) quarantined: usize,
    pub(super) failed: usize,
}

/// Runs that ended the same way in the same span of time.
#[derive(Serialize, ToSchema)]
pub(super) struct OutcomeView {
    /// The beginning of the span.
    start: DateTime<Utc>,
    engine: String,
    /// `verified`, `failed` or `missed`.
    state: String,
    /// `results` or `doubtful`, or the reason of a failure or a miss.
    verdict: String,
    count: u64,
}

impl From<Outcome> for OutcomeView {
    /// Engine and state by their names; the rest as it is.
    fn from(outcome: Outcome) -> Self {
        Self {
            start: outcome.start,
            engine: outcome.engine.to_string(),
            state: outcome.state.to_string(),
            verdict: outcome.verdict,
            count: outcome.count,
        }
    }
}

/// A page of schedules.
#[derive(Serialize, ToSchema)]
pub(super) struct SchedulesView {
    pub(super) data: Vec<ScheduleView>,
    pub(super) meta: ShownView,
}

/// Which part of the schedules is shown.
#[derive(Serialize, ToSchema)]
pub(super) struct ShownView {
    /// Rows in all.
    pub(super) total: u64,
    /// Number of the page, from 1.
    pub(super) number: u32,
    /// Rows a page.
    pub(super) size: u32,
}

/// A term on a device.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScheduleView {
    #[serde(rename = "termID")]
    term_id: i32,
    term: String,
    brand: Option<String>,
    engine: String,
    device: String,
    locale: Option<String>,
    /// Milliseconds between runs.
    every: i64,
    next_run: DateTime<Utc>,
    last_run: Option<LastRunView>,
    /// Runs due in the last seven days.
    runs: u64,
    /// Those of them that failed.
    failures: u64,
    /// Those of them that were missed.
    missed: u64,
}

/// The last run of a schedule.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LastRunView {
    #[serde(rename = "requestID")]
    request_id: String,
    /// When it was due.
    date: DateTime<Utc>,
    state: String,
    reason: Option<String>,
}

impl From<LastRun> for LastRunView {
    /// Shows a run: its request id is the id of its capture, taken or not, and its date is when it was due, not when it ran.
    fn from(run: LastRun) -> Self {
        Self {
            request_id: run.capture.to_string(),
            date: run.at,
            state: run.state.to_string(),
            reason: run.reason,
        }
    }
}

impl From<Schedule> for ScheduleView {
    /// The interval is in milliseconds; a term that never ran has no last run.
    fn from(schedule: Schedule) -> Self {
        Self {
            term_id: schedule.term_id.0,
            term: schedule.term,
            brand: schedule.brand,
            engine: schedule.engine.to_string(),
            device: schedule.device.to_string(),
            locale: schedule.locale,
            every: schedule.every_millis,
            next_run: schedule.next_run,
            last_run: schedule.last.map(LastRunView::from),
            runs: schedule.runs,
            failures: schedule.failures,
            missed: schedule.missed,
        }
    }
}

/// A housekeeping job.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobView {
    job: String,
    /// Its calendar as a cron expression: second, minute, hour, day, month, day of the week, in the time zone of the settings.
    calendar: &'static str,
    next_run: Option<DateTime<Utc>>,
    last_run: Option<JobRunView>,
    /// Runs of the last 90 days that did not do their work.
    failures: i64,
}

/// The last run of a job.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct JobRunView {
    started: DateTime<Utc>,
    /// Null while it is under way.
    ended: Option<DateTime<Utc>>,
    /// `done`, `failed` or `interrupted`; null while it is under way.
    outcome: Option<String>,
    /// What it did, or why it failed.
    detail: Option<String>,
}

impl From<Scheduled> for JobView {
    /// A job with its next run and its calendar (a cron expression). One that has never run has no last run and 0 failures.
    fn from(scheduled: Scheduled) -> Self {
        Self {
            job: scheduled.job.to_string(),
            calendar: scheduled.expression,
            next_run: scheduled.next,
            failures: scheduled.last.as_ref().map_or(0, |run| run.failures),
            last_run: scheduled.last.map(|run| JobRunView {
                started: run.started_at,
                ended: run.ended_at,
                outcome: run.outcome.map(|outcome| outcome.to_string()),
                detail: run.detail,
            }),
        }
    }
}

/// A run that needs a look.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReviewView {
    #[serde(rename = "requestID")]
    request_id: String,
    /// `doubtful`, `quarantined` or `failed`; null for a run that is in order or under way.
    kind: Option<String>,
    /// Whether it was retried or discarded since it ended.
    handled: bool,
    term: String,
    brand: Option<String>,
    engine: String,
    device: String,
    locale: Option<String>,
    /// When its page was received, or when it was due while none was.
    date: DateTime<Utc>,
    ended_date: Option<DateTime<Utc>>,
    attempts: u32,
    /// Why it failed, or what speaks against its reading.
    reason: Option<String>,
    /// Text ads read; null where no result page was.
    ads: Option<u32>,
    /// Shopping ads read, likewise.
    shopping: Option<u32>,
    /// Whether its page can be shown.
    has_page: bool,
    has_screenshot: bool,
}

impl From<Reviewed> for ReviewView {
    /// The date is when the page of the capture was received, else when the run was due; a page or screenshot counts while its file is kept. Without
    /// a kind, the run needs no review; counts of ads are null while no page was read.
    fn from(run: Reviewed) -> Self {
        Self {
            request_id: run.capture.to_string(),
            kind: run.kind.map(|kind| kind.to_string()),
            handled: run.is_handled,
            term: run.term,
            brand: run.brand,
            engine: run.engine.to_string(),
            device: run.device.to_string(),
            locale: run.locale,
            date: run.taken_at.unwrap_or(run.slot_time),
            ended_date: run.settled_at,
            attempts: run.attempts,
            reason: run.reason,
            ads: run.ads.map(|(text, _)| text),
            shopping: run.ads.map(|(_, shopping)| shopping),
            has_page: run.view.is_some(),
            has_screenshot: run.screenshot.is_some(),
        }
    }
}

/// A run with what was read off its page.
#[derive(Serialize, ToSchema)]
pub(super) struct ReviewedView {
    data: ReviewedData,
}

/// A run, where its search ended, and its ads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReviewedData {
    #[serde(flatten)]
    run: ReviewView,
    final_url: Option<String>,
    /// Ads that are stored, in the order of the page.
    read: Vec<AdView>,
}

impl ReviewedView {
    /// A run with the ads that were read off its page and stored, in the order given.
    pub(super) fn new(run: Reviewed, ads: Vec<CaptureAd>) -> Self {
        Self {
            data: ReviewedData {
                final_url: run.final_url.clone(),
                run: run.into(),
                read: ads.into_iter().map(AdView::from).collect(),
            },
        }
    }
}

/// An ad as it was read. A text the page did not show is empty.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AdView {
    /// `ads` or `shopping`.
    kind: String,
    /// Rank among its kind.
    position: u16,
    /// Rank over the page, unpaid results and whole shopping units counted.
    real_position: u16,
    /// The ad's anchor on the page is `#ad-N`, N being its mark.
    mark: u16,
    domain: String,
    title: String,
    description: String,
    #[serde(rename = "displayURL")]
    display_url: String,
    price: String,
    merchant: String,
}

impl From<CaptureAd> for AdView {
    /// Takes every field as it is stored.
    fn from(ad: CaptureAd) -> Self {
        Self {
            kind: ad.kind,
            position: ad.position,
            real_position: ad.real_position,
            mark: ad.mark,
            domain: ad.domain,
            title: ad.title,
            description: ad.description,
            display_url: ad.display_url,
            price: ad.price,
            merchant: ad.merchant,
        }
    }
}

/// What became of each capture acted on.
#[derive(Serialize, ToSchema)]
pub(super) struct DoneView {
    pub(super) data: Vec<HandledView>,
}

/// What became of one capture.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HandledView {
    #[serde(rename = "requestID")]
    request_id: String,
    /// `done`; else why not: `unknown`, `closed` (in order, under way, or handled already) or `disabled` (its term is not searched now).
    outcome: &'static str,
    /// The name of the new capture, when one was asked for.
    #[serde(rename = "newRequestID")]
    new_request_id: Option<String>,
}

impl HandledView {
    /// What became of a capture that was retried or discarded, in the words of the API: `done`, with the new capture of a retry, or why not.
    pub(super) fn new(capture: CaptureId, handled: Handled) -> Self {
        let (outcome, new) = match handled {
            Handled::Done => ("done", None),
            Handled::Again(_, new) => ("done", Some(new.to_string())),
            Handled::Unknown => ("unknown", None),
            Handled::Closed => ("closed", None),
            Handled::Disabled => ("disabled", None),
        };
        Self {
            request_id: capture.to_string(),
            outcome,
            new_request_id: new,
        }
    }
}

/// An entry of the journal.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct JournalEntryView {
    id: i64,
    date: DateTime<Utc>,
    by: String,
    /// `pause`, `resume`, `retry` or `discard`.
    act: String,
    engine: String,
    #[serde(rename = "requestID")]
    request_id: Option<String>,
    term: Option<String>,
    note: Option<String>,
}

impl From<JournalEntry> for JournalEntryView {
    /// Act and engine by their names; the id of a run only for an act on one capture.
    fn from(entry: JournalEntry) -> Self {
        Self {
            id: entry.id,
            date: entry.at,
            by: entry.by,
            act: entry.act.to_string(),
            engine: entry.engine.to_string(),
            request_id: entry.capture.map(|capture| capture.to_string()),
            term: entry.term,
            note: entry.note,
        }
    }
}
