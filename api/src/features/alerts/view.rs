//! Alerts as responses show them.

use chrono::{DateTime, Utc};
use postgres::alerts::{AlertRecipient, StoredAlert};
use serde::Serialize;
use utoipa::ToSchema;

/// An alert with the time of its next mail.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AlertView {
    id: i32,
    brand_id: i32,
    /// Name of the brand, also after that was deleted.
    brand: Option<String>,
    enable: bool,
    /// A cron expression, which wins over the frequency.
    cron: Option<String>,
    /// A number of hours, days, weeks or months, as in `7 days`.
    frequency: Option<String>,
    start_date: Option<DateTime<Utc>>,
    /// The event after which it is sent; null where it has a schedule.
    hook_trigger: Option<String>,
    /// Ids of the users that it goes to.
    recipient_ids: Vec<i32>,
    /// The address that answers go to, if it belongs to a user of the owner's company.
    from: Option<String>,
    /// The name beside the sender's address.
    from_name: Option<String>,
    subject: Option<String>,
    /// The text of its mails; null for that of the product.
    template_id: Option<i32>,
    /// Whether the report of the last month goes with its mails, as PDF.
    with_report: bool,
    /// When it is sent next; null for one after an event.
    next_send: Option<DateTime<Utc>>,
    last_send: Option<DateTime<Utc>>,
    /// Id of the user who made it.
    owner: Option<i32>,
    /// Why Vigie switched it off: `brand_deleted` or `schedule`; null unless it did.
    off_reason: Option<String>,
    /// When Vigie switched it off.
    off_at: Option<DateTime<Utc>>,
}

impl From<StoredAlert> for AlertView {
    fn from(alert: StoredAlert) -> Self {
        let values = alert.values;
        Self {
            id: alert.id,
            brand_id: values.brand.0,
            brand: alert.brand_label,
            enable: values.enable,
            cron: values.cron,
            frequency: values.frequency,
            start_date: values.start,
            hook_trigger: values.hook,
            recipient_ids: values.recipients.into_iter().map(|user| user.0).collect(),
            from: values.from,
            from_name: values.from_name,
            subject: values.subject,
            template_id: values.template.map(|template| template.0),
            with_report: values.with_report,
            next_send: alert.next_send,
            last_send: alert.last_send,
            owner: alert.owner.map(|user| user.0),
            off_reason: alert.off.map(|(reason, _)| reason.to_string()),
            off_at: alert.off.map(|(_, at)| at),
        }
    }
}

/// A user whom alerts can go to.
#[derive(Serialize, ToSchema)]
pub(super) struct RecipientView {
    id: i32,
    /// First and last name; empty without either.
    name: String,
    email: String,
}

impl From<AlertRecipient> for RecipientView {
    fn from(user: AlertRecipient) -> Self {
        Self {
            id: user.id.0,
            name: user.name,
            email: user.email,
        }
    }
}
