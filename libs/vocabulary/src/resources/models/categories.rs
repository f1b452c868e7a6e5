//! Categories: the labels that screens call tags.

use super::{ID, key, number, text};
use crate::resources::model::{Access, Default, Model, RowStore, Visibility};
use crate::resources::rights::{ALL, Rights};
use crate::resources::rules::label_error;

pub(super) const CATEGORY: Model = Model {
    name: "Category",
    path: Some("Categories"),
    table: "category",
    store: RowStore::Postgres,
    fields: &[
        ID,
        text("label", "label").keeps(label_error),
        text("name", "name").keeps(label_error),
        text("scope", "scope").or(Default::Text("tag")),
        text("visibility", "visibility").or(Default::Text("owner")),
        key("brandOwnerId", "brand_owner_id"),
        key("parentId", "parent_id"),
        number("totalViews", "total_views")
            .or(Default::Number(0))
            .access(Access::ServerOwned),
    ],
    relations: &[],
    sight: Visibility::Tag,
    rights: Rights {
        company: ALL,
        operator: ALL,
    },
    unique: &[],
    bulk_delete: false,
};
