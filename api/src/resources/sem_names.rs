//! What captured sems get from Postgres: the label of their brand and the dealer of their domain. Their own store has only the number of the brand
//! and the domain.

use std::collections::BTreeMap;

use analytics::ingest::AdRow;
use analytics::resources::FoundSem;
use postgres::resources::Assignment;
use postgres::sems::{self, SemNames};
use serde_json::{Value as Json, json};
use vocabulary::resources::models::SEM;
use vocabulary::resources::{Condition, Value, ValueTest};

use super::call::Call;
use crate::failure::ApiError;

/// Sets `brand` to the label of the brand and a `dealerId` that is null to the dealer of the domain. A field that a row lacks is not added; one for
/// which Postgres has nothing stays as it is. Keeps the order.
pub(super) async fn complete(call: &Call, mut found: Vec<FoundSem>) -> Result<Vec<FoundSem>, ApiError> {
    let brands: Vec<i32> = found.iter().filter_map(|found| found.brand).collect();
    let without_dealer = |found: &&FoundSem| found.row.get("dealerId").is_some_and(Json::is_null);
    let domains = found
        .iter()
        .filter(without_dealer)
        .filter_map(|found| found.domain.clone());
    let SemNames { labels, dealers } = sems::names(&call.state.postgres, &brands, &domains.collect::<Vec<_>>()).await?;
    for FoundSem { row, brand, domain, .. } in &mut found {
        let label = brand.and_then(|brand| labels.get(&brand));
        if let (Some(shown), Some(label)) = (row.get_mut("brand"), label) {
            *shown = json!(label);
        }
        let dealer = domain.as_ref().and_then(|domain| dealers.get(domain));
        if let (Some(shown), Some(dealer)) = (row.get_mut("dealerId").filter(|shown| shown.is_null()), dealer) {
            *shown = json!(dealer);
        }
    }
    Ok(found)
}

/// Captured ads as rows of Sems, with the names of brands and dealers, in the order given.
pub(super) async fn of_ads(call: &Call, ads: Vec<&AdRow>) -> Result<Vec<Json>, ApiError> {
    let found = ads.into_iter().map(|ad| FoundSem {
        origin: None,
        row: analytics::resources::shown(ad),
        brand: i32::try_from(ad.brand_id).ok().filter(|id| *id > 0),
        domain: Some(ad.domain.clone()),
    });
    let named = complete(call, found.collect()).await?;
    Ok(named.into_iter().map(|found| found.row).collect())
}

/// The changes without a `brand` or `dealerId` that only repeats what the ad was answered with: clients send back whole rows, and these names are not
/// stored with an ad.
pub(super) async fn without_echoes(
    call: &Call,
    ad: &AdRow,
    changes: &[Assignment],
) -> Result<Vec<Assignment>, ApiError> {
    let is_named = |(field, value): &&Assignment| matches!(field.name, "brand" | "dealerId") && *value != Value::Null;
    if !changes.iter().any(|change| is_named(&change)) {
        return Ok(changes.to_vec());
    }
    let answered = of_ads(call, vec![ad]).await?.pop().unwrap_or_default();
    let is_echo = |change: &&Assignment| is_named(change) && answered.get(change.0.name) == Some(&change.1.to_json());
    Ok(changes.iter().filter(|change| !is_echo(change)).cloned().collect())
}

/// Rewrites the tests of `brand` or `dealerId` for one or several values so that they also find captured ads, which store the number of the brand and
/// the domain. All other tests stay as they are.
pub(super) async fn also_match_captured(call: &Call, condition: Condition) -> Result<Condition, ApiError> {
    let (mut labels, mut dealers) = (Vec::new(), Vec::new());
    gather_names(&condition, &mut labels, &mut dealers);
    if labels.is_empty() && dealers.is_empty() {
        return Ok(condition);
    }
    let brands = sems::brands_named(&call.state.postgres, &labels).await?;
    let domains = sems::domains_of_dealers(&call.state.postgres, &dealers).await?;
    Ok(rewrite(condition, &brands, &domains))
}

/// The values that a test for equality or for one of a list compares with; none for other tests.
fn named(test: &ValueTest) -> &[Value] {
    match test {
        ValueTest::Equals(value) => std::slice::from_ref(value),
        ValueTest::OneOf(values) => values,
        _ => &[],
    }
}

/// Appends the labels of brands and the ids of dealers that a condition, in any of its parts, compares with by equality or as one of a list; other
/// tests, and negated ones, add none.
fn gather_names(condition: &Condition, labels: &mut Vec<String>, dealers: &mut Vec<i64>) {
    match condition {
        Condition::All(list) | Condition::Any(list) => list.iter().for_each(|part| gather_names(part, labels, dealers)),
        Condition::Test { field, test, .. } => {
            for value in named(test) {
                match (field.name, value) {
                    ("brand", Value::Text(label)) => labels.push(label.clone()),
                    ("dealerId", Value::Whole(id)) => dealers.push(*id),
                    _ => {}
                }
            }
        }
        Condition::Never | Condition::Joined { .. } => {}
    }
}

/// The condition, in which a test of `brand` or `dealerId` for one or several values also accepts Sems with a number that `brands` has for the label
/// or, if they have no dealer of their own, with the domain in `domains` for the dealer. All other tests, and values that neither map has, stay as
/// they are.
fn rewrite(condition: Condition, brands: &BTreeMap<String, Vec<i32>>, domains: &BTreeMap<i64, String>) -> Condition {
    let all = |list: Vec<Condition>| list.into_iter().map(|part| rewrite(part, brands, domains)).collect();
    match condition {
        Condition::All(list) => Condition::All(all(list)),
        Condition::Any(list) => Condition::Any(all(list)),
        Condition::Test { field, path, test } => {
            let stored: Vec<Value> = named(&test)
                .iter()
                .flat_map(|value| match (field.name, value) {
                    ("brand", Value::Text(label)) => {
                        let ids = brands.get(label).into_iter().flatten();
                        ids.map(|id| Value::Text(id.to_string())).collect::<Vec<_>>()
                    }
                    ("dealerId", Value::Whole(id)) => domains
                        .get(id)
                        .map(|domain| Value::Text(domain.clone()))
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                })
                .collect();
            let is_dealer = field.name == "dealerId";
            let as_given = Condition::Test { field, path, test };
            if stored.is_empty() {
                return as_given;
            }
            let as_stored = if is_dealer {
                let nobody = Condition::test(field, ValueTest::IsNull);
                let domain = SEM.fields.iter().find(|field| field.name == "domain");
                domain.map_or(Condition::Never, |domain| {
                    nobody.and(Condition::test(domain, ValueTest::OneOf(stored)))
                })
            } else {
                Condition::test(field, ValueTest::OneOf(stored))
            };
            Condition::Any(vec![as_given, as_stored])
        }
        other @ (Condition::Never | Condition::Joined { .. }) => other,
    }
}
