//! What narrows a list of actions.

use chrono::{DateTime, Utc};
use sqlx::{Postgres, QueryBuilder};
use vocabulary::{ActionId, ActionStatus, AdKind, BrandId, CategoryId, DealerId, Engine, KeywordType, Scope, UserId};

use crate::scoped::ScopeLists;
use crate::{Pool, Result};

/// A statement that grows with its conditions.
pub(super) type Sql = QueryBuilder<Postgres>;

/// A date of an action.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::EnumMessage, strum::EnumString, strum::VariantArray,
)]
#[strum(serialize_all = "camelCase")]
pub enum DateField {
    /// When it was seen last.
    LastView,
    /// When it was seen first.
    CreatedDate,
    /// When it was changed last.
    UpdatedDate,
    /// When it was requested.
    RequestedDate,
    /// When the advertiser was notified.
    InprogressDate,
    /// When the advertiser agreed.
    AcceptedDate,
    /// When the advertiser declined.
    RefusedDate,
    /// When it appeared again.
    ReappearanceDate,
    /// When it was found to have gone.
    DisappearedDate,
    /// When its status changed last.
    LastStatusDate,
}

impl DateField {
    /// The date's column of the action `a`, as in `a.last_view`.
    pub(super) const fn column(self) -> &'static str {
        match self {
            Self::LastView => "a.last_view",
            Self::CreatedDate => "a.created_date",
            Self::UpdatedDate => "a.updated_date",
            Self::RequestedDate => "a.requested_date",
            Self::InprogressDate => "a.inprogress_date",
            Self::AcceptedDate => "a.accepted_date",
            Self::RefusedDate => "a.refused_date",
            Self::ReappearanceDate => "a.reappearance_date",
            Self::DisappearedDate => "a.disappeared_date",
            Self::LastStatusDate => "a.last_status_date",
        }
    }
}

/// A text of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextField {
    /// The advertiser's host.
    Domain,
    /// Its registrable domain.
    Master,
}

impl TextField {
    /// The text's column of the action `a` or its dealer `d`; without a dealer, the domain is its own registrable domain.
    const fn column(self) -> &'static str {
        match self {
            Self::Domain => "a.domain",
            Self::Master => "coalesce(d.domain, a.domain)",
        }
    }
}

/// Key of an action: brand, domain, country and engine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionKey {
    /// The brand it is against.
    pub brand: BrandId,
    /// The advertiser's host.
    pub domain: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine, as in `google`.
    pub engine: String,
}

/// One condition of a list. The flag of most says whether actions with one of the values are kept (`true`) or left out (`false`); an action
/// without the value is kept when others are left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// From one instant to another, both included.
    Between(DateField, Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    /// With these ids.
    Ids(bool, Vec<ActionId>),
    /// Of these brands.
    Brands(bool, Vec<BrandId>),
    /// On these engines; `None` is an engine that is never captured.
    Engines(bool, Vec<Option<Engine>>),
    /// In these countries.
    Countries(bool, Vec<String>),
    /// Seen by searches in these languages.
    Languages(bool, Vec<String>),
    /// With one of these texts.
    Is(TextField, bool, Vec<String>),
    /// With a text that holds one of these, without regard to case.
    Holds(TextField, bool, Vec<String>),
    /// With ads of these kinds from an instant on. No ad of an action is later than its last view, so a condition on the last view bounds
    /// its ads too.
    Kinds(bool, Vec<AdKind>, Option<DateTime<Utc>>),
    /// In these statuses.
    Statuses(bool, Vec<ActionStatus>),
    /// That began again, or never did (decision D50).
    Reappeared(bool),
    /// Notified or reminded, where the advertiser has to answer, or where we have to (decision D43).
    Waiting(bool),
    /// With received mails that nobody has read.
    UnreadMails(bool),
    /// Whose domain or registrable domain carries one of these visible tags.
    AdvertiserTags(bool, Vec<CategoryId>),
    /// Seen on a term that carries one of these visible tags.
    KeywordTags(bool, Vec<CategoryId>),
    /// Seen on a term of one of these types.
    KeywordTypes(bool, Vec<KeywordType>),
    /// Seen on a term with one of these words, without regard to case.
    KeywordsAre(bool, Vec<String>),
    /// Seen on a term that holds one of these texts, without regard to case.
    KeywordsHold(bool, Vec<String>),
    /// With one of these keys.
    Among(bool, Vec<ActionKey>),
    /// Against these advertisers, by the dealers of their registrable domains.
    Advertisers(bool, Vec<DealerId>),
    /// Owned by one of these; `None` is nobody.
    Owners(bool, Vec<Option<UserId>>),
}

impl Condition {
    /// Whether it is about the status.
    pub const fn is_of_status(&self) -> bool {
        matches!(self, Self::Statuses(..))
    }

    /// Whether it is about what actions are counted by with each change (see the table `case_count`), so that no action is read to count them.
    pub(super) const fn is_of_counts(&self) -> bool {
        matches!(
            self,
            Self::Brands(..)
                | Self::Engines(..)
                | Self::Countries(..)
                | Self::Statuses(..)
                | Self::Waiting(_)
                | Self::UnreadMails(_)
                | Self::KeywordTypes(..)
                | Self::Between(_, None, None)
        )
    }

    /// Whether an action of this status can meet the condition. Only conditions on the status can say no.
    pub fn allows(&self, status: ActionStatus) -> bool {
        match self {
            Self::Statuses(include, statuses) => statuses.contains(&status) == *include,
            _ => true,
        }
    }

    /// Appends the condition on the action `a` and its dealer `d` as ` and …`; nothing for a period without ends, and for what has to be [looked
    /// up](look_up) first.
    fn push(&self, sql: &mut Sql) {
        match self {
            Self::Between(field, from, to) => {
                if let Some(from) = from {
                    sql.push(" and ").push(field.column()).push(" >= ").push_bind(*from);
                }
                if let Some(to) = to {
                    sql.push(" and ").push(field.column()).push(" <= ").push_bind(*to);
                }
            }
            Self::Ids(include, actions) => {
                let ids: Vec<i32> = actions.iter().map(|action| action.0).collect();
                push_is_one_of(sql, *include, "a.id", ids);
            }
            Self::Brands(include, brands) => {
                let ids: Vec<i32> = brands.iter().map(|brand| brand.0).collect();
                push_is_one_of(sql, *include, "a.brand_id", ids);
            }
            Self::Engines(include, engines) => {
                let names: Vec<String> = engines.iter().flatten().map(ToString::to_string).collect();
                push_is_one_of(sql, *include, "a.engine", names);
            }
            Self::Countries(include, countries) => push_is_one_of(sql, *include, "a.country", countries.clone()),
            Self::Languages(include, languages) => push_test(sql, *include, |sql| {
                sql.push("a.languages && ").push_bind(languages.clone());
            }),
            Self::Is(field, include, texts) => push_is_one_of(sql, *include, field.column(), texts.clone()),
            Self::Holds(field, include, texts) => push_test(sql, *include, |sql| {
                // One test a text: an index of trigrams does not answer a test of a list.
                sql.push("false");
                for text in texts {
                    sql.push(" or lower(")
                        .push(field.column())
                        .push(") like ")
                        .push_bind(held_pattern(text));
                }
            }),
            Self::Kinds(include, kinds, since) => push_test(sql, *include, |sql| {
                sql.push("false");
                for kind in kinds {
                    let column = match kind {
                        AdKind::Text => "a.last_text",
                        AdKind::Shopping => "a.last_shopping",
                    };
                    sql.push(" or ").push(column).push(" >= ");
                    match since {
                        Some(since) => sql.push_bind(*since),
                        None => sql.push("'-infinity'"),
                    };
                }
            }),
            Self::Statuses(include, statuses) => {
                let names: Vec<String> = statuses.iter().map(ToString::to_string).collect();
                push_is_one_of(sql, *include, "a.status", names);
            }
            Self::Advertisers(include, dealers) => {
                let ids: Vec<i32> = dealers.iter().map(|dealer| dealer.0).collect();
                push_is_one_of(sql, *include, "a.advertiser_id", ids);
            }
            Self::Owners(include, owners) => push_test(sql, *include, |sql| {
                let ids: Vec<i32> = owners.iter().flatten().map(|owner| owner.0).collect();
                sql.push("a.owner_id = any(").push_bind(ids).push(")");
                if owners.contains(&None) {
                    sql.push(" or a.owner_id is null");
                }
            }),
            Self::Reappeared(only) => push_test(sql, *only, |sql| {
                sql.push("a.status = 'reappearance' or a.metas ->> 'originalStatus' = 'reappearance'");
            }),
            Self::Waiting(waiting) => {
                sql.push(" and a.status in ('inprogress', 'reminded') and a.waiting is ")
                    .push(if *waiting { "true" } else { "not true" });
            }
            Self::UnreadMails(include) => push_test(sql, *include, |sql| {
                sql.push("a.unread_count > 0");
            }),
            Self::KeywordTypes(include, types) => push_test(sql, *include, |sql| {
                let names: Vec<String> = types.iter().map(ToString::to_string).collect();
                sql.push("a.keyword_types && ").push_bind(names);
            }),
            Self::Among(include, seen) => push_test(sql, *include, |sql| push_among(sql, seen)),
            Self::AdvertiserTags(..) | Self::KeywordTags(..) | Self::KeywordsAre(..) | Self::KeywordsHold(..) => {}
        }
    }

    /// The query of the terms that the condition is about; `None` for any other condition.
    fn terms(&self, scope: &Scope) -> Option<Sql> {
        let mut sql = Sql::new("select t.id from term t where ");
        match self {
            Self::KeywordsAre(_, texts) => {
                let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
                sql.push("lower(t.term) = any(").push_bind(texts).push(")");
            }
            Self::KeywordsHold(_, texts) => {
                sql.push("(false");
                for text in texts {
                    sql.push(" or lower(t.term) like ").push_bind(held_pattern(text));
                }
                sql.push(")");
            }
            Self::KeywordTags(_, tags) => {
                sql.push(
                    "t.id in (select tc.term_id from term_category tc join category c on c.id = tc.category_id where ",
                );
                push_tags(&mut sql, scope, "tc", tags);
            }
            _ => return None,
        }
        Some(sql)
    }
}

/// A condition as the statement needs it. Terms and advertisers are few beside the actions, and looked up first: the planner then knows how many there are,
/// and compares an action with all of them at once.
#[derive(Clone, Debug)]
pub(super) enum Prepared<'a> {
    /// It is about the action alone.
    OfAction(&'a Condition),
    /// Against these advertisers: the dealers of registrable domains, and hosts that are dealers themselves.
    Advertisers(bool, Vec<i32>, Vec<String>),
    /// Seen on one of these terms.
    Terms(bool, Vec<i32>),
}

/// Looks up what the conditions name that is not in the actions. Tags count only if the scope sees them and their links.
pub(super) async fn look_up<'a>(
    pool: &Pool,
    scope: &Scope,
    conditions: Vec<&'a Condition>,
) -> Result<Vec<Prepared<'a>>> {
    let mut prepared = Vec::new();
    for condition in conditions {
        prepared.push(match condition {
            Condition::AdvertiserTags(include, tags) => {
                let mut sql = Sql::new(
                    "select distinct d.id, d.domain from category_dealer cd join dealer d on d.id = cd.dealer_id
                         join category c on c.id = cd.category_id where (",
                );
                push_tags(&mut sql, scope, "cd", tags);
                let rows: Vec<(i32, String)> = sql.build_query_as().fetch_all(pool).await?;
                let (ids, domains) = rows.into_iter().unzip();
                Prepared::Advertisers(*include, ids, domains)
            }
            Condition::KeywordsAre(include, _)
            | Condition::KeywordsHold(include, _)
            | Condition::KeywordTags(include, _) => {
                let terms = match condition.terms(scope) {
                    Some(mut sql) => sql.build_query_scalar().fetch_all(pool).await?,
                    None => Vec::new(),
                };
                Prepared::Terms(*include, terms)
            }
            other => Prepared::OfAction(other),
        });
    }
    Ok(prepared)
}

impl Prepared<'_> {
    /// Appends the condition on the action `a` and its dealer `d` as ` and …`; nothing for a period without ends.
    pub(super) fn push(&self, sql: &mut Sql) {
        match self {
            Self::OfAction(condition) => condition.push(sql),
            Self::Advertisers(include, ids, domains) => push_test(sql, *include, |sql| {
                sql.push("a.advertiser_id = any(")
                    .push_bind(ids.clone())
                    .push(") or a.domain = any(")
                    .push_bind(domains.clone())
                    .push(")");
            }),
            Self::Terms(include, terms) => push_test(sql, *include, |sql| {
                sql.push("a.id in (select seen.action_id from action_term seen where seen.term_id = any(")
                    .push_bind(terms.clone())
                    .push("))");
            }),
        }
    }
}

/// The pattern of texts in lower case that hold this one.
fn held_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for letter in text.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Appends that the key of the action is one of these.
fn push_among(sql: &mut Sql, seen: &[ActionKey]) {
    let (mut brands, mut domains, mut countries, mut engines) = (vec![], vec![], vec![], vec![]);
    for one in seen {
        brands.push(one.brand.0);
        domains.push(one.domain.clone());
        countries.push(one.country.clone());
        engines.push(one.engine.clone());
    }
    sql.push("(a.brand_id, a.domain, a.country, a.engine) in (select * from unnest(")
        .push_bind(brands)
        .push("::int[], ")
        .push_bind(domains)
        .push("::text[], ")
        .push_bind(countries)
        .push("::text[], ")
        .push_bind(engines)
        .push("::text[]))");
}

/// Appends ` and (test)`, or with `include` false its negation. A test that is null, because the action lacks the value, is not met; so the
/// negation is.
fn push_test(sql: &mut Sql, include: bool, test: impl FnOnce(&mut Sql)) {
    sql.push(if include { " and (" } else { " and not coalesce((" });
    test(sql);
    sql.push(if include { ")" } else { "), false)" });
}

/// Appends that the column is one of the values, or with `include` false that it is none of them or null.
fn push_is_one_of<T>(sql: &mut Sql, include: bool, column: &str, values: Vec<T>)
where
    Vec<T>: for<'v> sqlx::Encode<'v, Postgres> + sqlx::Type<Postgres> + Send + 'static,
{
    push_test(sql, include, |sql| {
        sql.push(column).push(" = any(").push_bind(values).push(")");
    });
}

/// Appends to an open bracket that the category `c` is one of the tags and that the scope sees it and its link (the alias `link`), and closes the
/// bracket.
fn push_tags(sql: &mut Sql, scope: &Scope, link: &str, tags: &[CategoryId]) {
    let ids: Vec<i32> = tags.iter().map(|tag| tag.0).collect();
    sql.push("c.id = any(").push_bind(ids).push(")");
    let bounds = ScopeLists::from_scope(scope);
    if let Some(brands) = bounds.brands {
        sql.push(" and (c.visibility = 'all' or c.brand_owner_id = any(")
            .push_bind(brands)
            .push(")) and (")
            .push(link)
            .push(".company_account_id is null or ")
            .push(link)
            .push(".company_account_id = ")
            .push_bind(bounds.company)
            .push(")");
    }
    sql.push(")");
}
