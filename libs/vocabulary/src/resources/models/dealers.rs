//! Dealers (screens say advertisers) and their contacts.

use super::{ID, date, flag, json, list, text};
use crate::resources::model::{Default, Model, RowStore, Unique, Visibility};
use crate::resources::rights::{Permission, READ, Rights};

/// Staff keep the records of advertisers; only administrators delete them.
const KEPT_BY_STAFF: Rights = Rights {
    company: READ,
    operator: &[Permission::Read, Permission::Create, Permission::Change],
};

pub(super) const DEALER: Model = Model {
    name: "Dealer",
    path: Some("Dealers"),
    table: "dealer",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("domain", "domain").required(),
        json("tests", "tests"),
        date("date", "date").or(Default::Now),
        date("updated", "updated").or(Default::Now).moves(),
        json("datas", "datas"),
        flag("processed", "processed"),
        text("note", "note").for_staff(),
        json("metas", "metas"),
        list("tags", "tags"),
    ],
    relations: &[],
    sight: Visibility::Everyone,
    rights: KEPT_BY_STAFF,
    unique: &[Unique {
        key: "dealer_domain_key",
        field: "domain",
        text: "already exists",
    }],
    bulk_delete: false,
};

/// A person or mailbox of an advertiser. Company users see the names of those that were written to in their own cases, and nothing else.
pub static CONTACT: Model = Model {
    name: "Contact",
    path: None,
    table: "contact",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("email", "email").required().mail_address().for_staff(),
        text("name", "name"),
        text("address", "address").for_staff(),
        text("city", "city").for_staff(),
        text("region", "region").of_few_values().for_staff(),
        text("postcode", "postcode").for_staff(),
        text("country", "country").of_few_values().for_staff(),
        text("notes", "notes").for_staff(),
        list("tags", "tags").for_staff(),
        text("state", "state").or(Default::Text("active")).for_staff(),
    ],
    relations: &[],
    sight: Visibility::WrittenTo,
    rights: Rights {
        company: READ,
        operator: crate::resources::rights::ALL,
    },
    unique: &[],
    bulk_delete: false,
};
