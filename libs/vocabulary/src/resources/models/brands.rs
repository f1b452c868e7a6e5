//! Brands and the company accounts that own them.

use super::{ID, flag, json, number, text, whole};
use crate::resources::model::{Access, Default, Model, RowStore, Unique, Visibility};
use crate::resources::rights::{READ, Rights};
use crate::resources::rules::{capture_quota_error, label_error, pattern_error, reminder_error};

pub(super) const BRAND: Model = Model {
    name: "Brand",
    path: Some("Brands"),
    table: "brand",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("label", "label").keeps(label_error),
        text("name", "name").keeps(label_error).access(Access::AtCreation),
        text("autoMatchRegExp", "auto_match_reg_exp").keeps(pattern_error),
        text("autoMatchExcludeRegExp", "auto_match_exclude_reg_exp").keeps(pattern_error),
        flag("validated", "validated"),
        flag("createNotification", "create_notification"),
        flag("createShoppingNotification", "create_shopping_notification"),
        flag("notificationAuto", "notification_auto"),
        json("reminder", "reminder").keeps(reminder_error),
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
        text("name", "name").named().keeps(label_error),
        text("label", "label").keeps(label_error),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
        flag("notificationAuto", "notification_auto").or(Default::Flag(false)),
        json("reminder", "reminder").keeps(reminder_error),
        whole("captureQuota", "capture_quota")
            .exact()
            .keeps(capture_quota_error),
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
