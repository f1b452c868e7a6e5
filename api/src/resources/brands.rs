//! Where brands differ from other resources: their names, and the brand of new terms.

use std::time::{Duration, Instant};

use vocabulary::resources::models::{BRAND, TERM};
use vocabulary::resources::{Model, Value};
use vocabulary::{BrandId, BrandMatcher, PatternedBrand, Scope, slug};

use super::record::RowValues;
use crate::failure::ApiError;

/// The name of a brand whose label has no letters or digits.
const NAMELESS: &str = "brand";
/// Characters of a term (decision D103). A longer one joins no brand by itself: patterns take the longer for it.
const MAX_TERM: usize = 80;
/// How long patterns run over all terms during a request: within their limits some still take long for each term.
pub(crate) const PATTERN_PATIENCE: Duration = Duration::from_secs(3);

/// Gives a new brand without a name the slug of its label (decision D97), with a number where another brand has that name. A brand
/// whose label has no letters or digits is named [`NAMELESS`]. It does nothing for rows of other models. Call it in the transaction that stores the brand.
pub(super) async fn name_by_label(
    transaction: &mut postgres::Tx,
    model: &'static Model,
    record: &mut RowValues,
) -> Result<(), ApiError> {
    if model.name != BRAND.name || text(record, "name").is_some() {
        return Ok(());
    }
    let (Some(label), Some(field)) = (text(record, "label"), model.field("name")) else {
        return Ok(());
    };
    let slug = Some(slug(label)).filter(|slug| !slug.is_empty());
    let name = postgres::brands::free_name(transaction, slug.as_deref().unwrap_or(NAMELESS)).await?;
    record.set(field, Value::Text(name));
    Ok(())
}

/// Gives each new term without a brand the validated brand whose patterns match its words best (decision D95), but no term of more than [`MAX_TERM`]
/// characters. It does nothing for rows of other models. A `BadRequest` when that takes longer than [`PATTERN_PATIENCE`].
pub(super) async fn match_terms(
    transaction: &mut postgres::Tx,
    scope: &Scope,
    model: &'static Model,
    records: &mut [RowValues],
) -> Result<(), ApiError> {
    let Some(field) = model.field("brandId").filter(|_| model.name == TERM.name) else {
        return Ok(());
    };
    let is_open = |record: &RowValues| {
        let brand = record.values.iter().find(|(given, _)| given.name == field.name);
        brand.is_none_or(|(_, brand)| *brand == Value::Null)
    };
    let open: Vec<(usize, String)> = records
        .iter()
        .enumerate()
        .filter(|(_, record)| is_open(record))
        .filter_map(|(place, record)| Some((place, text(record, "term")?.to_owned())))
        .filter(|(_, words)| words.chars().count() <= MAX_TERM)
        .collect();
    for (place, brand) in match_words(transaction, scope, open).await? {
        records[place].set(field, Value::Whole(brand.0.into()));
    }
    Ok(())
}

/// The validated brand whose patterns match each of these words best, as new terms get it (decision D95), with their places; without those that no brand
/// matches. A `BadRequest` when that takes longer than [`PATTERN_PATIENCE`].
pub(crate) async fn match_words(
    connection: &mut postgres::Connection,
    scope: &Scope,
    words: Vec<(usize, String)>,
) -> Result<Vec<(usize, BrandId)>, ApiError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut brands = postgres::auto_match::patterned_brands(connection, scope, None).await?;
    brands.retain(|brand| brand.validated);
    let until = Instant::now() + PATTERN_PATIENCE;
    let matched = tokio::task::spawn_blocking(move || winners(brands, words, until));
    matched.await.map_err(ApiError::internal)?
}

/// The brand with the best claim on each of these words, with their places; without those that no brand has one on. A `BadRequest` when it is later
/// than `until` before the last.
fn winners(
    oldest_first: Vec<PatternedBrand>,
    words: Vec<(usize, String)>,
    until: Instant,
) -> Result<Vec<(usize, BrandId)>, ApiError> {
    let matcher = BrandMatcher::new(oldest_first);
    let mut winners = Vec::new();
    for (place, words) in words {
        if Instant::now() > until {
            return Err(ApiError::BadRequest(
                "Matching these terms with the patterns of all brands takes too long. Name fewer at once, or give them a brand.".to_owned(),
            ));
        }
        winners.extend(matcher.winner(&words).map(|brand| (place, brand)));
    }
    Ok(winners)
}

/// The text given for a field; `None` where nothing or null is.
fn text<'a>(record: &'a RowValues, name: &str) -> Option<&'a str> {
    record.values.iter().find_map(|(field, value)| match value {
        Value::Text(text) if field.name == name => Some(text.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_matched_until_time_is_up() {
        let brands = vec![PatternedBrand {
            id: BrandId(7),
            validated: true,
            include: Some("brivault".to_owned()),
            exclude: None,
        }];
        let words: Vec<(usize, String)> = vec![(1, "sac rouge".to_owned()), (2, "sac Brivault".to_owned())];
        let found = winners(brands.clone(), words.clone(), Instant::now() + Duration::from_hours(1));
        assert_eq!(found.unwrap(), [(2, BrandId(7))]);
        let late = winners(brands, words, Instant::now());
        assert!(matches!(late, Err(ApiError::BadRequest(_))));
    }
}
