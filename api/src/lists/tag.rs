//! Tags beside rows and in lists of choices, and the domains and terms that carry the tags of a filter.

use axum::http::StatusCode;
use postgres::categories::{self, Category, DomainTag, PutTag};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{CategoryId, Scope, TermId};

use crate::failure::ApiError;
use crate::list_file::Cell;
use crate::state::ApiState;

/// A filter by tags: it narrows to the domains or terms that carry them (decision D77).
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "camelCase")]
pub(crate) enum TagFilter {
    /// Ids of tags of the advertiser.
    AdvertiserTag,
    /// Ids of tags of the term.
    KeywordTag,
}

/// The domains of the dealers that carry at least one of these tags, as far as the scope sees the tags, sorted. Fails with the code TOO_MANY_TAGGED
/// for more than `MOST_TAGGED` domains.
pub(crate) async fn domains_of(state: &ApiState, scope: &Scope, tags: &[CategoryId]) -> Result<Vec<String>, ApiError> {
    categories::domains_of_tags(&state.postgres, scope, tags)
        .await
        .map_err(|error| tag_failure(error, "domains"))
}

/// The terms that carry at least one of these tags, as far as the scope sees them. Fails with the code TOO_MANY_TAGGED for more than `MOST_TAGGED`
/// terms.
pub(crate) async fn terms_of(state: &ApiState, scope: &Scope, tags: &[CategoryId]) -> Result<Vec<TermId>, ApiError> {
    categories::terms_of_tags(&state.postgres, scope, tags)
        .await
        .map_err(|error| tag_failure(error, "terms"))
}

/// The failure of a look-up by tags: `TOO_MANY_TAGGED`, a 400, when they are on too many of `what` (such as domains); any other error as it is.
fn tag_failure(error: postgres::Error, what: &str) -> ApiError {
    if matches!(error, postgres::Error::TooMany) {
        let most = categories::MOST_TAGGED;
        let text =
            format!("The chosen tags are on more than {most} {what}. Choose fewer tags, or some that are on fewer.");
        ApiError::Coded(StatusCode::BAD_REQUEST, "TOO_MANY_TAGGED", text)
    } else {
        error.into()
    }
}

/// A tag as clients show it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TagView {
    id: i32,
    label: String,
    /// Unique name among those of its owner, in lower case.
    name: String,
    /// The brand it belongs to; absent for tags of no brand, and of brands that the reader does not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    brand: Option<String>,
    /// Of an advertiser's domain: the dealer that carries the tag, its own or that of its registrable domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    dealer_id: Option<i32>,
    /// Whether it is others' to take off again; absent where the reader may.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_others: Option<bool>,
}

/// Tags as the cell of a file: their labels, joined by commas.
pub(crate) fn tags_cell<T: Into<TagView>>(tags: impl IntoIterator<Item = T>) -> Cell {
    let labels: Vec<String> = tags.into_iter().map(|tag| tag.into().label).collect();
    Cell::Text(labels.join(", "))
}

impl From<Category> for TagView {
    /// A missing label or name becomes empty; a category has no dealer.
    fn from(category: Category) -> Self {
        Self {
            id: category.id.0,
            label: category.label.unwrap_or_default(),
            name: category.name.unwrap_or_default(),
            brand: category.brand,
            dealer_id: None,
            of_others: None,
        }
    }
}

impl From<PutTag> for TagView {
    /// The tag as it is on something; a missing label or name becomes empty.
    fn from(PutTag { tag, is_of_others }: PutTag) -> Self {
        Self {
            of_others: is_of_others.then_some(true),
            ..Self::from(tag)
        }
    }
}

impl From<DomainTag> for TagView {
    /// The tag with the dealer that carries it; a missing label or name becomes empty.
    fn from(DomainTag { put, dealer }: DomainTag) -> Self {
        Self {
            dealer_id: Some(dealer.0),
            ..Self::from(put)
        }
    }
}
