//! User accounts with their roles, tokens and alerts.

use super::{ID, date, flag, json, key, list, text, whole};
use crate::resources::model::{Access, Default, Field, Kind, Model, RowStore, Unique, Visibility};
use crate::resources::rights::{NONE, Permission, READ, Rights};

pub(super) const USER_ACCOUNT: Model = Model {
    name: "UserAccount",
    path: Some("UserAccounts"),
    table: "user_account",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("firstName", "first_name"),
        text("lastName", "last_name"),
        list("queries", "queries").access(Access::ByAdmin),
        list("dashboardCategoryFilters", "dashboard_category_filters")
            .or(Default::EmptyList)
            .access(Access::ByAdmin),
        Field::new("avatarId", "avatar_id", Kind::File),
        key("companyAccountId", "company_account_id").access(Access::ByAdmin),
        // The names of the entries; their contents are sealed.
        json("dashboards", "dashboards").access(Access::ByAdmin).confidential(),
        text("dashboardsSealed", "dashboards_sealed").access(Access::Hidden),
        text("emailAtCreation", "email_at_creation").access(Access::ByAdmin),
        text("realm", "realm").access(Access::ByAdmin),
        text("username", "username").access(Access::ByAdmin),
        text("password", "password_hash").required().access(Access::WriteOnly),
        text("email", "email").required().mail_address().access(Access::ByAdmin),
        flag("emailVerified", "email_verified").access(Access::ByAdmin),
        text("verificationToken", "verification_token").access(Access::WriteOnly),
        date("verificationEnds", "verification_ends").access(Access::Hidden),
    ],
    relations: &[],
    sight: Visibility::Oneself,
    rights: Rights {
        company: &[Permission::Read, Permission::Change],
        operator: &[Permission::Read, Permission::Change],
    },
    unique: &[
        Unique {
            key: "user_account_email_key",
            field: "email",
            text: "Email already exists",
        },
        Unique {
            key: "user_account_address_key",
            field: "email",
            text: "Email already exists",
        },
        Unique {
            key: "user_account_username_key",
            field: "username",
            text: "User already exists",
        },
    ],
    bulk_delete: false,
};

/// A session or another token. Its id is the token itself when it is made, and its SHA-256 (hex) afterwards.
pub static ACCESS_TOKEN: Model = Model {
    name: "CustomAccessToken",
    path: None,
    table: "access_token",
    store: RowStore::Postgres,
    fields: &[
        Field::new("id", "sha256", Kind::Digest).access(Access::ServerOwned),
        whole("ttl", "ttl").or(Default::Number(1_209_600)),
        Field::new("scopes", "scopes", Kind::Texts).access(Access::AtCreation),
        date("created", "created").or(Default::Now).access(Access::AtCreation),
        key("userId", "user_id"),
    ],
    relations: &[],
    sight: Visibility::Own("user_id"),
    rights: Rights {
        company: &[Permission::Read, Permission::Create, Permission::Remove],
        operator: &[Permission::Read, Permission::Create, Permission::Remove],
    },
    unique: &[],
    bulk_delete: false,
};

pub(super) const ROLE: Model = Model {
    name: "Role",
    path: Some("Roles"),
    table: "role",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("name", "name").required(),
        text("description", "description"),
        date("created", "created").or(Default::Now),
        date("modified", "modified").or(Default::Now).moves(),
    ],
    relations: &[],
    sight: Visibility::GivenRole,
    rights: Rights {
        company: NONE,
        operator: READ,
    },
    unique: &[Unique {
        key: "role_name_key",
        field: "name",
        text: "already exists",
    }],
    bulk_delete: false,
};

/// The link of a user to a role.
pub static ROLE_MAPPING: Model = Model {
    name: "RoleMapping",
    path: None,
    table: "role_mapping",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("principalType", "principal_type").of_few_values(),
        text("principalId", "principal_id"),
        key("roleId", "role_id"),
    ],
    relations: &[],
    sight: Visibility::Nobody,
    rights: Rights {
        company: NONE,
        operator: NONE,
    },
    unique: &[Unique {
        key: "role_mapping_key",
        field: "principalId",
        text: "has this role already",
    }],
    bulk_delete: false,
};

/// A schedule of mails to a user.
pub static ALERT: Model = Model {
    name: "Alert",
    path: None,
    table: "alert",
    store: RowStore::Postgres,
    fields: &[
        ID,
        json("brand", "brand"),
        whole("templateId", "template_id"),
        text("templateType", "template_type").of_few_values(),
        flag("enable", "enable").or(Default::Flag(false)),
        text("cron", "cron"),
        text("frequency", "frequency").or(Default::Text("7 days")),
        date("startDate", "start_date"),
        date("nextSend", "next_send"),
        date("lastSend", "last_send"),
        text("from", "from_address"),
        text("fromName", "from_name"),
        text("subject", "subject"),
        text("type", "type").or(Default::Text("cron")),
        text("hookTrigger", "hook_trigger"),
        json("context", "context"),
        list("recipientIds", "recipient_ids"),
        key("userAccountId", "user_account_id"),
    ],
    relations: &[],
    sight: Visibility::Own("user_account_id"),
    rights: Rights {
        company: READ,
        operator: READ,
    },
    unique: &[],
    bulk_delete: false,
};

/// An uploaded file.
pub static FILE: Model = Model {
    name: "File",
    path: None,
    table: "file",
    store: RowStore::Postgres,
    fields: &[
        Field::new("id", "id", Kind::File).access(Access::ServerOwned),
        text("name", "name"),
        text("mimeType", "mime_type").or(Default::Text("application/octet-stream")),
        text("path", "path").access(Access::Hidden),
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
