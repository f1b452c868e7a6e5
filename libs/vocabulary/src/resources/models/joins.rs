//! The tables that join two models.

use crate::resources::model::{Join, JoinKey, Labelled, Labels};

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

/// Which tag is on which advertiser.
pub static CATEGORY_DEALER: Join = Join {
    name: "CategoryDealer",
    table: "category_dealer",
    keys: [
        JoinKey {
            name: "categoryId",
            column: "category_id",
            is_text: false,
        },
        JoinKey {
            name: "dealerId",
            column: "dealer_id",
            is_text: false,
        },
    ],
    only: None,
    labels: Some(Labels {
        tag: "categoryId",
        labelled: Labelled::Dealers,
    }),
};

/// Whom to write to about which advertiser.
pub(super) static DEALER_CONTACT: Join = Join {
    name: "DealerContact",
    table: "dealer_contact",
    keys: [
        JoinKey {
            name: "dealerId",
            column: "dealer_id",
            is_text: false,
        },
        JoinKey {
            name: "contactId",
            column: "contact_id",
            is_text: false,
        },
    ],
    only: None,
    labels: None,
};

/// Which tag is on which term.
pub(super) static TERM_CATEGORY: Join = Join {
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

/// Which company account may see which terms of other brands.
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

/// Which user has which role. The id of the user is stored as text.
pub(super) static ROLE_OF_USER: Join = Join {
    name: "RoleMapping",
    table: "role_mapping",
    keys: [
        JoinKey {
            name: "principalId",
            column: "principal_id",
            is_text: true,
        },
        JoinKey {
            name: "roleId",
            column: "role_id",
            is_text: false,
        },
    ],
    only: Some("coalesce(j.principal_type, 'USER') = 'USER'"),
    labels: None,
};
