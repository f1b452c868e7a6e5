//! The life of an action: its statuses, and what may happen in each (decision D42).

use serde::{Deserialize, Serialize};

use crate::Role;
use ActionEvent::{
    Accept, Answer, AutomaticRequest, BlockCondition, CancelIgnore, CancelRequest, Detect, ForceReminders, Ignore,
    Manual, Notify, Refuse, Remind, Reply, Request, StopSeeing, StopWork, Undelivered,
};
use ActionStatus::{
    Accepted, Blocked, Disappeared, Ignored, Inprogress, New, Reappearance, Refused, Reminded, Requested,
};

/// Status of a case.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum ActionStatus {
    /// Detected for the first time.
    New,
    /// Detected again after it was over.
    Reappearance,
    /// Not to be dealt with.
    Ignored,
    /// The advertiser has agreed.
    Accepted,
    /// The advertiser has declined.
    Refused,
    /// Not seen any more.
    Disappeared,
    /// The team was asked to deal with it.
    Requested,
    /// The advertiser was notified.
    Inprogress,
    /// The advertiser was reminded.
    Reminded,
    /// Vigie's team can do nothing more.
    Blocked,
}

/// What changes the status of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum ActionEvent {
    /// An ad was seen.
    Detect,
    /// The brand asks for everything that appears.
    AutomaticRequest,
    /// Somebody asks the team to deal with it.
    Request,
    /// The request is taken back.
    CancelRequest,
    /// It is not to be dealt with.
    Ignore,
    /// It is to be dealt with after all.
    CancelIgnore,
    /// A notification was sent.
    Notify,
    /// The advertiser was notified by other means.
    Manual,
    /// A reminder was sent.
    Remind,
    /// The reminder cycle cannot go on.
    BlockCondition,
    /// Somebody stops the work on it.
    StopWork,
    /// The advertiser agrees.
    Accept,
    /// The advertiser declines.
    Refuse,
    /// A reminder cycle is begun by hand.
    ForceReminders,
    /// It was not seen for long, although it was looked for.
    StopSeeing,
    /// A mail of the advertiser that a person wrote.
    Reply,
    /// A mail to the advertiser after the first one, written by a person.
    Answer,
    /// The addresses of all recipients of a mail refuse it for good.
    Undelivered,
}

/// Why a case is blocked (decision D45).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BlockReason {
    /// Nobody is left to write to.
    NoActiveRecipients,
    /// The advertiser was notified by other means and did not react in time.
    ManuallyNotifiedDelayPassed,
    /// All reminders of the cycle were sent.
    ReminderQuotaReached,
    /// The reason was not recorded.
    Unknown,
    /// Somebody stopped the work.
    ManuallyBlocked,
}

/// By whom an event of an action may be caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventSource {
    /// Events of Vigie itself.
    System,
    /// Whoever sees the action.
    Readers,
    /// Operators and administrators.
    Staff,
}

/// One row of the life cycle.
struct Transition {
    event: ActionEvent,
    from: &'static [ActionStatus],
    /// `None`: the status stays.
    to: Option<ActionStatus>,
    by: EventSource,
    /// The names of the links that offer it: on rows of the list, and on the action itself.
    links: &'static [&'static str],
}

/// One row of the life cycle: where `event` leads from each of the statuses `from`; without `to` the status stays. `links` names the links that offer
/// the event, none if it is not offered.
const fn lifecycle_row(
    event: ActionEvent,
    from: &'static [ActionStatus],
    to: Option<ActionStatus>,
    by: EventSource,
    links: &'static [&'static str],
) -> Transition {
    Transition {
        event,
        from,
        to,
        by,
        links,
    }
}

/// The life cycle. Any other event is refused.
const LIFE: [Transition; 23] = [
    lifecycle_row(
        Detect,
        &[Disappeared, Accepted],
        Some(Reappearance),
        EventSource::System,
        &[],
    ),
    lifecycle_row(
        AutomaticRequest,
        &[New, Reappearance],
        Some(Requested),
        EventSource::System,
        &[],
    ),
    lifecycle_row(
        Request,
        &[New],
        Some(Requested),
        EventSource::Readers,
        &["markAsRequested"],
    ),
    // Possible, but not offered.
    lifecycle_row(Request, &[Reappearance], Some(Requested), EventSource::Readers, &[]),
    lifecycle_row(
        CancelRequest,
        &[Requested],
        Some(New),
        EventSource::Readers,
        &["cancelRequested", "cancel"],
    ),
    lifecycle_row(
        Ignore,
        &[
            New,
            Reappearance,
            Accepted,
            Refused,
            Disappeared,
            Inprogress,
            Reminded,
            Blocked,
        ],
        Some(Ignored),
        EventSource::Readers,
        &["markAsIgnored", "ignore"],
    ),
    lifecycle_row(
        CancelIgnore,
        &[Ignored],
        Some(New),
        EventSource::Readers,
        &["cancelIgnore"],
    ),
    lifecycle_row(
        Notify,
        &[New, Reappearance, Requested, Blocked],
        Some(Inprogress),
        EventSource::Staff,
        &[],
    ),
    // The first mail of a forced cycle, where the advertiser was notified by other means (decision D172).
    lifecycle_row(Notify, &[Inprogress], None, EventSource::System, &[]),
    lifecycle_row(
        Manual,
        &[New, Reappearance, Requested, Blocked],
        Some(Inprogress),
        EventSource::Staff,
        &["inprogress"],
    ),
    lifecycle_row(
        Remind,
        &[Inprogress, Reminded],
        Some(Reminded),
        EventSource::System,
        &[],
    ),
    lifecycle_row(
        BlockCondition,
        &[Requested, Inprogress, Reminded],
        Some(Blocked),
        EventSource::System,
        &[],
    ),
    lifecycle_row(
        StopWork,
        &[Requested, Inprogress, Reminded, Refused],
        Some(Blocked),
        EventSource::Staff,
        &["block"],
    ),
    lifecycle_row(
        Accept,
        &[New, Reappearance, Requested, Inprogress, Reminded, Refused, Blocked],
        Some(Accepted),
        EventSource::Staff,
        &["accept"],
    ),
    lifecycle_row(
        Refuse,
        &[New, Reappearance, Requested, Inprogress, Reminded, Accepted, Blocked],
        Some(Refused),
        EventSource::Staff,
        &["refuse"],
    ),
    lifecycle_row(
        ForceReminders,
        &[Blocked],
        Some(Inprogress),
        EventSource::Staff,
        &["forceReminder"],
    ),
    lifecycle_row(
        ForceReminders,
        &[Inprogress, Reminded],
        None,
        EventSource::Staff,
        &["forceReminder"],
    ),
    lifecycle_row(
        StopSeeing,
        &[New, Reappearance, Requested, Inprogress, Reminded, Refused, Blocked],
        Some(Disappeared),
        EventSource::System,
        &[],
    ),
    // After a block by hand the status stays (`postgres::actions::events`).
    lifecycle_row(Reply, &[Blocked], Some(Inprogress), EventSource::System, &[]),
    // A mail that was received is never refused (decision D171).
    lifecycle_row(
        Reply,
        &[
            New,
            Reappearance,
            Ignored,
            Accepted,
            Refused,
            Disappeared,
            Requested,
            Inprogress,
            Reminded,
        ],
        None,
        EventSource::System,
        &[],
    ),
    lifecycle_row(
        Answer,
        &[Inprogress, Reminded, Accepted, Refused, Disappeared],
        None,
        EventSource::Staff,
        &[],
    ),
    lifecycle_row(
        Undelivered,
        &[Inprogress, Reminded],
        Some(Blocked),
        EventSource::System,
        &[],
    ),
    // Seen, and nothing else comes of it.
    lifecycle_row(
        Detect,
        &[
            New,
            Reappearance,
            Ignored,
            Refused,
            Requested,
            Inprogress,
            Reminded,
            Blocked,
        ],
        None,
        EventSource::System,
        &[],
    ),
];

impl ActionEvent {
    /// Whether somebody with these roles may cause it, in a status that allows it. What Vigie itself does nobody may.
    pub fn may_be_caused_by(self, roles: &[Role]) -> bool {
        LIFE.iter().filter(|row| row.event == self).any(|row| match row.by {
            EventSource::System => false,
            EventSource::Readers => true,
            EventSource::Staff => !roles.is_empty(),
        })
    }
}

impl ActionStatus {
    /// The status after an event, the same one where the event changes none. `None` where the event may not happen.
    pub fn after(self, event: ActionEvent) -> Option<Self> {
        let found = LIFE.iter().find(|row| row.event == event && row.from.contains(&self));
        found.map(|row| row.to.unwrap_or(self))
    }

    /// The status that an event leads into, which may be the same again; `None` where the event leaves the status as it is or may not happen.
    pub fn entered_by(self, event: ActionEvent) -> Option<Self> {
        let found = LIFE.iter().find(|row| row.event == event && row.from.contains(&self));
        found.and_then(|row| row.to)
    }

    /// Whether mails are exchanged, so that reminders may be due.
    pub const fn is_in_outreach(self) -> bool {
        matches!(self, Inprogress | Reminded)
    }

    /// The statuses in which an event may happen, in the order of [`ActionStatus`]. Events that leave the status as it is count.
    pub fn before(event: ActionEvent) -> Vec<Self> {
        let all = <Self as strum::VariantArray>::VARIANTS.iter().copied();
        all.filter(|status| status.after(event).is_some()).collect()
    }

    /// The events that somebody with these roles is offered in this status, in the order of the life cycle, with the names of their links.
    /// Company users, who have no role, are offered fewer than staff.
    pub fn offers(self, roles: &[Role]) -> impl Iterator<Item = (ActionEvent, &'static [&'static str])> {
        let is_staff = !roles.is_empty();
        LIFE.iter()
            .filter(move |row| row.from.contains(&self) && !row.links.is_empty())
            .filter(move |row| row.by == EventSource::Readers || (row.by == EventSource::Staff && is_staff))
            .map(|row| (row.event, row.links))
    }

    /// Whether lists count this status, and offer it as a filter, for somebody with these roles (decision D80). Without a role, it is a company user:
    /// `Requested`, `Disappeared`, `Blocked` and `Reminded` need a role; `Ignored` and `Reappearance` count for nobody.
    pub const fn is_counted_for(self, roles: &[Role]) -> bool {
        match self {
            New | Inprogress | Accepted | Refused => true,
            Requested | Disappeared | Blocked | Reminded => !roles.is_empty(),
            Ignored | Reappearance => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    fn names(status: ActionStatus, roles: &[Role]) -> Vec<&'static str> {
        let mut names: Vec<_> = status
            .offers(roles)
            .flat_map(|(_, links)| links.iter().copied())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_company_user_is_offered_requests_and_ignoring_alone() {
        assert_eq!(names(New, &[]), ["ignore", "markAsIgnored", "markAsRequested"]);
        assert_eq!(names(Requested, &[]), ["cancel", "cancelRequested"]);
        assert_eq!(names(Ignored, &[]), ["cancelIgnore"]);
        assert_eq!(names(Reappearance, &[]), ["ignore", "markAsIgnored"]);
        assert_eq!(names(Blocked, &[]), ["ignore", "markAsIgnored"]);
    }

    #[test]
    fn staff_is_offered_the_outreach() {
        let offered = ["accept", "block", "cancel", "cancelRequested", "inprogress", "refuse"];
        assert_eq!(names(Requested, &[Role::Operator]), offered);
        assert_eq!(names(Requested, &[Role::Admin]), offered);
        assert!(names(Reminded, &[Role::Operator]).contains(&"forceReminder"));
    }

    #[test]
    fn what_is_not_in_the_life_cycle_is_refused() {
        assert_eq!(Accepted.after(Request), None);
        assert_eq!(Requested.after(Ignore), None);
        assert_eq!(Ignored.after(StopSeeing), None);
        assert_eq!(Disappeared.after(Accept), None);
        assert_eq!(Reappearance.after(Request), Some(Requested));
        assert_eq!(Reminded.after(ForceReminders), Some(Reminded));
        assert_eq!(Blocked.after(ForceReminders), Some(Inprogress));
        assert_eq!(Ignored.after(Answer), None);
        assert_eq!(Reminded.after(Undelivered), Some(Blocked));
        assert_eq!(Reminded.entered_by(Remind), Some(Reminded));
        assert_eq!(Reminded.entered_by(Reply), None);
    }

    #[test]
    fn what_only_vigie_or_staff_may_cause_is_refused_to_others() {
        for (event, by_company, by_staff) in [
            (Request, true, true),
            (Accept, false, true),
            (Answer, false, true),
            (Remind, false, false),
            (Reply, false, false),
        ] {
            assert_eq!(event.may_be_caused_by(&[]), by_company, "{event}");
            assert_eq!(event.may_be_caused_by(&[Role::Operator]), by_staff, "{event}");
        }
    }

    #[test]
    fn a_status_and_an_event_have_one_outcome() {
        for status in ActionStatus::VARIANTS {
            for event in ActionEvent::VARIANTS {
                let rows = LIFE
                    .iter()
                    .filter(|row| row.event == *event && row.from.contains(status));
                assert!(rows.count() <= 1, "{status} {event}");
            }
            assert!(status.after(Detect).is_some(), "{status} can be detected");
            assert!(status.after(Reply).is_some(), "{status} takes a reply");
        }
    }
}
