//! Authorised partners and resellers of a brand (decision D213): `/Brands/{id}/partners`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::NaiveDate;
use postgres::Connection;
use postgres::audit::Event;
use postgres::partners::{self, Partner, PartnerFacts};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::{BrandId, PartnerKind, PartnerTerms, Scope, WebHost};

use crate::access::Caller;
use crate::brand_rows::{self, BrandRow};
use crate::extract::{self, Path};
use crate::failure::{ApiError, FailureBody};
use crate::state::ApiState;

/// Partners of a brand, like its official domains.
const MOST_PARTNERS: usize = 500;
/// Forbidden words of a partner.
const MOST_WORDS: usize = 50;
/// Characters of a forbidden word, like those of a term.
const LONGEST_WORD: usize = 80;
/// Characters of a note (decision D103).
const LONGEST_NOTE: usize = 5_000;
/// Characters of a host.
const LONGEST_DOMAIN: usize = 253;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_partners, add_partner))
        .routes(routes!(change_partner, remove_partner))
}

/// The partners of a brand.
#[derive(Serialize, ToSchema)]
struct PartnersView {
    data: Vec<PartnerView>,
}

/// An authorised partner or reseller of a brand.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PartnerView {
    id: i32,
    /// Its domain, which covers the hosts below it.
    domain: String,
    /// `partner` or `reseller`.
    kind: String,
    /// Words that its text ads may not contain.
    forbidden_words: Vec<String>,
    /// Whether its text ads may not be above the first ad of the brand's own.
    below_own: bool,
    /// The last day (UTC); null for no end.
    ends_on: Option<NaiveDate>,
    note: Option<String>,
    /// Goes up with each change; a change says which version it was made of.
    version: i32,
}

impl From<Partner> for PartnerView {
    fn from(partner: Partner) -> Self {
        let PartnerFacts { domain, terms, note } = partner.facts;
        Self {
            id: partner.id.0,
            domain,
            kind: terms.kind.to_string(),
            forbidden_words: terms.forbidden_words,
            below_own: terms.below_own,
            ends_on: terms.ends_on,
            note,
            version: partner.version,
        }
    }
}

impl BrandRow for Partner {
    const MODEL: &'static str = "BrandPartner";
    const MOST: usize = MOST_PARTNERS;

    fn id(&self) -> i32 {
        self.id.0
    }

    fn described(&self, brand: BrandId) -> Value {
        let PartnerFacts { domain, terms, note } = &self.facts;
        json!({
            "brandId": brand, "domain": domain, "kind": terms.kind, "forbiddenWords": terms.forbidden_words,
            "belowOwn": terms.below_own, "endsOn": terms.ends_on, "note": note,
        })
    }

    async fn of_brand(
        connection: &mut Connection,
        scope: &Scope,
        brand: BrandId,
        limit: i64,
    ) -> postgres::Result<Vec<Self>> {
        partners::of_brand(connection, scope, brand, limit).await
    }
}

/// What somebody says of a partner.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PartnerBody {
    /// Its domain, without scheme and path.
    domain: String,
    /// `partner` or `reseller`.
    kind: String,
    /// Words that its text ads may not contain: 50 of at most 80 characters.
    #[serde(default)]
    forbidden_words: Vec<String>,
    /// Whether its text ads may not be above the first ad of the brand's own.
    #[serde(default)]
    below_own: bool,
    /// The last day (UTC); none for no end.
    #[serde(default)]
    ends_on: Option<NaiveDate>,
    /// 5,000 characters at most.
    #[serde(default)]
    note: Option<String>,
    /// Of a change: the version that it was made of.
    #[serde(default)]
    version: Option<i32>,
}

/// The partners of a brand that the reader sees, ordered by domain; those that have ended are among them.
#[utoipa::path(
    get, path = "/Brands/{id}/partners", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    responses(
        (status = 200, body = PartnersView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 404, body = FailureBody, description = "No such brand"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn list_partners(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
) -> Result<Json<PartnersView>, ApiError> {
    let brand = BrandId(id);
    let found: Vec<Partner> = brand_rows::all(&state, &caller, brand).await?;
    Ok(Json(PartnersView {
        data: found.into_iter().map(PartnerView::from).collect(),
    }))
}

/// Authorises a partner of a brand: from the next capture on, its ads open cases only where they break a condition. Open cases stay open.
#[utoipa::path(
    post, path = "/Brands/{id}/partners", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand")),
    request_body = PartnerBody,
    responses(
        (status = 200, body = PartnerView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such brand"),
        (status = 422, body = FailureBody, description = "A value that a partner cannot have, a domain that is a partner already, or too many partners"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn add_partner(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<i32>,
    extract::Json(body): extract::Json<PartnerBody>,
) -> Result<Json<PartnerView>, ApiError> {
    let brand = BrandId(id);
    let (mut transaction, others) = brand_rows::begin::<Partner>(&state, &caller, brand).await?;
    let facts = read(body)?;
    if others.len() >= MOST_PARTNERS {
        return Err(ApiError::of_field(
            "domain",
            format!("{MOST_PARTNERS} partners at most"),
        ));
    }
    check_free(&facts, others.iter())?;
    let id = partners::add(&mut transaction, &caller.scope, brand, &facts).await?;
    let added = Partner { id, facts, version: 1 };
    brand_rows::record(&mut transaction, &caller, Event::Create, brand, (None, Some(&added))).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(added.into()))
}

/// Gives a partner other terms. What is left out gets its default. Refused if somebody else changed the partner since `version`.
#[utoipa::path(
    put, path = "/Brands/{id}/partners/{partner}", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand"), ("partner" = i32, Path, description = "Id of the partner")),
    request_body = PartnerBody,
    responses(
        (status = 200, body = PartnerView),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such brand or partner"),
        (status = 409, body = FailureBody, description = "Somebody else changed the partner meanwhile"),
        (status = 422, body = FailureBody, description = "A value that a partner cannot have, or the domain of another one"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn change_partner(
    State(state): State<ApiState>,
    caller: Caller,
    Path((id, partner)): Path<(i32, i32)>,
    extract::Json(body): extract::Json<PartnerBody>,
) -> Result<Json<PartnerView>, ApiError> {
    let brand = BrandId(id);
    let (mut transaction, all) = brand_rows::begin::<Partner>(&state, &caller, brand).await?;
    let before = brand_rows::find(&all, partner)?;
    let version = body.version.unwrap_or(before.version);
    let facts = read(body)?;
    check_free(&facts, all.iter().filter(|other| other.id != before.id))?;
    let changed = Partner {
        id: before.id,
        facts,
        version,
    };
    if !partners::change(&mut transaction, &caller.scope, brand, &changed).await? {
        return Err(ApiError::Conflict("This partner was changed meanwhile.".to_owned()));
    }
    let after = Partner {
        version: version + 1,
        ..changed
    };
    brand_rows::record(
        &mut transaction,
        &caller,
        Event::Change,
        brand,
        (Some(before), Some(&after)),
    )
    .await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(Json(after.into()))
}

/// Takes a partner away from a brand: from the next capture on, its ads open cases as those of others do.
#[utoipa::path(
    delete, path = "/Brands/{id}/partners/{partner}", tag = "Brand",
    params(("id" = i32, Path, description = "Id of the brand"), ("partner" = i32, Path, description = "Id of the partner")),
    responses(
        (status = 204),
        (status = 401, body = FailureBody, description = "No valid session"),
        (status = 403, body = FailureBody, description = "Neither an administrator nor an operator"),
        (status = 404, body = FailureBody, description = "No such brand or partner"),
    ),
    security(("bearer" = []), ("header" = []), ("cookie" = [])),
)]
async fn remove_partner(
    State(state): State<ApiState>,
    caller: Caller,
    Path((id, partner)): Path<(i32, i32)>,
) -> Result<StatusCode, ApiError> {
    let brand = BrandId(id);
    let (mut transaction, all) = brand_rows::begin::<Partner>(&state, &caller, brand).await?;
    let before = brand_rows::find(&all, partner)?;
    partners::remove(&mut transaction, &caller.scope, brand, before.id).await?;
    brand_rows::record(&mut transaction, &caller, Event::Remove, brand, (Some(before), None)).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A 422 at the domain if one of the others has it.
fn check_free<'a>(facts: &PartnerFacts, mut others: impl Iterator<Item = &'a Partner>) -> Result<(), ApiError> {
    if others.any(|other| other.facts.domain == facts.domain) {
        return Err(ApiError::of_field("domain", "is a partner already"));
    }
    Ok(())
}

/// Reads what somebody says of a partner, without blank words and notes; a 422 at the field for a value that a partner cannot have.
fn read(body: PartnerBody) -> Result<PartnerFacts, ApiError> {
    let host = WebHost::parse(&body.domain).filter(|host| host.as_str().len() <= LONGEST_DOMAIN);
    let host = host.ok_or_else(|| ApiError::of_field("domain", "is no domain"))?;
    let kind: PartnerKind = body
        .kind
        .parse()
        .map_err(|_| ApiError::of_field("kind", "is partner or reseller"))?;
    let words = body.forbidden_words.iter().map(|word| word.trim().to_owned());
    let forbidden_words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    if forbidden_words.len() > MOST_WORDS {
        return Err(ApiError::of_field(
            "forbiddenWords",
            format!("{MOST_WORDS} words at most"),
        ));
    }
    if forbidden_words.iter().any(|word| word.chars().count() > LONGEST_WORD) {
        let text = format!("{LONGEST_WORD} characters a word at most");
        return Err(ApiError::of_field("forbiddenWords", text));
    }
    let note = body
        .note
        .map(|note| note.trim().to_owned())
        .filter(|note| !note.is_empty());
    if note.as_ref().is_some_and(|note| note.chars().count() > LONGEST_NOTE) {
        return Err(ApiError::of_field("note", format!("{LONGEST_NOTE} characters at most")));
    }
    Ok(PartnerFacts {
        domain: host.as_str().to_owned(),
        terms: PartnerTerms {
            kind,
            forbidden_words,
            below_own: body.below_own,
            ends_on: body.ends_on,
        },
        note,
    })
}
