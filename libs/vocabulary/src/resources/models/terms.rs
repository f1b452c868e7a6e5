//! Terms and the places they are searched from.

use super::{ID, date, json, key, number, text, whole};
use crate::resources::model::{Access, Default, Field, Kind, Model, RowStore, Visibility};
use crate::resources::rights::{READ, Rights};
use crate::resources::rules::{locale_error, options_error};

pub(super) const TERM: Model = Model {
    name: "Term",
    path: Some("Terms"),
    table: "term",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("term", "term"),
        text("keywordType", "keyword_type").or(Default::Text("GENERIC")).upper(),
        Field::new("devices", "devices", Kind::Texts)
            .or(Default::Texts(&["DESKTOP"]))
            .upper(),
        whole("every", "every"),
        text("engine", "engine").or(Default::Text("GOOGLE")).upper(),
        text("state", "state").or(Default::Text("disabled")),
        text("region", "region").of_few_values(),
        key("localizationId", "localization_id"),
        json("options", "options").keeps(options_error),
        number("searchConvertRate", "search_convert_rate"),
        key("brandId", "brand_id"),
        date("createdDate", "created_date").or(Default::Now),
        date("updatedDate", "updated_date").or(Default::Now).moves(),
        json("searchStats", "search_stats").access(Access::ServerOwned),
    ],
    relations: &[],
    sight: Visibility::Term,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: true,
};

pub(super) const LOCALIZATION: Model = Model {
    name: "Localization",
    path: Some("Localizations"),
    table: "localization",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("locale", "locale").keeps(locale_error),
        text("city", "city"),
        text("region", "region"),
        text("language", "language").of_few_values(),
        json("country", "country"),
    ],
    relations: &[],
    sight: Visibility::Everyone,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: false,
};
