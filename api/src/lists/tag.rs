//! A tag beside a row or in a list of choices.

use records::categories::{Category, StandingTag};
use serde::Serialize;
use utoipa::ToSchema;

/// A tag.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TagView {
    id: i32,
    label: String,
    /// Its slug.
    name: String,
    /// Of an advertiser's domain: the dealer that the tag stands on, its own or that of its registrable domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    dealer_id: Option<i32>,
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
            dealer_id: None,
        }
    }
}

impl From<StandingTag> for TagView {
    fn from(StandingTag { tag, dealer }: StandingTag) -> Self {
        Self {
            dealer_id: Some(dealer.0),
            ..Self::from(tag)
        }
    }
}
