//! Categories: the labels that screens call tags.

use super::{BRAND, DEALER, ID, key, number, text};
use crate::resources::model::{
    Access, Default, Join, JoinKey, Labelled, Labels, Link, Model, Relation, RowStore, Visibility,
};
use crate::resources::rights::{ALL, Rights};
use crate::resources::rules::shows_something;

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

/// A tag of advertisers (scope `tag`) or of terms (scope `term`).
pub static CATEGORY: Model = Model {
    name: "Category",
    path: Some("Categories"),
    table: "category",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("label", "label").keeps(shows_something),
        text("name", "name").keeps(shows_something),
        text("scope", "scope").or(Default::Text("tag")),
        text("visibility", "visibility").or(Default::Text("owner")),
        key("brandOwnerId", "brand_owner_id"),
        key("parentId", "parent_id"),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
    ],
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
    sight: Visibility::Tag,
    rights: Rights {
        company: ALL,
        operator: ALL,
    },
    unique: &[],
    bulk_delete: false,
};
