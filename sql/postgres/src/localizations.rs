//! Localizations: the places and languages searches are made from. They belong to no company.

use std::collections::HashMap;

use sqlx::PgExecutor;
use vocabulary::LocalizationId;

use crate::Result;

/// A place and a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Localization {
    /// Id of the localization.
    pub id: LocalizationId,
    /// As in `fr_FR`; free text where the resource API wrote it.
    pub locale: Option<String>,
    /// City that is searched from.
    pub city: Option<String>,
    /// Region that the city is in; tells cities of one name apart.
    pub region: Option<String>,
    /// ISO 639 code.
    pub language: Option<String>,
    /// The country's name by language code.
    pub country: Option<serde_json::Value>,
}

/// Every localization, ordered by locale, city and id.
pub async fn in_order(executor: impl PgExecutor<'_>) -> Result<Vec<Localization>> {
    let rows =
        sqlx::query!("select id, locale, city, region, language, country from localization order by locale, city, id")
            .fetch_all(executor)
            .await?;
    let found = rows.into_iter().map(|row| Localization {
        id: LocalizationId(row.id),
        locale: row.locale,
        city: row.city,
        region: row.region,
        language: row.language,
        country: row.country,
    });
    Ok(found.collect())
}

/// The localization of this id; `None` when there is none.
pub async fn by_id(executor: impl PgExecutor<'_>, id: LocalizationId) -> Result<Option<Localization>> {
    let row = sqlx::query!(
        "select id, locale, city, region, language, country from localization where id = $1",
        id.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| Localization {
        id: LocalizationId(row.id),
        locale: row.locale,
        city: row.city,
        region: row.region,
        language: row.language,
        country: row.country,
    }))
}

/// The name of each place: its city, and behind it in brackets its region if another region has a place of that locale and name
/// (`Bergen (Limburg)`). Empty without a city.
pub fn names(places: &[Localization]) -> HashMap<LocalizationId, String> {
    let mut regions: HashMap<_, Vec<&Option<String>>> = HashMap::new();
    for place in places {
        regions
            .entry((&place.locale, &place.city))
            .or_default()
            .push(&place.region);
    }
    let name = |place: &Localization| {
        let city = place.city.clone().unwrap_or_default();
        let has_namesake = || {
            regions[&(&place.locale, &place.city)]
                .iter()
                .any(|region| **region != place.region)
        };
        match &place.region {
            Some(region) if has_namesake() => format!("{city} ({region})"),
            _ => city,
        }
    };
    places.iter().map(|place| (place.id, name(place))).collect()
}

/// The localization of a locale such as `fr_FR` and a city, both spelled exactly so; `None` when there is none. Of several, the oldest.
pub async fn find(executor: impl PgExecutor<'_>, locale: &str, city: &str) -> Result<Option<LocalizationId>> {
    let id = sqlx::query_scalar!(
        "select id from localization where locale = $1 and city = $2 order by id limit 1",
        locale,
        city
    )
    .fetch_optional(executor)
    .await?;
    Ok(id.map(LocalizationId))
}
