//! Actions and the messages exchanged about them.

use super::{ID, date, flag, json, key, list, number, text, whole};
use crate::resources::model::{Access, Default, Field, Kind, Model, RowStore, Visibility};
use crate::resources::rights::{ALL, NONE, READ, Rights};

pub(super) const ACTION: Model = Model {
    name: "Action",
    path: Some("Actions"),
    table: "action",
    store: RowStore::Postgres,
    fields: &[
        ID,
        // Both names are answered (C16).
        Field::new("ID", "id", Kind::Id).access(Access::ServerOwned),
        text("domain", "domain"),
        text("country", "country").of_few_values(),
        text("engine", "engine").of_few_values(),
        text("status", "status")
            .or(Default::Text("new"))
            .access(Access::AtCreation),
        flag("waiting", "waiting")
            .or(Default::Flag(false))
            .access(Access::AtCreation),
        number("priority", "priority").or(Default::Number(50)),
        date("lastView", "last_view"),
        date("createdDate", "created_date").or(Default::Now),
        date("updatedDate", "updated_date")
            .or(Default::Now)
            .access(Access::AtCreation)
            .moves(),
        date("requestedDate", "requested_date").access(Access::AtCreation),
        date("inprogressDate", "inprogress_date").access(Access::AtCreation),
        date("acceptedDate", "accepted_date").access(Access::AtCreation),
        date("refusedDate", "refused_date").access(Access::AtCreation),
        date("ignoredDate", "ignored_date").access(Access::AtCreation),
        date("remindedDate", "reminded_date").access(Access::AtCreation),
        date("blockedDate", "blocked_date").access(Access::AtCreation),
        date("disappearedDate", "disappeared_date").access(Access::AtCreation),
        date("reappearanceDate", "reappearance_date").access(Access::AtCreation),
        date("lastStatusDate", "last_status_date").access(Access::AtCreation),
        key("advertiserID", "advertiser_id"),
        key("brandId", "brand_id"),
        whole("receivedCount", "received_count")
            .or(Default::Number(0))
            .access(Access::AtCreation),
        whole("sendedCount", "sended_count")
            .or(Default::Number(0))
            .access(Access::AtCreation),
        whole("remindedCount", "reminded_count")
            .or(Default::Number(0))
            .access(Access::AtCreation),
        whole("unreadCount", "unread_count")
            .or(Default::Number(0))
            .access(Access::AtCreation),
        list("history", "").access(Access::AtCreation),
        json("metas", "metas"),
        json("presence", "presence").access(Access::AtCreation),
        text("note", "note"),
    ],
    relations: &[],
    sight: Visibility::OfBrand,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: false,
};

pub(super) const EMAIL: Model = Model {
    name: "Email",
    path: None,
    table: "email",
    store: RowStore::Postgres,
    fields: &[
        ID,
        json("email", "email"),
        text("body", "body"),
        text("subject", "subject"),
        // Only the mail system knows what was sent, received and read.
        text("status", "status")
            .or(Default::Text("draft"))
            .access(Access::ServerOwned),
        text("templateType", "template_type").of_few_values(),
        date("createdDate", "created_date").or(Default::Now),
        date("receivedDate", "received_date").access(Access::ServerOwned),
        date("sendedDate", "sended_date").access(Access::ServerOwned),
        flag("open", "open")
            .or(Default::Flag(false))
            .access(Access::ServerOwned),
        json("events", "events"),
        key("actionId", "action_id"),
    ],
    relations: &[],
    sight: Visibility::OfAction,
    rights: Rights {
        company: NONE,
        operator: ALL,
    },
    unique: &[],
    bulk_delete: false,
};

/// A file that hangs on a message.
pub static ATTACHMENT: Model = Model {
    name: "Attachment",
    path: None,
    table: "attachment",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("name", "name"),
        text("mimeType", "mime_type").or(Default::Text("application/octet-stream")),
        text("path", "path"),
        key("emailId", "email_id"),
    ],
    relations: &[],
    sight: Visibility::OfEmail,
    rights: Rights {
        company: NONE,
        operator: ALL,
    },
    unique: &[],
    bulk_delete: false,
};
