//! The models with their relations. A model's own file describes its rows alone; relations go both ways, so all of them are here.

use super::joins::{
    BRAND_COMPANY_ACCOUNT, CATEGORY_DEALER, DEALER_CONTACT, ROLE_OF_USER, TERM_CATEGORY, TERM_COMPANY_ACCOUNT,
};
use super::{ACCESS_TOKEN, ALERT, ATTACHMENT, CONTACT, FILE, ROLE_MAPPING};
use super::{actions, brands, categories, dealers, sems, terms, users};
use crate::resources::model::{Link, Model, Relation};

/// The case of one domain against one brand, country and engine. Its status, dates and counters can be given only at creation.
pub static ACTION: Model = Model {
    relations: &[
        Relation::included("brand", &BRAND, Link::BelongsTo { key: "brandId" }),
        Relation::read("dealer", &DEALER, Link::BelongsTo { key: "advertiserID" }),
        Relation::new("emails", &EMAIL, Link::HasMany { key: "actionId" }),
    ],
    ..actions::ACTION
};

/// One message of the outreach.
pub static EMAIL: Model = Model {
    relations: &[
        Relation::included("action", &ACTION, Link::BelongsTo { key: "actionId" }),
        Relation::included("attachments", &ATTACHMENT, Link::HasMany { key: "emailId" }),
    ],
    ..actions::EMAIL
};

/// A brand that a company watches.
pub static BRAND: Model = Model {
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
    ..brands::BRAND
};

/// A company account: the tenant.
pub static COMPANY_ACCOUNT: Model = Model {
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
                join: &TERM_COMPANY_ACCOUNT,
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
    ..brands::COMPANY_ACCOUNT
};

/// A tag of advertisers (scope `tag`) or of terms (scope `term`).
pub static CATEGORY: Model = Model {
    relations: &[
        Relation::new("children", &CATEGORY, Link::HasMany { key: "parentId" }),
        Relation {
            linked_by_all: true,
            ..Relation::new(
                "dealers",
                &DEALER,
                Link::Through {
                    join: &CATEGORY_DEALER,
                    own: "categoryId",
                    other: "dealerId",
                },
            )
        },
        Relation::read("owner", &BRAND, Link::BelongsTo { key: "brandOwnerId" }),
        Relation::read("parent", &CATEGORY, Link::BelongsTo { key: "parentId" }),
    ],
    ..categories::CATEGORY
};

/// The stored record of an advertiser's domain.
pub static DEALER: Model = Model {
    relations: &[
        Relation::new("actions", &ACTION, Link::HasMany { key: "advertiserID" }),
        Relation {
            linked_by_all: true,
            ..Relation::new(
                "categories",
                &CATEGORY,
                Link::Through {
                    join: &CATEGORY_DEALER,
                    own: "dealerId",
                    other: "categoryId",
                },
            )
        },
        Relation::new(
            "contacts",
            &CONTACT,
            Link::Through {
                join: &DEALER_CONTACT,
                own: "dealerId",
                other: "contactId",
            },
        ),
    ],
    ..dealers::DEALER
};

/// One ad seen in one capture, or entered by hand.
pub static SEM: Model = Model {
    relations: &[
        Relation::included("termRel", &TERM, Link::BelongsTo { key: "termId" }),
        Relation::included("dealer", &DEALER, Link::BelongsTo { key: "dealerId" }),
    ],
    ..sems::SEM
};

/// A tracked search.
pub static TERM: Model = Model {
    relations: &[
        Relation::new("ads", &SEM, Link::HasMany { key: "termId" }),
        Relation::read("brand", &BRAND, Link::BelongsTo { key: "brandId" }),
        Relation {
            given_at_creation: true,
            in_where: true,
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
            in_where: true,
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
    ..terms::TERM
};

/// A place and language a search is made from.
pub static LOCALIZATION: Model = Model {
    relations: &[Relation::new("terms", &TERM, Link::HasMany { key: "localizationId" })],
    ..terms::LOCALIZATION
};

/// A user. The password and other secrets are never read.
pub static USER_ACCOUNT: Model = Model {
    relations: &[
        Relation {
            includable: false,
            ..Relation::new("accessTokens", &ACCESS_TOKEN, Link::HasMany { key: "userId" })
        },
        Relation::new("alerts", &ALERT, Link::HasMany { key: "userAccountId" }),
        Relation {
            part_of_row: true,
            ..Relation::read("avatar", &FILE, Link::BelongsTo { key: "avatarId" })
        },
        Relation {
            linked_by_all: true,
            ..Relation::new(
                "categoryFilters",
                &CATEGORY,
                Link::References {
                    column: "category_filter_ids",
                },
            )
        },
        Relation::read(
            "companyAccount",
            &COMPANY_ACCOUNT,
            Link::BelongsTo {
                key: "companyAccountId",
            },
        ),
        Relation {
            part_of_row: true,
            ..Relation::new(
                "roles",
                &ROLE,
                Link::Through {
                    join: &ROLE_OF_USER,
                    own: "principalId",
                    other: "roleId",
                },
            )
        },
    ],
    ..users::USER_ACCOUNT
};

/// A role that users can be given.
pub static ROLE: Model = Model {
    relations: &[Relation::new(
        "principals",
        &ROLE_MAPPING,
        Link::HasMany { key: "roleId" },
    )],
    ..users::ROLE
};
