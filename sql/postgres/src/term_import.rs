//! Terms of a file that is imported: what its cells name, the terms that its lines mean, and all changes of a file in a few statements.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CategoryId, CompanyAccountId, LocalizationId, Scope, TermId};

use crate::scoped::ScopeLists;
use crate::{Connection, Error, Result};

/// A tag that terms have or may get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportableTag {
    /// Id of the tag.
    pub id: CategoryId,
    /// Its label, else its slug; empty without both.
    pub label: String,
    /// The brand it belongs to, if any.
    pub brand: Option<BrandId>,
    /// Whether it is a tag of terms, not of advertisers.
    pub is_of_terms: bool,
}

/// A company account as files name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportableCompany {
    /// Id of the company account.
    pub id: CompanyAccountId,
    /// Its label, else its slug; empty without both.
    pub label: String,
}

/// What no two terms have in common (decision D90).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TermKey {
    /// The words, in any case and spacing.
    pub words: String,
    /// As stored, in upper case.
    pub engine: String,
    /// Where it is searched.
    pub localization: LocalizationId,
    /// Empty for the whole country.
    pub region: String,
}

/// What the ledger says about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// The words as the ledger compares them.
    pub folded: String,
    /// The visible term that has the key; the oldest where a region is stored both as nothing and as an empty text.
    pub term: Option<TermId>,
}

/// All of a term that a file may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedTerm {
    /// The words it searches.
    pub words: Option<String>,
    /// As stored, in upper case.
    pub engine: Option<String>,
    /// Where it is searched.
    pub localization: Option<LocalizationId>,
    /// `None` for the whole country.
    pub region: Option<String>,
    /// As stored, in upper case; `None` where none were ever set.
    pub devices: Option<Vec<String>>,
    /// The brand it is watched for.
    pub brand: Option<BrandId>,
    /// Brand, generic or both, in upper case.
    pub keyword_type: Option<String>,
    /// Milliseconds between captures; 0 is automatic.
    pub every: Option<i64>,
    /// Whether it is captured: `enabled`, `disabled` or `archived`.
    pub state: Option<String>,
    /// Its tags, ascending.
    pub tags: Vec<CategoryId>,
    /// The company accounts that see it besides those of its brand, ascending.
    pub companies: Vec<CompanyAccountId>,
}

/// A stored term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTerm {
    /// Id of the term.
    pub id: TermId,
    /// When it was changed last.
    pub updated: Option<DateTime<Utc>>,
    /// What a file may change of it.
    pub values: ImportedTerm,
}

/// The visible tags, by id.
pub async fn tags(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<ImportableTag>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select id, coalesce(nullif(label, ''), name, '') as "label!", brand_owner_id, scope is not distinct from 'term' as "is_of_terms!"
           from category where $1::int[] is null or brand_owner_id = any($1) or visibility = 'all' order by id"#,
        bounds.brands as Option<Vec<i32>>
    )
    .fetch_all(executor)
    .await?;
    let tags = rows.into_iter().map(|row| ImportableTag {
        id: CategoryId(row.id),
        label: row.label,
        brand: row.brand_owner_id.map(BrandId),
        is_of_terms: row.is_of_terms,
    });
    Ok(tags.collect())
}

/// The visible company accounts, by id.
pub async fn companies(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<ImportableCompany>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select id, coalesce(nullif(label, ''), name, '') as "label!" from company_account
           where $1::int is null or id = $1 order by id"#,
        bounds.company
    )
    .fetch_all(executor)
    .await?;
    let companies = rows.into_iter().map(|row| ImportableCompany {
        id: CompanyAccountId(row.id),
        label: row.label,
    });
    Ok(companies.collect())
}

/// What the ledger says about each of these keys, in their order.
pub async fn find_keys(executor: impl PgExecutor<'_>, scope: &Scope, keys: &[TermKey]) -> Result<Vec<FoundKey>> {
    let bounds = ScopeLists::from_scope(scope);
    let words: Vec<&str> = keys.iter().map(|key| key.words.as_str()).collect();
    let engines: Vec<&str> = keys.iter().map(|key| key.engine.as_str()).collect();
    let localizations: Vec<i32> = keys.iter().map(|key| key.localization.0).collect();
    let regions: Vec<&str> = keys.iter().map(|key| key.region.as_str()).collect();
    let rows = sqlx::query!(
        r#"with given as materialized (
               select place, lower(regexp_replace(btrim(words), '\s+', ' ', 'g')) as folded, engine, localization_id, region
               from unnest($3::text[], $4::text[], $5::int[], $6::text[])
                   with ordinality as given (words, engine, localization_id, region, place)
           )
           select given.folded as "folded!", min(t.id) as term
           from given left join term t
               on t.term is not null and lower(regexp_replace(btrim(t.term), '\s+', ' ', 'g')) = given.folded
               and t.engine = given.engine and t.localization_id = given.localization_id and coalesce(t.region, '') = given.region
               and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
           group by given.place, given.folded order by given.place"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &words as _,
        &engines as _,
        &localizations,
        &regions as _
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| FoundKey {
        folded: row.folded,
        term: row.term.map(TermId),
    });
    Ok(found.collect())
}

/// Locks the visible terms among `ids` against changes until the transaction ends.
pub async fn lock(connection: &mut Connection, scope: &Scope, ids: &[TermId]) -> Result<()> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = ids.iter().map(|id| id.0).collect();
    sqlx::query!(
        "select id from term where id = any($3) and ($1::int[] is null or brand_id = any($1) or id = any($2))
         order by id for update",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(connection)
    .await?;
    Ok(())
}

/// The visible terms among `ids`, by id.
pub async fn load(executor: impl PgExecutor<'_>, scope: &Scope, ids: &[TermId]) -> Result<Vec<StoredTerm>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select t.id, t.term, t.engine, t.localization_id, t.region, t.devices, t.brand_id, t.keyword_type, t.every, t.state, t.updated_date,
               array(select distinct tc.category_id from term_category tc where tc.term_id = t.id order by 1) as "tags!",
               array(select tca.company_account_id from term_company_account tca where tca.term_id = t.id order by 1) as "companies!"
           from term t
           where t.id = any($3) and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
           order by t.id"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    let terms = rows.into_iter().map(|row| StoredTerm {
        id: TermId(row.id),
        updated: row.updated_date,
        values: ImportedTerm {
            words: row.term,
            engine: row.engine,
            localization: row.localization_id.map(LocalizationId),
            region: row.region.filter(|region| !region.is_empty()),
            devices: row.devices,
            brand: row.brand_id.map(BrandId),
            keyword_type: row.keyword_type,
            every: row.every,
            state: row.state,
            tags: row.tags.into_iter().map(CategoryId).collect(),
            companies: row.companies.into_iter().map(CompanyAccountId).collect(),
        },
    });
    Ok(terms.collect())
}

/// The fields of terms as one list for each column.
#[derive(Default)]
struct Columns<'a> {
    words: Vec<Option<&'a str>>,
    engines: Vec<Option<&'a str>>,
    localizations: Vec<Option<i32>>,
    regions: Vec<Option<&'a str>>,
    /// Joined by commas.
    devices: Vec<Option<String>>,
    brands: Vec<Option<i32>>,
    keyword_types: Vec<Option<&'a str>>,
    everies: Vec<Option<i64>>,
    states: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn from_terms(terms: impl Iterator<Item = &'a ImportedTerm>) -> Self {
        let mut columns = Self::default();
        for term in terms {
            columns.words.push(term.words.as_deref());
            columns.engines.push(term.engine.as_deref());
            columns.localizations.push(term.localization.map(|id| id.0));
            columns.regions.push(term.region.as_deref());
            columns
                .devices
                .push(term.devices.as_ref().map(|devices| devices.join(",")));
            columns.brands.push(term.brand.map(|id| id.0));
            columns.keyword_types.push(term.keyword_type.as_deref());
            columns.everies.push(term.every);
            columns.states.push(term.state.as_deref());
        }
        columns
    }
}

/// Makes terms, without their tags and company accounts, and returns their ids in their order. [`Error::OutOfReach`] if the scope may not have one of
/// them; a key that another term has is an error whose violated key is `term_key`. The caller rolls the transaction back then.
pub async fn create(
    connection: &mut Connection,
    scope: &Scope,
    terms: &[&ImportedTerm],
    now: DateTime<Utc>,
) -> Result<Vec<TermId>> {
    let bounds = ScopeLists::from_scope(scope);
    let count = i32::try_from(terms.len()).unwrap_or(i32::MAX);
    let ids = sqlx::query_scalar!(
        r#"select nextval(pg_get_serial_sequence('term', 'id'))::int as "id!" from generate_series(1, $1)"#,
        count
    )
    .fetch_all(&mut *connection)
    .await?;
    let columns = Columns::from_terms(terms.iter().copied());
    let made = sqlx::query!(
        "insert into term (id, term, engine, localization_id, region, devices, brand_id, keyword_type, every, state, created_date, updated_date)
         select n.id, n.term, n.engine, n.localization_id, n.region, string_to_array(n.devices, ','), n.brand_id, n.keyword_type, n.every, n.state,
             $12, $12
         from unnest($2::int[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bigint[], $11::text[])
             as n (id, term, engine, localization_id, region, devices, brand_id, keyword_type, every, state)
         where $1::int[] is null or n.brand_id = any($1)",
        bounds.brands as Option<Vec<i32>>,
        &ids,
        &columns.words as _,
        &columns.engines as _,
        &columns.localizations as _,
        &columns.regions as _,
        &columns.devices as _,
        &columns.brands as _,
        &columns.keyword_types as _,
        &columns.everies as _,
        &columns.states as _,
        now
    )
    .execute(connection)
    .await?;
    all_reached(made.rows_affected(), terms.len())?;
    Ok(ids.into_iter().map(TermId).collect())
}

/// Gives terms these fields, and leaves their tags and company accounts. [`Error::OutOfReach`] if the scope does not see one of them; a key that
/// another term has is an error whose violated key is `term_key`. The caller rolls the transaction back then.
pub async fn change(
    connection: &mut Connection,
    scope: &Scope,
    terms: &[(TermId, &ImportedTerm)],
    now: DateTime<Utc>,
) -> Result<()> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|(id, _)| id.0).collect();
    let columns = Columns::from_terms(terms.iter().map(|(_, term)| *term));
    let changed = sqlx::query!(
        "update term t set term = n.term, engine = n.engine, localization_id = n.localization_id, region = n.region,
             devices = string_to_array(n.devices, ','), brand_id = n.brand_id, keyword_type = n.keyword_type, every = n.every, state = n.state,
             updated_date = $13
         from unnest($3::int[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::int[], $10::text[], $11::bigint[], $12::text[])
             as n (id, term, engine, localization_id, region, devices, brand_id, keyword_type, every, state)
         where t.id = n.id and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        &columns.words as _,
        &columns.engines as _,
        &columns.localizations as _,
        &columns.regions as _,
        &columns.devices as _,
        &columns.brands as _,
        &columns.keyword_types as _,
        &columns.everies as _,
        &columns.states as _,
        now
    )
    .execute(connection)
    .await?;
    all_reached(changed.rows_affected(), terms.len())
}

fn all_reached(reached: u64, meant: usize) -> Result<()> {
    if usize::try_from(reached) == Ok(meant) {
        Ok(())
    } else {
        Err(Error::OutOfReach)
    }
}

/// Puts tags on visible terms, as links of staff, and takes others away, whoever put them there.
pub async fn change_tags(
    connection: &mut Connection,
    scope: &Scope,
    added: &[(TermId, CategoryId)],
    removed: &[(TermId, CategoryId)],
) -> Result<()> {
    let bounds = ScopeLists::from_scope(scope);
    let (terms, tags): (Vec<i32>, Vec<i32>) = added.iter().map(|(term, tag)| (term.0, tag.0)).unzip();
    sqlx::query!(
        "insert into term_category (term_id, category_id)
         select t.id, n.category_id from unnest($3::int[], $4::int[]) as n (term_id, category_id) join term t on t.id = n.term_id
         where $1::int[] is null or t.brand_id = any($1) or t.id = any($2)
         on conflict do nothing",
        bounds.brands.clone() as Option<Vec<i32>>,
        bounds.terms.clone() as Option<Vec<i32>>,
        &terms,
        &tags
    )
    .execute(&mut *connection)
    .await?;
    let (terms, tags): (Vec<i32>, Vec<i32>) = removed.iter().map(|(term, tag)| (term.0, tag.0)).unzip();
    sqlx::query!(
        "delete from term_category tc using unnest($3::int[], $4::int[]) as n (term_id, category_id), term t
         where tc.term_id = n.term_id and tc.category_id = n.category_id and t.id = n.term_id
             and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &terms,
        &tags
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Lets company accounts see visible terms besides those of their brands, and takes that from others.
pub async fn change_companies(
    connection: &mut Connection,
    scope: &Scope,
    added: &[(TermId, CompanyAccountId)],
    removed: &[(TermId, CompanyAccountId)],
) -> Result<()> {
    let bounds = ScopeLists::from_scope(scope);
    let (terms, companies): (Vec<i32>, Vec<i32>) = added.iter().map(|(term, company)| (term.0, company.0)).unzip();
    sqlx::query!(
        "insert into term_company_account (term_id, company_account_id)
         select t.id, n.company_id from unnest($3::int[], $4::int[]) as n (term_id, company_id) join term t on t.id = n.term_id
         where $1::int[] is null or t.brand_id = any($1) or t.id = any($2)
         on conflict do nothing",
        bounds.brands.clone() as Option<Vec<i32>>,
        bounds.terms.clone() as Option<Vec<i32>>,
        &terms,
        &companies
    )
    .execute(&mut *connection)
    .await?;
    let (terms, companies): (Vec<i32>, Vec<i32>) = removed.iter().map(|(term, company)| (term.0, company.0)).unzip();
    sqlx::query!(
        "delete from term_company_account tca using unnest($3::int[], $4::int[]) as n (term_id, company_id), term t
         where tca.term_id = n.term_id and tca.company_account_id = n.company_id and t.id = n.term_id
             and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &terms,
        &companies
    )
    .execute(connection)
    .await?;
    Ok(())
}
