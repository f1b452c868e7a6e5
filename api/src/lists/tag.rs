//! A tag beside a row or in a list of choices.

use records::categories::Category;
use serde::Serialize;
use utoipa::ToSchema;

/// A tag.
#[derive(Serialize, ToSchema)]
pub(crate) struct TagView {
    id: i32,
    label: String,
    /// Its slug.
    name: String,
}

impl TagView {
    /// Its name on screens.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }
}

impl From<Category> for TagView {
    fn from(category: Category) -> Self {
        Self {
            id: category.id.0,
            label: category.label.unwrap_or_default(),
            name: category.name.unwrap_or_default(),
        }
    }
}
