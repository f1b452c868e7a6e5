//! Sems: one ad seen in one capture, or entered by hand.

use super::{ID, date, key, number, text};
use crate::resources::model::{Default, Model, RowStore, Visibility};
use crate::resources::rights::{READ, Rights};

pub(super) const SEM: Model = Model {
    name: "Sem",
    path: Some("Sems"),
    table: "sems",
    store: RowStore::Analytics,
    fields: &[
        ID,
        text("term", "term"),
        date("date", "date"),
        text("brand", "brand"),
        text("title", "title"),
        text("description", "description"),
        text("displayUrl", "display_url"),
        text("targetUrl", "target_url"),
        number("position", "position"),
        number("realPosition", "real_position"),
        text("domain", "domain"),
        text("country", "country"),
        text("language", "language"),
        text("region", "region"),
        text("engine", "engine"),
        text("type", "type").or(Default::Text("ads")),
        text("device", "device").or(Default::Text("desktop")),
        key("termId", "term_id"),
        key("dealerId", "dealer_id"),
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
