//! Where brands differ from other resources: their names, and the brand of new terms.

use vocabulary::resources::models::{BRAND, TERM};
use vocabulary::resources::{Model, Value};
use vocabulary::{BrandId, BrandMatcher, Scope, slug};

use super::record::RowValues;
use crate::failure::ApiError;

/// The name of a brand whose label has no letters or digits.
const NAMELESS: &str = "brand";

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

/// Gives each new term without a brand the validated brand whose patterns match its words best (decision D95). It does nothing for rows of other
/// models.
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
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let mut brands = postgres::auto_match::patterned_brands(&mut **transaction, scope, None).await?;
    brands.retain(|brand| brand.validated);
    let matched = tokio::task::spawn_blocking(move || -> Vec<(usize, BrandId)> {
        let matcher = BrandMatcher::new(brands);
        let winners = open.into_iter().map(|(place, words)| (place, matcher.winner(&words)));
        winners.filter_map(|(place, winner)| Some((place, winner?))).collect()
    });
    for (place, brand) in matched.await.map_err(ApiError::internal)? {
        records[place].set(field, Value::Whole(brand.0.into()));
    }
    Ok(())
}

/// The text given for a field; `None` where nothing or null is.
fn text<'a>(record: &'a RowValues, name: &str) -> Option<&'a str> {
    record.values.iter().find_map(|(field, value)| match value {
        Value::Text(text) if field.name == name => Some(text.as_str()),
        _ => None,
    })
}
