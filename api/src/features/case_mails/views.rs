//! What goes over the wire of mails, drafts and contacts.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use postgres::case_mails::contacts::{CaseContact, Sibling};
use postgres::case_mails::drafts::Draft;
use postgres::case_mails::thread::{CaseFile, NamedUser, ThreadDelivery, ThreadMail};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{ActionId, DeliveryState};

/// How long a mail of a person waits before it leaves, in which it can be taken back.
pub(super) const UNDO_FOR: TimeDelta = TimeDelta::seconds(15);

/// A mail of a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MailView {
    id: i32,
    /// `out` or `in`.
    direction: &'static str,
    /// `notification`, `reminder` or `answer`; null for mails received.
    kind: Option<String>,
    /// The number of a reminder in its cycle.
    reminder: Option<i32>,
    /// `queued`, `sent`, `failed`, `unknown` or `received`.
    status: String,
    subject: String,
    body: String,
    /// Of a mail received, without anything that runs or is loaded.
    html: Option<String>,
    /// The sender of a mail received; companies see no address.
    from: Option<SenderView>,
    /// The author; null for Vigie, and for companies.
    author: Option<PersonView>,
    created_date: Option<String>,
    sended_date: Option<String>,
    received_date: Option<String>,
    /// Whether a mail received was read.
    open: bool,
    read_by: Option<PersonView>,
    /// Whether a machine wrote a mail received: `no`, `maybe` or `certain`.
    automatic: String,
    /// Until when it can be taken back; null when it cannot.
    undo_until: Option<String>,
    /// When it leaves, if that was chosen.
    send_at: Option<String>,
    /// `accept` or `refuse`: happens to the case once it has left.
    then: Option<String>,
    /// Whether some of its recipients did not get it.
    partial: bool,
    template_type: Option<String>,
    language: Option<String>,
    attachments: Vec<FileView>,
    /// One a recipient; none for companies.
    deliveries: Vec<DeliveryView>,
}

/// The sender of a mail received.
#[derive(Serialize, ToSchema)]
pub(super) struct SenderView {
    pub address: String,
    pub name: Option<String>,
}

/// A user, by name.
#[derive(Serialize, ToSchema)]
struct PersonView {
    id: i32,
    name: String,
}

/// A file of a mail or draft.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileView {
    id: i32,
    name: String,
    mime_type: String,
    bytes: i64,
    href: String,
}

/// A mail on its way to one recipient.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeliveryView {
    id: i64,
    contact_id: Option<i32>,
    address: String,
    /// `queued`, `held`, `sending`, `sent`, `failed`, `unknown` or `cancelled`.
    state: String,
    /// Why it is held, failed, unknown or cancelled.
    reason: Option<String>,
    /// The code of the mail server's last reply.
    code: Option<i16>,
    /// What the server said with it.
    text: Option<String>,
    not_before: Option<String>,
    settled_at: Option<String>,
    /// What a person found out about an unknown one: `arrived` or `lost`.
    ruling: Option<String>,
    bounced_at: Option<String>,
    /// When it was perhaps opened: mail programs load pictures by themselves. Null unless that is looked for.
    opened_at: Option<String>,
}

/// The own draft in a case.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DraftView {
    id: i32,
    version: i32,
    to: Vec<i32>,
    subject: String,
    body: String,
    template_id: Option<i32>,
    language: Option<String>,
    attachments: Vec<FileView>,
    updated_date: Option<String>,
}

/// A contact of the advertiser.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContactView {
    id: i32,
    email: String,
    name: Option<String>,
    /// `active`, `bounced`, `unreachable` or `inactive`.
    state: String,
    /// Why nothing is sent to the address.
    suppressed: Option<String>,
    last_bounce: Option<String>,
    /// `host`, or `master` where it belongs to the registrable domain.
    dealer: &'static str,
}

/// Another case of the brand against the same advertiser that waits for its first mail.
#[derive(Serialize, ToSchema)]
pub(super) struct SiblingView {
    #[serde(rename = "ID")]
    id: i32,
    country: String,
    engine: String,
    domain: String,
    status: String,
}

impl MailView {
    /// A mail as staff sees it, or as the users of companies do: these see neither addresses nor who of the staff wrote or read it.
    pub(super) fn from_mail(mail: ThreadMail, is_staff: bool) -> Self {
        let waits = |delivery: &ThreadDelivery| {
            matches!(delivery.state, DeliveryState::Queued | DeliveryState::Held) && delivery.tries == 0
        };
        let can_be_undone = mail.author.is_some() && !mail.deliveries.is_empty() && mail.deliveries.iter().all(waits);
        let leaves = mail.deliveries.iter().map(|delivery| delivery.not_before).max();
        let was_chosen = |at: &DateTime<Utc>| mail.created.is_some_and(|created| *at > created + UNDO_FOR);
        let arrived = |delivery: &ThreadDelivery| delivery.state == DeliveryState::Sent;
        let partial = mail.deliveries.iter().any(arrived)
            && mail
                .deliveries
                .iter()
                .any(|delivery| !arrived(delivery) && !delivery.state.is_open());
        Self {
            id: mail.id.0,
            direction: if mail.is_received { "in" } else { "out" },
            kind: mail.kind.map(|kind| kind.to_string()),
            reminder: mail.reminder,
            status: mail.status.to_string(),
            subject: mail.subject,
            body: mail.body,
            html: mail.html,
            from: mail.from.map(|(address, name)| SenderView {
                address: if is_staff { address } else { String::new() },
                name,
            }),
            author: mail.author.filter(|_| is_staff).map(PersonView::from),
            created_date: date(mail.created),
            sended_date: date(mail.sent),
            received_date: date(mail.received),
            open: mail.is_open,
            read_by: mail.reader.filter(|_| is_staff).map(PersonView::from),
            automatic: mail.automatic,
            undo_until: date(leaves.filter(|_| can_be_undone && is_staff)),
            send_at: date(leaves.filter(|at| can_be_undone && was_chosen(at))),
            then: mail.then,
            partial,
            template_type: mail.template_type,
            language: mail.language.map(|language| language.to_string()),
            attachments: file_views(mail.files, mail.action),
            deliveries: if is_staff {
                mail.deliveries.into_iter().map(DeliveryView::from).collect()
            } else {
                Vec::new()
            },
        }
    }
}

impl DraftView {
    /// The draft of a case.
    pub(super) fn from_draft(draft: Draft, action: ActionId) -> Self {
        Self {
            id: draft.id.0,
            version: draft.version,
            to: draft.to.into_iter().map(|contact| contact.0).collect(),
            subject: draft.subject,
            body: draft.body,
            template_id: draft.template.map(|template| template.0),
            language: draft.language.map(|language| language.to_string()),
            attachments: file_views(draft.files, action),
            updated_date: date(draft.updated),
        }
    }
}

impl From<NamedUser> for PersonView {
    fn from(user: NamedUser) -> Self {
        Self {
            id: user.id.0,
            name: user.name,
        }
    }
}

impl From<ThreadDelivery> for DeliveryView {
    fn from(delivery: ThreadDelivery) -> Self {
        Self {
            id: delivery.id.0,
            contact_id: delivery.contact.map(|contact| contact.0),
            address: delivery.address,
            state: delivery.state.to_string(),
            reason: delivery.reason,
            code: delivery.code,
            text: delivery.text,
            not_before: date(Some(delivery.not_before)),
            settled_at: date(delivery.settled),
            ruling: delivery.ruling,
            bounced_at: date(delivery.bounced),
            opened_at: date(delivery.opened),
        }
    }
}

impl From<CaseContact> for ContactView {
    fn from(contact: CaseContact) -> Self {
        Self {
            id: contact.id.0,
            email: contact.email,
            name: contact.name,
            state: contact.state,
            suppressed: contact.suppressed,
            last_bounce: date(contact.last_bounce),
            dealer: if contact.is_of_host { "host" } else { "master" },
        }
    }
}

impl From<Sibling> for SiblingView {
    fn from(sibling: Sibling) -> Self {
        Self {
            id: sibling.id.0,
            country: sibling.country,
            engine: sibling.engine,
            domain: sibling.domain,
            status: sibling.status,
        }
    }
}

fn file_views(files: Vec<CaseFile>, action: ActionId) -> Vec<FileView> {
    let views = files.into_iter().map(|file| FileView {
        href: format!("/api/actions/emails/attachments/{}?actionID={action}", file.id),
        id: file.id.0,
        name: file.name,
        mime_type: file.mime_type,
        bytes: file.bytes,
    });
    views.collect()
}

fn date(at: Option<DateTime<Utc>>) -> Option<String> {
    at.map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
}
