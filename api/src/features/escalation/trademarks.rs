//! Registered marks of a brand: `/Brands/{id}/trademarks`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use postgres::Connection;
use postgres::audit::Event;
use postgres::trademarks::{self, Trademark, TrademarkFacts};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;
use vocabulary::{BrandId, FileId, Scope};

use super::case::MOST_TRADEMARKS;
use crate::access::Caller;
use crate::brand_rows::{self, BrandRow};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Characters of a mark and of its owner.
const LONGEST_NAME: usize = 255;
/// Characters of an office and of a number.
const LONGEST_NUMBER: usize = 80;
/// Countries of a mark: more than there are.
const MOST_COUNTRIES: usize = 250;
/// The classes of Nice.
const CLASSES: std::ops::RangeInclusive<i32> = 1..=45;

/// The registered marks of a brand.
#[derive(Serialize, ToSchema)]
pub(super) struct TrademarksView {
    data: Vec<TrademarkView>,
}

/// A registered mark of a brand.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrademarkView {
    id: i32,
    /// Its words as they are in the register.
    mark: String,
    /// Where, as in `EUIPO`.
    office: String,
    /// Its number there.
    number: String,
    /// Countries it holds in, two letters; empty if nobody said, which means all.
    countries: Vec<String>,
    /// Classes of Nice.
    classes: Vec<i32>,
    /// Whom it belongs to.
    owner: String,
    /// The file that proves that the sender of a complaint acts for the owner.
    authorisation_id: Option<Uuid>,
    /// Goes up with each change; a change says which version it was made of.
    version: i32,
}

impl From<Trademark> for TrademarkView {
    fn from(mark: Trademark) -> Self {
        let facts = mark.facts;
        Self {
            id: mark.id.0,
            mark: facts.mark,
            office: facts.office,
            number: facts.number,
            countries: facts.countries,
            classes: facts.classes,
            owner: facts.owner,
            authorisation_id: facts.authorisation.map(|file| file.0),
            version: mark.version,
        }
    }
}

impl BrandRow for Trademark {
    const MODEL: &'static str = "Trademark";
    const MOST: usize = MOST_TRADEMARKS;

    fn id(&self) -> i32 {
        self.id.0
    }

    fn described(&self, brand: BrandId) -> Value {
        let facts = &self.facts;
        json!({
            "brandId": brand, "mark": facts.mark, "office": facts.office, "number": facts.number, "countries": facts.countries,
            "classes": facts.classes, "owner": facts.owner, "authorisationId": facts.authorisation.map(|file| file.0),
        })
    }

    async fn of_brand(
        connection: &mut Connection,
        scope: &Scope,
        brand: BrandId,
        limit: i64,
    ) -> postgres::Result<Vec<Self>> {
        trademarks::of_brand(connection, scope, brand, limit).await
    }
}

/// What somebody says of a mark.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrademarkBody {
    /// As registered: 255 characters at most.
    mark: String,
    /// Where, as in `EUIPO`: 80 characters at most.
    office: String,
    /// Its number there: 80 characters at most.
    number: String,
    /// Countries it holds in, two letters; none means all.
    #[serde(default)]
    countries: Vec<String>,
    /// Classes of Nice, 1 to 45.
    #[serde(default)]
    classes: Vec<i32>,
    /// Whom it belongs to: 255 characters at most.
    owner: String,
    /// A file that the caller uploaded with `use=attachment`, or the one that the mark has.
    #[serde(default)]
    authorisation_id: Option<Uuid>,
    /// Of a change: the version that it was made of.
    #[serde(default)]
    version: Option<i32>,
}

/// The registered marks of a brand that the reader sees, by name.
#[utoipa::path(
    get, path = "/Brands/{id}/trademarks", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    responses(
        (status = 200, body = TrademarksView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such brand"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn list_trademarks(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<TrademarksView>, ApiError> {
    let brand = BrandId(id);
    let found: Vec<Trademark> = brand_rows::all(&state, &caller, brand).await?;
    Ok(Json(TrademarksView {
        data: found.into_iter().map(TrademarkView::from).collect(),
    }))
}

/// Enters a registered mark of a brand.
#[utoipa::path(
    post, path = "/Brands/{id}/trademarks", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = TrademarkBody,
    responses(
        (status = 200, body = TrademarkView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "A value that a mark cannot have, a number that is entered already, or too many marks"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn add_trademark(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<TrademarkBody>,
) -> Result<Json<TrademarkView>, ApiError> {
    let brand = BrandId(id);
    let (mut transaction, others) = brand_rows::begin::<Trademark>(&state, &caller, brand).await?;
    let facts = read(body)?;
    if others.len() >= MOST_TRADEMARKS {
        return Err(ApiError::of_field("mark", format!("{MOST_TRADEMARKS} marks at most")));
    }
    check_free(&facts, others.iter())?;
    check_authorisation(&mut transaction, &caller, brand, &facts).await?;
    let id = trademarks::add(&mut transaction, &caller.scope, brand, &facts).await?;
    let added = Trademark { id, facts, version: 1 };
    brand_rows::record(&mut transaction, &caller, Event::Create, brand, (None, Some(&added))).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(added.into()))
}

/// Changes a registered mark. What is left out gets its default. Refused if somebody else changed it since `version`.
#[utoipa::path(
    put, path = "/Brands/{id}/trademarks/{trademark}", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand"), ("trademark" = i32, Path, description = "Id of the mark")),
    request_body = TrademarkBody,
    responses(
        (status = 200, body = TrademarkView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such brand or mark"),
        (status = 409, body = FailureBody, description = "Somebody else changed the mark meanwhile"),
        (status = 422, body = FailureBody, description = "A value that a mark cannot have, or the number of another one"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn change_trademark(
    State(state): State<ApiState>,
    caller: Caller,
    Path((id, trademark)): Path<(i32, i32)>,
    extract::Json(body): extract::Json<TrademarkBody>,
) -> Result<Json<TrademarkView>, ApiError> {
    let brand = BrandId(id);
    let (mut transaction, all) = brand_rows::begin::<Trademark>(&state, &caller, brand).await?;
    let before = brand_rows::find(&all, trademark)?;
    let version = body.version.unwrap_or(before.version);
    let facts = read(body)?;
    check_free(&facts, all.iter().filter(|other| other.id != before.id))?;
    check_authorisation(&mut transaction, &caller, brand, &facts).await?;
    let changed = Trademark {
        id: before.id,
        facts,
        version,
    };
    if !trademarks::change(&mut transaction, &caller.scope, brand, &changed).await? {
        return Err(ApiError::Conflict("This mark was changed meanwhile.".to_owned()));
    }
    let after = Trademark {
        version: version + 1,
        ..changed
    };
    let states = (Some(before), Some(&after));
    brand_rows::record(&mut transaction, &caller, Event::Change, brand, states).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(after.into()))
}

/// Takes a registered mark away from a brand.
#[utoipa::path(
    delete, path = "/Brands/{id}/trademarks/{trademark}", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand"), ("trademark" = i32, Path, description = "Id of the mark")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such brand or mark"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
pub(super) async fn remove_trademark(
    State(state): State<ApiState>,
    caller: Caller,
    Path((id, trademark)): Path<(i32, i32)>,
) -> Result<StatusCode, ApiError> {
    let brand = BrandId(id);
    let (mut transaction, all) = brand_rows::begin::<Trademark>(&state, &caller, brand).await?;
    let before = brand_rows::find(&all, trademark)?;
    trademarks::remove(&mut transaction, &caller.scope, brand, before.id).await?;
    brand_rows::record(&mut transaction, &caller, Event::Remove, brand, (Some(before), None)).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A 422 at the number if one of the others has it at the same office.
fn check_free<'a>(facts: &TrademarkFacts, mut others: impl Iterator<Item = &'a Trademark>) -> Result<(), ApiError> {
    if others.any(|other| other.facts.office == facts.office && other.facts.number == facts.number) {
        return Err(ApiError::of_field("number", "is entered already"));
    }
    Ok(())
}

/// A 422 at the authorisation if the caller may not name its file.
async fn check_authorisation(
    connection: &mut postgres::Connection,
    caller: &Caller,
    brand: BrandId,
    facts: &TrademarkFacts,
) -> Result<(), ApiError> {
    if let Some(file) = facts.authorisation
        && !trademarks::may_authorise(connection, &caller.scope, brand, file).await?
    {
        return Err(ApiError::of_field("authorisationId", "is no file that you uploaded"));
    }
    Ok(())
}

/// Reads what somebody says of a mark; a 422 at the field for a value that a mark cannot have.
fn read(body: TrademarkBody) -> Result<TrademarkFacts, ApiError> {
    let text = |field: &'static str, text: &str, longest: usize| {
        let text = text.trim();
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(ApiError::of_field(field, "can't be blank"));
        }
        if text.chars().count() > longest {
            return Err(ApiError::of_field(field, format!("{longest} characters at most")));
        }
        Ok(text.to_owned())
    };
    let mut countries: Vec<String> = body
        .countries
        .iter()
        .map(|country| country.trim().to_uppercase())
        .collect();
    countries.sort_unstable();
    countries.dedup();
    let is_country = |country: &String| country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
    if countries.len() > MOST_COUNTRIES || !countries.iter().all(is_country) {
        return Err(ApiError::of_field("countries", "are codes of two letters"));
    }
    let mut classes = body.classes;
    classes.sort_unstable();
    classes.dedup();
    if !classes.iter().all(|class| CLASSES.contains(class)) {
        return Err(ApiError::of_field("classes", "are numbers from 1 to 45"));
    }
    Ok(TrademarkFacts {
        mark: text("mark", &body.mark, LONGEST_NAME)?,
        office: text("office", &body.office, LONGEST_NUMBER)?,
        number: text("number", &body.number, LONGEST_NUMBER)?,
        countries,
        classes,
        owner: text("owner", &body.owner, LONGEST_NAME)?,
        authorisation: body.authorisation_id.map(FileId),
    })
}
