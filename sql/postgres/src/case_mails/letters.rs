//! What a letter in a case says of it, as far as Postgres knows.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, BrandId, ContactId, Engine, Language, Scope};

use crate::actions::SeenDays;
use crate::scoped::ScopeLists;
use crate::stored::parse_some;
use crate::{Connection, Result};

/// Mails of a case that a letter can refer to: more than a cycle has.
const MOST_MAILS: i64 = 20;
/// Other cases of the same advertiser: more than countries and engines a brand is watched in.
const MOST_SIBLINGS: i64 = 50;

/// A case as a letter needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseInLetters {
    /// The id of the case.
    pub action: ActionId,
    /// The brand that it is of.
    pub brand: BrandId,
    /// The brand's name.
    pub brand_label: String,
    /// The host of the advertiser.
    pub domain: String,
    /// Its country, two letters; empty if unknown.
    pub country: String,
    /// Its search engine.
    pub engine: Option<Engine>,
    /// The languages of its searches.
    pub languages: Vec<String>,
    /// When the advertiser was first seen.
    pub first_seen: Option<DateTime<Utc>>,
    /// When it was last seen.
    pub last_seen: Option<DateTime<Utc>>,
    /// The days on which it was seen.
    pub days: Option<SeenDays>,
    /// The contacts that can be written to.
    pub contacts: Vec<LetterContact>,
}

/// Somebody who can be written to about a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterContact {
    /// The id of the contact.
    pub id: ContactId,
    /// The address, in lower case.
    pub address: String,
    /// Its country, two letters, else that of the case.
    pub country: String,
}

/// Another open case of a brand against the same advertiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiblingInLetters {
    /// Its country, two letters.
    pub country: String,
    /// Its search engine.
    pub engine: Option<Engine>,
    /// The host of the advertiser there.
    pub domain: String,
}

/// A mail that left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailInLetters {
    /// Its subject line.
    pub subject: String,
    /// When it left.
    pub at: DateTime<Utc>,
}

impl CaseInLetters {
    /// The language of letters in this case: that of the country of whom they go to, where all have the same, else of the case's own.
    pub fn language(&self) -> Language {
        let mut countries: Vec<&str> = self.contacts.iter().map(|contact| contact.country.as_str()).collect();
        countries.dedup();
        let country = if countries.len() == 1 {
            countries[0]
        } else {
            &self.country
        };
        Language::for_country(country, &self.languages)
    }
}

/// The cases as letters need them, with their active contacts; those that the scope does not see, or whose brand is gone, are absent.
pub async fn cases(executor: impl PgExecutor<'_>, scope: &Scope, ids: &[ActionId]) -> Result<Vec<CaseInLetters>> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"select a.id, b.id as brand_id, coalesce(b.label, '') as "label!", coalesce(a.domain, '') as "domain!", coalesce(a.country, '') as "country!",
               a.engine, a.languages, a.created_date, a.last_view, a.seen_until, a.text_days, a.shopping_days,
               contacts.ids as "contact_ids!", contacts.addresses as "addresses!", contacts.countries as "countries!"
           from action a join brand b on b.id = a.brand_id
               cross join lateral (
                   select coalesce(array_agg(id order by address, id), '{}') as ids, coalesce(array_agg(address order by address, id), '{}') as addresses,
                       coalesce(array_agg(country order by address, id), '{}') as countries
                   from (
                       select distinct on (lower(c.email)) c.id, lower(c.email) as address,
                           coalesce(case when c.country ~ '^[A-Z]{2}$' then c.country else a.country end, '') as country
                       from dealer_contact l join contact c on c.id = l.contact_id
                       where l.dealer_id in (a.advertiser_id, (select own.id from dealer own where own.domain = a.domain))
                           and coalesce(c.state, 'active') = 'active'
                       order by lower(c.email), c.id
                   ) one
               ) contacts
           where a.id = any($2) and ($1::int[] is null or a.brand_id = any($1))
           order by a.id"#,
        bounds.brands as Option<Vec<i32>>,
        &ids
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            let contacts = row.contact_ids.into_iter().zip(row.addresses).zip(row.countries);
            Ok(CaseInLetters {
                action: ActionId(row.id),
                brand: BrandId(row.brand_id),
                brand_label: row.label,
                domain: row.domain,
                country: row.country,
                engine: parse_some("action.engine", row.engine.as_deref())?,
                languages: row.languages,
                first_seen: row.created_date,
                last_seen: row.last_view,
                days: row.seen_until.map(|until| SeenDays {
                    until,
                    text: row.text_days.cast_unsigned(),
                    shopping: row.shopping_days.cast_unsigned(),
                }),
                contacts: contacts
                    .map(|((id, address), country)| LetterContact {
                        id: ContactId(id),
                        address,
                        country,
                    })
                    .collect(),
            })
        })
        .collect()
}

/// The other open cases of the brand of a case against the same host, and the mails that left in the case, oldest first.
pub async fn surroundings(
    connection: &mut Connection,
    scope: &Scope,
    action: ActionId,
) -> Result<(Vec<SiblingInLetters>, Vec<MailInLetters>)> {
    let bounds = ScopeLists::from_scope(scope);
    let siblings = sqlx::query!(
        r#"select coalesce(s.country, '') as "country!", s.engine, coalesce(s.domain, '') as "domain!"
           from action a join action s on s.brand_id = a.brand_id and s.domain = a.domain and s.id <> a.id
           where a.id = $2 and ($1::int[] is null or a.brand_id = any($1))
               and s.status not in ('ignored', 'accepted', 'refused', 'disappeared')
           order by s.country, s.engine, s.id limit $3"#,
        bounds.brands.clone() as Option<Vec<i32>>,
        action.0,
        MOST_SIBLINGS
    )
    .fetch_all(&mut *connection)
    .await?;
    let siblings = siblings
        .into_iter()
        .map(|row| {
            Ok(SiblingInLetters {
                country: row.country,
                engine: parse_some("action.engine", row.engine.as_deref())?,
                domain: row.domain,
            })
        })
        .collect::<Result<_>>()?;
    let mails = sqlx::query!(
        r#"select coalesce(e.subject, '') as "subject!", e.left_at as "at!"
           from email e join action a on a.id = e.action_id
           where e.action_id = $2 and e.direction = 'out' and e.left_at is not null and ($1::int[] is null or a.brand_id = any($1))
           order by e.left_at desc, e.id desc limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        action.0,
        MOST_MAILS
    )
    .fetch_all(connection)
    .await?;
    let mails = mails.into_iter().rev().map(|row| MailInLetters {
        subject: row.subject,
        at: row.at,
    });
    Ok((siblings, mails.collect()))
}

/// The name of a country (two letters) in a language, from the first place in that country that has one; the two letters where none has.
pub async fn country_name(executor: impl PgExecutor<'_>, country: &str, language: Language) -> Result<String> {
    let name = sqlx::query_scalar!(
        "select country ->> $2 as name from localization
         where right(locale, 3) = '_' || $1 and country ->> $2 <> '' order by id limit 1",
        country,
        language.to_string()
    )
    .fetch_optional(executor)
    .await?;
    Ok(name.flatten().unwrap_or_else(|| country.to_owned()))
}
