//! Registered marks of brands, and the complaints that are founded on them.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, BrandId, FileId, Scope, SystemScope};

use crate::actions::events::user_of;
use crate::captures::Digest;
use crate::scoped::ScopeLists;
use crate::stored::digest;
use crate::{Connection, Result};

/// A stored mark (its row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrademarkId(pub i32);

/// A registered mark of a brand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trademark {
    /// Id of the mark.
    pub id: TrademarkId,
    /// What the register says of it.
    pub facts: TrademarkFacts,
    /// Which state of the row this is; goes up with each change.
    pub version: i32,
}

/// What the register says of a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrademarkFacts {
    /// The mark as registered.
    pub mark: String,
    /// Where, as in `EUIPO`.
    pub office: String,
    /// Its number there.
    pub number: String,
    /// Countries it holds in, two letters; empty if nobody said.
    pub countries: Vec<String>,
    /// Classes of Nice.
    pub classes: Vec<i32>,
    /// Whom it belongs to.
    pub owner: String,
    /// The uploaded proof that the sender acts for the owner.
    pub authorisation: Option<FileId>,
}

/// The marks of a brand by name, at most `limit`; none for a brand out of scope.
pub async fn of_brand(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    brand: BrandId,
    limit: i64,
) -> Result<Vec<Trademark>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select id, mark, office, number, countries, classes, owner, authorisation_id, version from trademark
           where brand_id = $2 and ($1::int[] is null or brand_id = any($1)) order by mark, office, number limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        limit
    )
    .fetch_all(executor)
    .await?;
    let marks = rows.into_iter().map(|row| Trademark {
        id: TrademarkId(row.id),
        facts: TrademarkFacts {
            mark: row.mark,
            office: row.office,
            number: row.number,
            countries: row.countries,
            classes: row.classes,
            owner: row.owner,
            authorisation: row.authorisation_id.map(FileId),
        },
        version: row.version,
    });
    Ok(marks.collect())
}

/// Adds a mark to a brand and returns its id; an error for a brand out of scope, and for a number that it has already.
pub async fn add(
    connection: &mut Connection,
    scope: &Scope,
    brand: BrandId,
    facts: &TrademarkFacts,
) -> Result<TrademarkId> {
    let bounds = ScopeLists::from_scope(scope);
    let id = sqlx::query_scalar!(
        "insert into trademark (brand_id, mark, office, number, countries, classes, owner, authorisation_id)
         select id, $3, $4, $5, $6, $7, $8, $9 from brand where id = $2 and ($1::int[] is null or id = any($1)) returning id",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        facts.mark,
        facts.office,
        facts.number,
        &facts.countries,
        &facts.classes,
        facts.owner,
        facts.authorisation.map(|file| file.0)
    )
    .fetch_one(connection)
    .await?;
    Ok(TrademarkId(id))
}

/// Gives a mark of a brand in scope other facts; an error for the number of another one. Returns whether there was such a mark in this version.
pub async fn change(connection: &mut Connection, scope: &Scope, brand: BrandId, mark: &Trademark) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let facts = &mark.facts;
    let changed = sqlx::query!(
        "update trademark set mark = $5, office = $6, number = $7, countries = $8, classes = $9, owner = $10, authorisation_id = $11,
             version = version + 1
         where brand_id = $2 and id = $3 and version = $4 and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        mark.id.0,
        mark.version,
        facts.mark,
        facts.office,
        facts.number,
        &facts.countries,
        &facts.classes,
        facts.owner,
        facts.authorisation.map(|file| file.0)
    )
    .execute(connection)
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// Takes a mark away from a brand in scope. Returns whether it was there.
pub async fn remove(connection: &mut Connection, scope: &Scope, brand: BrandId, mark: TrademarkId) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let removed = sqlx::query!(
        "delete from trademark where brand_id = $2 and id = $3 and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        brand.0,
        mark.0
    )
    .execute(connection)
    .await?;
    Ok(removed.rows_affected() > 0)
}

/// Whether a file may be named as an authorisation: an attachment that this user uploaded, or one that the brand's marks name already.
pub async fn may_authorise(executor: impl PgExecutor<'_>, scope: &Scope, brand: BrandId, file: FileId) -> Result<bool> {
    let may = sqlx::query_scalar!(
        r#"select exists (select from file where id = $1 and purpose = 'attachment' and owner_id = $2)
             or exists (select from trademark where authorisation_id = $1 and brand_id = $3) as "may!""#,
        file.0,
        user_of(scope),
        brand.0
    );
    Ok(may.fetch_one(executor).await?)
}

/// A file that a mark names, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorisation {
    /// Name shown to users.
    pub name: String,
    /// SHA-256 of the content.
    pub sha256: Digest,
}

/// The authorisation that a mark names; `None` where it names none. The caller has read the mark in scope.
pub async fn authorisation(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    file: FileId,
) -> Result<Option<Authorisation>> {
    let row = sqlx::query!(
        r#"select name, sha256 as "sha256!" from file where id = $1 and sha256 is not null"#,
        file.0
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(Authorisation {
            name: row.name.unwrap_or_default(),
            sha256: digest("file.sha256", &row.sha256)?,
        })
    })
    .transpose()
}

/// A number that an engine gave to a complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The number; `None` where the one before was taken back.
    pub number: Option<String>,
    /// When it was written down.
    pub at: DateTime<Utc>,
    /// First and last name of the author; `None` where the account is gone.
    pub by: Option<(Option<String>, Option<String>)>,
}

/// The numbers of complaints about an action, the newest first; none for an action that the scope does not see.
pub async fn complaints(executor: impl PgExecutor<'_>, scope: &Scope, action: ActionId) -> Result<Vec<Complaint>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select c.number, c.at, u.id as "author?", u.first_name, u.last_name
           from complaint c join action a on a.id = c.action_id left join user_account u on u.id = c.by_user
           where a.id = $2 and ($1::int[] is null or a.brand_id = any($1)) order by c.id desc"#,
        bounds.brands as Option<Vec<i32>>,
        action.0
    )
    .fetch_all(executor)
    .await?;
    let complaints = rows.into_iter().map(|row| Complaint {
        number: row.number,
        at: row.at,
        by: row.author.map(|_| (row.first_name, row.last_name)),
    });
    Ok(complaints.collect())
}

/// Writes down the number of a complaint about an action, at `now`; `None` takes the one before back. `false` for an action that the scope does not see.
pub async fn complain(
    connection: &mut Connection,
    scope: &Scope,
    action: ActionId,
    number: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let bounds = ScopeLists::from_scope(scope);
    let written = sqlx::query!(
        "insert into complaint (action_id, number, at, by_user)
         select id, $3, $4, $5 from action where id = $2 and ($1::int[] is null or brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        action.0,
        number,
        now,
        user_of(scope)
    )
    .execute(connection)
    .await?;
    Ok(written.rows_affected() > 0)
}
