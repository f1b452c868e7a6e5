//! Authors of changes, as the API shows them to a reader.

use postgres::authors::{AuthorKind, KnownAuthor};
use serde::Serialize;
use utoipa::ToSchema;

/// The author of an act, as far as the reader may know.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuthorView {
    kind: AuthorKindView,
    /// Name of the person or company account.
    name: Option<String>,
    /// Name of the user that an administrator worked as; for administrators only.
    #[serde(rename = "as")]
    acting_as: Option<String>,
}

/// What the reader may know of an author.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum AuthorKindView {
    /// A person, by name.
    Person,
    /// Somebody of Vigie's staff.
    Staff,
    /// Somebody of a company account, by the name of that.
    Company,
    /// An account that is gone.
    Gone,
}

impl From<KnownAuthor> for AuthorView {
    fn from(author: KnownAuthor) -> Self {
        Self {
            kind: match author.kind {
                AuthorKind::Person => AuthorKindView::Person,
                AuthorKind::Staff => AuthorKindView::Staff,
                AuthorKind::Company => AuthorKindView::Company,
                AuthorKind::Gone => AuthorKindView::Gone,
            },
            name: author.name,
            acting_as: author.acting_as,
        }
    }
}
