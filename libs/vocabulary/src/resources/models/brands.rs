//! Brands and the company accounts that own them.

use super::{ID, flag, json, number, text};
use crate::resources::model::{Access, Default, Model, RowStore, Unique, Visibility};
use crate::resources::rights::{READ, Rights};
use crate::resources::rules::{is_label, is_match_pattern, is_reminder};

pub(super) const BRAND: Model = Model {
    name: "Brand",
    path: Some("Brands"),
    table: "brand",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("label", "label").keeps(is_label),
        text("name", "name").keeps(is_label),
        text("autoMatchRegExp", "auto_match_reg_exp").keeps(is_match_pattern),
        text("autoMatchExcludeRegExp", "auto_match_exclude_reg_exp").keeps(is_match_pattern),
        flag("validated", "validated"),
        flag("createNotification", "create_notification"),
        flag("createShoppingNotification", "create_shopping_notification"),
        flag("notificationAuto", "notification_auto"),
        json("reminder", "reminder").keeps(is_reminder),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
    ],
    relations: &[],
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

pub(super) const COMPANY_ACCOUNT: Model = Model {
    name: "CompanyAccount",
    path: Some("CompanyAccounts"),
    table: "company_account",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("name", "name").named().keeps(is_label),
        text("label", "label").keeps(is_label),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
        flag("notificationAuto", "notification_auto").or(Default::Flag(false)),
        json("reminder", "reminder").keeps(is_reminder),
    ],
    relations: &[],
    sight: Visibility::Company,
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: false,
};
