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
        text("country", "country").of_few_values(),
        text("language", "language").of_few_values(),
        text("region", "region").of_few_values(),
        text("engine", "engine").of_few_values(),
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
