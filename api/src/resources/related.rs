//! Reads and writes of what a row is related to.

use axum::Json as Answer;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use postgres::resources::{self as rows, ReachedFrom};
use serde_json::{Value as Json, json};
use vocabulary::resources::models::{ACCESS_TOKEN, FILE, ROLE};
use vocabulary::resources::{Condition, Fields, Filter, Link, Model, Relation};

use super::body::{self, Rows};
use super::call::{Call, Id};
use super::operation::RelationOperation;
use super::store::{Association, ReadConnection};
use super::{accounts, arguments, read, store, write};
use crate::failure::ApiError;

/// Answers an operation on the rows related to the row that the path names. 404 when the caller does not see that row, and `Forbidden` without the
/// right, which is checked first.
pub(super) async fn answer(
    call: &Call,
    model: &'static Model,
    relation: &'static Relation,
    operation: RelationOperation,
) -> Result<Response, ApiError> {
    check_rights(call, relation, operation)?;
    let id = call.id(model)?;
    if !store::exists(call, model, &id).await? {
        return Err(read::not_found(&id));
    }
    let related = RelatedCall {
        call,
        model,
        relation,
        id,
        ids: Vec::new(),
    };
    let related = RelatedCall {
        ids: related.id.key(),
        ..related
    };
    match operation {
        RelationOperation::Get if relation.is_single() => related.one().await,
        RelationOperation::Get => read::find(&mut ReadConnection::new(call), relation.target, related.within()).await,
        RelationOperation::Count => read::count(call, relation.target, related.within()).await,
        RelationOperation::Create => related.create().await,
        RelationOperation::DeleteAll => related.delete_all().await,
        RelationOperation::GetById => related.by_id().await,
        RelationOperation::PutById => related.put_by_id().await,
        RelationOperation::DeleteById => related.delete_by_id().await,
        RelationOperation::IsLinked => related.is_linked().await,
        RelationOperation::Link => related.link().await,
        RelationOperation::Unlink => related.unlink().await,
    }
}

/// Refuses, with `Forbidden`, an operation on related rows that the caller has no right to. While working as another user, nobody reaches that user's
/// sessions.
fn check_rights(call: &Call, relation: &'static Relation, operation: RelationOperation) -> Result<(), ApiError> {
    // The sessions of a person are that person's own affair.
    if call.caller.is_impersonated() && relation.target.name == ACCESS_TOKEN.name {
        return Err(ApiError::Forbidden);
    }
    let joins = matches!(relation.link, Link::Through { .. } | Link::References { .. });
    match operation.permission(relation) {
        Some(vocabulary::resources::rights::Permission::Read) if relation.part_of_row => Ok(()),
        Some(permission) => {
            call.check_rights(relation.target, &[permission])?;
            if joins && operation == RelationOperation::Create {
                check_may_link(call, relation)
            } else {
                Ok(())
            }
        }
        None => check_may_link(call, relation),
    }
}

/// Refuses, with `Forbidden`, to link or unlink rows unless every user may link this relation or the caller is an administrator; roles are not linked
/// while working as another user.
pub(super) fn check_may_link(call: &Call, relation: &Relation) -> Result<(), ApiError> {
    if relation.target.name == ROLE.name && call.caller.is_impersonated() {
        return Err(ApiError::Forbidden);
    }
    if relation.linked_by_all || call.caller.scope.administers() {
        Ok(())
    } else {
        Err(ApiError::Forbidden)
    }
}

/// A call about the rows that are related to one row.
struct RelatedCall<'a> {
    call: &'a Call,
    model: &'static Model,
    relation: &'static Relation,
    id: Id,
    ids: Vec<String>,
}

impl RelatedCall<'_> {
    fn within(&self) -> ReachedFrom<'_> {
        ReachedFrom::Related(self.relation, &self.ids)
    }

    fn target(&self) -> &'static Model {
        self.relation.target
    }

    /// This row and the relation, as the end of a link; 404 when its id is no number.
    fn association(&self) -> Result<Association, ApiError> {
        Ok(Association {
            model: self.model,
            relation: self.relation,
            own: self.number()?,
        })
    }

    /// The id of this row as a number; 404 when it is none.
    fn number(&self) -> Result<i64, ApiError> {
        self.id.number().ok_or_else(|| read::not_found(&self.id))
    }

    /// Answers the one row that this row points at: an empty object when it points at none, null when the row is gone or the caller does not see it.
    /// A file that is missing is 404 instead. Fields and related rows are those that the query asks for.
    async fn one(&self) -> Result<Response, ApiError> {
        let Link::BelongsTo { key } = self.relation.link else {
            return Err(ApiError::internal("only a relation to one row is asked for one"));
        };
        let filter = Filter {
            fields: Fields::Only([key].into()),
            ..Filter::everything()
        };
        let row = store::by_id(self.call, self.model, &self.id, filter)
            .await?
            .unwrap_or_default();
        Ok(match row.get(key) {
            None | Some(Json::Null) if self.target().name == FILE.name => return Err(no_file()),
            None | Some(Json::Null) => Answer(json!({})).into_response(),
            Some(id) => {
                let id = Id::of_json(self.target(), id);
                let filter = arguments::filter(self.target(), &self.call.pairs)?;
                let mut reader = ReadConnection::new(self.call);
                let state = reader.shown_state(self.target()).await?;
                match read::one(&mut reader, self.target(), &id, filter).await? {
                    Some(row) => state.on(row),
                    None if self.target().name == FILE.name => return Err(no_file()),
                    None => Answer(Json::Null).into_response(),
                }
            }
        })
    }

    /// Creates related rows from the body, an object or a list, and answers them. Rows of a list are created one by one: an error leaves those before
    /// it. A new token to work as another user sets cookies, too.
    async fn create(&self) -> Result<Response, ApiError> {
        match body::rows(self.call.json()?)? {
            Rows::One(fields) if self.target().name == ACCESS_TOKEN.name => {
                let made = accounts::create_token(self.call, self.number()?, &fields).await?;
                let cookies = accounts::cookies_of_impersonation(self.call, &made);
                Ok((cookies, Answer(made)).into_response())
            }
            Rows::One(fields) => Ok(Answer(self.create_one(fields).await?).into_response()),
            Rows::Many(list) => {
                let mut made = Vec::with_capacity(list.len());
                for fields in list {
                    made.push(self.create_one(fields).await?);
                }
                Ok(Answer(made).into_response())
            }
        }
    }

    /// Creates one row linked with this one, whose id wins over one in the fields, and returns it as answered. A token is created for the account in
    /// the path.
    async fn create_one(&self, mut fields: body::Fields) -> Result<Json, ApiError> {
        match self.relation.link {
            Link::HasMany { .. } if self.target().name == ACCESS_TOKEN.name => {
                accounts::create_token(self.call, self.number()?, &fields).await
            }
            Link::HasMany { key } => {
                fields.insert(key.to_owned(), self.id.json());
                write::create_one(self.call, self.target(), fields, None).await
            }
            Link::Through { .. } | Link::References { .. } => {
                write::create_one(self.call, self.target(), fields, Some(self.association()?)).await
            }
            Link::BelongsTo { .. } => Err(ApiError::internal("a relation to one row creates none")),
        }
    }

    /// Deletes all related rows that belong to this one, as far as the caller may; rows that are only linked are unlinked and stay. Answers 204.
    async fn delete_all(&self) -> Result<Response, ApiError> {
        match self.relation.link {
            // Others' links stay.
            Link::Through { .. } | Link::References { .. } => {
                store::unlink(self.call, self.association()?, None).await?;
            }
            Link::HasMany { .. } | Link::BelongsTo { .. } => {
                store::remove(self.call, self.target(), self.within(), Condition::everything()).await?;
            }
        }
        Ok(StatusCode::NO_CONTENT.into_response())
    }

    /// Answers the related row with the id in the path, with what the filter includes; 404 when it is not related or not visible.
    async fn by_id(&self) -> Result<Response, ApiError> {
        let other = self.call.fk(self.target())?;
        let filter = arguments::filter(self.target(), &self.call.pairs)?;
        if !write::is_there(self.call, self.target(), self.within(), &other).await? {
            return Err(self.unrelated(&other, "No relation found in", ","));
        }
        let mut reader = ReadConnection::new(self.call);
        let state = reader.shown_state(self.target()).await?;
        let row = read::one(&mut reader, self.target(), &other, filter).await?;
        row.map(|row| state.on(Answer(self.named(row.json(), &other))))
            .ok_or_else(|| self.no_instance(&other))
    }

    /// Puts the id that the client wrote into an answered token, whose stored id is a digest. Other rows stay as they are.
    fn named(&self, mut row: Json, other: &Id) -> Json {
        if self.target().name == ACCESS_TOKEN.name
            && let Some(id) = row.get_mut("id")
        {
            *id = Json::String(other.text.clone());
        }
        row
    }

    /// Changes the given fields of a related row and answers it; the id and the key of the relation are ignored. 404 when it is not related,
    /// `Forbidden` when the caller sees it but may not change it.
    async fn put_by_id(&self) -> Result<Response, ApiError> {
        let other = self.call.fk(self.target())?;
        let mut fields = self.call.fields()?;
        fields.remove("id");
        if let Link::HasMany { key } = self.relation.link {
            fields.remove(key);
        }
        match write::patch(self.call, self.target(), self.within(), &other, fields).await? {
            Some(row) => Ok(Answer(self.named(row, &other)).into_response()),
            None => Err(self.unrelated(&other, "No relation found in", ",")),
        }
    }

    /// Deletes a related row and answers 204; 404 when it is not related, `Forbidden` when the caller sees it but may not delete it.
    async fn delete_by_id(&self) -> Result<Response, ApiError> {
        let other = self.call.fk(self.target())?;
        if !write::is_there(self.call, self.target(), self.within(), &other).await? {
            return Err(self.unrelated(&other, "No record found in", " ,"));
        }
        let removed = store::remove(
            self.call,
            self.target(),
            self.within(),
            Condition::test(self.target().id(), write::id_equals(&other)),
        )
        .await?;
        if removed.is_empty() {
            Err(ApiError::Forbidden)
        } else {
            Ok(StatusCode::NO_CONTENT.into_response())
        }
    }

    /// Answers 200 when the two rows are linked and the caller sees both, else 404.
    async fn is_linked(&self) -> Result<Response, ApiError> {
        let other = self.call.fk(self.target())?;
        let linked = match (self.relation.link, other.number()) {
            (Link::Through { join, own, other: key }, Some(number)) => {
                rows::is_linked(
                    &self.call.state.postgres,
                    &self.call.caller.scope,
                    join,
                    (own, self.number()?),
                    (key, number),
                )
                .await?
                    && store::exists(self.call, self.target(), &other).await?
            }
            _ => write::is_there(self.call, self.target(), self.within(), &other).await?,
        };
        Ok(if linked { StatusCode::OK } else { StatusCode::NOT_FOUND }.into_response())
    }

    /// Links this row with the one in the path, and answers the link or, where a link is no row of its own, the other row. 404 when the caller does
    /// not see the other row.
    async fn link(&self) -> Result<Response, ApiError> {
        let other = self.call.fk(self.target())?;
        if !store::exists(self.call, self.target(), &other).await? {
            return Err(self.no_instance(&other));
        }
        Ok(Answer(self.store_link(&other).await?).into_response())
    }

    /// Stores the link with another row, or keeps the one there is, and returns it; where a link is no row of its own, returns the other row. 404 for
    /// an id that is no number, or another row that is gone.
    async fn store_link(&self, other: &Id) -> Result<Json, ApiError> {
        let number = other.number().ok_or_else(|| self.no_instance(other))?;
        if let Some(joined) = store::link(self.call, self.association()?, number).await? {
            return Ok(joined);
        }
        let row = store::by_id(self.call, self.target(), other, Filter::everything()).await?;
        row.ok_or_else(|| self.no_instance(other))
    }

    /// Unlinks this row from the one in the path and answers 204. When the caller does not see the other row, the link stays, and the answer is 204
    /// too; 404 for an id that is no number.
    async fn unlink(&self) -> Result<Response, ApiError> {
        let other = self.call.fk(self.target())?;
        let number = other.number().ok_or_else(|| self.no_instance(&other))?;
        if !store::exists(self.call, self.target(), &other).await? {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        store::unlink(self.call, self.association()?, Some(number)).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }

    /// The error 404 for a related row that does not exist or that the caller does not see.
    fn no_instance(&self, other: &Id) -> ApiError {
        ApiError::NotFound(format!(
            "No instance with id {} found for {}",
            other.text,
            self.target().name
        ))
    }

    /// The error 404 for a row that is not related to this one, in the words of LoopBack, which `words` and `comma` complete.
    fn unrelated(&self, other: &Id, words: &str, comma: &str) -> ApiError {
        let Link::Through { join, .. } = self.relation.link else {
            return self.no_instance(other);
        };
        ApiError::NotFound(format!(
            "{words} {} for ({}.{}{comma}{}.{})",
            join.name,
            self.model.name,
            self.id.text,
            self.target().name,
            other.text
        ))
    }
}

/// The error 404 for a row without a file.
fn no_file() -> ApiError {
    ApiError::NotFound("There is no such file".to_owned())
}
