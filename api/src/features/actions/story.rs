//! What has happened in cases and what comes next, as lists and the page of one case show it.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use postgres::actions::{outreach, story};
use serde::Serialize;
use serde_json::Value;
use texts::text;
use utoipa::ToSchema;
use uuid::Uuid;
use vocabulary::{ActionId, ActionStatus, Language, MachineStep, NextStep, OutreachState, ReminderSettings, UserId};

use crate::access::Caller;
use crate::author::AuthorView;
use crate::failure::ApiError;
use crate::state::ApiState;

/// A status that a case entered.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HistoryView {
    #[serde(rename = "ID")]
    id: String,
    status: String,
    date: Option<String>,
    /// The author as the reader may know it; null for Vigie itself.
    actor: Option<AuthorView>,
    /// Of a reminder: the dates of those just before it, the oldest first.
    #[schema(value_type = Vec<String>)]
    previous_date: Vec<Value>,
    /// Of a case that began again: the ad that was seen.
    ad: Option<SeenAgainView>,
}

/// The ad that a case began again with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeenAgainView {
    /// The capture it was seen in.
    #[serde(rename = "captureID")]
    capture_id: Uuid,
    date: Option<String>,
    /// The words that were searched.
    term: String,
    /// Its headline and its text.
    text: String,
}

impl From<story::SeenAgain> for SeenAgainView {
    fn from(ad: story::SeenAgain) -> Self {
        Self {
            capture_id: ad.capture.0,
            date: date(Some(ad.at)),
            term: ad.term,
            text: ad.words,
        }
    }
}

impl From<story::HistoryEntry> for HistoryView {
    fn from(entry: story::HistoryEntry) -> Self {
        Self {
            id: entry.id,
            status: entry.status.to_string(),
            date: date(Some(entry.at)),
            actor: entry.by.map(AuthorView::from),
            previous_date: entry.previous,
            ad: entry.ad.map(SeenAgainView::from),
        }
    }
}

/// What Vigie does next with a case by itself.
#[derive(Serialize, ToSchema)]
pub(super) struct NextView {
    code: NextCode,
    /// In which run; null where no time is set.
    date: Option<String>,
    params: NextParams,
}

/// What is next in a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum NextCode {
    /// Nothing by itself.
    Nothing,
    /// The advertiser has answered: it is our turn.
    Ours,
    /// A mail would be sent, but there is nobody to write to.
    NoContact,
    /// The first mail.
    Notification,
    /// A reminder; the parameters say which.
    Reminder,
    /// A block; the parameters say why.
    Block,
}

/// Details of what is next.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NextParams {
    /// Which reminder of the cycle, from 1.
    number: Option<u32>,
    /// Reminders of a cycle; null where no cycle runs.
    quota: Option<u32>,
    /// Why it will be blocked, as in `reminder_quota_reached`.
    reason: Option<String>,
    /// Whether somebody has put it off until a day.
    paused: bool,
}

impl NextView {
    /// What is next with the state in the time zone of the settings.
    fn new(state: &OutreachState, settings: ReminderSettings, api: &ApiState) -> Self {
        let now = api.clock.now();
        let zone = api.settings.time_zone;
        let step = state.next_step(settings, &zone, now);
        let today = now.with_timezone(&zone).date_naive();
        let mut params = NextParams::default();
        let (code, at) = match step {
            NextStep::Nothing => (NextCode::Nothing, None),
            NextStep::Ours => (NextCode::Ours, None),
            NextStep::NoContact => (NextCode::NoContact, None),
            NextStep::Soon => (NextCode::Notification, None),
            NextStep::Due(step, at) => {
                params.quota = Some(settings.quota);
                params.paused = state.paused_until.is_some_and(|until| until > today);
                let code = match step {
                    MachineStep::Notify => NextCode::Notification,
                    MachineStep::Remind(number) => {
                        params.number = Some(number);
                        NextCode::Reminder
                    }
                    MachineStep::Block(reason) => {
                        params.reason = Some(reason.to_string());
                        NextCode::Block
                    }
                };
                (code, Some(at))
            }
        };
        Self {
            code,
            date: date(at),
            params,
        }
    }

    /// What is next in words of files, and when; nothing where nothing happens by itself.
    pub(super) fn in_words(self, language: Language) -> (String, Option<String>) {
        let word = |key: &str| text(language, key).to_owned();
        let words = match self.code {
            NextCode::Nothing => String::new(),
            NextCode::Ours => word("files:next.ours"),
            NextCode::NoContact => word("files:next.noContact"),
            NextCode::Notification => word("files:next.notification"),
            NextCode::Reminder => {
                let paused = self.params.paused;
                let kind = word(if paused {
                    "files:next.paused"
                } else {
                    "files:next.reminder"
                });
                format!("{kind} {}", self.params.number.unwrap_or(1))
            }
            NextCode::Block => word("files:next.block"),
        };
        (words, self.date)
    }
}

/// One of the staff.
#[derive(Serialize, ToSchema)]
pub(super) struct OwnerView {
    id: i32,
    name: String,
}

impl From<(UserId, String)> for OwnerView {
    fn from((id, name): (UserId, String)) -> Self {
        Self { id: id.0, name }
    }
}

/// What has happened in a case, and what comes next.
#[derive(Default)]
pub(super) struct CaseStory {
    pub(super) history: Vec<HistoryView>,
    pub(super) next: Option<NextView>,
    /// Whether a cycle of reminders can be begun by hand.
    pub(super) can_be_forced: bool,
}

/// The stories of these cases, as far as the caller sees them.
pub(super) async fn read(
    state: &ApiState,
    caller: &Caller,
    ids: &[ActionId],
) -> Result<BTreeMap<ActionId, CaseStory>, ApiError> {
    let histories = async { Ok(story::histories(&state.postgres, &caller.scope, ids).await?) };
    let (histories, mut stories) = tokio::try_join!(histories, read_next(state, caller, ids))?;
    for (id, history) in histories {
        stories.entry(id).or_default().history = history.into_iter().map(HistoryView::from).collect();
    }
    Ok(stories)
}

/// What comes next in these cases, as far as the caller sees them: their stories without history.
pub(super) async fn read_next(
    state: &ApiState,
    caller: &Caller,
    ids: &[ActionId],
) -> Result<BTreeMap<ActionId, CaseStory>, ApiError> {
    let outreach = outreach::of_actions(&state.postgres, &caller.scope, ids).await?;
    let stories = outreach.into_iter().map(|(id, (outreach, settings))| {
        let is_open = outreach.status.is_in_outreach() || outreach.status == ActionStatus::Blocked;
        let story = CaseStory {
            history: Vec::new(),
            next: Some(NextView::new(&outreach, settings, state)),
            can_be_forced: is_open && outreach.can_be_forced(settings),
        };
        (id, story)
    });
    Ok(stories.collect())
}

/// An instant as clients read it.
pub(super) fn date(at: Option<DateTime<Utc>>) -> Option<String> {
    at.map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(code: NextCode, paused: bool, language: Language) -> String {
        let params = NextParams {
            number: Some(2),
            paused,
            ..NextParams::default()
        };
        let date = None;
        NextView { code, date, params }.in_words(language).0
    }

    #[test]
    fn what_is_next_is_named_in_files_in_both_languages() {
        let of = |code: fn() -> NextCode, paused| [Language::En, Language::Fr].map(|one| words(code(), paused, one));
        assert_eq!(of(|| NextCode::Nothing, false), ["", ""]);
        assert_eq!(of(|| NextCode::Ours, false), ["Ours to answer", "À nous de répondre"]);
        assert_eq!(of(|| NextCode::Reminder, false), ["Reminder 2", "Relance 2"]);
        assert_eq!(
            of(|| NextCode::Reminder, true),
            ["Paused: reminder 2", "En pause\u{a0}: relance 2"]
        );
        assert_eq!(of(|| NextCode::Block, false), ["Block", "Blocage"]);
    }
}
