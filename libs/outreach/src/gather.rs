//! Gathering what a letter says of a case from both stores.

use analytics::filter::{Condition, Field, Filters, Operator};
use analytics::reports::ads::{self, Ad, AdsQuery};
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use postgres::case_mails::letters::{self, CaseInLetters};
use vocabulary::{Language, Scope, time_zone_of};

use crate::OutreachError;
use crate::letter::{LetterAd, LetterFacts, LetterMail, LetterSibling};

/// Ads that are looked at for words of terms.
const ADS: u32 = 20;
/// Ads that a letter shows.
const SHOWN_ADS: usize = 3;
/// Words of terms that a letter names.
const KEYWORDS: usize = 10;
/// How long ago the ads of a letter were seen at most.
const SPAN: TimeDelta = TimeDelta::days(30);

/// The stores that letters are made from.
#[derive(Clone, Copy)]
pub struct LetterStores<'a> {
    /// Cases, contacts, templates and mails.
    pub postgres: &'a postgres::Pool,
    /// Where the ads are.
    pub analytics: &'a analytics::Client,
}

/// What a letter in this language says of a case at `now`; `sender` is the first name of the person who sends it.
pub async fn gather(
    stores: LetterStores<'_>,
    scope: &Scope,
    case: &CaseInLetters,
    (language, sender): (Language, Option<String>),
    now: DateTime<Utc>,
) -> Result<LetterFacts, OutreachError> {
    let mut connection = stores.postgres.acquire().await.map_err(postgres::Error::from)?;
    let (siblings, mails) = letters::surroundings(&mut connection, scope, case.action).await?;
    let country = letters::country_name(&mut *connection, &case.country, language).await?;
    let mut named = Vec::with_capacity(siblings.len());
    for sibling in siblings {
        named.push(LetterSibling {
            country: letters::country_name(&mut *connection, &sibling.country, language).await?,
            engine: sibling.engine,
            domain: sibling.domain,
        });
    }
    drop(connection);
    let seen = ads_of(stores, scope, case, now).await?;
    let zone: Tz = time_zone_of(&case.country).parse().unwrap_or(Tz::UTC);
    let days = case.days.map(|days| days.counted_back_from(now.date_naive()));
    Ok(LetterFacts {
        action: case.action,
        brand: case.brand_label.clone(),
        domain: case.domain.clone(),
        country,
        engine: case.engine,
        first_seen: case.first_seen,
        last_seen: case.last_seen,
        days_seen: days
            .map(|days| (days.text | days.shopping).count_ones())
            .filter(|days| *days > 0),
        keywords: keywords_of(&seen),
        ads: seen.into_iter().take(SHOWN_ADS).map(shown).collect(),
        siblings: named,
        previous_mails: mails
            .into_iter()
            .map(|mail| LetterMail {
                subject: mail.subject,
                at: mail.at,
            })
            .collect(),
        sender,
        zone,
    })
}

/// The ads of a case, the most viewed first.
async fn ads_of(
    stores: LetterStores<'_>,
    scope: &Scope,
    case: &CaseInLetters,
    now: DateTime<Utc>,
) -> Result<Vec<Ad>, OutreachError> {
    let mut filters: Filters = [
        Condition::of_brands(&[case.brand]),
        Condition::seen_between(Some(now - SPAN), Some(now)),
    ]
    .into_iter()
    .collect();
    let engine = case.engine.map(|engine| engine.to_string());
    let facts = [
        (Field::Domain, Some(case.domain.clone())),
        (Field::Country, Some(case.country.clone())),
        (Field::Engine, engine),
    ];
    for (field, value) in facts {
        let read = value
            .filter(|value| !value.is_empty())
            .map(|value| Condition::read(field, Operator::Inq, &[value]));
        // A value that no ad can have leaves nothing to show.
        match read {
            Some(Ok(condition)) => filters.push(condition),
            Some(Err(_)) | None => return Ok(Vec::new()),
        }
    }
    Ok(ads::most_viewed(stores.analytics, scope, &AdsQuery { filters, hour: None }, ADS).await?)
}

/// The words of terms that show the ads, each once, those of the most viewed ads first.
fn keywords_of(ads: &[Ad]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in ads.iter().flat_map(|ad| &ad.keywords) {
        if found.len() < KEYWORDS && !found.contains(word) {
            found.push(word.clone());
        }
    }
    found
}

/// An ad as a letter shows it; of a shopping ad the price is its text.
fn shown(ad: Ad) -> LetterAd {
    LetterAd {
        text: if ad.description.is_empty() {
            ad.price
        } else {
            ad.description
        },
        title: ad.title,
        seen_at: ad.last_seen,
    }
}
