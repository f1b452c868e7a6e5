//! Terms and the places they are searched from.

use super::{BRAND, CATEGORY, COMPANY_ACCOUNT, ID, SEM, date, json, key, number, text, whole};
use crate::resources::model::{
    Access, Default, Field, Join, JoinKey, Kind, Labelled, Labels, Link, Model, Relation, RowStore, Visibility,
};
use crate::resources::rights::{READ, Rights};

static TERM_CATEGORY: Join = Join {
    name: "TermCategory",
    table: "term_category",
    keys: [
        JoinKey {
            name: "termId",
            column: "term_id",
            is_text: false,
        },
        JoinKey {
            name: "categoryId",
            column: "category_id",
            is_text: false,
        },
    ],
    only: None,
    labels: Some(Labels {
        tag: "categoryId",
        labelled: Labelled::Terms,
    }),
};

/// Which company account may see which term beside those of its brands.
pub(super) static TERM_COMPANY_ACCOUNT: Join = Join {
    name: "TermCompanyAccount",
    table: "term_company_account",
    keys: [
        JoinKey {
            name: "termId",
            column: "term_id",
            is_text: false,
        },
        JoinKey {
            name: "companyAccountId",
            column: "company_account_id",
            is_text: false,
        },
    ],
    only: None,
    labels: None,
};

/// A tracked search.
pub static TERM: Model = Model {
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
        text("region", "region"),
        key("localizationId", "localization_id"),
        json("options", "options"),
        number("searchConvertRate", "search_convert_rate"),
        key("brandId", "brand_id"),
        date("createdDate", "created_date").or(Default::Now),
        date("updatedDate", "updated_date").or(Default::Now).moves(),
        json("searchStats", "search_stats").access(Access::ServerOwned),
    ],
    relations: &[
        Relation::new("ads", &SEM, Link::HasMany { key: "termId" }),
        Relation::read("brand", &BRAND, Link::BelongsTo { key: "brandId" }),
        Relation {
            given_at_creation: true,
            ..Relation::new(
                "canBeAccessBy",
                &COMPANY_ACCOUNT,
                Link::Through {
                    join: &TERM_COMPANY_ACCOUNT,
                    own: "termId",
                    other: "companyAccountId",
                },
            )
        },
        Relation {
            linked_by_all: true,
            given_at_creation: true,
            ..Relation::new(
                "categories",
                &CATEGORY,
                Link::Through {
                    join: &TERM_CATEGORY,
                    own: "termId",
                    other: "categoryId",
                },
            )
        },
        Relation::read("localization", &LOCALIZATION, Link::BelongsTo { key: "localizationId" }),
    ],
    sight: Visibility::Term,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: true,
};

/// A place and language a search is made from.
pub static LOCALIZATION: Model = Model {
    name: "Localization",
    path: Some("Localizations"),
    table: "localization",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("locale", "locale"),
        text("city", "city"),
        text("language", "language"),
        json("country", "country"),
    ],
    relations: &[Relation::new("terms", &TERM, Link::HasMany { key: "localizationId" })],
    sight: Visibility::Everyone,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: false,
};
