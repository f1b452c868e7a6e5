//! Localizations: the places and languages searches are made from. They belong to no company.

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
    /// ISO 639 code.
    pub language: Option<String>,
    /// The country's name by language code.
    pub country: Option<serde_json::Value>,
}

/// The localizations whose locale, city, language, or English or French country name contains `text`, by locale and city, at most `limit`.
/// Case is ignored; an empty text matches all.
pub async fn search(executor: impl PgExecutor<'_>, text: &str, limit: i64) -> Result<Vec<Localization>> {
    let rows = sqlx::query!(
        "select id, locale, city, language, country from localization
         where strpos(lower(concat_ws(' ', locale, city, language, country ->> 'en', country ->> 'fr')), lower($1)) > 0
         order by locale, city, id limit $2",
        text,
        limit
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| Localization {
        id: LocalizationId(row.id),
        locale: row.locale,
        city: row.city,
        language: row.language,
        country: row.country,
    });
    Ok(found.collect())
}

/// Every localization, ordered by locale, city and id.
pub async fn in_order(executor: impl PgExecutor<'_>) -> Result<Vec<Localization>> {
    search(executor, "", i64::MAX).await
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
