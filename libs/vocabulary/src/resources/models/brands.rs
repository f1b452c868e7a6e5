//! Brands and the company accounts that own them.

use super::{ID, TERM, USER_ACCOUNT, flag, json, number, text};
use crate::resources::model::{Access, Default, Join, JoinKey, Link, Model, Relation, RowStore, Unique, Visibility};
use crate::resources::rights::{READ, Rights};
use crate::resources::rules::{is_reminder, shows_something};

/// Which brand belongs to which company account.
pub(super) static BRAND_COMPANY_ACCOUNT: Join = Join {
    name: "BrandCompanyAccount",
    table: "brand_company_account",
    keys: [
        JoinKey {
            name: "brandId",
            column: "brand_id",
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

/// A brand.
pub static BRAND: Model = Model {
    name: "Brand",
    path: Some("Brands"),
    table: "brand",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("label", "label").keeps(shows_something),
        text("name", "name").keeps(shows_something),
        text("autoMatchRegExp", "auto_match_reg_exp"),
        text("autoMatchExcludeRegExp", "auto_match_exclude_reg_exp"),
        flag("validated", "validated"),
        flag("createNotification", "create_notification"),
        flag("createShoppingNotification", "create_shopping_notification"),
        flag("notificationAuto", "notification_auto"),
        json("reminder", "reminder").keeps(is_reminder),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
    ],
    relations: &[
        Relation::new(
            "companyAccounts",
            &COMPANY_ACCOUNT,
            Link::Through {
                join: &BRAND_COMPANY_ACCOUNT,
                own: "brandId",
                other: "companyAccountId",
            },
        ),
        Relation::new("terms", &TERM, Link::HasMany { key: "brandId" }),
    ],
    sight: Visibility::BrandItself,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[Unique {
        key: "brand_name_key",
        field: "name",
        text: "already exists",
    }],
    bulk_delete: false,
};

/// A company account: the tenant.
pub static COMPANY_ACCOUNT: Model = Model {
    name: "CompanyAccount",
    path: Some("CompanyAccounts"),
    table: "company_account",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("name", "name").named().keeps(shows_something),
        text("label", "label").keeps(shows_something),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
        flag("notificationAuto", "notification_auto").or(Default::Flag(false)),
        json("reminder", "reminder").keeps(is_reminder),
    ],
    relations: &[
        Relation::included(
            "brands",
            &BRAND,
            Link::Through {
                join: &BRAND_COMPANY_ACCOUNT,
                own: "companyAccountId",
                other: "brandId",
            },
        ),
        Relation::new(
            "canBeAccessTo",
            &TERM,
            Link::Through {
                join: &super::terms::TERM_COMPANY_ACCOUNT,
                own: "companyAccountId",
                other: "termId",
            },
        ),
        Relation::new(
            "userAccounts",
            &USER_ACCOUNT,
            Link::HasMany {
                key: "companyAccountId",
            },
        ),
    ],
    sight: Visibility::Company,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: false,
};
