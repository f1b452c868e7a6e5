//! What Vigie does next with a case by itself, and when (decision D46). The page of a case and the job that does it ask the same function.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeZone, Utc};

use crate::{ActionStatus, BlockReason};

/// When reminders are sent, on the clock of the settings (decision D151).
const RUN_AT: NaiveTime = NaiveTime::from_hms_opt(7, 0, 0).expect("it is a time of the day");

/// How a brand wants advertisers to be reminded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReminderSettings {
    /// Whether reminders are sent without anybody asking for them.
    pub is_automatic: bool,
    /// Days from one mail to the next.
    pub frequency: u32,
    /// Reminders of a cycle.
    pub quota: u32,
}

impl Default for ReminderSettings {
    /// Nothing automatic, as it writes to third parties; where it is asked for, three reminders, one every 15 days.
    fn default() -> Self {
        Self {
            is_automatic: false,
            frequency: 15,
            quota: 3,
        }
    }
}

/// What the next step of a case depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct OutreachState {
    /// The present status.
    pub status: ActionStatus,
    /// Whether the advertiser is to answer, not we.
    pub is_waiting: bool,
    /// Whether the advertiser was notified by other means and has had no mail since.
    pub is_manual: bool,
    /// Whether somebody began the cycle by hand.
    pub is_forced: bool,
    /// Reminders of this cycle.
    pub reminders: u32,
    /// When the last mail left, or the cycle was begun by hand.
    pub clock: Option<DateTime<Utc>>,
    /// Nothing is sent before this day.
    pub paused_until: Option<NaiveDate>,
    /// Whether there is anybody to write to.
    pub has_active_contact: bool,
    /// Whether the brand notifies every advertiser that appears.
    pub notifies_all: bool,
}

/// What Vigie does to a case by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineStep {
    /// Sends the first mail.
    Notify,
    /// Sends the reminder of this number, from 1.
    Remind(u32),
    /// Blocks the case.
    Block(BlockReason),
}

/// What is next in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Vigie does nothing by itself.
    Nothing,
    /// The advertiser has answered; nothing happens until we do.
    Ours,
    /// Vigie would write, and there is nobody to write to (decision D183).
    NoContact,
    /// Vigie sends the first mail as soon as its limits allow.
    Soon,
    /// Vigie does this in the run at this time.
    Due(MachineStep, DateTime<Utc>),
}

impl OutreachState {
    /// What is next, in the run at `now` or a later one. The days are those of `zone`.
    pub fn next_step<Z: TimeZone>(&self, settings: ReminderSettings, zone: &Z, now: DateTime<Utc>) -> NextStep {
        if self.status == ActionStatus::Requested && self.notifies_all {
            return if self.has_active_contact {
                NextStep::Soon
            } else {
                NextStep::NoContact
            };
        }
        if !self.status.is_in_outreach() {
            return NextStep::Nothing;
        }
        if !self.is_waiting {
            return NextStep::Ours;
        }
        let Some(clock) = self.clock.filter(|_| settings.is_automatic || self.is_forced) else {
            return NextStep::Nothing;
        };
        let last = clock.with_timezone(zone).date_naive();
        let due = last
            .checked_add_days(Days::new(settings.frequency.into()))
            .unwrap_or(last);
        let due = self.paused_until.map_or(due, |until| until.max(due));
        NextStep::Due(self.step(settings), first_run(due, zone, now))
    }

    /// What Vigie does once the time has come.
    const fn step(&self, settings: ReminderSettings) -> MachineStep {
        if self.is_manual && !self.is_forced {
            MachineStep::Block(BlockReason::ManuallyNotifiedDelayPassed)
        } else if !self.has_active_contact {
            MachineStep::Block(BlockReason::NoActiveRecipients)
        } else if self.is_manual {
            MachineStep::Notify
        } else if self.reminders >= settings.quota {
            MachineStep::Block(BlockReason::ReminderQuotaReached)
        } else {
            MachineStep::Remind(self.reminders + 1)
        }
    }

    /// Whether somebody may begin a cycle of reminders by hand: somebody can be written to, and no mail would leave without it.
    pub const fn can_be_forced(&self, settings: ReminderSettings) -> bool {
        let runs = self.status.is_in_outreach() && self.is_waiting && (settings.is_automatic || self.is_forced);
        self.has_active_contact && (!runs || matches!(self.step(settings), MachineStep::Block(_)))
    }
}

/// When reminders are sent on a day, on the clock of `zone`.
pub fn reminder_run_on<Z: TimeZone>(day: NaiveDate, zone: &Z) -> DateTime<Utc> {
    let local = zone.from_local_datetime(&day.and_time(RUN_AT)).earliest();
    local.map_or_else(|| day.and_time(RUN_AT).and_utc(), |local| local.to_utc())
}

/// The time of the first run on `day` or later that is not before `now`.
fn first_run<Z: TimeZone>(day: NaiveDate, zone: &Z, now: DateTime<Utc>) -> DateTime<Utc> {
    let today = now.with_timezone(zone).date_naive();
    let first = reminder_run_on(day.max(today), zone);
    if first >= now {
        return first;
    }
    today.succ_opt().map_or(first, |day| reminder_run_on(day, zone))
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    const WAITING: OutreachState = OutreachState {
        status: ActionStatus::Inprogress,
        is_waiting: true,
        is_manual: false,
        is_forced: false,
        reminders: 0,
        clock: None,
        paused_until: None,
        has_active_contact: true,
        notifies_all: false,
    };
    const AUTOMATIC: ReminderSettings = ReminderSettings {
        is_automatic: true,
        frequency: 15,
        quota: 3,
    };

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    /// Two hours east of Greenwich.
    fn zone() -> FixedOffset {
        FixedOffset::east_opt(7_200).unwrap()
    }

    fn next(state: &OutreachState, now: &str) -> NextStep {
        state.next_step(AUTOMATIC, &zone(), at(now))
    }

    #[test]
    fn a_cycle_is_three_reminders_every_fifteen_days_and_then_a_block() {
        // The last moment of the first day in that zone.
        let mut state = OutreachState {
            clock: Some(at("2026-06-01T21:59:00Z")),
            ..WAITING
        };
        let mut found = Vec::new();
        let mut now = at("2026-06-01T22:30:00Z");
        while let NextStep::Due(step, run) = state.next_step(AUTOMATIC, &zone(), now) {
            found.push((step, run.to_rfc3339()));
            let MachineStep::Remind(number) = step else { break };
            assert_eq!(
                state.next_step(AUTOMATIC, &zone(), run),
                NextStep::Due(step, run),
                "the run finds it due"
            );
            (state.reminders, state.clock, now) = (number, Some(run), run);
        }
        let expected = [
            (MachineStep::Remind(1), "2026-06-16T05:00:00+00:00"),
            (MachineStep::Remind(2), "2026-07-01T05:00:00+00:00"),
            (MachineStep::Remind(3), "2026-07-16T05:00:00+00:00"),
            (
                MachineStep::Block(BlockReason::ReminderQuotaReached),
                "2026-07-31T05:00:00+00:00",
            ),
        ];
        assert_eq!(found, expected.map(|(step, run)| (step, run.to_owned())));
    }

    #[test]
    fn what_is_overdue_happens_in_the_next_run_and_a_pause_is_kept() {
        let state = OutreachState {
            clock: Some(at("2026-06-01T10:00:00Z")),
            ..WAITING
        };
        let due = |run: &str| NextStep::Due(MachineStep::Remind(1), at(run));
        assert_eq!(next(&state, "2026-08-01T04:00:00Z"), due("2026-08-01T05:00:00Z"));
        assert_eq!(next(&state, "2026-08-01T05:00:01Z"), due("2026-08-02T05:00:00Z"));
        let paused = OutreachState {
            paused_until: NaiveDate::from_ymd_opt(2026, 9, 1),
            ..state
        };
        assert_eq!(next(&paused, "2026-08-01T05:00:01Z"), due("2026-09-01T05:00:00Z"));
        let earlier = OutreachState {
            paused_until: NaiveDate::from_ymd_opt(2026, 6, 3),
            ..state
        };
        assert_eq!(next(&earlier, "2026-06-02T05:00:00Z"), due("2026-06-16T05:00:00Z"));
    }

    #[test]
    fn nothing_is_sent_unasked_or_while_the_answer_is_ours() {
        let clocked = OutreachState {
            clock: Some(at("2026-06-01T10:00:00Z")),
            ..WAITING
        };
        let now = at("2026-06-02T10:00:00Z");
        assert_eq!(
            clocked.next_step(ReminderSettings::default(), &zone(), now),
            NextStep::Nothing
        );
        assert_eq!(
            next(
                &OutreachState {
                    is_waiting: false,
                    ..clocked
                },
                "2026-06-02T10:00:00Z"
            ),
            NextStep::Ours
        );
        for status in [
            ActionStatus::New,
            ActionStatus::Requested,
            ActionStatus::Accepted,
            ActionStatus::Blocked,
        ] {
            let state = OutreachState { status, ..clocked };
            assert_eq!(next(&state, "2026-06-02T10:00:00Z"), NextStep::Nothing, "{status}");
        }
        let all = OutreachState {
            status: ActionStatus::Requested,
            notifies_all: true,
            ..WAITING
        };
        assert_eq!(next(&all, "2026-06-02T10:00:00Z"), NextStep::Soon);
        let nobody = OutreachState {
            has_active_contact: false,
            ..all
        };
        assert_eq!(next(&nobody, "2026-06-02T10:00:00Z"), NextStep::NoContact);
    }

    #[test]
    fn a_case_that_was_notified_by_other_means_is_blocked_or_gets_its_first_mail() {
        let step = |state: OutreachState| state.step(AUTOMATIC);
        let manual = OutreachState {
            is_manual: true,
            ..WAITING
        };
        assert_eq!(
            step(manual),
            MachineStep::Block(BlockReason::ManuallyNotifiedDelayPassed)
        );
        let forced = OutreachState {
            is_forced: true,
            ..manual
        };
        assert_eq!(step(forced), MachineStep::Notify);
        let nobody = OutreachState {
            has_active_contact: false,
            ..forced
        };
        assert_eq!(step(nobody), MachineStep::Block(BlockReason::NoActiveRecipients));
        let last = OutreachState {
            reminders: 3,
            ..WAITING
        };
        assert_eq!(step(last), MachineStep::Block(BlockReason::ReminderQuotaReached));
    }

    #[test]
    fn a_cycle_is_begun_by_hand_where_none_runs_and_somebody_can_be_written_to() {
        let by_hand = ReminderSettings::default();
        assert!(WAITING.can_be_forced(by_hand));
        assert!(!WAITING.can_be_forced(AUTOMATIC), "it runs by itself");
        assert!(
            !OutreachState {
                is_forced: true,
                ..WAITING
            }
            .can_be_forced(by_hand),
            "it runs already"
        );
        assert!(
            OutreachState {
                reminders: 3,
                ..WAITING
            }
            .can_be_forced(AUTOMATIC),
            "it would be blocked"
        );
        assert!(
            OutreachState {
                is_manual: true,
                ..WAITING
            }
            .can_be_forced(AUTOMATIC),
            "it would be blocked"
        );
        let nobody = OutreachState {
            has_active_contact: false,
            ..WAITING
        };
        assert!(!nobody.can_be_forced(by_hand));
        let blocked = OutreachState {
            status: ActionStatus::Blocked,
            ..WAITING
        };
        assert!(blocked.can_be_forced(AUTOMATIC));
    }
}
