//! The operations every resource has, and those every relation has. Routes and the OpenAPI document are made from these lists.

use axum::http::Method;
use strum::VariantArray;
use vocabulary::resources::models::ACTION;
use vocabulary::resources::rights::Permission;
use vocabulary::resources::{Link, Model, Paths, Relation};

use super::export;

/// An operation on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(crate) enum Operation {
    Find,
    Create,
    PatchOrCreate,
    PutOrCreate,
    Count,
    FindOne,
    FindRequest,
    Export,
    ReplaceOrCreate,
    UpdateAll,
    UpsertWithWhere,
    ReadChanges,
    PostChanges,
    FindById,
    Head,
    Exists,
    DeleteById,
    PatchById,
    PutById,
    Replace,
    DeleteAll,
}

impl Operation {
    /// The operations that a model has: all, except that deleting by condition, `findRequest` and the file are for some models only.
    pub(crate) fn of_model(model: &Model) -> impl Iterator<Item = Self> {
        let bulk_delete = model.bulk_delete;
        let (is_action, is_exported) = (model.name == ACTION.name, export::is_offered(model));
        Self::VARIANTS.iter().copied().filter(move |operation| match operation {
            Self::DeleteAll => bulk_delete,
            Self::FindRequest => is_action,
            Self::Export => is_exported,
            _ => true,
        })
    }

    /// The HTTP method: GET reads; POST creates, also replaces or updates by a filter and opens streams; PUT and PATCH change or create; HEAD asks
    /// whether a row exists; DELETE deletes.
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Find
            | Self::Count
            | Self::FindOne
            | Self::FindRequest
            | Self::Export
            | Self::FindById
            | Self::Exists
            | Self::ReadChanges => Method::GET,
            Self::Create
            | Self::ReplaceOrCreate
            | Self::UpdateAll
            | Self::UpsertWithWhere
            | Self::Replace
            | Self::PostChanges => Method::POST,
            Self::PatchOrCreate | Self::PatchById => Method::PATCH,
            Self::PutOrCreate | Self::PutById => Method::PUT,
            Self::DeleteById | Self::DeleteAll => Method::DELETE,
            Self::Head => Method::HEAD,
        }
    }

    /// The path after that of the resource, with `{id}` for the id of a row; empty for the resource itself.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Find | Self::Create | Self::PatchOrCreate | Self::PutOrCreate | Self::DeleteAll => "",
            Self::Count => "/count",
            Self::FindOne => "/findOne",
            Self::FindRequest => "/findRequest",
            Self::Export => "/export",
            Self::ReplaceOrCreate => "/replaceOrCreate",
            Self::UpdateAll => "/update",
            Self::UpsertWithWhere => "/upsertWithWhere",
            Self::ReadChanges | Self::PostChanges => "/change-stream",
            Self::FindById | Self::Head | Self::DeleteById | Self::PatchById | Self::PutById => "/{id}",
            Self::Exists => "/{id}/exists",
            Self::Replace => "/{id}/replace",
        }
    }

    /// The permissions that an operation needs on rows of its model, all of them: one that may create or change needs both.
    pub(crate) const fn permissions(self) -> &'static [Permission] {
        match self {
            Self::Find
            | Self::Count
            | Self::FindOne
            | Self::FindRequest
            | Self::Export
            | Self::FindById
            | Self::Head
            | Self::Exists
            | Self::ReadChanges
            | Self::PostChanges => &[Permission::Read],
            Self::Create => &[Permission::Create],
            Self::PatchOrCreate | Self::PutOrCreate | Self::ReplaceOrCreate | Self::UpsertWithWhere => {
                &[Permission::Create, Permission::Change]
            }
            Self::UpdateAll | Self::PatchById | Self::PutById | Self::Replace => &[Permission::Change],
            Self::DeleteById | Self::DeleteAll => &[Permission::Remove],
        }
    }

    /// Whether it reads rows and does nothing else.
    pub(super) const fn only_reads_rows(self) -> bool {
        matches!(self, Self::Find | Self::FindOne | Self::FindRequest | Self::FindById)
    }

    /// Whether it changes or deletes rows that a client may have seen before.
    pub(super) fn changes_seen_rows(self) -> bool {
        let needed = self.permissions();
        needed.contains(&Permission::Change) || needed.contains(&Permission::Remove)
    }

    /// What it does, for the OpenAPI document.
    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Self::Find => "Lists rows.",
            Self::Create => "Creates a row, or several of a list.",
            Self::PatchOrCreate => {
                "Changes the row with the given id, or creates one when none is given. With a condition, changes every row that meets it."
            }
            Self::PutOrCreate | Self::ReplaceOrCreate => {
                "Replaces the row with the given id, or creates one when none is given."
            }
            Self::Count => "Counts rows.",
            Self::FindOne => "The first row.",
            Self::FindRequest => "Lists the requested ones, with brand and dealer.",
            Self::Export => "The rows as a CSV file or a workbook, with what they are shown with.",
            Self::UpdateAll => "Changes every row that meets the condition.",
            Self::UpsertWithWhere => "Changes the one row that meets the condition, or creates one when none does.",
            Self::ReadChanges | Self::PostChanges => "Changes as they happen (server-sent events).",
            Self::FindById => "A row.",
            Self::Head => "Whether there is such a row.",
            Self::Exists => "Says whether there is such a row.",
            Self::DeleteById => "Deletes a row.",
            Self::PatchById => "Changes what is given.",
            Self::PutById | Self::Replace => "Replaces a row; what is not given is null or its default.",
            Self::DeleteAll => "Deletes every row that meets the condition.",
        }
    }
}

/// An operation on what a row is related to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(crate) enum RelationOperation {
    Get,
    Create,
    DeleteAll,
    Count,
    GetById,
    PutById,
    DeleteById,
    IsLinked,
    Link,
    Unlink,
}

impl RelationOperation {
    /// The operations that a relation has, by its `paths`: none, [`Self::Get`] alone, or all. Of all, linking is for links through a join or a list
    /// of references only, and everything but `Get` and linking for relations to many rows only.
    pub(crate) fn of_relation(relation: &'static Relation) -> impl Iterator<Item = Self> {
        let joins = matches!(relation.link, Link::Through { .. } | Link::References { .. });
        let is_there = move |operation: &Self| match (relation.paths, operation) {
            (Paths::None, _) => false,
            (_, Self::Get) => true,
            (Paths::Read, _) => false,
            (Paths::All, Self::IsLinked | Self::Link | Self::Unlink) => joins,
            (Paths::All, _) => !relation.is_single(),
        };
        Self::VARIANTS.iter().copied().filter(is_there)
    }

    /// The HTTP method: GET reads, HEAD asks whether linked, POST creates, PUT changes or links, DELETE deletes or unlinks.
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Get | Self::Count | Self::GetById => Method::GET,
            Self::Create => Method::POST,
            Self::PutById | Self::Link => Method::PUT,
            Self::DeleteAll | Self::DeleteById | Self::Unlink => Method::DELETE,
            Self::IsLinked => Method::HEAD,
        }
    }

    /// The path after that of the relation, with `{fk}` for the id of a related row; empty for the relation itself.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Get | Self::Create | Self::DeleteAll => "",
            Self::Count => "/count",
            Self::GetById | Self::PutById | Self::DeleteById => "/{fk}",
            Self::IsLinked | Self::Link | Self::Unlink => "/rel/{fk}",
        }
    }

    /// The permission that an operation needs on the related rows. `None` when it links or unlinks rows instead: then the relation decides who may.
    pub(crate) const fn permission(self, relation: &Relation) -> Option<Permission> {
        match self {
            Self::Get | Self::Count | Self::GetById | Self::IsLinked => Some(Permission::Read),
            Self::Create => Some(Permission::Create),
            Self::PutById => Some(Permission::Change),
            Self::DeleteById => Some(Permission::Remove),
            Self::DeleteAll => match relation.link {
                Link::HasMany { .. } => Some(Permission::Remove),
                _ => None,
            },
            Self::Link | Self::Unlink => None,
        }
    }

    /// Whether it changes or deletes related rows that a client may have seen before.
    pub(super) fn changes_seen_rows(self, relation: &Relation) -> bool {
        matches!(self.permission(relation), Some(Permission::Change | Permission::Remove))
    }

    /// What it does, for the OpenAPI document.
    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Self::Get => "What the row is related to.",
            Self::Create => "Creates a related row.",
            Self::DeleteAll => "Deletes the related rows; rows joined by a third are only parted.",
            Self::Count => "Counts the related rows.",
            Self::GetById => "A related row.",
            Self::PutById => "Changes what is given of a related row.",
            Self::DeleteById => "Deletes a related row.",
            Self::IsLinked => "Whether two rows are joined.",
            Self::Link => "Joins two rows.",
            Self::Unlink => "Parts two rows.",
        }
    }
}
