//! Terms: the tracked searches.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{
    BrandId, CompanyAccountId, Device, Engine, Frequency, KeywordType, Locale, LocalizationId, Scope, SystemScope,
    TermId, TermState,
};

use crate::scoped::ScopeLists;
use crate::stored::{parse, parse_some};
use crate::{Connection, Result};

/// A term to be tracked.
#[derive(Clone, Debug)]
pub struct NewTerm<'a> {
    /// The words, at most 80 characters.
    pub term: &'a str,
    /// Where it is searched.
    pub engine: Engine,
    /// From which place and in which language.
    pub localization: LocalizationId,
    /// The targeted region, if one.
    pub region: Option<&'a str>,
    /// On which devices; none means desktop.
    pub devices: &'a [Device],
    /// How often it is searched.
    pub every: Frequency,
    /// Whether it is captured.
    pub state: TermState,
    /// What the words are about.
    pub keyword_type: KeywordType,
    /// The brand it is watched for.
    pub brand: Option<BrandId>,
    /// What is saved of a capture.
    pub options: &'a TermOptions,
    /// Company accounts with access in addition to those of the brand.
    pub can_be_accessed_by: &'a [CompanyAccountId],
}

/// What is saved of a capture. Its outside form is the `options` object of a term.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TermOptions {
    /// Whether organic results are saved, at most once per `delay_for_organic_results`.
    pub save_organic_results: bool,
    /// Whether text ads are left out.
    pub disable_save_ads: bool,
    /// Whether shopping ads are saved.
    pub save_shopping_ads: bool,
    /// Milliseconds between saved sets of organic results; `None` means 15 days (decision D154).
    pub delay_for_organic_results: Option<i64>,
}

/// A term as a capture needs it, with the names that its ads will keep (decision D81).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermToCapture {
    /// Id of the term.
    pub id: TermId,
    /// The words it searches.
    pub term: String,
    /// Where it is searched.
    pub engine: Engine,
    /// What the words are about.
    pub keyword_type: KeywordType,
    /// Whether it is captured.
    pub state: TermState,
    /// Place and language.
    pub localization: LocalizationId,
    /// Language and country.
    pub locale: Locale,
    /// The country's English name.
    pub country_name: Option<String>,
    /// The city searched from.
    pub city: Option<String>,
    /// The region that the city is in.
    pub region_of_city: Option<String>,
    /// The targeted region.
    pub region: Option<String>,
    /// The brand it is watched for, if any.
    pub brand: Option<BrandId>,
    /// The brand's name on screens.
    pub brand_label: Option<String>,
    /// What is saved.
    pub options: TermOptions,
}

/// Makes a term with its company accounts and returns its id. One with the same words, engine, place and region is an error whose violated
/// key is `term_key` (decision D90). Call it in a transaction.
pub async fn create(connection: &mut Connection, _system: &SystemScope, new: &NewTerm<'_>) -> Result<TermId> {
    let devices: Vec<String> = new
        .devices
        .iter()
        .map(|device| device.to_string().to_uppercase())
        .collect();
    let companies: Vec<i32> = new.can_be_accessed_by.iter().map(|id| id.0).collect();
    let id = sqlx::query_scalar!(
        "insert into term (term, engine, localization_id, region, devices, every, state, keyword_type, brand_id, options,
             created_date, updated_date)
         values ($1, upper($2), $3, $4, $5, $6, $7, $8, $9, $10, now(), now()) returning id",
        new.term,
        new.engine.to_string(),
        new.localization.0,
        new.region,
        &devices,
        new.every.as_millis(),
        new.state.to_string(),
        new.keyword_type.to_string(),
        new.brand.map(|brand| brand.0),
        sqlx::types::Json(new.options) as _
    )
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into term_company_account (term_id, company_account_id) select $1, unnest($2::int[])",
        id,
        &companies
    )
    .execute(connection)
    .await?;
    Ok(TermId(id))
}

/// Sets the state of the visible terms among `terms`. Returns how many those are, including terms in that state already.
pub async fn set_state(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    terms: &[TermId],
    state: TermState,
) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let done = sqlx::query!(
        "update term set state = $4, updated_date = now()
         where id = any($3) and ($1::int[] is null or brand_id = any($1) or id = any($2))",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        state.to_string()
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Sets how often the terms among `terms` that the scope sees are captured, and their date of update; skips the others. Returns how many it set,
/// including terms with that frequency already.
pub async fn set_frequency(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    terms: &[TermId],
    every: Frequency,
) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let done = sqlx::query!(
        "update term set every = $4, updated_date = now()
         where id = any($3) and ($1::int[] is null or brand_id = any($1) or id = any($2))",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        every.as_millis()
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// A term whose share of searches that convert was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedTerm {
    /// Id of the term.
    pub id: TermId,
    /// The share that it had.
    pub was: Option<f64>,
    /// When it was changed before.
    pub updated_before: Option<DateTime<Utc>>,
}

/// Sets the share of searches that convert of the visible terms among `terms`, from 0 to 1. Returns those that had another one.
pub async fn set_convert_rate(
    connection: &mut Connection,
    scope: &Scope,
    terms: &[TermId],
    rate: f64,
    now: DateTime<Utc>,
) -> Result<Vec<RatedTerm>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let rows = sqlx::query!(
        r#"with held as (
               select t.id, t.search_convert_rate as was, t.updated_date
               from term t
               where t.id = any($3) and t.search_convert_rate is distinct from $4
                   and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
               order by t.id for no key update of t
           )
           update term t set search_convert_rate = $4, updated_date = $5 from held where t.id = held.id
           returning t.id, held.was, held.updated_date"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        rate,
        now
    )
    .fetch_all(connection)
    .await?;
    let changed = rows.into_iter().map(|row| RatedTerm {
        id: TermId(row.id),
        was: row.was,
        updated_before: row.updated_date,
    });
    Ok(changed.collect())
}

/// A term with everything that a capture needs, whatever its state. `None` when it is gone, out of scope or lacks words, engine or a place with a locale
/// that names a country.
pub async fn to_capture(executor: impl PgExecutor<'_>, scope: &Scope, term: TermId) -> Result<Option<TermToCapture>> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select t.term as "term!", t.engine as "engine!", coalesce(t.keyword_type, 'GENERIC') as "keyword_type!",
               coalesce(t.state, 'disabled') as "state!", t.localization_id as "localization!", l.locale as "locale!", l.city,
               l.region as region_of_city, l.country ->> 'en' as country_name,
               t.region, t.brand_id, b.label as "brand_label?", t.options
           from term t join localization l on l.id = t.localization_id left join brand b on b.id = t.brand_id
           where t.id = $3 and t.term is not null and t.engine is not null and l.locale ~ '^[A-Za-z]{2,3}[_-][A-Za-z]{2}$'
               and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        term.0
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(TermToCapture {
            id: term,
            term: row.term,
            engine: parse("term.engine", &row.engine)?,
            keyword_type: parse("term.keyword_type", &row.keyword_type)?,
            state: parse("term.state", &row.state)?,
            localization: LocalizationId(row.localization),
            locale: parse("localization.locale", &row.locale)?,
            country_name: row.country_name,
            city: row.city,
            region_of_city: row.region_of_city,
            region: row.region.filter(|region| !region.is_empty()),
            brand: row.brand_id.map(BrandId),
            brand_label: row.brand_label,
            options: options_of(row.options),
        })
    })
    .transpose()
}

/// A term's words and place, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermName {
    /// Id of the term.
    pub id: TermId,
    /// The words it searches.
    pub term: Option<String>,
    /// Where it is searched.
    pub engine: Option<Engine>,
    /// As in `fr_FR`.
    pub locale: Option<String>,
}

/// The label, else slug, else id of the visible brand of each term, keyed by term. Unknown terms and those without a visible brand are absent.
pub async fn brand_labels(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    terms: &[TermId],
) -> Result<BTreeMap<TermId, String>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let rows = sqlx::query!(
        r#"select t.id, coalesce(b.label, b.name, b.id::text) as "label!"
           from term t join brand b on b.id = t.brand_id
           where t.id = any($2) and ($1::int[] is null or b.id = any($1))"#,
        bounds.brands as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (TermId(row.id), row.label)).collect())
}

/// The visible terms whose words contain `text` literally, ordered by their words, at most `limit`. Case is ignored; an empty text matches all.
pub async fn search(executor: impl PgExecutor<'_>, scope: &Scope, text: &str, limit: i64) -> Result<Vec<TermName>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select t.id, t.term, t.engine, l.locale as "locale?"
           from term t left join localization l on l.id = t.localization_id
           where ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
               and strpos(lower(coalesce(t.term, '')), lower($3)) > 0
           order by t.term, t.id limit $4"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        text,
        limit
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(TermName {
                id: TermId(row.id),
                term: row.term,
                engine: parse_some("term.engine", row.engine.as_deref())?,
                locale: row.locale,
            })
        })
        .collect()
}

/// The options of a term as stored. The resource API lets any JSON be stored, so one of another form counts as the default options.
fn options_of(stored: Option<serde_json::Value>) -> TermOptions {
    stored
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}
