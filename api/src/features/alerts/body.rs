//! What an alert may say.

use chrono::{DateTime, Utc};
use postgres::alerts::{self, AlertText, AlertValues, texts};
use postgres::brands;
use serde::Deserialize;
use utoipa::ToSchema;
use vocabulary::{AlertSchedule, AlertScheduleError, BrandId, TemplateId, UserId, is_mail_address, is_plain_line};

use crate::access::Caller;
use crate::failure::{ApiError, FieldFault};
use crate::state::ApiState;

/// The events that an alert can follow (decision D146).
const HOOKS: [&str; 6] = [
    "action.new",
    "action.reappearance",
    "action.accepted",
    "action.refused",
    "action.blocked",
    "email.received",
];
/// More people than a company has on one brand.
const MOST_RECIPIENTS: usize = 50;
/// Units of a frequency, as `AlertSchedule` counts them.
const MOST_UNITS: usize = 1_000;
/// Characters of a line, as `is_plain_line` counts them.
const LONGEST_LINE: usize = 200;

/// When an alert is sent: by the cron expression, else every so often from a start.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScheduleBody {
    /// 5 fields, or 6 with the seconds first.
    #[serde(default)]
    cron: Option<String>,
    /// A number of hours, days, weeks or months; `7 days` without it.
    #[serde(default)]
    frequency: Option<String>,
    /// Since when the frequency counts; now without it.
    #[serde(default)]
    start_date: Option<DateTime<Utc>>,
}

impl ScheduleBody {
    /// The schedule; a 422 of its wrong field.
    pub(super) fn read(&self, now: DateTime<Utc>) -> Result<AlertSchedule, ApiError> {
        let start = self.start_date.unwrap_or(now);
        AlertSchedule::read(self.cron.as_deref(), self.frequency.as_deref(), start)
            .map_err(|error| schedule_fault(error).into())
    }
}

/// What an alert says, when and to whom.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AlertBody {
    /// Id of the brand that it is about.
    brand_id: i32,
    /// Whether it is sent; not without it.
    #[serde(default)]
    enable: bool,
    #[serde(flatten)]
    schedule: ScheduleBody,
    /// `action.new`, `action.reappearance`, `action.accepted`, `action.refused`, `action.blocked` or `email.received` for an alert after an event.
    #[serde(default)]
    hook_trigger: Option<String>,
    /// Ids of the users that it goes to, 50 at most.
    recipient_ids: Vec<i32>,
    /// The address that answers go to: that of a user of the company.
    #[serde(default)]
    from: Option<String>,
    /// The name beside the sender's address.
    #[serde(default)]
    from_name: Option<String>,
    /// The subject of its mails.
    #[serde(default)]
    subject: Option<String>,
    /// The text of its mails, of `GET /alerts/texts`; that of the product without it.
    #[serde(default)]
    template_id: Option<i32>,
    /// Whether the report of the last month goes with its mails, as PDF; not without it.
    #[serde(default)]
    with_report: bool,
}

impl AlertBody {
    /// The values, and the time of the first mail; a 422 of all fields that are wrong.
    pub(super) async fn check(self, state: &ApiState, caller: &Caller) -> Result<CheckedAlert, ApiError> {
        let now = state.clock.now();
        let mut faults = Vec::new();
        let mut refuse = |fault| faults.push(fault);
        let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let brand = BrandId(self.brand_id);
        let found = brands::by_ids(&state.postgres, &caller.scope, &[brand]).await?;
        if found.is_empty() {
            refuse(FieldFault::new("brandId", "fields:brand"));
        }
        let mut recipients: Vec<UserId> = self.recipient_ids.into_iter().map(UserId).collect();
        recipients.sort_unstable();
        recipients.dedup();
        let users = alerts::recipients(&state.postgres, &caller.scope, brand).await?;
        if recipients.is_empty() || recipients.len() > MOST_RECIPIENTS {
            refuse(FieldFault::new("recipientIds", "fields:recipients").with("most", MOST_RECIPIENTS));
        } else if !recipients.iter().all(|id| users.iter().any(|user| user.id == *id)) {
            refuse(FieldFault::new("recipientIds", "fields:blindRecipient"));
        }
        let hook = given(self.hook_trigger);
        if hook.as_deref().is_some_and(|hook| !HOOKS.contains(&hook)) {
            refuse(FieldFault::new("hookTrigger", "fields:event"));
        }
        let (from, from_name, subject) = (given(self.from), given(self.from_name), given(self.subject));
        for (field, text) in [("fromName", &from_name), ("subject", &subject)] {
            if text.as_deref().is_some_and(|text| !is_plain_line(text)) {
                refuse(FieldFault::new(field, "fields:oneLine").with("most", LONGEST_LINE));
            }
        }
        if from.as_deref().is_some_and(|address| !is_mail_address(address)) {
            refuse(FieldFault::new("from", "fields:email"));
        } else if from
            .as_deref()
            .is_some_and(|address| !users.iter().any(|user| user.email.eq_ignore_ascii_case(address)))
        {
            refuse(FieldFault::new("from", "fields:outsider"));
        }
        let template = self.template_id.map(TemplateId);
        let text = match template {
            Some(id) => texts::get(&state.postgres, &caller.scope, id).await?,
            None => None,
        };
        let text = text.filter(|text| text.facts.brand.is_none_or(|of| of == brand));
        if template.is_some() && text.is_none() {
            refuse(FieldFault::new("templateId", "fields:template"));
        }
        // A start is kept, so that the frequency counts from the same time after each mail.
        let start = self.schedule.start_date.unwrap_or(now);
        let schedule = AlertSchedule::read(self.schedule.cron.as_deref(), self.schedule.frequency.as_deref(), start);
        if let Err(error) = schedule
            && hook.is_none()
        {
            refuse(schedule_fault(error));
        }
        if !faults.is_empty() {
            return Err(ApiError::Faulty(faults));
        }
        let next = schedule
            .ok()
            .filter(|_| hook.is_none())
            .and_then(|schedule| schedule.next(&state.settings.time_zone, now));
        let values = AlertValues {
            brand,
            enable: self.enable,
            cron: given(self.schedule.cron),
            frequency: given(self.schedule.frequency),
            start: Some(start),
            hook,
            recipients,
            from,
            from_name,
            subject,
            template,
            with_report: self.with_report,
        };
        let brand_label = found
            .into_iter()
            .next()
            .and_then(|brand| brand.label.or(brand.name))
            .unwrap_or_default();
        Ok(CheckedAlert {
            values,
            next,
            brand_label,
            text: text.map(|text| text.facts.text),
        })
    }
}

/// What is wrong with a schedule, at its field.
fn schedule_fault(error: AlertScheduleError) -> FieldFault {
    match error {
        AlertScheduleError::Cron(_) => FieldFault::new("cron", "fields:cron"),
        AlertScheduleError::Never => FieldFault::new("cron", "fields:neverComes"),
        AlertScheduleError::Frequency => FieldFault::new("frequency", "fields:frequency").with("most", MOST_UNITS),
    }
}

/// What an alert says, found right.
pub(super) struct CheckedAlert {
    pub values: AlertValues,
    /// The time of its first mail; `None` for one after an event.
    pub next: Option<DateTime<Utc>>,
    pub brand_label: String,
    /// What its mails say; `None` for the text of the product.
    pub text: Option<AlertText>,
}
