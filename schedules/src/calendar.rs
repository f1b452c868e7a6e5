//! When scheduled jobs run (decision D151), on the clock of the settings' time zone.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use cron::Schedule;
use postgres::Pool;
use postgres::job_runs::{self, JobRun};
use vocabulary::{Job, JobOutcome};

use crate::Error;

/// A run that failed or was interrupted is repeated this long after it began, without waiting for the next time of its schedule.
const TRY_AGAIN: TimeDelta = TimeDelta::minutes(10);

/// The schedule of a job as a cron expression (second, minute, hour, day, month, day of the week) in the time zone of the settings.
pub const fn expression(job: Job) -> &'static str {
    match job {
        // A day is closed ten minutes after midnight UTC.
        Job::SealDays => "0 12 * * * *",
        Job::RefreshTotals => "0 20 * * * *",
        // Not between two and three: where clocks change, that hour is skipped or comes twice.
        Job::CheckRollUps => "0 30 1 * * *",
        Job::Reconcile => "0 0 3 * * *",
        // After the stores were reconciled: what was stored late counts as seen.
        Job::Disappear => "0 15 3 * * *",
        Job::Prioritize => "0 30 3 * * *",
        Job::Retention => "0 0 4 * * *",
        // Every day, those of a month ago: never all terms at once.
        Job::RefreshSearchStats => "0 45 4 * * *",
        Job::Notify => "0 */10 * * * *",
        // The preview of the run is looked at from six on.
        Job::Remind => "0 0 7 * * *",
        // Before the working day.
        Job::CheckAccepted => "0 15 5 * * *",
        // A grant that was revoked is known before lists are compared by it.
        Job::RefreshFigures => "0 0 5 * * *",
        Job::CompareLists => "0 5 5 * * *",
        Job::LinkAdvertisers => "0 30 5 * * *",
    }
}

/// The first time of a job's schedule after `after`; `None` after the year 2100, where cron expressions end.
pub fn next_run(job: Job, zone: Tz, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
    schedule(job)
        .after(&after.with_timezone(&zone))
        .next()
        .map(|time| time.to_utc())
}

/// The latest time of the schedule up to `now`, if a run for it is due. `None` when the last run has covered that time, unless that run did not
/// succeed and began at least ten minutes ago. The caller holds the job's lock, so the process of a run without an end has died.
pub fn due(job: Job, zone: Tz, last: Option<&JobRun>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let until = (now + TimeDelta::seconds(1)).with_timezone(&zone);
    let newest = schedule(job).after(&until).next_back()?.to_utc();
    let Some(last) = last else {
        return Some(newest);
    };
    let is_to_repeat = last.outcome != Some(JobOutcome::Done) && last.started_at + TRY_AGAIN <= now;
    (last.due_at < newest || is_to_repeat).then_some(newest)
}

/// A job as the operations page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// The scheduled job.
    pub job: Job,
    /// Its schedule as a cron expression.
    pub expression: &'static str,
    /// Its last run; `None` before the first.
    pub last: Option<JobRun>,
    /// The next time of its schedule.
    pub next: Option<DateTime<Utc>>,
}

/// All jobs in the order of the enum, each with its last run, if any, and the next time of its schedule after `now`; schedules are in `zone`.
pub async fn overview(pool: &Pool, zone: Tz, now: DateTime<Utc>) -> Result<Vec<Scheduled>, Error> {
    let mut runs = job_runs::last(pool).await?;
    let jobs = <Job as strum::VariantArray>::VARIANTS.iter().map(|job| Scheduled {
        job: *job,
        expression: expression(*job),
        last: runs
            .iter()
            .position(|run| run.job == *job)
            .map(|index| runs.swap_remove(index)),
        next: next_run(*job, zone, now),
    });
    Ok(jobs.collect())
}

/// The parsed schedule of a job.
fn schedule(job: Job) -> Schedule {
    Schedule::from_str(expression(job)).expect("the expressions are constants, and tested below")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn run(due: &str, started: &str, outcome: Option<JobOutcome>) -> JobRun {
        JobRun {
            job: Job::Retention,
            due_at: at(due),
            started_at: at(started),
            ended_at: None,
            outcome,
            detail: None,
            failures: 0,
        }
    }

    fn is_due(last: Option<&JobRun>, now: &str) -> Option<DateTime<Utc>> {
        due(Job::Retention, chrono_tz::Europe::Paris, last, at(now))
    }

    #[test]
    fn every_job_has_a_schedule_in_the_time_zone_of_the_settings() {
        for job in <Job as strum::VariantArray>::VARIANTS {
            assert!(
                next_run(*job, chrono_tz::UTC, at("2026-07-01T12:00:00Z")).is_some(),
                "{job}"
            );
        }
        let next = |after| next_run(Job::Retention, chrono_tz::Europe::Paris, at(after));
        assert_eq!(next("2026-07-01T12:00:00Z"), Some(at("2026-07-02T02:00:00Z")));
        assert_eq!(next("2026-12-01T12:00:00Z"), Some(at("2026-12-02T03:00:00Z")));
    }

    #[test]
    fn missed_runs_are_caught_up_once() {
        let last = run("2026-07-01T02:00:00Z", "2026-07-01T02:00:05Z", Some(JobOutcome::Done));
        assert_eq!(is_due(Some(&last), "2026-07-02T01:59:59Z"), None);
        assert_eq!(
            is_due(Some(&last), "2026-07-02T02:00:00Z"),
            Some(at("2026-07-02T02:00:00Z"))
        );
        assert_eq!(
            is_due(Some(&last), "2026-07-09T20:00:00Z"),
            Some(at("2026-07-09T02:00:00Z"))
        );
        let caught_up = run("2026-07-09T02:00:00Z", "2026-07-09T20:00:00Z", Some(JobOutcome::Done));
        assert_eq!(is_due(Some(&caught_up), "2026-07-09T20:01:00Z"), None);
    }

    /// The runs of a job over these days, if its calendar is checked every ten minutes.
    fn runs(job: Job, from: &str, to: &str) -> Vec<DateTime<Utc>> {
        let zone = chrono_tz::Europe::Paris;
        let (mut now, mut last) = (at(from), None);
        let mut all = Vec::new();
        while now < at(to) {
            if let Some(due_at) = due(job, zone, last.as_ref(), now) {
                all.push(due_at);
                last = Some(JobRun {
                    job,
                    due_at,
                    started_at: now,
                    ended_at: Some(now),
                    outcome: Some(JobOutcome::Done),
                    detail: None,
                    failures: 0,
                });
            }
            now += TimeDelta::minutes(10);
        }
        all
    }

    #[test]
    fn when_the_clocks_change_no_job_is_skipped_or_run_twice() {
        for (from, to) in [
            ("2026-03-26T12:00:00Z", "2026-04-01T12:00:00Z"),
            ("2026-10-22T12:00:00Z", "2026-10-28T12:00:00Z"),
        ] {
            for job in <Job as strum::VariantArray>::VARIANTS {
                let (every, fewest) = match job {
                    Job::SealDays | Job::RefreshTotals => (TimeDelta::hours(1), 6 * 24),
                    // An hour of the six days comes twice, and counts once.
                    Job::Notify => (TimeDelta::minutes(10), (6 * 24 - 1) * 6),
                    _ => (TimeDelta::days(1), 6),
                };
                let all = runs(*job, from, to);
                for pair in all.windows(2) {
                    let between = pair[1] - pair[0];
                    assert!(
                        between >= every - TimeDelta::hours(1).min(every / 2) && between <= every + TimeDelta::hours(1),
                        "{job}: {pair:?}"
                    );
                }
                assert!(all.len() >= fewest, "{job}: {all:?}");
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_back_runs_nothing_again() {
        let last = run("2026-07-02T02:00:00Z", "2026-07-02T02:00:05Z", Some(JobOutcome::Done));
        for now in ["2026-07-02T00:30:00Z", "2026-07-01T02:00:00Z", "2026-07-02T02:00:01Z"] {
            assert_eq!(is_due(Some(&last), now), None, "{now}");
        }
    }

    #[test]
    fn a_job_that_never_ran_is_due() {
        assert_eq!(is_due(None, "2026-07-02T12:00:00Z"), Some(at("2026-07-02T02:00:00Z")));
    }

    #[test]
    fn a_run_that_failed_or_was_interrupted_is_repeated_after_a_while() {
        for outcome in [None, Some(JobOutcome::Failed), Some(JobOutcome::Interrupted)] {
            let last = run("2026-07-02T02:00:00Z", "2026-07-02T02:00:00Z", outcome);
            assert_eq!(is_due(Some(&last), "2026-07-02T02:09:59Z"), None);
            assert_eq!(
                is_due(Some(&last), "2026-07-02T02:10:00Z"),
                Some(at("2026-07-02T02:00:00Z"))
            );
        }
    }
}
