//! Categories ("tags" on screens), and the lists that the analytics filters need of them (decision D77: tags resolve at query time).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CategoryId, DealerId, Scope, SystemScope, TermId, WebHost};

use crate::scoped::ScopeLists;
use crate::{Error, Result};

/// What a category is put on; the column `scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CategoryKind {
    /// Advertisers (scope `tag`).
    Dealers,
    /// Terms (scope `term`).
    Terms,
}

impl CategoryKind {
    const fn scope(self) -> &'static str {
        match self {
            Self::Dealers => "tag",
            Self::Terms => "term",
        }
    }
}

/// A category in a list of choices or beside a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Id of the category.
    pub id: CategoryId,
    /// Its slug, which clients filter by.
    pub name: Option<String>,
    /// Its name on screens.
    pub label: Option<String>,
    /// The brand that owns it.
    pub owner: Option<BrandId>,
    /// The name of that brand on screens; `None` where the reader does not see the brand.
    pub brand: Option<String>,
    /// The category above it.
    pub parent: Option<CategoryId>,
}

/// A category to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewCategory<'a> {
    /// What it is put on.
    pub kind: CategoryKind,
    /// Its slug, unique for its owner.
    pub name: &'a str,
    /// Its name on screens.
    pub label: &'a str,
    /// The brand that owns it.
    pub owner: Option<BrandId>,
    /// Whether every reader sees it, or only those of its owner.
    pub for_all: bool,
}

/// Makes a category and returns its id. A `name` that its owner has already, for the same `kind`, is an error whose violated key is
/// `category_name_key`.
pub async fn create(executor: impl PgExecutor<'_>, _system: &SystemScope, new: &NewCategory<'_>) -> Result<CategoryId> {
    let id = sqlx::query_scalar!(
        "insert into category (scope, name, label, brand_owner_id, visibility) values ($1, $2, $3, $4, $5) returning id",
        new.kind.scope(),
        new.name,
        new.label,
        new.owner.map(|brand| brand.0),
        if new.for_all { "all" } else { "owner" }
    )
    .fetch_one(executor)
    .await?;
    Ok(CategoryId(id))
}

/// Searches the labels of the categories of one `kind` (stored in the column `scope`) for `text`, literally and in any case of letters. Returns at
/// most `limit` of those that the caller's scope sees (visibility `all`, or owned by a visible brand; decision D99), ordered by label; an empty text
/// finds all.
pub async fn search(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    kind: CategoryKind,
    text: &str,
    limit: i64,
) -> Result<Vec<Category>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        "select c.id, c.name, c.label, c.brand_owner_id, coalesce(nullif(b.label, ''), b.name) as brand, c.parent_id
         from category c left join brand b on b.id = c.brand_owner_id and ($1::int[] is null or b.id = any($1))
         where c.scope = $2 and ($1::int[] is null or c.visibility = 'all' or c.brand_owner_id = any($1))
             and strpos(lower(coalesce(c.label, '')), lower($3)) > 0
         order by c.label, brand nulls first, c.id limit $4",
        bounds.brands as Option<Vec<i32>>,
        kind.scope(),
        text,
        limit
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| Category {
        id: CategoryId(row.id),
        name: row.name,
        label: row.label,
        owner: row.brand_owner_id.map(BrandId),
        brand: row.brand,
        parent: row.parent_id.map(CategoryId),
    });
    Ok(found.collect())
}

/// Links a category to the dealer of exactly this domain; all who can read the category see the link. An unknown domain becomes a dealer; linking
/// twice changes nothing.
pub async fn link_domain(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    category: CategoryId,
    domain: &str,
) -> Result<()> {
    sqlx::query!(
        "with known as (
             insert into dealer (domain, date) values ($2, now())
             on conflict (domain) do update set domain = excluded.domain returning id
         )
         insert into category_dealer (category_id, dealer_id) select $1, id from known on conflict do nothing",
        category.0,
        domain
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Links a category to a term; everybody with access to the category sees the link. Linking twice changes nothing; an unknown category or term is an
/// error.
pub async fn link_term(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    category: CategoryId,
    term: TermId,
) -> Result<()> {
    sqlx::query!(
        "insert into term_category (category_id, term_id) values ($1, $2) on conflict do nothing",
        category.0,
        term.0
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// A tag that is on something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutTag {
    /// The tag that is shown.
    pub tag: Category,
    /// Whether it is others' to take off again: of a link that the scope may not end.
    pub is_of_others: bool,
}

/// A tag of a domain, and the dealer that it is linked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainTag {
    /// The tag that is shown.
    pub put: PutTag,
    /// The dealer of the domain itself, or of its registrable domain.
    pub dealer: DealerId,
}

/// The visible tags of each domain, ordered by label: those of its own dealer and of the dealer of its registrable domain. A tag that both have
/// appears once, with the domain's own dealer. Domains without tags are absent.
pub async fn tags_of_domains(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    domains: &[String],
) -> Result<BTreeMap<String, Vec<DomainTag>>> {
    let bounds = ScopeLists::from_scope(scope);
    let masters: Vec<String> = domains.iter().map(|domain| master(domain)).collect();
    let rows = sqlx::query!(
        r#"select distinct on (wanted.domain, c.label, c.id) wanted.domain as "domain!", d.id as dealer_id, c.id, c.name, c.label,
               c.brand_owner_id, coalesce(nullif(b.label, ''), b.name) as brand, c.parent_id,
               $1::int[] is not null and coalesce(cd.company_account_id <> $4, c.visibility is not distinct from 'all') as "is_of_others!"
           from unnest($2::text[], $3::text[]) as wanted (domain, master)
               join dealer d on d.domain in (wanted.domain, wanted.master)
               join category_dealer cd on cd.dealer_id = d.id join category c on c.id = cd.category_id
               left join brand b on b.id = c.brand_owner_id and ($1::int[] is null or b.id = any($1))
           where c.scope = 'tag' and ($1::int[] is null or c.visibility = 'all' or c.brand_owner_id = any($1))
               and ($1::int[] is null or cd.company_account_id is null or cd.company_account_id = $4)
           order by wanted.domain, c.label, c.id, d.domain = wanted.domain desc, "is_of_others!""#,
        bounds.brands as Option<Vec<i32>>,
        domains,
        &masters,
        bounds.company
    )
    .fetch_all(executor)
    .await?;
    let mut tags: BTreeMap<String, Vec<DomainTag>> = BTreeMap::new();
    for row in rows {
        let tag = Category {
            id: CategoryId(row.id),
            name: row.name,
            label: row.label,
            owner: row.brand_owner_id.map(BrandId),
            brand: row.brand,
            parent: row.parent_id.map(CategoryId),
        };
        tags.entry(row.domain).or_default().push(DomainTag {
            put: PutTag {
                tag,
                is_of_others: row.is_of_others,
            },
            dealer: DealerId(row.dealer_id),
        });
    }
    Ok(tags)
}

/// The registrable domain of a host, whose dealer carries the host's tags. A text that is no host is returned as it is.
pub fn master(domain: &str) -> String {
    WebHost::parse(domain).map_or_else(|| domain.to_owned(), |host| host.master().to_string())
}

/// The visible tags of each term, ordered by label. Terms without any are absent; whether the terms themselves are visible is not checked.
pub async fn tags_of_terms(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    terms: &[TermId],
) -> Result<BTreeMap<TermId, Vec<PutTag>>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = terms.iter().map(|term| term.0).collect();
    let rows = sqlx::query!(
        r#"select distinct on (c.label, c.id, tc.term_id) tc.term_id, c.id, c.name, c.label, c.brand_owner_id,
             coalesce(nullif(b.label, ''), b.name) as brand, c.parent_id,
             $1::int[] is not null and coalesce(tc.company_account_id <> $3, c.visibility is not distinct from 'all') as "is_of_others!"
         from term_category tc join category c on c.id = tc.category_id
             left join brand b on b.id = c.brand_owner_id and ($1::int[] is null or b.id = any($1))
         where tc.term_id = any($2) and c.scope = 'term'
             and ($1::int[] is null or c.visibility = 'all' or c.brand_owner_id = any($1))
             and ($1::int[] is null or tc.company_account_id is null or tc.company_account_id = $3)
         order by c.label, c.id, tc.term_id, "is_of_others!""#,
        bounds.brands as Option<Vec<i32>>,
        &ids,
        bounds.company
    )
    .fetch_all(executor)
    .await?;
    let mut tags: BTreeMap<TermId, Vec<PutTag>> = BTreeMap::new();
    for row in rows {
        let tag = Category {
            id: CategoryId(row.id),
            name: row.name,
            label: row.label,
            owner: row.brand_owner_id.map(BrandId),
            brand: row.brand,
            parent: row.parent_id.map(CategoryId),
        };
        tags.entry(TermId(row.term_id)).or_default().push(PutTag {
            tag,
            is_of_others: row.is_of_others,
        });
    }
    Ok(tags)
}

/// On how many advertisers or terms, whichever they label, these visible categories are, as far as the reader sees: by id, in ascending order.
/// Categories out of sight are absent.
pub async fn count_uses(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    tags: &[CategoryId],
) -> Result<Vec<(CategoryId, i64)>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = tags.iter().map(|tag| tag.0).collect();
    let rows = sqlx::query!(
        r#"select c.id, case when c.scope = 'term' then (
               select count(distinct t.id) from term_category tc join term t on t.id = tc.term_id
               where tc.category_id = c.id and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
                   and ($1::int[] is null or tc.company_account_id is null or tc.company_account_id = $4)
           ) else (
               select count(distinct cd.dealer_id) from category_dealer cd
               where cd.category_id = c.id
                   and ($1::int[] is null or cd.company_account_id is null or cd.company_account_id = $4)
           ) end as "uses!"
           from category c
           where c.id = any($3) and ($1::int[] is null or c.visibility = 'all' or c.brand_owner_id = any($1))
           order by c.id"#,
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        bounds.company
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (CategoryId(row.id), row.uses)).collect())
}

/// The dealer of each domain, keyed by domain. Domains without one get a new dealer, dated `now`, also when another transaction creates it at the same time.
pub async fn dealers_of_domains(
    executor: impl PgExecutor<'_>,
    domains: &[String],
    now: DateTime<Utc>,
) -> Result<BTreeMap<String, DealerId>> {
    let rows = sqlx::query!(
        r#"with made as (
             insert into dealer (domain, date)
             select distinct wanted, $2::timestamptz from unnest($1::text[]) as wanted
             where not exists (select from dealer where domain = wanted) order by wanted
             on conflict (domain) do update set domain = excluded.domain returning id, domain
         )
         select id as "id!", domain as "domain!" from dealer where domain = any($1) union select id, domain from made"#,
        domains,
        now
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.domain, DealerId(row.id))).collect())
}

/// Domains or terms that a filter by tags may expand to: the query in ClickHouse lists them all.
pub const MOST_TAGGED: i64 = 50_000;

/// The domains of the dealers that carry at least one of these visible tags, sorted and each once. Hosts under a listed registrable domain
/// are not listed, though its tags are theirs too. [`Error::TooMany`] where there are more than [`MOST_TAGGED`].
pub async fn domains_of_tags(executor: impl PgExecutor<'_>, scope: &Scope, tags: &[CategoryId]) -> Result<Vec<String>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = tags.iter().map(|tag| tag.0).collect();
    let domains = sqlx::query_scalar!(
        "select distinct d.domain from category c
             join category_dealer cd on cd.category_id = c.id join dealer d on d.id = cd.dealer_id
         where c.id = any($2) and ($1::int[] is null or c.visibility = 'all' or c.brand_owner_id = any($1))
             and ($1::int[] is null or cd.company_account_id is null or cd.company_account_id = $3)
         order by d.domain limit $4",
        bounds.brands as Option<Vec<i32>>,
        &ids,
        bounds.company,
        MOST_TAGGED + 1
    )
    .fetch_all(executor)
    .await?;
    few_enough(domains)
}

/// The visible terms that carry at least one of these visible tags, in ascending order. [`Error::TooMany`] where there are more than
/// [`MOST_TAGGED`].
pub async fn terms_of_tags(executor: impl PgExecutor<'_>, scope: &Scope, tags: &[CategoryId]) -> Result<Vec<TermId>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = tags.iter().map(|tag| tag.0).collect();
    let terms = sqlx::query_scalar!(
        "select distinct t.id from category c
             join term_category tc on tc.category_id = c.id join term t on t.id = tc.term_id
         where c.id = any($3) and ($1::int[] is null or c.visibility = 'all' or c.brand_owner_id = any($1))
             and ($1::int[] is null or t.brand_id = any($1) or t.id = any($2))
             and ($1::int[] is null or tc.company_account_id is null or tc.company_account_id = $4)
         order by t.id limit $5",
        bounds.brands as Option<Vec<i32>>,
        bounds.terms as Option<Vec<i32>>,
        &ids,
        bounds.company,
        MOST_TAGGED + 1
    )
    .fetch_all(executor)
    .await?;
    Ok(few_enough(terms)?.into_iter().map(TermId).collect())
}

/// The same list; [`Error::TooMany`] where it is longer than [`MOST_TAGGED`].
fn few_enough<T>(tagged: Vec<T>) -> Result<Vec<T>> {
    if i64::try_from(tagged.len()).is_ok_and(|found| found <= MOST_TAGGED) {
        Ok(tagged)
    } else {
        Err(Error::TooMany)
    }
}
