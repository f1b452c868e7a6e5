//! What Vigie will write by itself, line by line (decision D176): `/actions/outreach/today`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use outreach::LetterStores;
use outreach::run::{self, Obstacle, PlannedLetter, RunLine, RunRules};
use postgres::case_mails::brakes::{Hold, SendingLimits};
use postgres::case_mails::next_steps;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{ActionId, MachineStep};

use crate::access::Staff;
use crate::extract;
use crate::failure::{ApiError, FailureBody, FieldFault};
use crate::state::ApiState;

/// Lines of each part of an answer: as many letters as are written within a few seconds.
const MOST_LINES: usize = 100;
/// Lines that are struck out at once.
const MOST_STRUCK: usize = 10_000;

/// The next run.
#[derive(Serialize, ToSchema)]
pub(super) struct OutreachTodayView {
    data: TodayView,
}

/// What the next run does, and the notifications that Vigie writes meanwhile.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TodayView {
    /// When the run begins.
    run: DateTime<Utc>,
    /// Its reminders and blocks, the longest overdue first; 100 at most.
    lines: Vec<LineView>,
    /// How many it has in all.
    total: usize,
    /// The first mails to advertisers of brands that notify all, the longest requested first; 100 at most.
    notifications: Vec<LineView>,
    /// How many there are in all.
    notifications_total: usize,
}

/// What happens to a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LineView {
    #[serde(rename = "actionID")]
    #[schema(rename = "actionID")]
    action_id: i32,
    brand_id: i32,
    brand: String,
    domain: String,
    country: String,
    engine: Option<String>,
    /// `notify`, `remind` or `block`.
    step: &'static str,
    /// The number of the reminder.
    reminder: Option<u32>,
    /// Why the case is blocked.
    reason: Option<String>,
    template: Option<LineTemplateView>,
    /// Whom it goes to.
    recipients: Vec<String>,
    /// The values that its letter lacks.
    holes: Vec<String>,
    /// Why nothing happens: `struck`, `written` (its mail is on its way or has failed), `no_template`, `holes`, `unfit` or `daily_most`; null where
    /// something does.
    obstacle: Option<&'static str>,
    /// What is wrong with a template that does not fit.
    detail: Option<String>,
    /// What holds the mail for some of its recipients.
    holds: Vec<HoldView>,
}

/// The template of a letter.
#[derive(Serialize, ToSchema)]
struct LineTemplateView {
    id: i32,
    label: String,
    version: i32,
    language: String,
}

/// What holds a mail.
#[derive(Serialize, ToSchema)]
struct HoldView {
    /// `stopped`, `address_limit`, `domain_limit`, `daily_limit`, `bounces` or `working_hours`.
    reason: String,
    /// When it is looked at again.
    until: DateTime<Utc>,
}

impl From<Hold> for HoldView {
    fn from(hold: Hold) -> Self {
        Self {
            reason: hold.reason.to_string(),
            until: hold.until,
        }
    }
}

impl From<PlannedLetter> for LineTemplateView {
    fn from(letter: PlannedLetter) -> Self {
        Self {
            id: letter.template.0,
            label: letter.label,
            version: letter.version,
            language: letter.language.to_string(),
        }
    }
}

impl From<RunLine> for LineView {
    fn from(line: RunLine) -> Self {
        let (step, reminder, reason) = match line.step {
            MachineStep::Notify => ("notify", None, None),
            MachineStep::Remind(number) => ("remind", Some(number), None),
            MachineStep::Block(reason) => ("block", None, Some(reason.to_string())),
        };
        let (obstacle, detail) = match line.obstacle {
            None => (None, None),
            Some(Obstacle::Struck) => (Some("struck"), None),
            Some(Obstacle::Written) => (Some("written"), None),
            Some(Obstacle::NoTemplate(language)) => (Some("no_template"), Some(language.to_string())),
            Some(Obstacle::Holes) => (Some("holes"), None),
            Some(Obstacle::Unfit(error)) => (Some("unfit"), Some(error.to_string())),
            Some(Obstacle::DailyMost) => (Some("daily_most"), None),
        };
        let recipients = if step == "block" {
            Vec::new()
        } else {
            line.case.contacts
        };
        Self {
            action_id: line.case.action.0,
            brand_id: line.case.brand.0,
            brand: line.case.brand_label,
            domain: line.case.domain,
            country: line.case.country,
            engine: line.case.engine.map(|engine| engine.to_string()),
            step,
            reminder,
            reason,
            recipients: recipients.into_iter().map(|contact| contact.address).collect(),
            holes: line
                .letter
                .as_ref()
                .map(|letter| letter.letter.holes.clone())
                .unwrap_or_default(),
            template: line.letter.map(LineTemplateView::from),
            obstacle,
            detail,
            holds: line.holds.into_iter().map(HoldView::from).collect(),
        }
    }
}

/// What the next run of reminders does with each case, by the function of the run itself, and the notifications that wait to be written.
#[utoipa::path(
    get, path = "/actions/outreach/today", tag = "Actions",
    responses(
        (status = 200, body = OutreachTodayView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn show_outreach_today(
    State(state): State<ApiState>,
    _staff: Staff,
) -> Result<Json<OutreachTodayView>, ApiError> {
    let stores = LetterStores {
        postgres: &state.postgres,
        analytics: &state.analytics,
    };
    let (rules, now) = (rules_of(&state), state.clock.now());
    let next = run::next_run(rules.zone, now);
    let reminders = run::plan_reminders(stores, rules, (next, now), MOST_LINES).await?;
    let notifications = run::plan_notifications(stores, rules, now, MOST_LINES).await?;
    Ok(Json(OutreachTodayView {
        data: TodayView {
            run: next,
            lines: reminders.lines.into_iter().map(LineView::from).collect(),
            total: reminders.total,
            notifications: notifications.lines.into_iter().map(LineView::from).collect(),
            notifications_total: notifications.total,
        },
    }))
}

/// Cases that are taken out of the next run, or back into it.
#[derive(Deserialize, ToSchema)]
pub(super) struct StrikeBody {
    /// Nothing is written in these, nor are they blocked, until the run after the next.
    #[serde(default)]
    strike: Vec<i32>,
    /// These are taken back.
    #[serde(default)]
    restore: Vec<i32>,
}

/// Strikes cases out of what Vigie does by itself today and in the next run, or takes that back. Other cases are left as they are.
#[utoipa::path(
    post, path = "/actions/outreach/today", tag = "Actions", request_body = StrikeBody,
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 422, body = FailureBody, description = "Too many cases"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn strike_outreach_today(
    State(state): State<ApiState>,
    Staff(caller): Staff,
    extract::Json(body): extract::Json<StrikeBody>,
) -> Result<StatusCode, ApiError> {
    if body.strike.len() + body.restore.len() > MOST_STRUCK {
        return Err(FieldFault::new("strike", "fields:casesAtMost")
            .with("most", MOST_STRUCK)
            .into());
    }
    let (zone, now) = (state.settings.time_zone, state.clock.now());
    let mut days = vec![run::day_of(zone, now), run::day_of(zone, run::next_run(zone, now))];
    days.dedup();
    let mut tx = postgres::begin(&state.postgres).await?;
    for (ids, is_struck) in [(body.strike, true), (body.restore, false)] {
        let ids: Vec<ActionId> = ids.into_iter().map(ActionId).collect();
        for day in &days {
            let author = (caller.user.id, now);
            next_steps::strike(&mut tx, &caller.scope, (&ids, *day), is_struck, author).await?;
        }
    }
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// How runs are made, by the settings.
fn rules_of(state: &ApiState) -> RunRules {
    let actions = &state.settings.actions;
    RunRules {
        zone: state.settings.time_zone,
        limits: SendingLimits {
            daily_most: actions.mail_daily_max,
        },
        notified_daily_most: actions.auto_notify_daily_max,
    }
}
