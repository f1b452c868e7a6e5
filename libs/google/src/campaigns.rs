//! Campaigns of a customer: where they serve, what they cost, and the lists of negative keywords beside them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::Deserialize;

use crate::account::decode;
use crate::customers::Page;
use crate::search_terms::number;
use crate::{Account, GoogleError, quote};

/// The word of Google for a country that cannot be found out, such as that of a circle on the map.
const SOMEWHERE: &str = "?";

const CAMPAIGNS: &str =
    "SELECT campaign.id, campaign.name, campaign.status, campaign.advertising_channel_type FROM campaign";
const LOCATIONS: &str = "SELECT campaign.id, campaign_criterion.location.geo_target_constant, campaign_criterion.negative \
     FROM campaign_criterion WHERE campaign_criterion.type IN ('LOCATION', 'PROXIMITY')";
const LISTS: &str = "SELECT shared_set.id, shared_set.name, shared_set.type, shared_set.status FROM shared_set";

/// A campaign that was not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// Its id, in digits.
    pub id: String,
    /// Name of the campaign.
    pub name: String,
    /// Google's word for what it shows: `SEARCH`, `SHOPPING`, `PERFORMANCE_MAX`, …
    pub channel: String,
    /// Two letters of each country that it serves; none: it serves the whole world.
    pub countries: BTreeSet<String>,
}

#[derive(Deserialize)]
struct CampaignRow {
    campaign: CampaignFields,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CampaignFields {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    advertising_channel_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocationRow {
    campaign: CampaignFields,
    campaign_criterion: LocationCriterion,
}

#[derive(Deserialize)]
struct LocationCriterion {
    location: Option<Location>,
    /// Whether the place is left out.
    #[serde(default)]
    negative: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    geo_target_constant: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlaceRow {
    geo_target_constant: GeoTarget,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeoTarget {
    resource_name: String,
    #[serde(default)]
    country_code: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListRow {
    shared_set: ListFields,
}

#[derive(Deserialize)]
struct ListFields {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CostRow {
    campaign: CampaignFields,
    #[serde(default)]
    metrics: Cost,
}

/// An int64, so a string; nothing is 0.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    cost_micros: Option<String>,
}

impl Account {
    /// The campaigns of a customer with the countries that they serve. Three operations at most.
    ///
    /// # Errors
    /// As any call.
    pub async fn campaigns(&self, customer: &str) -> Result<Vec<Campaign>, GoogleError> {
        let campaigns: Page<CampaignRow> = decode(&self.query_ads(customer, "search", CAMPAIGNS).await?)?;
        let locations: Page<LocationRow> = decode(&self.query_ads(customer, "search", LOCATIONS).await?)?;
        let places: BTreeSet<&str> = locations
            .results
            .iter()
            .filter_map(|row| Some(row.campaign_criterion.location.as_ref()?.geo_target_constant.as_str()))
            .collect();
        let countries = self.countries_of(customer, &places).await?;
        let mut of_campaign: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for row in locations.results.iter().filter(|row| !row.campaign_criterion.negative) {
            let place = row.campaign_criterion.location.as_ref();
            let country = place.and_then(|place| countries.get(&place.geo_target_constant));
            let country = country.map_or(SOMEWHERE, String::as_str);
            of_campaign
                .entry(&row.campaign.id)
                .or_default()
                .insert(country.to_owned());
        }
        let found = campaigns.results.into_iter().map(|row| row.campaign);
        Ok(found
            .filter(|campaign| campaign.status != "REMOVED")
            .map(|campaign| Campaign {
                countries: of_campaign.remove(campaign.id.as_str()).unwrap_or_default(),
                id: campaign.id,
                name: campaign.name,
                channel: campaign.advertising_channel_type,
            })
            .collect())
    }

    /// The country of each place, by Google's name of the place.
    async fn countries_of(
        &self,
        customer: &str,
        places: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, String>, GoogleError> {
        if places.is_empty() {
            return Ok(BTreeMap::new());
        }
        let quoted: Result<Vec<String>, _> = places.iter().map(|place| quote(place)).collect();
        let query = format!(
            "SELECT geo_target_constant.resource_name, geo_target_constant.country_code FROM geo_target_constant \
             WHERE geo_target_constant.resource_name IN ({})",
            quoted?.join(", ")
        );
        let page: Page<PlaceRow> = decode(&self.query_ads(customer, "search", &query).await?)?;
        let found = page.results.into_iter().map(|row| row.geo_target_constant);
        Ok(found
            .filter(|place| !place.country_code.is_empty())
            .map(|place| (place.resource_name, place.country_code))
            .collect())
    }

    /// The id of the list of negative keywords with this name, unless it was removed. One operation.
    ///
    /// # Errors
    /// As any call.
    pub async fn list_named(&self, customer: &str, name: &str) -> Result<Option<String>, GoogleError> {
        let page: Page<ListRow> = decode(&self.query_ads(customer, "search", LISTS).await?)?;
        let found = page
            .results
            .into_iter()
            .map(|row| row.shared_set)
            .find(|list| list.kind == "NEGATIVE_KEYWORDS" && list.status != "REMOVED" && list.name == name);
        Ok(found.map(|list| list.id))
    }

    /// What the searches of these texts cost from the first to the last day, both included, in millionths of the customer's currency: of Performance Max,
    /// and of all campaigns. One operation for each thousand texts, none without texts.
    ///
    /// # Errors
    /// As any call.
    pub async fn costs(
        &self,
        customer: &str,
        texts: &[&str],
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<(i64, i64), GoogleError> {
        let (mut uncovered, mut all) = (0, 0);
        for chunk in texts.chunks(crate::MOST_TERMS_A_QUERY) {
            let quoted: Result<Vec<String>, _> = chunk.iter().map(|text| quote(text)).collect();
            let query = format!(
                "SELECT campaign.advertising_channel_type, metrics.cost_micros FROM campaign_search_term_view \
                 WHERE segments.date BETWEEN '{first}' AND '{last}' AND campaign_search_term_view.search_term IN ({})",
                quoted?.join(", ")
            );
            let page: Page<CostRow> = decode(&self.query_ads(customer, "search", &query).await?)?;
            for row in page.results {
                let cost = number(row.metrics.cost_micros)?;
                all += cost;
                if row.campaign.advertising_channel_type == "PERFORMANCE_MAX" {
                    uncovered += cost;
                }
            }
        }
        Ok((uncovered, all))
    }
}
